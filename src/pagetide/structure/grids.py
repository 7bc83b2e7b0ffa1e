"""Grids of cells, found by their gutters, as tables."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from pagetide.document import Cell, Table
from pagetide.geometry import polygon_of, turned, union
from pagetide.structure.paragraphs import Row, is_mark

if TYPE_CHECKING:
    from collections.abc import Iterator


def table_of(rows: Sequence[Row], gutters: Sequence[float], angle: float) -> Table | None:
    """The grid as a table, or None where it is too small to be sure of.

    Args:
        rows: From the top, each cell by cell; their boxes stand upright.
        gutters: Where columns part, in the boxes' pixels.
        angle: How far the page's text stands turned, radians clockwise.

    Returns:
        A table without its empty cells; a cell that crosses gutters spans their columns.
        `line_indexes` are the rows' own.
    """
    filled = sum(len(row.lines) > 1 for row in rows)
    if len(rows) < 3 or filled < max(2, len(rows) / 2):
        return None
    cells = (cell for number, row in enumerate(rows) for cell in _cells(row, number, gutters))
    return Table(
        rows=len(rows),
        columns=len(gutters) + 1,
        cells=tuple(
            msgspec.structs.replace(cell, polygon=turned(cell.polygon, angle))
            if cell.polygon
            else cell
            for cell in cells
        ),
    )


def table_text(table: Table) -> str:
    """The table's text: a line feed between rows, a tab between columns."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = " ".join(cell.text.split())
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


def _cells(row: Row, number: int, gutters: Sequence[float]) -> Iterator[Cell]:
    columns: dict[tuple[int, int], list[int]] = defaultdict(list)
    taken: list[tuple[int, int]] = []
    for place, (left, _, right, _) in enumerate(row.boxes):
        first = bisect_left(gutters, left)
        span = (first, max(first, bisect_left(gutters, right)))
        # Boxes that overlap, by a bad detection or a slanted line, share a cell.
        clash = next((other for other in taken if _overlap(other, span)), None)
        if clash is None:
            taken.append(span)
        columns[clash or span].append(place)
    for first, last in sorted(columns):
        cell = row.part(columns[first, last])
        known = [line.confidence for line in cell.lines if line.confidence is not None]
        yield Cell(
            row=number,
            column=first,
            column_span=last - first + 1,
            text="\n".join(part.text for part in baselines(cell)),
            polygon=polygon_of(union(cell.boxes)),
            confidence=sum(known) / len(known) if known else None,
            line_indexes=cell.indexes,
        )


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]
