"""The items of a receipt, whose table has no head: the rows that come to a sum that is told."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from decimal import Decimal

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.document.field import Item
from pagetide.exports.fields.amounts import amount_in
from pagetide.exports.fields.dates import Order
from pagetide.exports.fields.items import Row, sum_in, value_of
from pagetide.exports.fields.values import typed


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
            if sum((number for number, _ in rows), Decimal()) in sums and len(rows) > 1:
                return [(item, False) for _, item in rows]
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
            said = value_of(page, block, cells[0], cells[0].text)
            told = typed(value_of(page, block, cells[-1], cells[-1].text), order, "amount")
            yield amount.number, Item(description=said, amount=told)
