"""The items of a bill by two readings, of its words and of its tables."""

from __future__ import annotations

from collections.abc import Sequence, Set
from decimal import Decimal

from pagetide.document import Block, Document, Page, Table
from pagetide.document.field import Field
from pagetide.exports.fields.bills.checks import items_added
from pagetide.exports.fields.bills.figures import NONE, amount_of
from pagetide.exports.fields.bills.items import rows_of_items
from pagetide.exports.fields.bills.row_sums import row_checks, with_taxes
from pagetide.exports.fields.bills.settled_rows import Items
from pagetide.exports.fields.bills.tables import tables_of
from pagetide.exports.fields.values.dates import Order

_MORE = 30  # rows behind the last whose price and quantity are told, at most


def chosen_items(
    document: Document,
    laid: Sequence[tuple[Page, Block, Table]],
    pairs: Sequence[Field],
    order: Order,
) -> Items:
    """The items below the heads on its pages, or of its tables where these say more.

    Rows that follow those which come to a sum are none.

    Args:
        document: As read.
        laid: The tables below its heads.
        pairs: The labels and values among them.
        order: Of its dates.
    """
    told = (pair for pair in pairs if pair.name in ("subtotal", "total"))
    sums = {amount_of(pair.value) for pair in told} - {NONE}
    own = rows_of_items(laid, order)
    if proven := _proven(own, sums):
        return proven
    tabled = rows_of_items(tables_of(document), order)
    proven = _proven(tabled, sums)
    ours, theirs = _right(own), _right(proven or tabled)
    is_more = len((proven or tabled).rows) >= len(own.rows)
    is_less = not own.rows or theirs > ours or (proven is not None and is_more)
    return (proven or tabled) if is_less and theirs >= ours else own


def _proven(items: Items, sums: Set[Decimal]) -> Items | None:
    """The first rows that come to a sum, among them all whose price times quantity is right."""
    rows, checks = items.rows, list(row_checks(items.rows))
    if not all(check.holds for check in checks) or not all(r.item.description for r in rows):
        return None
    least = max((check.row or 0 for check in checks), default=0)
    ends = range(least + 1, min(least + _MORE, len(rows)))
    for count in (*ends, len(rows)):
        ways = {items_added(rows[:count]), with_taxes(rows[:count])}
        if ways & (sums | items.sums):
            return items._replace(rows=rows[:count])
    return None


def _right(items: Items) -> int:
    """How many rows come out."""
    return sum(check.holds for check in row_checks(items.rows))
