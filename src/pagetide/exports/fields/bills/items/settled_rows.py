"""The rows of a bill's items, without those that are sums of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from pagetide.document.field import Check, Item
from pagetide.exports.fields.bills.sums.figures import NONE, amount_of, checked
from pagetide.exports.fields.values.amounts import CENT

UNNAMED = "untold"
"""The name for a row with only an amount: a carried-forward or an unnamed sum."""
_SUMMED = 2  # items summed by a row without a quantity and a price


class Row(NamedTuple):
    """An item, and its row's figures in columns with unknown headers.

    Attributes:
        others: By column.
        sum: The name of the sum in its words; such rows are settled with those above.
    """

    item: Item
    others: Mapping[int, Decimal] = {}
    sum: str = ""


class Items(NamedTuple):
    """The rows of a bill's items.

    Attributes:
        rows: Without those that are sums of others.
        wrong: Checks of sections' sums that do not add up.
        sums: Amounts of rows without words that are the sum of all above.
    """

    rows: list[Row]
    wrong: list[Check]
    sums: frozenset[Decimal] = frozenset()


def settled(rows: Sequence[Row]) -> Items:
    """The rows without those that are the sum of rows around them, or of their section.

    A deduction or surcharge below the sum of all is not an item, but above it is one.

    Args:
        rows: All rows with amounts, from the top.
    """
    rows = _without_heads(rows)
    kept, wrong = list[Row](), list[Check]()
    whole, section, own = NONE, NONE, 0
    sums = set[Decimal]()  # that are the sum of all rows so far
    for row in rows:
        number, is_bare = amount_of(row.item.amount), _is_bare(row)
        is_section = row.sum == "subtotal"
        if (is_bare or is_section) and number == section and own >= _SUMMED - is_section:
            sums |= {number} & {whole}
            section, own = NONE, 0
        elif (is_bare or is_section) and number == whole and len(kept) >= _SUMMED - is_section:
            sums.add(number)
        elif is_section:
            wrong += [checked("items", section, number, CENT * own)] if own else []
            section, own = NONE, 0
        elif row.sum != UNNAMED and not (row.sum and sums):
            whole, section, own = whole + number, section + number, own + 1
            kept.append(row)
    return Items(kept, wrong, frozenset(sums))


def _without_heads(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows without those before a section that give its items' sum.

    Each row without a quantity is one, and the rows after it add up to it.
    """
    heads = [n for n, row in enumerate(rows) if not row.sum and _is_bare(row)]
    if not heads or heads[0] != 0:
        return rows
    ends = [*heads[1:], len(rows)]
    ends[-1] = next((n for n in range(heads[-1] + 1, len(rows)) if rows[n].sum), len(rows))
    parts = [rows[n + 1 : end] for n, end in zip(heads, ends, strict=True)]
    are_summed = all(
        sum((amount_of(row.item.amount) for row in part), NONE)
        == amount_of(rows[n].item.amount)
        for n, part in zip(heads, parts, strict=True)
    )
    if not are_summed or max(map(len, parts)) < _SUMMED:
        return rows
    return [row for n, row in enumerate(rows) if n not in heads]


def _is_bare(row: Row) -> bool:
    """Whether a row lacks the description, or the quantity and price."""
    return not row.item.description or not (row.item.quantity or row.item.price)
