"""What can be added up in a bill: its rows, its items, its sums; and whether it matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, groupby, pairwise, product
from typing import Literal

from pagetide.document.field import Check, Field, Value
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.sums.figures import NONE, checked, number_of
from pagetide.exports.fields.bills.sums.ledger import ledger_checks
from pagetide.exports.fields.bills.sums.payable import paid_in_parts
from pagetide.exports.fields.bills.sums.row_amounts import with_taxes
from pagetide.exports.fields.bills.sums.sum_lines import (
    SumLine,
    below,
    is_of,
    lines_of,
    lines_on,
)
from pagetide.exports.fields.pairs.sums import is_payable
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import CENT, written
from pagetide.languages.labels import SUMS

_TAKEN_OFF = ("discount", "paid")
_CHECKS: dict[str, Literal["items", "total"]] = {"subtotal": "items", "total": "total"}
_ROUNDED = 5 * CENT
_BETWEEN = 6  # amounts between the items and the total: with more, some add up to anything


def checks(
    fields: Mapping[str, Value],
    rows: Sequence[Row],
    pairs: Sequence[Field],
    sheets: Sequence[Sheet],
) -> Iterator[Check]:
    """Checks the sum of the items, and the sums with their taxes.

    Args:
        fields: The bill's.
        rows: Its items.
        pairs: All labels of sums with their values: some bills have several with one name.
        sheets: The pages' phrases.
    """
    stated = [p for p in pairs if p.name in SUMS and p.value.kind == "amount"]
    sums = {name: number for name in SUMS & set(fields) if (number := number_of(fields[name]))}
    lines, added = lines_on(sheets, stated), items_added(rows)
    if added is not None:
        yield from _items(added, rows, sums, stated, lines)
        yield from ledger_checks(added, rows, sums, lines)
    if "subtotal" in sums and "total" in sums:
        yield from _total(sums, stated, lines)
    if "total" in sums and "paid" in sums:
        yield from _left_to_pay(sums, stated, lines)
        yield from _given_back(sums)


def numbers(pairs: Sequence[Field], name: str) -> list[Decimal]:
    """The amounts of the sums with one name, in reading order."""
    found = (number_of(pair.value) for pair in pairs if pair.name == name)
    return [number for number in found if number is not None]


def items_added(rows: Sequence[Row]) -> Decimal | None:
    """The sum of the items; None if one of them has no amount."""
    amounts = [number_of(row.item.amount) for row in rows]
    if not amounts or None in amounts:
        return None
    return sum((amount or NONE for amount in amounts), NONE)


def _items(
    added: Decimal,
    rows: Sequence[Row],
    sums: Mapping[str, Decimal],
    stated: Sequence[Field],
    lines: Sequence[SumLine],
) -> Iterator[Check]:
    """The items add up to a sum without taxes, or to the total if taxes are included.

    In some bills no known label names the sum of their items; then they add up to the total by
    their rates, or with some of the amounts between them and it.
    """
    off, own = CENT * len(rows), lines_of(rows)
    known = [sums[name] for name in ("total", "subtotal") if name in sums]
    nets = {*known, *numbers(stated, "subtotal")}
    others = chain(nets, _beside_items(own, lines))
    held = _first_held("items", ((added, n) for n in chain(known, others)), off)
    taxed = _by_rates(added, rows, stated)
    if held is None and "total" in sums:
        between = _after_items(own, lines, {"total": sums["total"]})[1]
        ways = chain([taxed, added], _with_lines(added, between))
        held = _first_held("items", ((way, sums["total"]) for way in ways), off)
    if held is None:
        part = "subtotal" if "subtotal" in sums else "total"
        likely = added if part == "subtotal" else taxed
        yield from [checked("items", likely, sums[part], off)] if part in sums else ()
        return
    yield held
    name, between = _after_items(own, lines, sums)
    if added not in nets and name in sums and held.expected == written(added):
        ways = chain([added, taxed if name == "total" else added], _with_lines(added, between))
        pairs = ((way, sums[name]) for way in ways)
        holding = _first_held(_CHECKS[name], pairs, off)
        yield holding or checked(_CHECKS[name], added, sums[name], off)


def _by_rates(added: Decimal, rows: Sequence[Row], stated: Sequence[Field]) -> Decimal:
    """The sum of the items with their taxes, if these are the stated ones."""
    taxed, taxes = with_taxes(rows), numbers(stated, "tax")
    totals = (*taxes, sum(taxes, NONE))
    if taxed is None or (taxes and all(abs(taxed - added - tax) > 2 * CENT for tax in totals)):
        return added
    return taxed


def _beside_items(own: set[tuple[int, int]], lines: Sequence[SumLine]) -> Iterator[Decimal]:
    """The amounts after a label that are in no item."""
    for line in lines:
        if line.amount is not None and not is_of(own, line):
            yield line.amount


def _after_items(
    own: set[tuple[int, int]], lines: Sequence[SumLine], ends: Mapping[str, Decimal]
) -> tuple[str, list[tuple[Decimal, ...]]]:
    """The first sum below the last item, and the amounts between, with possible addends.

    Args:
        own: The items' lines.
        lines: Of all pages.
        ends: The names of the sums, and their amounts.
    """
    found: list[tuple[Decimal, ...]] = []
    for line in below(own, lines):
        amount = line.amount
        if amount is None:
            continue
        if line.name in _CHECKS and amount == ends.get(line.name):
            return line.name, found
        less = line.name in _TAKEN_OFF
        found.append((NONE, -abs(amount)) if less else (NONE, amount, -amount))
    return "", []


def _with_lines(added: Decimal, lines: Sequence[tuple[Decimal, ...]]) -> Iterator[Decimal]:
    """The items' sum plus some of the amounts below them."""
    others = [each for each in lines if added not in each]
    if len(others) <= _BETWEEN:
        yield from (added + sum(some, NONE) for some in product(*others))


