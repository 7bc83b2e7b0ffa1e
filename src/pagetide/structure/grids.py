"""What blocks and exports ask of grids: a table's text, its lines renumbered, its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pagetide.document import Table
from pagetide.structure.paragraphs import Row, is_mark
from pagetide.words import as_one


def table_text(table: Table) -> str:
    """The table's text: a line feed between rows, a tab between columns."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = as_one(
            " ".join(row.split()) for row in cell.text.split("\n")
        )
    return "\n".join("\t".join(row).rstrip("\t") for row in grid)


def renumbered(table: Table, place_of: Mapping[int, int]) -> Table:
    """The table with its cells' line indexes looked up in a mapping."""
    cells = tuple(
        msgspec.structs.replace(
            cell, line_indexes=tuple(place_of[index] for index in cell.line_indexes)
        )
        for cell in table.cells
    )
    return msgspec.structs.replace(table, cells=cells)


def is_listing(rows: Sequence[Row], gutters: Sequence[float]) -> bool:
    """Whether a grid is a list: its first column holds only bullets or numbers of items."""
    return len(gutters) == 1 and all(
        is_mark(line.text)
        for row in rows
        for line, box in zip(row.lines, row.boxes, strict=True)
        if box[0] < gutters[0]
    )


def baselines(row: Row) -> list[Row]:
    """A grid's row, whose cells may hold several lines, as rows of one baseline each."""
    found: list[list[int]] = []
    for place, box in enumerate(row.boxes):
        middle = (box[1] + box[3]) / 2
        first = row.boxes[found[-1][0]] if found else None
        if first is None or not first[1] < middle < first[3]:
            found.append([])
        found[-1].append(place)
    return [row.part(places) for places in found]
