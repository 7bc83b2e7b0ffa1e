"""Figures: charts and plain diagrams, as inline SVG, with their own text."""

from __future__ import annotations

import math
from html import escape

from bench.drawn.markup import Maker, block

TINTS = ("#4a7ba6", "#c06c4b", "#6a9a5b", "#8a6fa8", "#b59b3b", "#777")


def figure(maker: Maker, width: int = 420, height: int = 210) -> str:
    """A chart or a diagram of a size in CSS pixels."""
    draw = maker.chance.choice((_bars, _curve, _pie, _boxes, _picture))
    kind = "figure" if draw in (_boxes, _picture) else "chart"
    inner = draw(maker, width, height)
    svg = f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}">{inner}</svg>'
    return block(kind, svg, tag="figure", more="data-keep")


def _bars(maker: Maker, width: int, height: int) -> str:
    count = maker.chance.randint(3, 7)
    step = (width - 50) / count
    parts = [_axes(width, height)]
    for place in range(count):
        tall = maker.chance.uniform(0.15, 0.95) * (height - 45)
        x = 40 + place * step
        tint = TINTS[0] if maker.style.numbered else TINTS[place % len(TINTS)]
        parts.append(
            f'<rect x="{x + step * 0.15:.1f}" y="{height - 25 - tall:.1f}" '
            f'width="{step * 0.7:.1f}" height="{tall:.1f}" fill="{tint}"/>'
        )
        parts.append(_said(x + step / 2, height - 10, str(2010 + place)))
    return "".join([*parts, *_scale(height)])


def _curve(maker: Maker, width: int, height: int) -> str:
    parts = [_axes(width, height), *_scale(height)]
    for number in range(maker.chance.randint(1, 3)):
        level, places = maker.chance.uniform(0.3, 0.7), []
        for step in range(12):
            level = min(max(level + maker.chance.uniform(-0.15, 0.15), 0.05), 0.95)
            places.append(
                f"{40 + step * (width - 60) / 11:.1f},{(1 - level) * (height - 30):.1f}"
            )
        tint = TINTS[number]
        parts.append(
            f'<polyline points="{" ".join(places)}" fill="none" stroke="{tint}" '
            'stroke-width="2"/>'
        )
    parts += [
        _said(40 + place * (width - 60) / 3, height - 8, str(place)) for place in range(4)
    ]
    return "".join(parts)


def _pie(maker: Maker, width: int, height: int) -> str:
    shares = [maker.chance.uniform(1, 4) for _ in range(maker.chance.randint(3, 5))]
    radius, y, turn = height / 2 - 10, height / 2, 0.0
    x = radius + 8
    parts = []
    for place, share in enumerate(shares):
        angle = share / sum(shares) * 2 * math.pi
        ends = [
            (x + radius * math.cos(a), y + radius * math.sin(a)) for a in (turn, turn + angle)
        ]
        (x0, y0), (x1, y1) = ends
        wide = int(angle > math.pi)
        parts.append(
            f'<path d="M{x},{y} L{x0:.1f},{y0:.1f} A{radius},{radius} 0 {wide} 1 '
            f'{x1:.1f},{y1:.1f} Z" fill="{TINTS[place]}" stroke="#fff"/>'
        )
        top = 30 + place * 22
        left = 2 * radius + 24
        parts.append(
            f'<rect x="{left}" y="{top - 9}" width="10" height="10" fill="{TINTS[place]}"/>'
        )
        said = maker.writer.word("towns")
        if maker.writer.language != "ar":  # a sign beside leftward letters lands elsewhere
            said += f" {share / sum(shares):.0%}"
        parts.append(
            f'<text x="{left + 16}" y="{top}" direction="ltr" class="key">{escape(said)}</text>'
        )
        turn += angle
    return "".join(parts)


def _boxes(maker: Maker, width: int, height: int) -> str:
    count = maker.chance.randint(2, 4)
    step = width / count
    parts = []
    for place in range(count):
        x, y = place * step + 8, height / 2 - 26 + (place % 2) * 30 - 15
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{step - 30:.1f}" height="52" rx="5" '
            f'fill="#eef3f8" stroke="{maker.style.ink}"/>'
        )
        parts.append(_said(x + (step - 30) / 2, y + 30, maker.writer.word("nouns")))
        if place + 1 < count:
            parts.append(
                f'<path d="M{x + step - 30:.1f},{height / 2} h22 m-6,-4 l6,4 l-6,4" '
                'stroke="#333" fill="none"/>'
            )
    return "".join(parts)


def _picture(maker: Maker, width: int, height: int) -> str:
    """Something like a photograph: hills under a sky."""
    parts = [f'<rect width="{width}" height="{height}" fill="#b9cfe0"/>']
    for layer, tint in enumerate(("#7f9bb0", "#5d7a5f", "#3f5540")):
        level, places = height * (0.45 + 0.16 * layer), []
        for step in range(9):
            y = level + maker.chance.uniform(-0.12, 0.12) * height
            places.append(f"{step * width / 8:.0f},{y:.0f}")
        parts.append(
            f'<polygon points="0,{height} {" ".join(places)} {width},{height}" fill="{tint}"/>'
        )
    sun = maker.chance.uniform(0.2, 0.8) * width
    parts.append(f'<circle cx="{sun:.0f}" cy="{height * 0.2:.0f}" r="16" fill="#f4e3a8"/>')
    return "".join(parts)


def _axes(width: int, height: int) -> str:
    return (
        f'<path d="M38,4 V{height - 24} H{width - 6}" stroke="#333" fill="none"/>'
        f'<path d="M38,{height / 2 - 10} H{width - 6}" stroke="#ccc" fill="none"/>'
    )


def _scale(height: int) -> list[str]:
    return [
        _said(20, 14 + place * (height - 40) / 2, str(100 - 50 * place)) for place in range(3)
    ]


def _said(x: float, y: float, said: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(said)}</text>'
