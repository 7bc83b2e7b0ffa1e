"""The items of a receipt, whose table has no head: the rows that come to a sum that is told."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import accumulate, pairwise

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.document.field import Item
from pagetide.exports.fields.bills.items import Row, sum_in, value_of
from pagetide.exports.fields.heads import FIGURES
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed

_TIMES = re.compile(r"(?P<count>\d{1,3})\s?[x×X]\s+(?=\S)")


def proven_items(document: Document, order: Order, sums: Collection[Decimal]) -> list[Row]:
    """The rows of the first such table, with what they say first and their amounts.

    Args:
        document: As read.
        order: Of its dates.
        sums: What they may come to; nothing else proves that they are items.
    """
    for page in document.pages:
        for block in sorted(page.blocks, key=lambda block: block.order):
            rows = list(_rows(page, block, block.table, order)) if block.table else []
            coming = enumerate(accumulate(number for number, _ in rows), 1)
            ends = [count for count, number in coming if count > 1 and number in sums]
            if ends:  # what stands below is the sum itself, if nothing else called it one
                return [(item, False) for _, item in rows[: ends[-1]]]
    return []


def _rows(
    page: Page, block: Block, table: Table, order: Order
) -> Iterator[tuple[Decimal, Item]]:
    """The rows with words and, last, an amount of money, as far as the first sum."""
    rows: dict[int, list[Cell]] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        if cell.text.strip():
            rows.setdefault(cell.row, []).append(cell)
    for cells in rows.values():
        if sum_in(cells) in ("subtotal", "total"):
            return
        amount = amount_in(cells[-1].text)
        if len(cells) > 1 and amount and amount.is_money:
            told = {
                name: value_of(page, block, cell, text)
                for name, (cell, text) in _counted(cells, amount.number).items()
            }
            for name in FIGURES & set(told):
                told[name] = typed(told[name], order, "amount")
            yield amount.number, Item(**told)


def _counted(cells: Sequence[Cell], amount: Decimal) -> dict[str, tuple[Cell, str]]:
    """What a row says, the quantity before the description or, with a price, between."""
    first, *between, last = cells
    told = {"description": (first, first.text), "amount": (last, last.text)}
    if times := _TIMES.match(first.text):
        told["quantity"] = first, times["count"]
        told["description"] = first, first.text[times.end() :]
    figures = [(cell, found.number) for cell in between if (found := amount_in(cell.text))]
    for (cell, number), (other, price) in pairwise(figures):
        if number * price == amount:
            told |= {"quantity": (cell, cell.text), "price": (other, other.text)}
    if len(figures) == 1 and figures[0][0].text.isdecimal():
        told["quantity"] = figures[0][0], figures[0][0].text
    return told
