"""How many rows at the top of a table are its header."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pagetide.structure.tables.baseline import (
    are_counted,
    is_number,
    is_value,
    is_year,
    lists_values,
    numbered,
)
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.rows.boxes import has_figures

MOST_HEAD_ROWS = 6
MOST_NAMED = 2  # header rows with text in the first column and beside it
HEAD_WORDS = 12  # in a line of a cell: with more it is a sentence, not a header
_WITH_UNIT = re.compile(r"[-−–~]?\d[\d.,  ]*(?:[-–]\s?\d[\d.,  ]*)?(?P<unit>[^\W\d_]{1,6}\.?)")

Cells = Mapping[tuple[int, int], Sequence[Piece]]


def head_rows(grid: Grid, units: Cells) -> int:
    """How many rows at the top are the header: those above the first row with figures.

    If no row has figures it is the first one, unless the first column has counts or dates from
    there on: a header differs in kind from its column. Rows of names with values have no header
    except the first row; values of different kinds have no header.
    """
    values = [units[row, 1][0].text for row in range(grid.rows) if units.get((row, 1))]
    if grid.columns == 2 and {(0, 0), (0, 1)} <= units.keys() and lists_values(values):
        return 0
    alone = [row for row in range(grid.rows) if _is_section(grid, units, row)]
    named = [row for row in range(grid.rows) if (row, 0) in units and row not in alone]
    most = MOST_NAMED if grid.columns > 2 else 1
    firsts = [units[row, 0][0].text for row in range(grid.rows) if units.get((row, 0))]
    counts = len(firsts) == grid.rows and all(text.lstrip()[:1].isdigit() for text in firsts)
    counts = counts and not is_year(firsts[0])
    for row in range(min(grid.rows, MOST_HEAD_ROWS)):
        if row and sum(each < row for each in named) > most:
            return 0 if counts else max(1, named[0] + (grid.columns > 2))
        is_section = row in alone and alone[-1] > row  # as further down
        if row and (is_section or _is_group(grid, units, row)):
            return row
        inside = [p for column in range(grid.columns) for p in units.get((row, column), ())]
        if row and (_has_mostly_figures(grid, units, row) or _repeats_units(grid, units, row)):
            return row
        if not row and are_counted([piece.text for piece in inside]):
            continue
        amounts = [p.text for p in inside if is_value(p.text)]
        if not row and counts and amounts[1:]:
            return 0  # a number and an amount, as in the rows below
        if row and any(text[-1:].isdigit() and not text.isdigit() for text in amounts):
            return row
        if has_figures(grid, inside) or any(len(p.text.split()) > HEAD_WORDS for p in inside):
            return row
    return 0 if counts else min(1, grid.rows - 1)


def _is_section(grid: Grid, units: Cells, row: int) -> bool:
    """Whether a row contains only text that starts in the first column."""
    cells = [cell for n in range(grid.columns) if (cell := units.get((row, n)))]
    return len(cells) == 1 and grid.column_at(min(piece.x0 for piece in cells[0])) == 0


def _is_group(grid: Grid, units: Cells, row: int) -> bool:
    """Whether only one column has text, above figures, as in a row further down."""
    own, *others = (_filled(grid, units, n) for n in range(row, grid.rows))
    is_above = bool(others) and _has_mostly_figures(grid, units, row + 1)
    return is_above and len(own) == 1 and own in others


def _filled(grid: Grid, units: Cells, row: int) -> list[int]:
    """The columns that have text in a row."""
    return [column for column in range(grid.columns) if units.get((row, column))]


def _has_mostly_figures(grid: Grid, units: Cells, row: int) -> bool:
    """Whether most cells of a row but the first are figures; others may have several lines."""
    cells = [cell for n in range(1, grid.columns) if (cell := units.get((row, n)))]
    figures = [
        len(cell) == 1 and is_number(cell[0].text) and not is_year(cell[0].text)
        for cell in cells
    ]
    counted = numbered([piece.text for cell in cells for piece in cell])
    return not counted and len(cells) > 1 and sum(figures) > len(cells) / 2


def _repeats_units(grid: Grid, units: Cells, row: int) -> bool:
    """Whether most figures of a row have the units of those below, as no header does."""
    own, below = (
        {
            column: found["unit"]
            for column in range(1, grid.columns)
            for cell in [units.get((at, column), [])]
            if len(cell) == 1 and (found := _WITH_UNIT.fullmatch(cell[0].text))
        }
        for at in (row, row + 1)
    )
    alike = sum(below.get(column) == unit for column, unit in own.items())
    cells = sum((row, column) in units for column in range(1, grid.columns))
    return bool(own) and 2 * alike > cells
