"""Labels recognised only by position: in tables of names and values, in boxes, on lines.

A single pair is never enough: it takes a table's other rows, rows above and below set alike, or
a block of nothing else.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from statistics import median
from typing import NamedTuple

from pagetide.document import Cell, Table
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.layout.check_marks import SIGNS
from pagetide.structure.tables.pieces import has_figures

Place = tuple[int, int]
Lines = dict[int, list[Phrase]]
_WORDS = 7  # of a label, at most
_MOST_WORDS = 12  # of a value
_FLUSH = 0.6  # heights between the starts of a column, at most
_SMALLER = 0.9  # times a value's height: a label set smaller
_TALLER = 1.7  # times the other's height: letters of a name, not of a label
_BESIDE = 18.0  # heights between a label and its value, at most
_ROWS = 4  # above and below a label in which another may be set alike
_NEAR = 3.5  # heights between rows set alike
_SHORT = 2  # lines of a block that may be half of a pair
_OUTSIDE = {"table", "header", "footer", "page_number", "list", "toc", "formula", "code"}


class Arranged(NamedTuple):
    """A label and the lines of its value."""

    label: Phrase
    value: list[Phrase]


def arranged_on(
    sheet: Sheet, labels: Collection[Place], taken: Collection[int]
) -> list[Arranged]:
    """The pairs of a page that its tables and rows show by position.

    Args:
        sheet: The page's phrases.
        labels: Places of known labels.
        taken: Lines that are already labels or values.
    """
    pairs = [*_of_tables(sheet), *_of_rows(sheet, labels)]
    return [
        pair
        for pair in pairs
        if not any(phrase.line in taken for phrase in (pair.label, *pair.value))
    ]


def _of_tables(sheet: Sheet) -> Iterator[Arranged]:
    tables = [block for block in sheet.page.blocks if block.table]
    of_line: Lines = {}
    for row in sheet.rows if tables else ():
        for phrase in row:
            of_line.setdefault(phrase.line, []).append(phrase)
    for block in tables:
        if block.table and all(line in of_line for line in block.line_indexes):
            yield from _of_table(block.table, of_line)


def _is_label(text: str) -> bool:
    """Whether a text may be a label: a few words, no figures, not a sentence."""
    text = text.rstrip(" :.")
    return (
        text[:1].isalpha()
        and not text[:1].islower()
        and "@" not in text
        and len(text) > 1
        and len(text.split()) <= _WORDS
        and not has_figures(text)
        and not text.endswith((",", ";", "!"))
        and SIGNS.search(text) is None
    )


def _are_prices(texts: Sequence[str]) -> bool:
    """Whether most are sums of money: goods and their prices, which are not labels."""
    sums = [found for text in texts if (found := amount_in(text)) and found.is_money]
    return 3 * len(sums) >= 2 * len(texts)


def _of_table(table: Table, of_line: Lines) -> Iterator[Arranged]:
    if boxed := _in_boxes(table, of_line):
        yield from boxed
        return
    if len(table.cells) < table.rows * table.columns or heads_of(table)[0]:
        return
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    if len(cells) != table.rows * table.columns:
        return
    by_column = _rows_of_labels(table, cells) and _are_smaller(table, of_line)
    by_row = not by_column and _columns_of_labels(table, cells)
    by_column |= not by_row and _rows_of_labels(table, cells)
    for (row, column), cell in sorted(cells.items()):
        if not (by_row and column % 2 == 0) and not (by_column and row % 2 == 0):
            continue
        other = cells[(row, column + 1) if by_row else (row + 1, column)]
        label, value = _phrases(cell, of_line), _phrases(other, of_line)
        if len(label) == 1 and value and _is_label(label[0].text):
            yield Arranged(label[0], value)


def _in_boxes(table: Table, of_line: Lines) -> list[Arranged]:
    """The pairs of a form's boxes, if most hold a label over its value; otherwise none."""
    filled = [phrases for cell in table.cells if (phrases := _phrases(cell, of_line))]
    pairs = [Arranged(label, value) for label, *value in filled if value]
    if len(pairs) < 2 or 2 * len(pairs) <= len(filled):
        return []
    names = [pair.label.text for pair in pairs]
    values = [" ".join([phrase.text for phrase in pair.value]) for pair in pairs]
    return pairs if _are_pairs(names, values, sure=False) else []


def _phrases(cell: Cell, of_line: Lines) -> list[Phrase]:
    lines = cell.line_indexes
    if len(lines) == 1:  # as most have
        return of_line[lines[0]]
    return [phrase for line in lines for phrase in of_line[line]]


def _are_smaller(table: Table, of_line: Lines) -> bool:
    """Whether every second row, from the first, is set smaller than the rest."""
    heights: tuple[list[float], list[float]] = ([], [])
    for cell in table.cells:
        heights[cell.row % 2].extend(phrase.height for phrase in _phrases(cell, of_line))
    return all(heights) and median(heights[0]) < _SMALLER * median(heights[1])


def _columns_of_labels(table: Table, cells: dict[Place, Cell]) -> bool:
    """Whether every second column, from the first, has the names of the next one."""
    if table.columns not in (2, 4) or table.rows < 2:
        return False
    names = [
        cells[row, c].text for row in range(table.rows) for c in range(0, table.columns, 2)
    ]
    values = [
        cells[row, c].text for row in range(table.rows) for c in range(1, table.columns, 2)
    ]
    return _are_pairs(names, values, sure=table.columns == 2)


