"""Invoices and receipts: who, whom, when, how much; and whether the sums come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal

from pagetide.document import Document
from pagetide.document.field import Bill, Check, Field, Value, ValueKind
from pagetide.exports.fields.amounts import CENT, amount_in, written
from pagetide.exports.fields.dates import DATE, Order
from pagetide.exports.fields.items import Row, rows_of_items
from pagetide.exports.fields.known import SUMS, columns, plain
from pagetide.exports.fields.labels import name_of
from pagetide.exports.fields.phrases import Phrase, Sheet
from pagetide.exports.fields.proven_items import proven_items

_TITLES = {
    "invoice", "taxinvoice", "rechnung", "facture", "factura", "fattura", "fatura", "factuur",
    "faktura", "fakturavat", "发票", "فاتورة",
    "creditnote", "creditmemo", "gutschrift", "rechnungskorrektur", "avoir", "notadecrédito",
    "notadicredito", "creditnota",
}  # fmt: skip
_BY_FORM: dict[ValueKind, str] = {"iban": "iban", "tax_id": "tax_number", "email": "email"}
_FIRST_ROWS = 6  # of a page, where who bills stands
_AS_LARGE = 0.85  # times the largest letters


def bill_of(
    document: Document,
    sheets: Sequence[Sheet],
    pairs: Sequence[Field],
    values: Sequence[Value],
    order: Order,
) -> Bill | None:
    """The document as a bill; None where it has no total, or nothing else that a bill has.

    Args:
        document: As read.
        sheets: Its pages' phrases.
        pairs: The labels and values among them.
        values: What proves itself among them.
        order: Of its dates.
    """
    headed = rows_of_items(document, order)
    found = _chosen(pairs)
    sums = {_number(found[name]) for name in ("subtotal", "total") if name in found}
    rows = headed or proven_items(document, order, sums)
    titled = any(_is_title(phrase) for sheet in sheets for row in sheet.rows for phrase in row)
    if "total" not in found or not (titled or _is_billed(found, rows)):
        return None
    if "supplier" not in found and (supplier := _supplier(sheets)):
        found["supplier"] = supplier
    for kind, name in _BY_FORM.items():
        alone = {value.normalised: value for value in values if value.kind == kind}
        if name not in found and len(alone) == 1:
            [found[name]] = alone.values()
    return Bill(
        kind="invoice" if titled or ("number" in found and headed) else "receipt",
        fields=found,
        items=tuple(item for item, _ in rows),
        checks=tuple(_checks(found, rows)),
    )


def _is_billed(fields: Mapping[str, Value], rows: Sequence[Row]) -> bool:
    """Whether a total is one of money, and something else that bills have is there."""
    total = amount_in(fields["total"].text)
    is_money = total is not None and total.is_money
    return is_money and bool(rows or {"tax", "subtotal", "date"} & set(fields))


def _is_title(phrase: Phrase) -> bool:
    return _has_title(phrase.text)


def _has_title(text: str) -> bool:
    """Whether a text is a bill's title, begins with its word, or has it without spaces."""
    words = plain(text)
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return words in _TITLES or plain(first) in _TITLES or words.endswith("发票")


def _chosen(pairs: Sequence[Field]) -> dict[str, Value]:
    """Of fields of one name the one that fits best.

    Of amounts the largest total and the last of others; of the rest the one whose label says
    most, the first of those.
    """
    found: dict[str, Field] = {}
    for pair in pairs:
        if not pair.name or (pair.name in SUMS and pair.value.kind != "amount"):
            continue
        if pair.name not in found or _fits_better(pair, found[pair.name]):
            found[pair.name] = pair
    return {name: pair.value for name, pair in found.items()}


def _fits_better(pair: Field, other: Field) -> bool:
    if pair.name == "total":
        return _number(pair.value) >= _number(other.value)
    if pair.name in SUMS:
        return True
    return len(plain(pair.label.text)) > len(plain(other.label.text))


def _supplier(sheets: Sequence[Sheet]) -> Value | None:
    """Whoever stands at the top of the first page, in the largest letters there."""
    if not sheets:
        return None
    top = [phrase for row in sheets[0].rows[:_FIRST_ROWS] for phrase in row]
    named = [phrase for phrase in top if _is_a_name(phrase.text)]
    if not named:
        return None
    largest = max(phrase.height for phrase in named)
    first = next(phrase for phrase in named if phrase.height > _AS_LARGE * largest)
    return sheets[0].value([first])


def _is_a_name(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    words = plain(text)
    is_label = name_of(text) or words in columns() or _has_title(text)
    return (
        letters >= 3
        and letters > sum(map(str.isdigit, text))
        and not is_label
        and not text.rstrip().endswith((":", "："))
        and DATE.search(text) is None
    )


def _checks(fields: Mapping[str, Value], rows: Sequence[Row]) -> Iterator[Check]:
    """What can be added up: of rows all of whose columns are known, of sums with the taxes."""
    for place, (item, is_whole) in enumerate(rows):
        if is_whole and item.quantity and item.price and item.amount and not item.tax:
            numbers = [_of(value) for value in (item.quantity, item.price, item.amount)]
            if None not in numbers:
                quantity, price, amount = (number or Decimal() for number in numbers)
                yield _check("item", quantity * price, amount, CENT, place)
    amounts = [_of(item.amount) for item, _ in rows if item.amount]
    sums = {name: number for name in SUMS & set(fields) if (number := _of(fields[name]))}
    if amounts and None not in amounts and len(amounts) == len(rows):
        added = sum((amount or Decimal() for amount in amounts), Decimal())
        yield from _items(added, sums, CENT * len(amounts))
    if "subtotal" in sums and "total" in sums:
        yield from _total(sums)


def _items(added: Decimal, sums: Mapping[str, Decimal], off: Decimal) -> Iterator[Check]:
    """The items are the sum, or the total, where taxes are in them already."""
    whole = _check("items", added, sums["total"], off) if "total" in sums else None
    if whole and whole.holds:
        yield whole
    elif "subtotal" in sums:
        yield _check("items", added, sums["subtotal"], off)


def _total(sums: Mapping[str, Decimal]) -> Iterator[Check]:
    """Sum, taxes and the rest are the total; taxes may be in the sum already."""
    none = Decimal()
    net = sums["subtotal"] - abs(sums.get("discount", none)) + sums.get("shipping", none)
    gross, total = net + sums.get("tax", none), sums["total"]
    included = _check("total", net, total, 2 * CENT)
    if included.holds or "tax" in sums:
        yield included if included.holds else _check("total", gross, total, 2 * CENT)


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


def _of(value: Value) -> Decimal | None:
    found = amount_in(value.text)
    return found.number if found else None


def _number(value: Value) -> Decimal:
    return _of(value) or Decimal()
