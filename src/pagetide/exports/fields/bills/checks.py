"""What can be added up in a bill: its rows, its items, its sums; and whether it comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, product
from typing import Literal

from pagetide.document.field import Check, Field, Item, Value
from pagetide.exports.fields.bills.items import Row
from pagetide.exports.fields.pairs.sums import is_payable
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import CENT, PERCENT, amount_in, written
from pagetide.languages.labels import SUMS

_TAKEN_OFF = ("discount", "paid")
_PARTS = 4  # words of an amount with its currency, at most
_NONE = Decimal()


def checks(
    fields: Mapping[str, Value],
    rows: Sequence[Row],
    pairs: Sequence[Field],
    sheets: Sequence[Sheet],
) -> Iterator[Check]:
    """Of rows all of whose columns are known, of all items, of the sums with their taxes.

    Args:
        fields: The bill's.
        rows: Its items.
        pairs: All labels of sums with their values: some bills have several of a name.
        sheets: The pages' phrases.
    """
    for place, (item, is_whole) in enumerate(rows):
        if is_whole and (found := _row(item, place)):
            yield found
    told = [p for p in pairs if p.name in SUMS and p.value.kind == "amount"]
    sums = {name: number for name in SUMS & set(fields) if (number := number_of(fields[name]))}
    added = items_added(rows)
    if added is not None:
        others = chain(numbers(told, "subtotal"), _beside_items(rows, sheets))
        yield from _items(added, sums, others, CENT * len(rows))
    if "subtotal" in sums and "total" in sums:
        yield from _total(sums, told, sheets)
    if "total" in sums and "paid" in sums:
        yield from _left_to_pay(sums, told)


def number_of(value: Value) -> Decimal | None:
    """A value's number, if it is an amount."""
    found = amount_in(value.text)
    return found.number if found else None


def amount_of(value: Value) -> Decimal:
    """A value's number; 0 where it is no amount."""
    return number_of(value) or _NONE


def numbers(pairs: Sequence[Field], name: str) -> list[Decimal]:
    """What the sums of one name come to, in reading order."""
    found = (number_of(pair.value) for pair in pairs if pair.name == name)
    return [number for number in found if number is not None]


def items_added(rows: Sequence[Row]) -> Decimal | None:
    """What the items come to; None where one of them has no amount."""
    amounts = [number_of(item.amount) if item.amount else None for item, _ in rows]
    if not amounts or None in amounts:
        return None
    return sum((amount or _NONE for amount in amounts), _NONE)


def _row(item: Item, place: int) -> Check | None:
    """Whether quantity times price is the amount, with or without its tax."""
    if not (item.quantity and item.price and item.amount):
        return None
    quantity, price, amount = map(number_of, (item.quantity, item.price, item.amount))
    if quantity is None or price is None or amount is None:
        return None
    net = quantity * price
    tax = _tax_on(net, item.tax) if item.tax else _NONE
    if tax is None:
        return None
    taxed = _check("item", net + tax, amount, CENT, place)
    return taxed if taxed.holds else _check("item", net, amount, CENT, place)


def _tax_on(net: Decimal, tax: Value) -> Decimal | None:
    """What a column of taxes adds: a rate, or an amount."""
    if PERCENT.fullmatch(tax.text.strip()):
        rate = amount_in(tax.text.strip().rstrip("% "))
        return (net * rate.number / 100).quantize(CENT) if rate else None
    return number_of(tax)


def _items(
    added: Decimal, sums: Mapping[str, Decimal], others: Iterable[Decimal], off: Decimal
) -> Iterator[Check]:
    """The items are a sum without taxes, or the total, where taxes are in them already.

    Of some bills no known label names the sum of their items.
    """
    known = [sums[name] for name in ("total", "subtotal") if name in sums]
    tried = (_check("items", added, number, off) for number in chain(known, others))
    if held := _first_held(tried):
        yield held
    elif "subtotal" in sums:
        yield _check("items", added, sums["subtotal"], off)


