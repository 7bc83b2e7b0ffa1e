"""A table's cells as a valid grid: in order, none overlapping, none outside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace

from pagetide.document import Cell, Table


def grid(table: Table) -> list[list[str]]:
    """A table as rows of texts, all of one length, for a data frame or a CSV file.

    A cell that spans several positions has its text in the first of them, top left; the others
    are empty. Columns run from left to right as displayed, in any script. Line feeds inside a
    cell stay.
    """
    table = tidy(table)
    rows = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def tidy(table: Table) -> Table:
    """The table as a valid grid: none of its text is lost.

    A model that generates tables letter by letter may produce overlapping cells. The table
    grows to hold every cell; a span ends at the table's edge, and is given up if it contains
    another cell; cells in one position are merged, their texts below one another. Cells are
    sorted by rows and columns.
    """
    rows = max([table.rows, *(cell.row + 1 for cell in table.cells)])
    columns = max([table.columns, *(cell.column + 1 for cell in table.cells)])
    starts: dict[tuple[int, int], Cell] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        place = (cell.row, cell.column)
        starts[place] = _joined(starts[place], cell) if place in starts else cell
    taken, cells = set(starts), []
    for (row, column), cell in starts.items():
        down = min(max(cell.row_span, 1), rows - row)
        across = min(max(cell.column_span, 1), columns - column)
        covered = {
            (r, c) for r in range(row, row + down) for c in range(column, column + across)
        }
        covered.discard((row, column))
        if covered & taken:
            down = across = 1
        else:
            taken |= covered
        cells.append(replace(cell, row_span=down, column_span=across))
    return Table(rows=rows, columns=columns, cells=tuple(cells))


def header_rows(table: Table) -> int:
    """How many rows at the top of a tidy table are its header: all their cells are headers.

    A row with a cell that extends into the body is not a header row: browsers would cut the
    cell short.
    """
    rows: dict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        rows[cell.row].append(cell)
    count = 0
    while rows[count] and all(cell.header for cell in rows[count]):
        count += 1
    while any(cell.row < count < cell.row + cell.row_span for cell in table.cells):
        count -= 1
    return count


def cells_by_row(table: Table) -> Iterator[list[Cell | None]]:
    """A tidy table's cells row by row; None for a position without one."""
    at = {(cell.row, cell.column): cell for cell in table.cells}
    covered = {
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    for row in range(table.rows):
        places = ((row, column) for column in range(table.columns))
        yield [at.get(place) for place in places if place in at or place not in covered]


def named_rows(table: Table) -> tuple[list[str], list[list[str]]]:
    """The columns' names, empty if the table has no header, and the rows below it.

    A name combines all header rows above the column, also if a cell spans several.
    """
    whole = tidy(table)
    head = header_rows(whole)
    heads = [
        (cell.column, cell.column + cell.column_span, " ".join(cell.text.split()))
        for cell in whole.cells
        if cell.row < head and cell.text.strip()
    ]
    names = [
        " ".join(text for start, end, text in heads if start <= column < end)
        for column in range(whole.columns)
    ]
    return (names if head else []), grid(whole)[head:]


def _joined(cell: Cell, other: Cell) -> Cell:
    return replace(
        cell,
        text="\n".join(text for text in (cell.text, other.text) if text),
        line_indexes=cell.line_indexes + other.line_indexes,
    )
