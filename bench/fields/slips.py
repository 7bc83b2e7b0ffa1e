"""Receipts as pictures: narrow strips of thermal paper, dot matrix and laser print."""

from __future__ import annotations

import random
from collections.abc import Sequence

from PIL import Image

from bench.fields.pen import Pen, font
from bench.fields.tills import Receipt, Row
from bench.fields.worn import worn

_FACES = ("mono", "mono", "thermal", "thermal", "sans", "narrow")
_MONO = ("mono", "thermal")


def slip(receipt: Receipt, seed: int) -> Image.Image:
    """The receipt's picture, as scanned."""
    chance = random.Random(f"slip {seed}")  # noqa: S311 - the same seed draws the same
    face, size = chance.choice(_FACES), chance.randint(15, 24)
    bold = chance.random() < 0.2
    width = chance.randint(300, 600) if face not in _MONO else round(size * 0.61 * 42)
    width = max(width, *(round(_needs(row, face, size, bold=bold)) for row in receipt.rows))
    margins = [chance.randint(8, 90) for _ in range(4)]
    leading = chance.uniform(1.15, 1.6)
    height = round(sum(row.size * size * leading for row in receipt.rows)) + 30
    pen = Pen(width + margins[0] + margins[1], height + margins[2] + margins[3])
    y: float = margins[2]
    for row in receipt.rows:
        letters = font(face, round(size * row.size), bold=bold or row.size > 1)
        for x, text in _placed(row, [letters.getlength(part) for part in row.parts], width):
            pen.write(margins[0] + x, y, text, letters)
        y += row.size * size * leading
    return worn(pen.picture, chance, fax=False)[0]


def _needs(row: Row, face: str, size: int, *, bold: bool) -> float:
    letters = font(face, round(size * row.size), bold=bold or row.size > 1)
    return sum(letters.getlength(part) + 2 * size for part in row.parts)


def _placed(row: Row, wide: Sequence[float], width: int) -> list[tuple[float, str]]:
    """Where the parts of a row begin."""
    if row.place == "middle":
        return [((width - wide[0]) / 2, row.parts[0])]
    if row.place == "left":
        return [(0.0, row.parts[0])]
    last = len(row.parts) - 1
    ends = [width * (0.5 + 0.5 * n / last) for n in range(1, last + 1)]
    rest = zip(ends, wide[1:], row.parts[1:], strict=True)
    return [(0.0, row.parts[0]), *((end - own, part) for end, own, part in rest)]
