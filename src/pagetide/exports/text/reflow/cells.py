"""Cells as they were written: rows joined if only the column's width split them.

A column whose rows end where the next word does not fit, far more often than names below one
another would by chance, wraps its text. Elsewhere only a row that starts inside a sentence
continues the one above.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from pagetide.document import Cell, Line, Page, Table
from pagetide.exports.text.hyphens import is_parted
from pagetide.exports.text.reflow.row_breaks import (
    SLACK,
    WIDER_GAP,
    is_inside,
    is_other_font,
    is_small,
)
from pagetide.exports.text.reflow.row_items import items_in
from pagetide.exports.text.row_boxes import lines_of_texts
from pagetide.geometry import Box, box_of, direction, turned, union
from pagetide.layout.addresses import is_address
from pagetide.layout.words import first_width, is_unspaced

# Of rows that wrap, and of names below one another: the shares that end where the next word
# does not fit, and that go on in lowercase.
_FULL, _MOST_CHANCE = 0.95, 0.95
_INSIDE, _RARELY_INSIDE = 0.5, 0.05
# How much likelier wrapping must be: most headers in several rows do wrap.
_SURE, _SURE_OF_HEADS = 8.0, 0.5

_HEADS = (-1, 0)

Join = Callable[[str, str], str]


@dataclass(frozen=True)
class _Rows:
    """The rows of a cell that has several.

    Attributes:
        lines: The lines of each row.
        width: Of the cell's column, in pixels: that of its longest row.
    """

    texts: Sequence[str]
    lines: Sequence[Sequence[Line]]
    boxes: Sequence[Box]
    width: float

    @property
    def after(self) -> range:
        """The places of the rows that have one above."""
        return range(1, len(self.texts))

    def is_full(self, place: int) -> bool:
        """Whether the next row's first word would not have fitted on this row."""
        left, _, right, _ = self.boxes[place]
        return self.width - (right - left) < self._room(place + 1)

    def chance(self, place: int) -> float:
        """The probability (0–1) that the row before this one is full by chance."""
        return min(_MOST_CHANCE, 2 * self._room(place) / max(self.width, 1.0))

    def is_inside(self, place: int) -> bool:
        """Whether a sentence runs into a row, as only lowercase shows."""
        return is_small(self.texts[place]) and is_inside(self.texts[place - 1])

    def may_go_on(self, place: int) -> bool:
        """Whether neither a mark, nor weight, size or space part a row from the one above."""
        before, own = self.boxes[place - 1], self.boxes[place]
        return (
            place not in self._items
            and self.lines[place - 1][-1].bold == self.lines[place][0].bold
            and own[1] - before[3] <= self._usual_gap + WIDER_GAP * self._height
            and not is_other_font(self.texts[place - 1 : place + 1], (before, own))
        )

    def _room(self, place: int) -> float:
        return first_width(self.lines[place][0]) + SLACK * self._height

    @cached_property
    def _items(self) -> frozenset[int]:
        return items_in(self.texts, self.is_full, is_list=True, is_counted=False)

    @cached_property
    def _usual_gap(self) -> float:
        return min(self.boxes[n][1] - self.boxes[n - 1][3] for n in self.after)

    @cached_property
    def _height(self) -> float:
        return min(box[3] - box[1] for box in self.boxes)


def with_whole_cells(page: Page, table: Table, join: Join) -> Table:
    """The table with each text of a cell on one line; names and items stay apart."""
    rows = _rows(page, table)
    columns: dict[tuple[int, int], list[_Rows]] = defaultdict(list)
    for place, own in rows.items():
        columns[_column_of(table.cells[place])].append(own)
    wrapping = {
        column
        for column, found in columns.items()
        if _odds(found) > math.log(_SURE_OF_HEADS if column == _HEADS else _SURE)
    }
    cells = list(table.cells)
    for place, own in rows.items():
        cell = cells[place]
        text = _joined(own, join, wraps=_column_of(cell) in wrapping)
        cells[place] = replace(cell, text=text)
    return replace(table, cells=tuple(cells))


def _column_of(cell: Cell) -> tuple[int, int]:
    """What is set alike: headers, or the other cells of a column."""
    return _HEADS if cell.header else (cell.column, cell.column_span)


def _rows(page: Page, table: Table) -> dict[int, _Rows]:
    """The rows of each cell that has several, by its place in the table."""
    found: dict[int, tuple[Sequence[str], list[Sequence[Line]], list[Box]]] = {}
    widths: dict[tuple[int, int], float] = defaultdict(float)
    for place, cell in enumerate(table.cells):
        texts = cell.text.split("\n")
        lines = lines_of_texts(texts, [page.lines[index] for index in cell.line_indexes])
        boxes = [_box(row) for row in lines]
        for left, _, right, _ in boxes:
            column = cell.column, cell.column_span
            widths[column] = max(widths[column], right - left)
        if len(boxes) > 1 and "\t" not in cell.text and not is_address(texts):
            found[place] = texts, lines, boxes
    figured = {
        (table.cells[place].row, len(texts))
        for place, (texts, *_) in found.items()
        if not any(map(str.isalpha, "".join(texts)))
    }
    return {
        place: _Rows(*own, widths[cell.column, cell.column_span])
        for place, own in found.items()
        for cell in [table.cells[place]]
        if (cell.row, len(own[0])) not in figured
    }


def _box(row: Sequence[Line]) -> Box:
    angle = direction(row[0].polygon)
    return union([box_of(turned(line.polygon, -angle)) for line in row])


def _odds(cells: Sequence[_Rows]) -> float:
    """The logarithm of how much likelier rows wrap than that they are names."""
    return sum(
        math.log(odds) for rows in cells for place in rows.after for odds in _of(rows, place)
    )


def _of(rows: _Rows, place: int) -> Iterator[float]:
    """How much likelier a row and the one above it are in text that wraps."""
    chance = rows.chance(place)
    yield _FULL / chance if rows.is_full(place - 1) else (1 - _FULL) / (1 - chance)
    if rows.is_inside(place):
        yield _INSIDE / _RARELY_INSIDE
    elif not is_unspaced(rows.texts[place]):
        yield (1 - _INSIDE) / (1 - _RARELY_INSIDE)


def _joined(rows: _Rows, join: Join, *, wraps: bool) -> str:
    parts = [rows.texts[0]]
    for place in rows.after:
        row = rows.texts[place]
        is_parted_word = is_parted(parts[-1], row) and row[0].islower()
        shown = rows.is_full(place - 1) + rows.is_inside(place) + wraps
        goes_on = shown > 1 and rows.may_go_on(place)
        if is_parted_word or goes_on:
            parts[-1] = join(parts[-1], row)
        else:
            parts.append(row)
    return "\n".join(parts)