def _beside_items(rows: Sequence[Row], sheets: Sequence[Sheet]) -> Iterator[Decimal]:
    """The amounts behind a label that are in no item."""
    values = [value for item, _ in rows for value in (item.amount, item.description) if value]
    own = {(value.page, line) for value in values for line in value.lines}
    for sheet in sheets:
        for row in sheet.rows:
            amount = _labelled(row)
            is_item = any((sheet.page.number, phrase.line) in own for phrase in row)
            if amount is not None and not is_item:
                yield amount


def _total(
    sums: Mapping[str, Decimal], told: Sequence[Field], sheets: Sequence[Sheet]
) -> Iterator[Check]:
    """Sum, taxes and the rest are the total; taxes may be in the sum already, or be several.

    Where what is known does not come to it, all lines between the two may: a charge whose label
    nobody knows is an addend like any other.
    """
    rest = sums.get("shipping", _NONE) - abs(sums.get("discount", _NONE))
    taxes = numbers(told, "tax")
    nets = (sums["subtotal"], *numbers(told, "subtotal"))
    added = (_NONE, sums.get("tax", _NONE), sum(taxes, _NONE))
    ways = (net + rest + tax for net, tax in product(nets, added))
    every = chain(ways, _by_lines(told, sheets))
    if held := _first_held(_check("total", way, sums["total"], 2 * CENT) for way in every):
        yield held
    elif taxes:
        yield _check("total", sums["subtotal"] + rest + sum(taxes, _NONE), sums["total"], CENT)


def _by_lines(told: Sequence[Field], sheets: Sequence[Sheet]) -> Iterator[Decimal]:
    """What each sum without taxes comes to with all amounts that stand below it."""
    names = {(p.value.page, line): p.name for p in told for line in p.value.lines}
    for sheet in sheets:
        sums: list[Decimal] = []
        for row in sheet.rows:
            amount = _labelled(row)
            name = names.get((sheet.page.number, row[-1].line), "")
            if name == "total":
                yield from sums
            elif name == "subtotal" and amount is not None:
                sums.append(amount)
            elif amount is not None:
                number = -abs(amount) if name in _TAKEN_OFF else amount
                sums = [own + number for own in sums]


def _labelled(row: Sequence[Phrase]) -> Decimal | None:
    """The sum of money that ends a row behind something else."""
    words = row[-1].text.split()
    for count in range(min(len(words) - (len(row) == 1), _PARTS), 0, -1):
        amount = amount_in(" ".join(words[-count:]))
        if amount and amount.is_money:
            return amount.number
    return None


def _left_to_pay(sums: Mapping[str, Decimal], told: Sequence[Field]) -> Iterator[Check]:
    """What has been paid already is taken off, where a label says what is left to pay.

    Who gives more than the total gets change: nothing is left to pay. What was paid may be told
    in parts, or twice.
    """
    total, last = sums["total"], abs(sums["paid"])
    parts = sum(map(abs, numbers(told, "paid")), _NONE)
    names = [pair.name for pair in told]
    after = told[names.index("paid") + 1 :] if "paid" in names and last <= total else ()
    for pair in after:
        left = number_of(pair.value)
        is_left = pair.name == "total" and is_payable(pair.label.text)
        if is_left and left is not None and left < total:
            whole = _check("total", total - parts, left, CENT)
            yield whole if whole.holds else _check("total", total - last, left, CENT)


def _first_held(tried: Iterable[Check]) -> Check | None:
    """The first that comes out; those after it are not made."""
    return next((check for check in tried if check.holds), None)


def _check(
    name: Literal["items", "item", "total"],
    expected: Decimal,
    found: Decimal,
    off: Decimal,
    row: int | None = None,
) -> Check:
    return Check(
        name=name,
        holds=abs(expected - found) <= off,
        expected=written(expected.quantize(CENT)),
        found=written(found),
        row=row,
    )
