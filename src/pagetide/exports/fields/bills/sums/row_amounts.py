"""The amounts that the other figures of an item's row may give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from pagetide.document.field import Item, Value
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.sums.figures import NONE, number_in, number_of
from pagetide.exports.fields.values.amounts import CENT, is_percent
from pagetide.structure.tables.pieces import has_figures

_MOST = 4  # figures of a row in unknown columns
_MANY = (100, 1000)
_UNITS = (1, 10, 100, 1000)  # quantities that a price may be for
_ALL = 100  # per cent
Way = tuple[str, ...]
"""How an amount is computed: from which figure, with which deduction, with which tax."""


def products(item: Item) -> Iterator[Decimal]:
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


def ways_of(row: Row) -> Iterator[tuple[Way, Decimal]]:
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