def _total(
    sums: Mapping[str, Decimal], stated: Sequence[Field], lines: Sequence[SumLine]
) -> Iterator[Check]:
    """Sum, taxes and the rest are the total; taxes may be included already, or be several.

    If the known amounts do not add up to it, all lines between the two may: a charge with an
    unknown label is an addend like any other.
    """
    shipping, less = sums.get("shipping", NONE), abs(sums.get("discount", NONE))
    rest = shipping - less
    taxes = numbers(stated, "tax")
    nets = (sums["subtotal"], *numbers(stated, "subtotal"))
    added = (NONE, sums.get("tax", NONE), sum(taxes, NONE))
    beside = dict.fromkeys((rest, shipping, -less, NONE))  # some may be in the net already
    rounded = sums.get("rounding", NONE)
    rounding = dict.fromkeys((NONE, rounded, -rounded))
    ways = (sum(way, NONE) for way in product(nets, beside, added, rounding))
    every = chain(ways, _by_lines(lines))
    pairs = ((way, sums["total"]) for way in every)
    if held := _first_held("total", pairs, 2 * CENT):
        yield held
    elif taxes or rest:
        yield checked("total", sums["subtotal"] + rest + sum(taxes, NONE), sums["total"], CENT)


def _by_lines(lines: Sequence[SumLine]) -> Iterator[Decimal]:
    """Each sum without taxes plus all amounts below it on its page."""
    for _, page in groupby(lines, lambda line: line.page):
        sums: list[Decimal] = []
        for line in page:
            amount = line.amount
            if line.name == "total":
                yield from sums
            elif line.name == "subtotal" and amount is not None:
                sums.append(amount)
            elif amount is not None:
                number = -abs(amount) if line.name in _TAKEN_OFF else amount
                sums = [own + number for own in sums]


def _left_to_pay(
    sums: Mapping[str, Decimal], stated: Sequence[Field], lines: Sequence[SumLine]
) -> Iterator[Check]:
    """Earlier payments are deducted, if the amount due is stated.

    A label states it, or the row right below the payment. Who pays more than the total gets
    change: nothing is left to pay. The payment may be given in parts, or twice.
    """
    total, last = sums["total"], abs(sums["paid"])
    parts = paid_in_parts(numbers(stated, "paid"))
    names = [pair.name for pair in stated]
    after = stated[names.index("paid") + 1 :] if "paid" in names and last <= total else ()
    lefts = [
        number
        for pair in after
        if pair.name == "total" and is_payable(pair.label.text)
        if (number := number_of(pair.value)) is not None
    ]
    for left in lefts:
        if left < total:
            whole = checked("total", total - parts, left, CENT)
            yield whole if whole.holds else checked("total", total - last, left, CENT)
    for amount in _below_paid(lines) if last < total else []:
        likely = (total - parts, parts, total - last)
        held = _first_held("total", ((way, abs(amount)) for way in likely), CENT)
        yield held or checked("total", likely[parts != last], abs(amount), CENT)


def _below_paid(lines: Sequence[SumLine]) -> list[Decimal]:
    """The amount in the row below the last payment, whose label is unknown.

    Each of several such rows may be a part of the payment.
    """
    found: list[Decimal] = []
    for place, (upper, line) in enumerate(pairwise(lines), 2):
        below = lines[place : place + 1]
        goes_on = any(each.page == line.page and each.amount is not None for each in below)
        level = abs(upper.row[-1].x1 - line.row[-1].x1) < line.row[-1].height
        is_next = upper.name == "paid" and upper.page == line.page and not line.name
        if is_next and level and not goes_on and line.amount is not None:
            found = [line.amount]
    return found


def _given_back(sums: Mapping[str, Decimal]) -> Iterator[Check]:
    """Who pays more than the total gets the rest as change, apart from rounding."""
    change = abs(sums.get("change", NONE))
    if change and abs(sums["paid"]) > sums["total"]:
        yield checked("total", abs(sums["paid"]) - change, sums["total"], _ROUNDED)


def _first_held(
    name: Literal["items", "total"], tried: Iterable[tuple[Decimal, Decimal]], off: Decimal
) -> Check | None:
    """A check of the first two numbers that are equal; later ones are not computed."""
    equal = next((pair for pair in tried if abs(pair[0] - pair[1]) <= off), None)
    return checked(name, *equal, off) if equal else None
