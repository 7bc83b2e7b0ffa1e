"""Tables below header rows, from a page's words alone.

Rules and shades, which a page's own tables use, are ignored: columns are where words are in
most rows that multiply out, and a row is an amount with the words around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from itertools import combinations, pairwise
from typing import NamedTuple

from pagetide.document import Block, Cell, Page, Table
from pagetide.exports.fields.bills.items.head_rows import (
    Parts,
    heads_among,
    level,
    whole_head,
)
from pagetide.exports.fields.bills.items.rows import sum_in
from pagetide.exports.fields.bills.items.rows_of_words import Places, WordLine, joined_rows
from pagetide.exports.fields.bills.items.word_columns import (
    Part,
    Span,
    columns_of,
    cut,
    in_columns,
    parts_of,
)
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import CENT, Amount, amount_in, measured_in
from pagetide.geometry import Box, polygon_of, union
from pagetide.structure.tables.pieces import baselines, has_figures

_LEAST = 2  # parts of a row of items
_WIDEST, _ENOUGH = 60, 60  # phrases of a row, and rows that determine the columns, at most
_MOST = 8  # figures of a row that are tried
_LETTERS = 3  # in a description, at least
_AMOUNT = re.compile(
    r"[\s:]+(?:[€$£]\s?)?[-−]?\d[\d.,'’\s]*[.,]\d\d(?:\s?(?:[€$£]|[A-Z]{3}))?$"
)
_ENDS = ("subtotal", "tax", "total")
_SUM = 2  # parts of a row with a sum's name and an amount


def head_tables(sheet: Sheet) -> Iterator[tuple[Page, Block, Table]]:
    """The tables below the rows that name columns of items, each as a block of the page."""
    levels = list(level(sheet.rows))
    heads = heads_among(levels)
    if not heads:
        return
    above = max(heads[0] - 1, 0)
    rows = [parts_of(row[:_WIDEST]) for row in levels[above:]]
    for place, after in pairwise([*(head - above for head in heads), len(rows)]):
        first, head = whole_head(rows, place, after)
        if table := _table(head, rows[first:after]):
            polygon = polygon_of(_around(head))
            yield sheet.page, Block(kind="table", polygon=polygon, order=0, table=table), table


class _Extent(NamedTuple):
    """The last row of a table, and the rows that determine its columns.

    Attributes:
        kept: Its rows, from the first below its header.
        full: The indexes of those with as many parts as items have.
        right: Of those the ones whose figures multiply.
    """

    kept: Sequence[Parts]
    full: Sequence[int]
    right: Sequence[int]


def _table(head: Parts, rows: Sequence[Parts]) -> Table | None:
    extent = _extent(rows)
    if extent is None:
        return None
    columns = columns_of(head, [rows[place] for place in extent.full[:_ENOUGH]])
    lines = _lines(extent.kept, columns)
    end = _end(lines, columns, extent.right)
    # The last row ends where the first non-row starts.
    joined = list(joined_rows(lines[: end + 1]))
    cells = list(_cells(0, in_columns(head, columns)))
    for number, places in enumerate(joined[:-1] if end < len(lines) else joined, 1):
        cells += _cells(number, places)
    return Table(rows=cells[-1].row + 1, columns=len(columns), cells=tuple(cells))


def _extent(rows: Sequence[Parts]) -> _Extent | None:
    """None if no row has an amount beside something else."""
    counts = [len(row) if any(amount_in(p.text) for p in row) else 0 for row in rows]
    right = [n if n and _comes_out(row) else 0 for n, row in zip(counts, rows, strict=True)]
    most = max(right, default=0) or max(counts, default=0)
    if most < _LEAST:
        return None
    items = right if any(right) else [n if n > _SUM else 0 for n in counts]
    last = max((n for n, count in enumerate(items) if 2 * count > most), default=-1)
    kept = _until_sum(rows, last)
    until = last + 1 if last >= 0 else max(len(kept) - 1, 1)
    return _Extent(
        kept,
        [n for n, count in enumerate(counts[:until]) if 2 * count > most],
        [n for n, count in enumerate(right) if 2 * count > most],
    )


def _end(lines: Sequence[WordLine], columns: Sequence[Span], right: Sequence[int]) -> int:
    """The first line after the correct ones with words where these have figures."""
    figures = [
        column
        for column in range(len(columns))
        if right and all(_is_figure(lines[n].places.get(column, ())) for n in right)
    ]
    for n in range(right[-1] + 1 if right else len(lines), len(lines)):
        parts = (part for column in figures for part in lines[n].places.get(column, ()))
        if lines[n].is_row and not all(has_figures(part.text) for part in parts):
            return n
    return len(lines)


def _is_figure(parts: Parts) -> bool:
    return measured_in(_text(parts)) is not None


def _comes_out(row: Parts) -> bool:
    """Whether one of a row's figures is the product of two before it, and not zero."""
    numbers = [number for part in row for number in _numbers(part)][:_MOST]
    pairs = combinations(enumerate(numbers), 2)
    products = ((a * b, numbers[place + 1 :]) for (_, a), (place, b) in pairs)
    return len(numbers) > 2 and any(
        c and abs(ab - c) <= CENT for ab, after in products for c in after
    )


