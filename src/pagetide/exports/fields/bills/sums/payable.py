"""The amount due: of several sums called the total, the one after all else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations

from pagetide.document.field import Field, Value
from pagetide.exports.fields.bills.sums.figures import amount_of
from pagetide.exports.fields.pairs.sums import is_payable

_ROUNDED = Decimal("0.5")  # how much a total is rounded, at most


def payable(sums: Sequence[Field], others: Mapping[str, Value]) -> Value | None:
    """The total among sums in reading order.

    It is the cash given less the change, and so is a total with its rounding; otherwise the
    largest, or one rounded from that whose label says it is due.

    Args:
        sums: Totals, and sums without taxes, which some bills call their total.
        others: The payment, change and rounding, as far as stated.
    """
    amounts = [(amount_of(pair.value), pair) for pair in sums]
    totals = [(number, pair) for number, pair in amounts if pair.name == "total"]
    if not totals:
        return None
    paid, change = (amount_of(others[n]) if n in others else None for n in ("paid", "change"))
    if paid is not None and change is not None:
        given = [pair for number, pair in amounts if number == paid - abs(change)]
        if given:
            return given[-1].value
    largest, first = max(totals, key=lambda each: each[0])
    near = [(number, pair) for number, pair in amounts if abs(largest - number) <= _ROUNDED]
    by = amount_of(others["rounding"]) if "rounding" in others else Decimal()
    if by:
        pairs = combinations(near, 2)  # the later one is the rounded one
        rounded = [pair for (a, _), (b, pair) in pairs if abs(a - b) == abs(by)]
        return (rounded or [first])[-1].value
    due = [pair for _, pair in near if is_payable(pair.label.text)]
    return (due or [first])[-1].value


def paid_in_parts(amounts: Sequence[Decimal]) -> Decimal:
    """The total payment: the last of several if it is the sum of the others, otherwise all."""
    whole = sum(map(abs, amounts), Decimal())
    is_sum = len(amounts) > 2 and 2 * abs(amounts[-1]) == whole
    return abs(amounts[-1]) if is_sum else whole
