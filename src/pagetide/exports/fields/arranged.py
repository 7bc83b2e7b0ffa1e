"""Labels that only their place tells: in tables of names and values, in boxes, on lines to fill.

What says so is never one pair alone: cells of a table's other rows, rows above and below that are
set alike, or a block of nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pagetide.document import Block, Cell, Table
from pagetide.exports.fields.amounts import amount_in
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.phrases import Phrase, Sheet
from pagetide.layout.check_marks import SIGNS
from pagetide.structure.tables.pieces import has_figures

Place = tuple[int, int]
_WORDS = 7  # of a label, at most
_MOST_WORDS = 12  # of a value
_FLUSH = 0.6  # heights that beginnings of a column lie apart, at most
_SMALLER = 0.9  # times a value's height: a label that is set smaller
_FIGURED = 0.3  # of the values of several columns: such as have figures


class Arranged(NamedTuple):
    """A label and the lines of its value."""

    label: Phrase
    value: list[Phrase]


def arranged_on(sheet: Sheet, taken: Collection[int]) -> Iterator[Arranged]:
    """The pairs of a page that its tables and blocks tell by where things stand.

    Args:
        sheet: The page's phrases.
        taken: Lines that are labels and values already.
    """
    of_line: dict[int, list[tuple[int, Phrase]]] = {}
    for number, row in enumerate(sheet.rows):
        for phrase in row:
            of_line.setdefault(phrase.line, []).append((number, phrase))
    for block in sheet.page.blocks:
        if not all(line in of_line for line in block.line_indexes):
            continue
        if block.table:
            told = _of_table(block.table, of_line)
        elif block.kind == "text":
            told = _of_block(block, of_line)
        else:
            continue
        for pair in told:
            if not {phrase.line for phrase in (pair.label, *pair.value)} & set(taken):
                yield pair


def _is_label(text: str) -> bool:
    """Whether a text may be a label: a few words, no figures, no sentence."""
    text = text.rstrip(" :.")
    return (
        text[:1].isalpha()
        and len(text) > 1
        and len(text.split()) <= _WORDS
        and not has_figures(text)
        and not text.endswith((",", ";", "!"))
        and SIGNS.search(text) is None
    )


def _are_prices(texts: Sequence[str]) -> bool:
    """Whether most are sums of money: of goods and their prices, which are no labels."""
    sums = [found for text in texts if (found := amount_in(text)) and found.is_money]
    return 3 * len(sums) >= 2 * len(texts)


Lines = dict[int, list[tuple[int, Phrase]]]


def _of_table(table: Table, of_line: Lines) -> Iterator[Arranged]:
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    if len(cells) != table.rows * table.columns or heads_of(table)[0]:
        return
    by_row = _columns_of_labels(table, cells)
    by_column = not by_row and _rows_of_labels(table, cells)
    for (row, column), cell in sorted(cells.items()):
        if not (by_row and column % 2 == 0) and not (by_column and row % 2 == 0):
            continue
        other = cells[(row, column + 1) if by_row else (row + 1, column)]
        label, value = _phrases(cell, of_line), _phrases(other, of_line)
        if len(label) == 1 and value and _is_label(label[0].text):
            yield Arranged(label[0], value)


def _phrases(cell: Cell, of_line: Lines) -> list[Phrase]:
    return [phrase for line in cell.line_indexes for _, phrase in of_line[line]]


def _columns_of_labels(table: Table, cells: dict[Place, Cell]) -> bool:
    """Whether every second column, from the first, has the names of the next one."""
    if table.columns not in (2, 4) or table.rows < 2:
        return False
    names = [cells[row, c].text for row in range(table.rows) for c in range(0, table.columns, 2)]
    values = [cells[row, c].text for row in range(table.rows) for c in range(1, table.columns, 2)]
    return _are_pairs(names, values, sure=table.columns == 2)


def _rows_of_labels(table: Table, cells: dict[Place, Cell]) -> bool:
    """Whether every second row, from the first, has the names of what stands below."""
    if table.rows % 2 or table.columns < 2:
        return False
    names = [cells[r, column].text for r in range(0, table.rows, 2) for column in range(table.columns)]
    values = [cells[r, column].text for r in range(1, table.rows, 2) for column in range(table.columns)]
    return _are_pairs(names, values, sure=table.rows == 2)


def _are_pairs(names: Sequence[str], values: Sequence[str], *, sure: bool) -> bool:
    """Whether texts can be names of others; where their place is not sure, figures tell."""
    told = [text for text in values if text.strip()]
    labels = [text for text in names if text.strip()]
    if not told or not all(map(_is_label, labels)) or _are_prices(told):
        return False
    if any(len(text.split()) > _MOST_WORDS for text in told):
        return False
    return sure or sum(map(has_figures, told)) >= _FIGURED * len(told)


def _of_block(block: Block, of_line: Lines) -> Iterator[Arranged]:
    """The rows of a block, if all of them are a label and a value, apart from each other."""
    places = sorted(
        (place for line in block.line_indexes for place in of_line[line]),
        key=lambda place: (place[0], place[1].box[0]),
    )
    rows = [[phrase for _, phrase in row] for _, row in groupby(places, key=lambda p: p[0])]
    start = _start_of_values(rows)
    cut = [_cut(row, start) if len(row) == 1 and start else row for row in rows]
    if not all(len(row) % 2 == 0 for row in cut):
        return
    pairs = [Arranged(row[n], [row[n + 1]]) for row in cut for n in range(0, len(row), 2)]
    texts = [pair.value[0].text for pair in pairs]
    if all(_is_label(pair.label.text) for pair in pairs) and not _are_prices(texts):
        yield from pairs


def _start_of_values(rows: Sequence[Sequence[Phrase]]) -> float | None:
    """Where the values of a block begin, if they are flush; None where nothing tells."""
    pairs = [row for row in rows if len(row) == 2]
    if not pairs:
        return None
    start = pairs[0][1].box[0]
    flush = all(abs(row[1].box[0] - start) < _FLUSH * row[1].height for row in pairs)
    return start if flush else None


def _cut(row: Sequence[Phrase], start: float) -> list[Phrase]:
    """A phrase cut before the word that begins where the values do."""
    [phrase] = row
    for begin, _, x0, _ in phrase.stops[1:]:
        if abs(x0 - start) < _FLUSH * phrase.height:
            return [phrase.part(0, begin), phrase.part(begin, len(phrase.text))]
    return [phrase]