def _rows_of_labels(table: Table, cells: dict[Place, Cell]) -> bool:
    """Whether every second row, from the first, has the names of the row below."""
    if table.rows % 2 or table.columns < 2:
        return False
    names = [
        cells[r, column].text
        for r in range(0, table.rows, 2)
        for column in range(table.columns)
    ]
    values = [
        cells[r, column].text
        for r in range(1, table.rows, 2)
        for column in range(table.columns)
    ]
    return _are_pairs(names, values, sure=table.rows == 2)


def _are_pairs(names: Sequence[str], values: Sequence[str], *, sure: bool) -> bool:
    """Whether texts can be names of others; if their position is not sure, figures decide."""
    filled = [text for text in values if text.strip()]
    labels = [text for text in names if text.strip()]
    if not filled or not all(map(_is_label, labels)) or _are_prices(filled):
        return False
    if any(len(text.split()) > _MOST_WORDS for text in filled):
        return False
    figured = [has_figures(text) for text in filled]
    if sure and len(filled) > 2 and not figured[0] and all(figured[1:]):
        return False  # a table of figures with a header
    return any(figured)


class _Side(NamedTuple):
    """Two side-by-side phrases in a row, and whether their block holds nothing else."""

    row: int
    label: Phrase
    value: Phrase
    alone: bool


def _of_rows(sheet: Sheet, labels: Collection[Place]) -> Iterator[Arranged]:
    """Labels beside their values, if a row near by has a label in the same place."""
    if not any(len(row) > 1 for row in sheet.rows):
        return
    sides = list(_Sides(sheet, labels))
    if _are_prices([side.value.text for side in sides]):
        return
    near: dict[int, list[Phrase]] = {}
    for number, place in labels:
        near.setdefault(number, []).append(sheet.rows[number][place])
    for side in sides:
        near.setdefault(side.row, []).append(side.label)
    for side in sides:
        rows = range(side.row - _ROWS, side.row + _ROWS + 1)
        like = (other for row in rows for other in near.get(row, ()) if other is not side.label)
        if side.alone or any(_is_alike(side.label, other) for other in like):
            yield Arranged(side.label, [side.value])


def _is_alike(label: Phrase, other: Phrase) -> bool:
    near = abs(label.box[1] - other.box[1]) < _NEAR * label.height
    return near and abs(label.box[0] - other.box[0]) < _FLUSH * label.height


class _Sides:
    """The rows of a page that consist of possible labels beside their values."""

    def __init__(self, sheet: Sheet, labels: Collection[Place]) -> None:
        self._sheet, self._labels = sheet, labels
        self._block_of = {
            line: block
            for block in sheet.page.blocks
            if block.table is None and block.kind not in _OUTSIDE
            for line in block.line_indexes
        }
        self._starts: dict[int, list[float]] = {}  # of phrases after others, by block
        for row in sheet.rows:
            for phrase in row[1:]:
                if block := self._block_of.get(phrase.line):
                    insort(self._starts.setdefault(block.order, []), phrase.x0)

    def __iter__(self) -> Iterator[_Side]:
        for number, row in enumerate(self._sheet.rows):
            if self._has_two(row) and all(phrase.line in self._block_of for phrase in row):
                yield from self._in_row(number, row)

    def _has_two(self, row: Sequence[Phrase]) -> bool:
        """Whether a row has two phrases, or one that may be cut."""
        block = self._block_of.get(row[0].line)
        return len(row) > 1 or (
            block is not None and len(self._starts.get(block.order, ())) > 1
        )

    def _in_row(self, number: int, row: Sequence[Phrase]) -> list[_Side]:
        known = {
            row[place].line for place in range(len(row)) if (number, place) in self._labels
        }
        cut = [part for phrase in row for part in self._cut(phrase)]
        found: list[_Side] = []
        place = 0
        while place + 1 < len(cut):
            label, value = cut[place], cut[place + 1].without_colon()
            pair = not {label.line, value.line} & known and self._may_be_pair(label, value)
            if pair:
                found.append(_Side(number, label, value, self._is_alone(label, value)))
            elif has_figures(label.text) and label.line not in known:
                return found
            place += 1 + pair
        return found if place == len(cut) or not has_figures(cut[-1].text) else []

    def _may_be_pair(self, label: Phrase, value: Phrase) -> bool:
        one, other = self._block_of[label.line], self._block_of[value.line]
        short = max(len(one.line_indexes), len(other.line_indexes)) <= _SHORT
        near = value.box[0] - label.box[2] < _BESIDE * label.height
        alike = max(label.height, value.height) < _TALLER * min(label.height, value.height)
        is_label = (one is other or short) and near and alike and _is_label(label.text)
        return is_label and bool(value.text) and SIGNS.search(value.text) is None

    def _is_alone(self, label: Phrase, value: Phrase) -> bool:
        block = self._block_of[label.line]
        return block is self._block_of[value.line] and len(block.line_indexes) <= _SHORT

    def _cut(self, phrase: Phrase) -> list[Phrase]:
        """A phrase cut before the word that starts where the values of its block do."""
        starts = self._starts.get(self._block_of[phrase.line].order, ())
        near = _FLUSH * phrase.height
        for begin, _, (_, x0, *_) in islice(phrase.stops(), 1, None) if len(starts) > 1 else ():
            if bisect_left(starts, x0 + near) - bisect_right(starts, x0 - near) > 1:
                return [phrase.part(0, begin), phrase.part(begin, len(phrase.text))]
        return [phrase]
