"""The column of sums below a bill's items: each of them is the sum of the amounts above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, product

from pagetide.document.field import Check
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.sums.figures import NONE, amount_of, checked
from pagetide.exports.fields.bills.sums.sum_lines import SumLine, below, lines_of
from pagetide.exports.fields.values.amounts import CENT

_SUMS = ("subtotal", "total")
_LESS = ("discount", "paid")
_ROWS = 60  # between the items and the total, at most
_MOST = 6  # amounts between two sums: with more, some add up to anything
_OFF = 2 * CENT
Addends = list[tuple[Decimal, ...]]
"""The possible contributions of each amount: itself, nothing, or a negative amount."""


def ledger_checks(
    added: Decimal, rows: Sequence[Row], sums: Mapping[str, Decimal], lines: Sequence[SumLine]
) -> Iterator[Check]:
    """A check of each sum between the items and the total that does not add up.

    No checks if none adds up: the meaning of such a column is then unknown.

    Args:
        added: The sum of the items.
        rows: The items.
        sums: The bill's, by name.
        lines: The pages' rows with their amounts.
    """
    known: list[tuple[Decimal, Addends]] = [(added, [])]
    wrong: list[Check] = []
    parts = set(accumulate(amount_of(row.item.amount) for row in reversed(rows)))
    column = _column(lines_of(rows), sums.get("total"), lines)
    amounts = [line.amount or NONE for line in column]
    for line, number, after in zip(column, amounts, [*amounts[1:], NONE], strict=False):
        is_right = any(_may_be(number, base, addends) for base, addends in known)
        # The last section's sum; a sum before discounts that the items already include, or
        # before taxes that they include.
        others = {number, number - abs(after), number + abs(after)} - {NONE}
        is_other = number in parts or any(base in others for base, _ in known)
        if line.name in _SUMS and not (is_right or is_other):
            base, addends = known[-1]
            likely = base + sum((own[-1] for own in addends), NONE)
            wrong.append(checked("total", likely, number, _OFF))
        if line.name not in _SUMS:
            for _, addends in known:
                addends.append(_ways(line, number))
        if is_right:
            known.append((number, []))
    yield from wrong if len(known) > 1 else ()


def _column(
    own: set[tuple[int, int]], total: Decimal | None, lines: Sequence[SumLine]
) -> Sequence[SumLine]:
    """The rows after the last item's up to the total, whose amounts are above it."""
    found = below(own, lines) if own else ()  # items may be in no line
    end = next(
        (n for n, line in enumerate(found) if line.name == "total" and line.amount == total),
        None,
    )
    if end is None or end > _ROWS:
        return ()
    x0, x1 = _place(found[end])
    return [
        line
        for line in found[: end + 1]
        if line.amount is not None
        and line.page == found[end].page
        and _place(line)[0] < x1
        and x0 < _place(line)[1]
    ]


def _place(line: SumLine) -> tuple[float, float]:
    """The horizontal extent of a row's last word."""
    _, x0, _, x1, _ = line.row[-1].words[-1]
    return x0, x1


def _ways(line: SumLine, number: Decimal) -> tuple[Decimal, ...]:
    if line.name in _LESS:
        return NONE, -abs(number)
    return (NONE, number) if line.name else (NONE, -number, number)


def _may_be(number: Decimal, base: Decimal, addends: Addends) -> bool:
    """Whether a sum is another one plus some of the amounts between them."""
    if len(addends) > _MOST:
        return True
    return any(abs(base + sum(some, NONE) - number) <= _OFF for some in product(*addends))
