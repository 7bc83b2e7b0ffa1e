"""The lines of an item table's headers: names right above and below a row of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pagetide.structure.tables.items.item_heads import Heads, Row, is_name
from pagetide.structure.tables.unruled.parted import LARGER

MOST_LINES = 3  # above, and below
# In line heights.
OF_CELL = 0.4  # between the lines of one header, at most
CLOSE = 0.75  # of the space above a row: lines of one header are closer
HEAD_LINES = 1.0  # between a header and what is below it

_DATED = re.compile(r"(?:\d{1,2}[./-]){0,2}(?:1[89]|20)\d\d(?:\s?[-–/]\s?\d\d(?:\d\d)?)?\*?")

IsRuled = Callable[[float, float], bool]
"""Whether a rule is between a row that ends and one that starts at a given position."""


def head_lines(
    rows: Sequence[Row], first: int, line: float, is_ruled: IsRuled
) -> tuple[int, int]:
    """The index of the first header line, and the one after the last.

    Args:
        rows: Of the page, from the top.
        first: The index of a row of headers.
        line: The page's typical line height.
        is_ruled: Tells rows that a rule parts.
    """
    heads = Heads(rows[first], line)
    top = first
    while top > max(0, first - MOST_LINES) and _is_above(
        rows[top - 1], rows[top], heads, line, is_ruled
    ):
        top -= 1
    bottom = max(piece.y1 for piece in rows[first])
    for place in range(first + 1, min(len(rows), first + 1 + MOST_LINES)):
        row = rows[place]
        start = min(piece.y0 for piece in row)
        near = start - bottom <= HEAD_LINES * line and not is_ruled(bottom, start)
        is_first = len(row) == 1 and row[0].x0 < heads.pieces[1].x0
        is_name = heads.figures(row) == 0 or _is_closer(rows[place - 1 : place + 2])
        if not near or is_first or not is_name:
            return top, place
        bottom = max(piece.y1 for piece in row)
    return top, min(len(rows), first + 1 + MOST_LINES)


def _is_closer(rows: Sequence[Row]) -> bool:
    """Whether years or dates complete the headers above: closer than the row below."""
    if len(rows) < 3 or not all(_DATED.fullmatch(piece.text.strip()) for piece in rows[1]):
        return False
    bottoms = [max(piece.y1 for piece in row) for row in rows]
    tops = [min(piece.y0 for piece in row) for row in rows]
    return tops[1] - bottoms[0] < CLOSE * (tops[2] - bottoms[1])


def _is_above(row: Row, below: Row, heads: Heads, line: float, is_ruled: IsRuled) -> bool:
    """Whether a row above headers is a line of theirs, not a title."""
    bottom, top = max(piece.y1 for piece in row), min(piece.y0 for piece in below)
    if top - bottom > OF_CELL * line or is_ruled(bottom, top):
        return False
    first, *_, last = heads.pieces
    usual = min(head.y1 - head.y0 for head in heads.pieces)
    within = first.x0 < row[0].center and row[-1].x1 < last.x1 + line
    is_title = len(row) == 1 and row[0].x0 < first.x1
    large = max(piece.y1 - piece.y0 for piece in row) > LARGER * usual
    return within and not (is_title or large) and all(map(is_name, row))
