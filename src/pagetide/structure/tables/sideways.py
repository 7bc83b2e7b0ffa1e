"""Rotated headers over a table's columns: lines in another direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Cell, Table
from pagetide.geometry import (
    Box,
    area,
    box_of,
    center,
    contains,
    intersection_area,
    polygon_of,
)

MOST = 300  # lines in another direction: on a page with more they belong to no table
LEAST = 3  # columns with a header above them
MOSTLY = 0.8  # of a line is in its cell
NEAR = 2.0  # widths of a line between it and the table's first row, at most


class Sideways(NamedTuple):
    """A line in another direction than a table's text.

    Attributes:
        line: Its index.
        text: Its text.
        box: Around it, with the table upright.
        runs_up: Whether it is read from below.
    """

    line: int
    text: str
    box: Box
    runs_up: bool

    @property
    def order(self) -> float:
        """Its position among the lines of its cell."""
        return self.box[0] if self.runs_up else -self.box[0]


def with_sideways(
    table: Table, box: Box, lines: Sequence[Sideways]
) -> tuple[Table, Box, set[int]]:
    """A table with the rotated lines in its cells, and those above it as its first row.

    Args:
        table: Its cells have polygons, upright.
        box: Its own.
        lines: Those in another direction.

    Returns:
        The table, its box, and the indexes of the lines that are in it now.
    """
    if len(lines) > MOST:
        return table, box, set()
    inside = [line for line in lines if contains(box, center(line.box))]
    table, taken = _with_inside(table, inside)
    over = _above(table, box, [line for line in lines if line.line not in taken])
    if not over:
        return table, box, taken
    top = min(line.box[1] for _, line in over)
    heads = _row(over, (box[0], top, box[2], box[1]), table)
    cells = (*heads, *(replace(cell, row=cell.row + 1) for cell in table.cells))
    grown = replace(table, rows=table.rows + 1, cells=cells)
    return grown, (box[0], top, box[2], box[3]), taken | {each.line for _, each in over}


def _with_inside(table: Table, lines: Sequence[Sideways]) -> tuple[Table, set[int]]:
    taken: set[int] = set()
    cells: list[Cell] = []
    for cell in table.cells:
        around = box_of(cell.polygon) if cell.polygon else None
        own = [
            each
            for each in sorted(lines, key=lambda line: line.order)
            if around and each.line not in taken and _holds(around, each.box)
        ]
        taken.update(each.line for each in own)
        cells.append(_joined(cell, own) if own else cell)
    return (replace(table, cells=_as_heads(table, cells)) if taken else table), taken


def _as_heads(table: Table, cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells, as headers down to a row in which several cells have such lines."""
    filled = (new.row for old, new in zip(table.cells, cells, strict=True) if old is not new)
    rows = [row for row, count in Counter(filled).items() if count >= LEAST]
    last = max(rows, default=-1)
    return tuple(replace(cell, header=cell.header or cell.row <= last) for cell in cells)


def _holds(cell: Box, line: Box) -> bool:
    """Whether most of a line is in a cell: a stamp across several is in none."""
    return intersection_area(cell, line) >= MOSTLY * area(line)


def _joined(cell: Cell, lines: Sequence[Sideways]) -> Cell:
    texts = [cell.text] if cell.text else []
    return replace(
        cell,
        text="\n".join([*texts, *(line.text for line in lines)]),
        line_indexes=(*cell.line_indexes, *(line.line for line in lines)),
    )


def _above(table: Table, box: Box, lines: Sequence[Sideways]) -> list[tuple[int, Sideways]]:
    """Lines above a table whose starts are level, with the columns that they cover."""
    spans = dict(_spans(table))
    near = [
        line for line in lines if -_width(line) < box[1] - line.box[3] < NEAR * _width(line)
    ]
    over = [
        (column, line)
        for line in near
        for column, (x0, x1) in spans.items()
        if x0 <= center(line.box)[0] < x1
    ]
    several = len({column for column, _ in over}) >= LEAST
    return sorted(over, key=lambda each: (each[0], each[1].order)) if several else []


def _width(line: Sideways) -> float:
    return line.box[2] - line.box[0]


def _spans(table: Table) -> Iterable[tuple[int, tuple[float, float]]]:
    """The horizontal extent of each column, from cells of one column."""
    single = sorted(
        (cell for cell in table.cells if cell.polygon and cell.column_span == 1),
        key=lambda cell: cell.column,
    )
    for column, cells in groupby(single, key=lambda cell: cell.column):
        boxes = [box_of(cell.polygon) for cell in cells if cell.polygon]
        yield column, (min(b[0] for b in boxes), max(b[2] for b in boxes))


def _row(over: Sequence[tuple[int, Sideways]], box: Box, table: Table) -> list[Cell]:
    spans = dict(_spans(table))
    heads = []
    for column in range(table.columns):
        own = [line for place, line in over if place == column]
        x0, x1 = spans.get(column, (box[0], box[0]))
        empty = Cell(
            row=0,
            column=column,
            text="",
            polygon=polygon_of((x0, box[1], x1, box[3])),
            header=True,
        )
        heads.append(_joined(empty, own))
    return heads
