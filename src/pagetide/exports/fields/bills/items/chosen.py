"""The items of a bill, chosen from two readings: of its words and of its tables."""

from __future__ import annotations

from collections.abc import Sequence, Set
from decimal import Decimal
from typing import NamedTuple

from pagetide.document import Block, Document, Page, Table
from pagetide.document.field import Check, Field
from pagetide.exports.fields.bills.items.head_tables import head_tables
from pagetide.exports.fields.bills.items.rows import rows_of_items
from pagetide.exports.fields.bills.items.settled_rows import Items
from pagetide.exports.fields.bills.items.tables import rows_of, tables_of
from pagetide.exports.fields.bills.sums.checks import items_added
from pagetide.exports.fields.bills.sums.figures import NONE, amount_of
from pagetide.exports.fields.bills.sums.row_amounts import with_taxes
from pagetide.exports.fields.bills.sums.row_sums import row_checks
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.products import FIGURES
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.exports.fields.values.dates import Order
from pagetide.structure.tables.pieces import begins_small

_MORE = 30  # rows after the last with a price and quantity, at most


def tabled_items(document: Document, order: Order) -> Checked:
    """The items of a document's tables, its dates being in this order."""
    tables = list(tables_of(document))
    is_torn = any(_is_torn(table) for _, _, table in tables)
    return Checked.of(rows_of_items(tables, order))._replace(is_torn=is_torn)


def _is_torn(table: Table) -> bool:
    """Whether a row without figures where items have them starts like a continuation."""
    heads, first = heads_of(table)
    figures = {column for column, names in heads.items() if FIGURES & set(names)}
    rows = (cells for n, cells in rows_of(table).items() if heads and n > first)
    return any(
        any(begins_small(cell.text) for cell in cells)
        for cells in rows
        if not any(cell.column in figures and amount_in(cell.text) for cell in cells)
    )


def chosen_items(
    sheets: Sequence[Sheet],
    tabled: Checked,
    by_words: Sequence[tuple[Page, Block, Table]],
    pairs: Sequence[Field],
    order: Order,
) -> Checked:
    """The items of a document's tables if proven, or if they give more than its words.

    Rows after those that add up to a sum are excluded.

    Args:
        sheets: Its pages' phrases.
        tabled: The items of its tables.
        by_words: The tables below headers among these; empty if not searched for yet, as its
            own tables seem right: the search takes a sixth of the time of all fields.
        pairs: The labels and values among them.
        order: Of its dates.
    """
    totals = (pair for pair in pairs if pair.name in ("subtotal", "total"))
    sums = {amount_of(pair.value) for pair in totals} - {NONE}
    proven = tabled.proven(sums)
    if proven and tabled.is_right:
        return proven
    by_words = by_words or [each for sheet in sheets for each in head_tables(sheet)]
    own = Checked.of(rows_of_items(by_words, order))
    if shown := own.proven(sums):
        return shown
    theirs = proven or tabled
    is_more = not own.items.rows or tabled.right > own.right
    is_proven = proven is not None and len(theirs.items.rows) >= len(own.items.rows)
    return theirs if tabled.right >= own.right and (is_more or is_proven) else own


class Checked(NamedTuple):
    """Items, and whether their rows add up.

    Attributes:
        is_torn: Whether a description may continue in a row of its own.
    """

    items: Items
    checks: Sequence[Check]
    is_torn: bool = False

    @classmethod
    def of(cls, items: Items) -> Checked:
        """Items with their checks."""
        return cls(items, list(row_checks(items.rows)))

    @property
    def is_right(self) -> bool:
        """Whether each row has a description, and an amount that its other figures give."""
        rows = self.items.rows
        are_right = len(self.checks) == len(rows) > 0 and all(c.holds for c in self.checks)
        are_named = all(row.item.description for row in rows)
        return are_right and are_named and not self.is_torn

    @property
    def right(self) -> int:
        """How many rows add up."""
        return sum(check.holds for check in self.checks)

    def proven(self, sums: Set[Decimal]) -> Checked | None:
        """The first rows that add up to a sum, including all correct ones; otherwise None."""
        rows = self.items.rows
        are_right = all(check.holds for check in self.checks)
        if not are_right or not all(row.item.description for row in rows):
            return None
        least = max((check.row or 0 for check in self.checks), default=0)
        ends = range(least + 1, min(least + _MORE, len(rows)))
        for count in (len(rows), *ends):  # all, or up to the end of a section
            ways = {items_added(rows[:count]), with_taxes(rows[:count])}
            if ways & (sums | self.items.sums):
                is_whole = count == len(rows)
                return self if is_whole else self.of(self.items._replace(rows=rows[:count]))
        return None
