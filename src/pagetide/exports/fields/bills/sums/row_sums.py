"""Whether each row of a bill's items adds up, by itself or as the other rows do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from pagetide.document.field import Check
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.sums.figures import checked, number_of
from pagetide.exports.fields.bills.sums.row_amounts import Way, products, ways_of
from pagetide.exports.fields.values.amounts import CENT

_LEAST = 2  # rows that match in one way show that the table does, if most do


def row_checks(rows: Sequence[Row]) -> Iterator[Check]:
    """A check of each row whose amount its other figures give, or should give.

    That is quantity times price, with or without its tax. With figures in columns with unknown
    headers, such as a discount's, it is the way most other rows match.
    """
    amounts = [number_of(row.item.amount) for row in rows]
    given = [
        _near(amount, products(row.item)) for amount, row in zip(amounts, rows, strict=True)
    ]
    if any(n is None and amount is not None for amount, n in zip(amounts, given, strict=True)):
        given = list(_otherwise(rows, amounts, given))
    for place, (amount, number) in enumerate(zip(amounts, given, strict=True)):
        if amount is not None and number is not None:
            yield checked("item", number, amount, CENT, place)


def _near(amount: Decimal | None, numbers: Iterable[Decimal]) -> Decimal | None:
    """The first number that is an amount."""
    if amount is None:
        return None
    return next((number for number in numbers if abs(number - amount) <= CENT), None)


def _otherwise(
    rows: Sequence[Row],
    amounts: Sequence[Decimal | None],
    given: Sequence[Decimal | None],
) -> Iterator[Decimal | None]:
    """The amounts that rows give or should give, if not all are quantity times price."""
    ways = [dict(ways_of(row)) for row in rows]
    plain = [list(products(row.item)) for row in rows]
    usual, is_plain = _usual(amounts, ways), _are_plain(amounts, plain, given)
    each = zip(rows, amounts, plain, given, ways, strict=True)
    for row, amount, own, known, by_way in each:
        number = by_way.get(usual) if known is None else known
        if number is None and is_plain:  # with a deduction, or in another currency
            changed = (one * rate for one in own for rate in row.others.values())
            number = _near(amount, (*by_way.values(), *changed))
        yield own[0] if number is None and own and (is_plain or not row.others) else number


def _are_plain(
    amounts: Sequence[Decimal | None],
    plain: Sequence[Sequence[Decimal]],
    given: Sequence[Decimal | None],
) -> bool:
    """Whether most rows' amounts are their prices times their quantities, and no less."""
    pairs = zip(amounts, plain, strict=True)
    able = sum(amount is not None and bool(own) for amount, own in pairs)
    right = sum(number is not None for number in given)
    return right >= _LEAST and 3 * right >= 2 * able


def _usual(amounts: Sequence[Decimal | None], ways: Sequence[Mapping[Way, Decimal]]) -> Way:
    """The way in which most rows match; empty if they are few."""
    counts = Counter(
        way
        for amount, by_way in zip(amounts, ways, strict=True)
        if amount is not None
        for way, number in by_way.items()
        if abs(number - amount) <= CENT
    )
    [(way, count)] = counts.most_common(1) or [((), 0)]
    able = sum(way in by_way for by_way in ways)
    return way if count >= _LEAST and 3 * count >= 2 * able else ()