def _numbers(part: Part) -> Sequence[Decimal]:
    """The part as a number, or each of its words that is one."""
    if (whole := measured_in(part.text)) is not None:
        return (whole,)
    if len(part.words) == 1 or not has_figures(part.text):
        return ()
    return [found.number for word in part.words if (found := amount_in(word[0]))]


def _until_sum(rows: Sequence[Parts], last: int) -> Sequence[Parts]:
    """The rows up to the first sum below the last correct one, or the total."""
    ends = _ENDS if last >= 0 else ("total",)
    for place, row in enumerate(rows[last + 1 :], last + 1):
        texts = [part.text for part in row]
        if (sum_in(texts) if len(row) > 1 else _sum_in_one(texts[0])) in ends:
            return rows[: place + 1]
    return rows


def _sum_in_one(text: str) -> str:
    """The sum that a text names before its amount: `Gesamtbetrag inkl. Abgaben EUR 770,40`."""
    label = _AMOUNT.sub("", text)
    return name_of(label) if label != text else ""


def _lines(rows: Sequence[Parts], columns: Sequence[Span]) -> list[WordLine]:
    """The rows' words by column."""
    placed = [in_columns(_cut(row, columns), columns) for row in rows]
    amounts = _amounts(placed)
    counts = Counter(column for own in amounts for column in own)
    often = [column for column, count in counts.items() if 2 * count > max(counts.values())]
    last = max(often, default=-1)
    are_rows = [last in own or len(own) > 1 for own in amounts]
    whole = [n for n, is_row in enumerate(are_rows) if is_row]
    figures = _columns_of_figures([placed[n] for n in whole])
    until = max(whole, default=0)  # the rows below may be sums
    return [
        WordLine(
            places,
            y0=min([part.y0 for part in rows[n]]),
            y1=max([part.y1 for part in rows[n]]),
            is_row=are_rows[n] or (n < until and _is_counted(places, figures)),
        )
        for n, places in enumerate(placed)
    ]


def _columns_of_figures(rows: Sequence[Places]) -> Set[int]:
    """The columns in which most rows have only a figure."""
    counts = Counter(c for places in rows for c, own in places.items() if _is_figure(own))
    return {column for column, count in counts.items() if 2 * count > len(rows)}


def _is_counted(places: Places, figures: Set[int]) -> bool:
    """Whether words are beside a figure in a figure column: an item without a price."""
    has_figure = any(_is_figure(own) for column, own in places.items() if column in figures)
    others = (_text(own) for column, own in places.items() if column not in figures)
    return has_figure and any(sum(map(str.isalpha, text)) >= _LETTERS for text in others)


def _cut(row: Parts, columns: Sequence[Span]) -> Iterable[Part]:
    """A row's parts by column; all words before a sum are its name."""
    is_sum = len(row) == _SUM and not has_figures(row[0].words[-1][0])
    return row if is_sum else cut(row, columns)


def _amounts(rows: Sequence[Places]) -> list[Set[int]]:
    """The columns of each row that have an amount: of money, if any row has one."""
    found = [
        {column: amount for column, own in places.items() if (amount := _amount(own))}
        for places in rows
    ]
    is_money = any(amount.is_money for own in found for amount in own.values())
    return [{c for c, amount in own.items() if amount.is_money >= is_money} for own in found]


def _amount(parts: Parts) -> Amount | None:
    return amount_in(_text(parts))


def _cells(number: int, places: Mapping[int, Parts]) -> Iterator[Cell]:
    for column, parts in sorted(places.items()):
        text = parts[0].text
        lines: tuple[int, ...] = (parts[0].line,)
        if len(parts) > 1:
            rows = baselines(parts)
            text = "\n".join(map(_text, rows))
            lines = tuple(dict.fromkeys([part.line for row in rows for part in row]))
        yield Cell(
            row=number,
            column=column,
            text=text,
            polygon=polygon_of(_around(parts)),
            line_indexes=lines,
        )


def _text(parts: Parts) -> str:
    return " ".join([part.text for part in parts]) if len(parts) != 1 else parts[0].text


def _around(parts: Parts) -> Box:
    boxes = [(part.x0, part.y0, part.x1, part.y1) for part in parts]
    return union(boxes) if len(boxes) > 1 else boxes[0]
