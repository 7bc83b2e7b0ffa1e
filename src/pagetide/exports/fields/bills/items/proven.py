"""The items of a receipt, whose table has no header: the rows that add up to a stated sum."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, islice, pairwise, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.document.field import Item, Value
from pagetide.exports.fields.bills.items.rows import sum_in, unmarked, value_of
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.items.tables import rows_of, tables_of
from pagetide.exports.fields.bills.sums.figures import amount_of, number_of
from pagetide.exports.fields.bills.sums.sum_lines import lines_in
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.pairs.sums import begins_sum
from pagetide.exports.fields.products import FIGURES
from pagetide.exports.fields.values.amounts import Amount, amount_in
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed

_TIMES = re.compile(r"(?P<count>\d{1,3})\s?[x×X]\s+(?=\S)")
_COUNTED = re.compile(r"(?P<count>\d{1,3})\s+(?=[^\W\d_])")
# Quantity and price, as tills print them below a name: `0.842kg @ 1.15/kg`, `4 x 0.65`; or
# beside it, as `32 timer à 895,00`.
_PRICED = re.compile(
    r"(?P<quantity>\d+(?:[.,]\d{1,3})?)\s?(?P<unit>[^\W\d_]{0,8}\.?)\s?[x×X@*àá]\s?"
    r"(?:[€$£]\s?)?(?P<price>\d{1,3}(?:[.,'’\s]\d{3})*[.,]\d{2}|\d+[.,]\d{2})"
    r"(?:\s?(?:[€$£]|kr|zł))?(?:\s?/\s?[^\W\d_]{1,3})?"
)
_MOST = 40  # items that a row may repeat
_LEAST = 2  # items above a sum that they do not add up to
Places = Mapping[str, tuple[Cell, str]]
"""The columns of an item, each with its cell and the text for it."""


class _Rows(NamedTuple):
    """A table's rows with words and amounts, up to its first sum.

    Attributes:
        end: The amount of that sum; None if the table has none.
    """

    items: list[tuple[Decimal, Item]]
    end: Decimal | None = None

    @property
    def comes_out(self) -> bool:
        """Whether the rows add up to the sum."""
        return bool(self.items) and _added(self.items) == self.end


def proven_items(document: Document, order: Order, sums: Collection[Decimal]) -> list[Row]:
    """The rows of the first such table, with their first text and their amounts.

    If none adds up to a sum, those of the first table that ends with one, or in which most rows
    are a quantity and a price: the mismatch is reported.

    Args:
        document: As read.
        order: Of its dates.
        sums: Amounts that they may add up to.
    """
    ended: list[Row] = []
    for page, block, table in tables_of(document):
        rows = _rows(page, block, table, order)
        coming = list(accumulate(number for number, _ in rows.items))
        ends = [n for n, number in enumerate(coming, 1) if n > 1 and number in sums]
        if ends:  # the next row is the sum itself, if nothing else is called one
            return [Row(item) for _, item in rows.items[: ends[-1]]]
        again = [rows.items[n + 1][0] == coming[n] for n in range(1, len(coming) - 1)]
        if True in again:  # a row repeats the sum of those above
            return [Row(item) for _, item in rows.items[: again.index(True) + 2]]
        counted = sum(bool(item.quantity and item.price) for _, item in rows.items)
        is_reported = rows.end is not None or 2 * counted >= len(rows.items)
        if is_reported and len(rows.items) >= _LEAST:
            ended = ended or [Row(item) for _, item in rows.items]
    return ended


def sections(
    document: Document, order: Order, items: Sequence[Row], total: Decimal
) -> list[Row]:
    """The rows of tables without headers that add up to a separate sum below them.

    Such as expenses below a bill's items; rows that add up to the bill's total are excluded,
    and rows that repeat the sum of some items.
    """
    found: list[Row] = []
    own = lines_in(row.item.amount for row in items)
    for page, block, table in tables_of(document) if items else ():
        if any((page.number, line) in own for line in block.line_indexes) or _is_of_taxes(
            table
        ):
            continue
        rows = _Rows([]) if heads_of(table)[0] else _rows(page, block, table, order)
        if rows.comes_out and rows.end != total:
            found += [Row(item) for _, item in rows.items]
    return [] if found and _repeat_items(found, items) else found


def _is_of_taxes(table: Table) -> bool:
    """Whether a table's first row names a net sum and its tax."""
    names = {name_of(cell.text) for cell in table.cells if cell.row == 0}
    return names >= {"subtotal", "tax"}


