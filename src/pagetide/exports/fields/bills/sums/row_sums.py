"""Whether each row of a bill's items adds up, by itself or as the other rows do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from pagetide.document.field import Check, Item, Value
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.sums.figures import NONE, checked, number_in, number_of
from pagetide.exports.fields.values.amounts import CENT, is_percent
from pagetide.structure.tables.pieces import has_figures

_LEAST = 2  # rows that match in one way show that the table does, if most do
_MOST = 4  # figures of a row in unknown columns
_MANY = (100, 1000)
_UNITS = (1, 10, 100, 1000)  # quantities that a price may be for
_ALL = 100  # per cent
Way = tuple[str, ...]
"""How an amount is computed: from which figure, with which deduction, with which tax."""


def row_checks(rows: Sequence[Row]) -> Iterator[Check]:
    """A check of each row whose amount its other figures give, or should give.

    That is quantity times price, with or without its tax. With figures in columns with unknown
    headers, such as a discount's, it is the way most other rows match.
    """
    amounts = [number_of(row.item.amount) for row in rows]
    given = [
        _near(amount, _products(row.item)) for amount, row in zip(amounts, rows, strict=True)
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
    ways = [dict(_ways(row)) for row in rows]
    products = [list(_products(row.item)) for row in rows]
    usual, is_plain = _usual(amounts, ways), _are_plain(amounts, products, given)
    each = zip(rows, amounts, products, given, ways, strict=True)
    for row, amount, own, known, by_way in each:
        number = by_way.get(usual) if known is None else known
        if number is None and is_plain:  # with a deduction, or in another currency
            changed = (one * rate for one in own for rate in row.others.values())
            number = _near(amount, (*by_way.values(), *changed))
        yield own[0] if number is None and own and (is_plain or not row.others) else number


def _are_plain(
    amounts: Sequence[Decimal | None],
    products: Sequence[Sequence[Decimal]],
    given: Sequence[Decimal | None],
) -> bool:
    """Whether most rows' amounts are their prices times their quantities, and no less."""
    pairs = zip(amounts, products, strict=True)
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


def _products(item: Item) -> Iterator[Decimal]:
    """Quantity times price, with its tax, or with a price for many, even if not stated.

    Nothing if one of them cannot be read.
    """
    quantity, price = number_of(item.quantity), number_of(item.price)
    if quantity is None or price is None:
        return
    net = quantity * price
    is_rated = item.tax is not None and has_figures(item.tax.text)  # otherwise by a mark
    taxes = _taxes(net, item.tax) if item.tax and is_rated else {"": NONE}
    if taxes:
        yield net
        yield from (net + tax for tax in taxes.values())
        yield from (net / number for number in _MANY)


def _taxes(net: Decimal, tax: Value) -> dict[str, Decimal]:
    """What a tax column adds: by a rate, or an amount; without a sign it may be either."""
    number = _number(tax)
    if number is None:
        return {}
    by_rate = {"rate": (net * number / _ALL).quantize(CENT)} if number <= _ALL else {}
    return by_rate if is_percent(tax.text.strip()) else {**by_rate, "tax": number}


def _number(tax: Value) -> Decimal | None:
    return number_in(tax.text.strip().rstrip("% "))


def _ways(row: Row) -> Iterator[tuple[Way, Decimal]]:
    """The possible amounts of a row from its figures in unknown columns."""
    if not 0 < len(row.others) <= _MOST:
        return
    quantity, price = number_of(row.item.quantity), number_of(row.item.price)
    others = {f"column {n}": number for n, number in row.others.items()}
    bases = dict(others)
    if quantity is not None and price is not None:
        bases["product"] = quantity * price
        for name, number in others.items():
            if number in _UNITS:
                bases[f"product by {name}"] = quantity * price / number
    for base, net in bases.items():
        rest = {
            name: n for name, n in others.items() if name != base.removeprefix("product by ")
        }
        if base.startswith("product by "):
            yield (base,), net
        yield from _with_tax((base,), net, row.item, rest)
        for name, number in rest.items():
            left = {other: n for other, n in rest.items() if other != name}
            for off, less in ((name, abs(number)), (f"{name} %", net * abs(number) / _ALL)):
                way = (base, f"less {off}")
                yield way, net - less
                yield from _with_tax(way, net - less, row.item, left)


def _with_tax(
    way: Way, net: Decimal, item: Item, others: Mapping[str, Decimal]
) -> Iterator[tuple[Way, Decimal]]:
    """With a tax from the item's own column, or from an unknown one."""
    for name, tax in (_taxes(net, item.tax) if item.tax else {}).items():
        yield (*way, name), net + tax
    for name, number in others.items():
        yield (*way, f"with {name}"), net + number
        yield (*way, f"with {name} %"), net * (1 + number / _ALL)


def with_taxes(rows: Sequence[Row]) -> Decimal | None:
    """The sum of the items with their taxes, each rate's rounded once.

    None if one of them has no rate.
    """
    by_rate: dict[Decimal, Decimal] = {}
    for row in rows:
        rate = _number(row.item.tax) if row.item.tax else None
        if rate is None or rate > _ALL:
            return None
        by_rate[rate] = by_rate.get(rate, NONE) + (number_of(row.item.amount) or NONE)
    taxed = (net + (net * rate / _ALL).quantize(CENT) for rate, net in by_rate.items())
    return sum(taxed, NONE)
