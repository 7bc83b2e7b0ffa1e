"""Pages with official tables: beside texts and one another, with captions and notes."""

from __future__ import annotations

import random
from dataclasses import replace
from html import escape

from bench.drawn.markup import A4, LETTER, Maker, Sheets, block, heading, sheet, slot, text
from bench.drawn.official import look as looks
from bench.drawn.official.look import Look, look_of
from bench.drawn.official.tables import KINDS, small
from bench.drawn.printing import Made, html_of
from bench.drawn.running import footer
from bench.drawn.style import style_of
from bench.drawn.words import Writer

_NOTES = (
    "Source: {said}",
    "<sup>{letter}</sup> {said}",
    "{number}/ {said}",
    "Note: {said}",
    "* {said}",
)
_LANGUAGES, _WEIGHTS = ("en", "de", "fr", "zh"), (40, 22, 22, 16)


def made(seed: int) -> Made:
    """The kind, words, HTML and sheets of a seed; kinds alternate."""
    chance = random.Random(f"official {seed}")  # noqa: S311 - the same seed draws the same
    writer = Writer(chance.choices(_LANGUAGES, _WEIGHTS)[0], chance)
    maker = Maker(
        chance, writer, replace(style_of(chance, writer.language), rules="none", shade="")
    )
    kind = list(KINDS)[seed % len(KINDS)]
    sheets = _sheets(maker, kind)
    return kind, writer, html_of(maker, sheets), sheets


def _sheets(maker: Maker, kind: str) -> Sheets:
    chance, look = maker.chance, look_of(maker.chance)
    width, height = chance.choice((A4, LETTER))
    turned = kind in ("wide", "statistics", "timetable") and maker.maybe(0.08)
    if kind == "wide" and not turned and maker.maybe(0.4):
        width, height = height, width
    room = (height - 120 if turned else width - 2 * maker.style.margin) - 4
    units, css = _around(maker, kind, look, room)
    if maker.maybe(0.3) and kind not in ("long", "wide") and not turned:
        more, style = _around(maker, chance.choice(list(KINDS)), look, room, "second")
        units, css = [*units, *more], css + style
    inner = f'<div class="turned">{slot()}</div>' if turned else slot() + footer(maker)
    frame = looks.CSS.replace("HEIGHT", str(height)).replace("WIDTH", str(width))
    return Sheets(
        size=(width, height),
        first=sheet(inner),
        flows={"main": "".join(units)},
        css=frame + css,
        fields={"rules": look.rules, **_told(look), "turned": str(turned)},
    )


def _told(look: Look) -> dict[str, str]:
    """Features that may make a table hard to read."""
    return {
        "gutter": "narrow" if look.gutter < 8 else "wide" if look.gutter > 18 else "usual",
        "rows": "tight" if look.pad < 1 else "loose",
        "sides": look.sides,
        "heads": look.bottom,
        "level": look.level,
        "spans": "ruled" if look.ruled_spans else "open",
    }


def _around(
    maker: Maker, kind: str, look: Look, room: float, name: str = "first"
) -> tuple[list[str], str]:
    """A table with its surroundings, and its style."""
    w = maker.writer
    units = [heading(w.heading(), 2)] if maker.maybe(0.5) else []
    if maker.maybe(0.6):
        close = maker.maybe(0.35)
        said = escape(w.text(2, 4))
        units.append(block("text", said, look="body close") if close else text(said))
    setting = maker.chance.choices(("alone", "beside", "two"), (82, 8, 10))[0]
    if kind in ("small", "keyed") and setting == "beside":
        made = KINDS[kind](maker, replace(look, full=False), name, room / 2)
        beside = block("text", escape(w.text(3, 6)), look="flush")
        pair = (made.html, beside) if maker.maybe(0.5) else (beside, made.html)
        units.append(f'<div class="pair">{"".join(pair)}</div>')
        return [*units, text(escape(w.text(1, 3)))], looks.css_of(made.look, name)
    if kind == "small" and setting == "two":
        made = small(maker, replace(look, full=False), name, room / 2 - 30)
        other = small(maker, replace(look, full=False), f"{name}-too", room / 2 - 30)
        units.append(f'<div class="pair">{made.html}{other.html}</div>')
        css = looks.css_of(made.look, name) + looks.css_of(other.look, f"{name}-too")
        return [*units, text(escape(w.text(1, 3)))], css
    made = KINDS[kind](maker, look, name, room)
    units += [*_captioned(maker, made.html), *_notes(maker)]
    units += [text(escape(w.text(1, 4)))] if maker.maybe(0.6) else []
    return units, looks.css_of(made.look, name)


def _captioned(maker: Maker, drawn: str) -> list[str]:
    if maker.maybe(0.35):
        return [drawn]
    w = maker.writer
    dot = maker.chance.choice((":", ".", " –"))
    said = f"<b>{w.label('table')} {maker.chance.randint(1, 30)}{dot}</b> {escape(w.heading())}"
    above = maker.maybe(0.75)
    caption = block(
        "caption", said, look="caption above" if above else "caption below", also="heading text"
    )
    return [caption, drawn] if above else [drawn, caption]


def _notes(maker: Maker) -> list[str]:
    """Lines right below a table, in smaller letters."""
    if maker.maybe(0.4):
        return []
    w, chance = maker.writer, maker.chance
    form = chance.choice(_NOTES)
    notes = "".join(
        block(
            "footnote",
            form.format(
                letter="abc"[place],
                number=place + 1,
                said=w.clause() if form == _NOTES[-1] else w.sentence(),
            ),
            also="text caption list",
        )
        for place in range(chance.randint(1, 3))
    )
    return [f'<div class="notes after">{notes}</div>']