def _repeat_items(rows: Sequence[Row], items: Sequence[Row]) -> bool:
    """Whether one of some rows is the sum of several consecutive items."""
    amounts = [amount_of(row.item.amount) for row in items]
    groups = {
        whole
        for first in range(len(amounts))
        for whole in islice(accumulate(amounts[first : first + _MOST]), 1, None)
    }
    return any(number_of(row.item.amount) in groups for row in rows)


def _rows(page: Page, block: Block, table: Table, order: Order) -> _Rows:
    """A name may be above a separate row with its weight and price."""
    rows = rows_of(table)
    found: list[tuple[Decimal, Item]] = []
    above: Cell | None = None
    counted = _are_counted(rows.values())
    for cells, below in zip_longest(rows.values(), islice(rows.values(), 1, None)):
        amount = _amount(cells[-1].text)
        named = sum_in([cell.text for cell in cells])
        if named in ("subtotal", "total") or (found and begins_sum(cells[0].text)):
            return _Rows(found, amount.number if amount else Decimal())
        if found and (named == "tax" or _is_sum(cells, found)):
            return _Rows(found, _added(found) if _is_sum(cells, found) else None)
        if amount and len(cells) > 1 and any(map(str.isalpha, _name(cells).text)):
            places = _places_of(cells, amount.number, above, counted=counted)
            cell, text = places["description"]
            above = None
            if "\n" in text and below and _PRICED.fullmatch(below[0].text.strip()):
                head, _, last = text.rpartition("\n")  # the last line is the next item's
                places, above = (
                    {**places, "description": (cell, head)},
                    replace(cell, text=last),
                )
            values = {name: value_of(page, block, *place) for name, place in places.items()}
            found.append((amount.number, Item(**_typed(values, order))))
        else:
            above = cells[0] if len(cells) == 1 else None
    return _Rows(found)


def _is_sum(cells: Sequence[Cell], found: Sequence[tuple[Decimal, Item]]) -> bool:
    """Whether a row is only an amount that is the sum of those above."""
    amount = _amount(cells[0].text) if len(cells) == 1 and len(found) >= _LEAST else None
    return amount is not None and amount.number == _added(found)


def _added(found: Sequence[tuple[Decimal, Item]]) -> Decimal:
    return sum((number for number, _ in found), Decimal())


def _typed(values: dict[str, Value], order: Order) -> dict[str, Value]:
    return values | {
        name: typed(values[name], order, "amount") for name in FIGURES & set(values)
    }


def _amount(text: str) -> Amount | None:
    found = amount_in(unmarked(text.strip()))
    return found if found and found.is_money else None


def _are_counted(rows: Collection[Sequence[Cell]]) -> bool:
    """Whether all names with amounts, of several, start with a quantity."""
    names = [_name(cells).text for cells in rows if len(cells) > 1 and _amount(cells[-1].text)]
    until = [name for name in names if _COUNTED.match(name)]
    return len(until) >= _LEAST and names[: len(until)] == until


def _name(cells: Sequence[Cell]) -> Cell:
    """The cell with the most words, of a row without its amount."""
    return max(cells[:-1], key=lambda cell: sum(map(str.isalpha, cell.text)))


def _places_of(
    cells: Sequence[Cell], amount: Decimal, above: Cell | None, *, counted: bool
) -> Places:
    """A row's values, the quantity before the description or, with a price, between."""
    name, last = _name(cells), cells[-1]
    places = {"description": (name, name.text), "amount": (last, unmarked(last.text))}
    if priced := _PRICED.fullmatch(name.text.strip()):
        places |= {part: (name, priced[part]) for part in ("quantity", "price")}
        places |= {"unit": (name, priced["unit"])} if priced["unit"] else {}
        places |= {"description": (above, above.text)} if above else {}
        return places
    if times := _TIMES.match(name.text) or (counted and _COUNTED.match(name.text)) or None:
        places["quantity"] = name, times["count"]
        places["description"] = name, name.text[times.end() :]
    between = [cell for cell in cells[:-1] if cell is not name]
    figures = [(cell, found.number) for cell in between if (found := amount_in(cell.text))]
    for (cell, number), (other, price) in pairwise(figures):
        if number * price == amount:
            places |= {"quantity": (cell, cell.text), "price": (other, other.text)}
    for cell in between:
        if beside := _PRICED.fullmatch(cell.text.strip()):
            places |= {part: (cell, beside[part]) for part in ("quantity", "price")}
            return places | ({"unit": (cell, beside["unit"])} if beside["unit"] else {})
    if len(figures) == 1 and figures[0][0].text.isdecimal():
        places["quantity"] = figures[0][0], figures[0][0].text
    return places
