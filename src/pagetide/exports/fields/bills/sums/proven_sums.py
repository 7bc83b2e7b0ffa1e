"""Sums without a known label, proven by arithmetic: net and tax are the total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from pagetide.document.field import Value
from pagetide.exports.fields.bills.sums.figures import NONE, number_in, number_of
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import CENT, PERCENT, is_money
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed

_OFF = 2 * CENT  # a tax may be the sum of rounded ones
_ALL = 100  # per cent
_MOST = 400  # amounts of a document that are examined


class _Amount(NamedTuple):
    sheet: Sheet
    row: int
    phrase: Phrase
    number: Decimal


def proven_sums(
    fields: Mapping[str, Value],
    sheets: Sequence[Sheet],
    items: set[tuple[int, int]],
    added: Decimal | None,
    order: Order,
) -> dict[str, Value]:
    """The unnamed net sum, tax and total, if the amounts prove them.

    A net sum and a tax add up to the total; and the tax is a rate on the page times the net
    sum, or the three are in one row, or the net sum is the sum of the items. Ambiguous amounts
    are left out.

    Args:
        fields: The bill's, as far as labels give them.
        sheets: The pages' phrases.
        items: The lines of items, by page.
        added: The sum of the items, if each has an amount.
        order: Of the document's dates.
    """
    known = {name: number_of(fields.get(name)) for name in ("subtotal", "tax", "total")}
    rounded = number_of(fields.get("rounding")) or NONE
    if all(number is not None for number in known.values()):
        return {}
    amounts = list(_amounts(sheets, items))
    if len(amounts) > _MOST:
        return {}
    by_number: dict[Decimal, list[_Amount]] = {}
    for each in amounts:
        by_number.setdefault(each.number, []).append(each)
    rates = _rates(sheets)
    exact = dict.fromkeys((NONE, rounded, -rounded))
    solved = (_solved(known, by_number, rates, added, off) for off in exact)
    found = next(filter(None, solved), {})
    return {
        name: _value(_chosen(by_number[number], found, by_number), order)
        for name, number in found.items()
        if known[name] is None and number in by_number
    }


def _solved(
    known: Mapping[str, Decimal | None],
    by_number: Mapping[Decimal, Sequence[_Amount]],
    rates: set[Decimal],
    added: Decimal | None,
    rounded: Decimal,
) -> dict[str, Decimal]:
    """The three sums; empty if none or several combinations are proven."""
    net, tax, total = known["subtotal"], known["tax"], known["total"]
    if total is None:
        if net is None or tax is None or net + tax not in by_number:
            return {}
        return {"subtotal": net, "tax": tax, "total": net + tax}
    total -= rounded
    nets = [net] if net is not None else list(by_number)
    solutions = {
        (one, total - one)
        for one in nets
        if 0 < abs(one) < abs(total)
        and (tax is None or total - one == tax)
        and total - one in by_number
        and _is_proven(
            one, total - one, total, by_number, rates, is_named=tax is not None or one == added
        )
    }
    if len(solutions) != 1:
        return {}
    [(net, tax)] = solutions
    return {"subtotal": net, "tax": tax, "total": total}


def _is_proven(
    net: Decimal,
    tax: Decimal,
    total: Decimal,
    by_number: Mapping[Decimal, Sequence[_Amount]],
    rates: set[Decimal],
    *,
    is_named: bool,
) -> bool:
    in_row = (
        _rows(by_number[tax]) & _rows(by_number.get(net, ())) & _rows(by_number.get(total, ()))
    )
    if in_row and abs(tax) < abs(net):
        return True
    is_rated = any(abs(net * rate / _ALL - tax) <= _OFF for rate in rates)
    return is_named or is_rated


def _rows(amounts: Iterable[_Amount]) -> set[tuple[int, int]]:
    return {(each.sheet.page.number, each.row) for each in amounts}


def _chosen(
    amounts: Sequence[_Amount],
    found: Mapping[str, Decimal],
    by_number: Mapping[Decimal, Sequence[_Amount]],
) -> _Amount:
    """Of the places of an amount the one with the total in its row, otherwise the last."""
    total = _rows(by_number.get(found["total"], ()))
    beside = [each for each in amounts if _rows([each]) & total]
    return (beside or amounts)[-1]


def _amounts(sheets: Sequence[Sheet], items: set[tuple[int, int]]) -> Iterable[_Amount]:
    for sheet in sheets:
        for number, row in enumerate(sheet.rows):
            for phrase in row:
                if (sheet.page.number, phrase.line) not in items and is_money(phrase.text):
                    yield _Amount(sheet, number, phrase, number_in(phrase.text) or NONE)


def _rates(sheets: Sequence[Sheet]) -> set[Decimal]:
    texts = (phrase.text for sheet in sheets for phrase in sheet.phrases)
    percents = (found[0] for text in texts if "%" in text for found in PERCENT.finditer(text))
    return {Decimal(each.strip("-−% \u00a0\u202f").replace(",", ".")) for each in percents}


def _value(amount: _Amount, order: Order) -> Value:
    return typed(amount.sheet.value([amount.phrase]), order, "amount")
