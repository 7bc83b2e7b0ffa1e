"""A unit of all columns below their headers: `(in thousands)`, centred under them."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.structure.tables.baseline import IN_BRACKETS
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece

AWAY = 0.3  # of a column's width from the middle under all headers
LEVEL, CENTRED = 1 / 8, 1 / 4  # line heights between aligned edges, and between aligned middles
OF_CELL = 0.4  # line heights between the lines of a cell, at most
LEAST_HEADS = 2


def is_shared_unit(unit: Piece, heads: Sequence[Piece], grid: Grid, line: float) -> bool:
    """Whether a text is a unit centred under all columns' headers, not under its own.

    Args:
        unit: Alone on its line.
        heads: Everything above it.
        grid: With its columns known.
        line: The page's typical line height.
    """
    columns = [grid.column_at(head.center) for head in heads]
    named = [head for head, column in zip(heads, columns, strict=True) if column > 0]
    if len(set(columns) - {0}) < LEAST_HEADS or not IN_BRACKETS.fullmatch(unit.text):
        return False
    edges = (min(head.x0 for head in named), max(head.x1 for head in named))
    if not any(
        abs(unit.center - (left + right) / 2) < AWAY * (right - left) / (grid.columns - 1)
        for left, right in (edges, (grid.xs[1].at, grid.xs[-1].at))
    ):
        return False
    own = [head for head in named if head.x0 < unit.x1 and unit.x0 < head.x1]
    below = max(own, key=lambda head: head.y1, default=None)
    return below is None or not _is_of(unit, below, line, is_middle=grid.columns % 2 == 0)


def _is_of(unit: Piece, head: Piece, line: float, *, is_middle: bool) -> bool:
    """Whether a unit aligns with the header above; below the middle one it is close, too."""
    if abs(unit.center - head.center) < CENTRED * line:
        return not is_middle or unit.y0 - head.y1 < OF_CELL * line
    return min(abs(unit.x0 - head.x0), abs(unit.x1 - head.x1)) < LEVEL * line
