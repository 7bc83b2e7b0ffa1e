"""Headers that the type of a table's cells shows: of bold rows, and none of labels."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Cell, Line
from pagetide.structure.rows import is_bold
from pagetide.structure.tables.found import FoundTable

LEAST = 2  # rows
LEAST_BELOW = 2  # rows of a bold one


def without_heads_of_labels(
    found: Sequence[FoundTable], lines: Sequence[Line]
) -> list[FoundTable]:
    """The tables; those of bold labels beside values that are not bold have no headers.

    A header's row is bold as a whole, or not at all.

    Args:
        found: The tables.
        lines: The page's, which the cells' `line_indexes` index.
    """
    return [each.with_headers(0) if _is_labelled(each, lines) else each for each in found]


def _is_labelled(found: FoundTable, lines: Sequence[Line]) -> bool:
    """Whether all of the first column is bold and none of the second; both have a first row."""
    table = found.table
    filled = [cell for cell in table.cells if cell.text]
    labels = [_is_bold(cell, lines) for cell in filled if cell.column == 0]
    values = {cell.row: _is_bold(cell, lines) for cell in filled if cell.column == 1}
    is_pairs = table.columns == 2 and len(labels) == table.rows >= LEAST and 0 in values
    return is_pairs and all(labels) and not any(values.values())


def _is_bold(cell: Cell, lines: Sequence[Line]) -> bool:
    own = [lines[index] for index in cell.line_indexes]
    return bool(own) and all(map(is_bold, own))


def with_bold_heads(found: Sequence[FoundTable], lines: Sequence[Line]) -> list[FoundTable]:
    """The tables; in those without a header a first row that alone is bold is one.

    Years and dates may be its cells, which by themselves are figures.

    Args:
        found: The tables.
        lines: The page's, which the cells' `line_indexes` index.
    """
    return [each.with_headers(1) if _begins_bold(each, lines) else each for each in found]


def _begins_bold(found: FoundTable, lines: Sequence[Line]) -> bool:
    """Whether all of the first row is bold, in all columns but one, and no row below is."""
    table = found.table
    if table.rows <= LEAST_BELOW or any(cell.header for cell in table.cells):
        return False
    filled = [cell for cell in table.cells if cell.text]
    bold = {row: True for row in range(table.rows)}
    for cell in filled:
        bold[cell.row] = bold[cell.row] and _is_bold(cell, lines)
    first = [cell for cell in filled if cell.row == 0]
    single = all(cell.row_span == cell.column_span == 1 for cell in first)
    wide = len(first) >= max(table.columns - 1, 2)
    return single and wide and bold.pop(0) and not any(bold.values())
