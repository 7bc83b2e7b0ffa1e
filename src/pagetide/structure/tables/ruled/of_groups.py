"""Shades behind the names of groups of items: rows of a table, not titles of another."""

from __future__ import annotations

from pagetide.geometry import Box
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines

# In line heights.
LOOK = 6.0  # above a shade, past a sum or a further line of the last item
NEAR = 1.2  # to the rows above and below it: a title is farther from the table above
LEVEL = 0.25  # between the right ends of two figures of a column
LEAST = 2  # columns of figures: side by side with one, names and values may be of two tables


def is_between_items(fill: Box, words: Words, line: float) -> bool:
    """Whether the row right below a shade is an item with figures in the columns of one above.

    Another table would start with headers, and have other columns.
    """
    x0, y0, x1, y1 = fill
    above = _rows((x0, y0 - LOOK * line, x1, y0), words, line)
    below = _rows((x0, y1, x1, y1 + NEAR * line), words, line)
    if not (above and below) or y0 - max(piece.y1 for piece in above[-1]) > NEAR * line:
        return False
    name, *values = below[0]
    ends = _ends(values)
    return not is_number(name.text) and any(
        sum(any(abs(end - other) < LEVEL * line for other in _ends(row)) for end in ends)
        >= LEAST
        for row in above
    )


def _rows(box: Box, words: Words, line: float) -> list[list[Piece]]:
    """The phrases in a box by baseline, from the top, each from the left."""
    inside = inside_of(box, words, line)
    return baselines(chunk for own in inside for chunk in own.phrases)


def _ends(row: list[Piece]) -> list[float]:
    """The right ends of a row's figures."""
    return [piece.x1 for piece in row if is_number(piece.text)]
