"""Invoices and receipts: seller, customer, dates, amounts; and whether the sums add up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from pagetide.document import Block, Document, Page, Table
from pagetide.document.field import Bill, Field, Value, ValueKind
from pagetide.exports.fields.bills.items.chosen import Checked, chosen_items
from pagetide.exports.fields.bills.items.proven import proven_items, sections
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.bills.parties.accounts import account_in, bank_in
from pagetide.exports.fields.bills.parties.named import parties
from pagetide.exports.fields.bills.parties.tax_numbers import tax_number
from pagetide.exports.fields.bills.parties.titles import has_title, is_receipt
from pagetide.exports.fields.bills.sums.checks import checks, items_added
from pagetide.exports.fields.bills.sums.figures import amount_of
from pagetide.exports.fields.bills.sums.payable import paid_in_parts, payable
from pagetide.exports.fields.bills.sums.proven_sums import proven_sums
from pagetide.exports.fields.bills.sums.row_sums import row_checks
from pagetide.exports.fields.bills.sums.sum_lines import lines_in
from pagetide.exports.fields.bills.sums.tax_tables import TaxTable, tax_checks, tax_tables
from pagetide.exports.fields.bills.sums.terms import due_date
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import CENT, amount_in
from pagetide.exports.fields.values.dates import TIME, Order
from pagetide.geometry import box_of
from pagetide.languages.labels import SUMS, kinds, plain

_PROGRAM = re.compile(r"\d{1,4}/AT")
_BY_FORM: dict[ValueKind, str] = {"iban": "iban", "email": "email"}


def bill_of(
    document: Document,
    sheets: Sequence[Sheet],
    tabled: Checked,
    by_words: Sequence[tuple[Page, Block, Table]],
    pairs: Sequence[Field],
    values: Sequence[Value],
    order: Order,
) -> Bill | None:
    """The document as a bill; None without a total, or without anything else typical of bills.

    If the total cannot be read, a title beside another sum of the bill is enough.

    Args:
        document: As read.
        sheets: Its pages' phrases.
        tabled: The items of its tables.
        by_words: The tables below headers among them; see `chosen_items`.
        pairs: The labels and values among them.
        values: The values recognised by their form among them.
        order: Of its dates.
    """
    taxed = list(tax_tables(document, order))
    if not (taxed or any(pair.name in SUMS for pair in pairs)):
        return None
    (headed, wrong, _), of_rows, _ = chosen_items(sheets, tabled, by_words, pairs, order)
    pairs = [pair for pair in pairs if not _is_of_before(pair, headed)]
    found = _chosen(_but_items(pairs, headed))
    if not (taxed or found.keys() & SUMS - {"discount", "shipping", "rounding"}):
        return None
    sums = {amount_of(found[name]) for name in ("subtotal", "total") if name in found}
    further = sections(document, order, headed, amount_of(found.get("total")))
    rows = headed + further or proven_items(document, order, sums)
    of_rows = of_rows if len(rows) == len(headed) else list(row_checks(rows))
    added, sold = items_added(rows), lines_in(row.item.amount for row in rows)
    _add_taxes(found, pairs, taxed, added)
    _choose_subtotal(found, pairs, added)
    found |= proven_sums(_but_before_discount(found), sheets, sold, added, order)
    texts = [phrase.text for sheet in sheets for phrase in sheet.phrases]
    titled = any(map(has_title, texts))
    if not (titled or any(map(is_receipt, texts)) or _is_billed(found, rows)):
        return None  # such as a price list, or a report with a total
    if "date" not in found and (dated := _dated(pairs, values, document.pages[0])):
        found["date"] = dated
    found |= _until(document, values, found)
    if sheets:
        found |= parties(found, pairs, sheets, titled=titled)
    if number := tax_number(found, pairs, values, sheets) if sheets else None:
        found["tax_number"] = number
    _add_by_form(found, values, sheets)
    return Bill(
        kind="invoice" if titled or ("number" in found and headed) else "receipt",
        fields=found,
        items=tuple(row.item for row in rows),
        checks=(
            *of_rows,
            *checks(found, rows, pairs, sheets),
            *wrong,
            *tax_checks(taxed),
        ),
    )


def _add_by_form(
    found: dict[str, Value], values: Sequence[Value], sheets: Sequence[Sheet]
) -> None:
    """Adds values without a label that their form proves, if the pages have only one such."""
    for kind, name in _BY_FORM.items():
        alone = {value.normalised: value for value in values if value.kind == kind}
        if name not in found and len(alone) == 1:
            [found[name]] = alone.values()
    is_proven = "iban" in found and found["iban"].kind == "iban"
    if not is_proven and (account := account_in(sheets)):
        found["iban"] = account
    if "bic" not in found and (bank := bank_in(sheets)):
        found["bic"] = bank


def _choose_subtotal(
    found: dict[str, Value], pairs: Sequence[Field], added: Decimal | None
) -> None:
    """Of several sums without taxes picks the taxed one, otherwise the sum of the items."""
    nets = {amount_of(pair.value): pair.value for pair in pairs if pair.name == "subtotal"}
    whole = amount_of(found.get("total")) - amount_of(found.get("tax"))
    rounded = amount_of(found.get("rounding"))
    taxed = next((n for n in (whole, whole - rounded, whole + rounded) if n in nets), None)
    if "tax" in found and taxed is not None:
        found["subtotal"] = nets[taxed]
    elif added is not None and added in nets:
        found["subtotal"] = nets[added]


def _but_before_discount(found: Mapping[str, Value]) -> dict[str, Value]:
    """The fields without a net sum that is not yet taxed: a discount is still deducted."""
    net, off, tax = (abs(amount_of(found.get(n))) for n in ("subtotal", "discount", "tax"))
    total = abs(amount_of(found.get("total"))) - amount_of(found.get("rounding"))
    is_before = bool(net and off and tax) and abs(net - off + tax - total) <= CENT
    return {n: value for n, value in found.items() if n != "subtotal" or not is_before}


def _until(
    document: Document, values: Sequence[Value], found: Mapping[str, Value]
) -> dict[str, Value]:
    """The due date from a sentence if no label gives it, or a later one in the label's line."""
    due, labelled = due_date(document.pages, values), found.get("due_date")
    if due is None:
        return {}
    is_later = labelled is not None and (due.normalised or "") > (labelled.normalised or "")
    if labelled and not (is_later and set(due.lines) & set(labelled.lines)):
        return {}
    return {"due_date": due}


def _add_taxes(
    found: dict[str, Value],
    pairs: Sequence[Field],
    tables: Sequence[TaxTable],
    added: Decimal | None,
) -> None:
    """Adds the total of a tax table; of several taxes none is the bill's.

    Except one that adds up to the total with a sum without taxes, or that is the sum of the
    others.
    """
    amounts = [p.value for p in pairs if p.name == "tax" and p.value.kind == "amount"]
    taxes = set(map(amount_of, amounts))
    nets = {amount_of(pair.value) for pair in pairs if pair.name == "subtotal"}
    nets |= {added} if added is not None else set()
    if "tax" in found and len(amounts) > 1 and (len(taxes) > 1 or nets):
        own, total = amount_of(found["tax"]), amount_of(found.get("total"))
        is_sum = len(taxes) > 1 and 2 * own == sum(taxes, Decimal())
        if not is_sum and all(net + own != total for net in nets):
            del found["tax"]
    for table in tables:
        whole = sum(map(amount_of, table.values.values()))
        if "total" not in found or amount_of(found["total"]) == whole:
            found |= {**table.values, **found}


def _is_of_before(pair: Field, rows: Sequence[Row]) -> bool:
    """Whether a payment was made before the bill: it is above what is billed now."""
    first = rows[0].item.description if rows else None
    if pair.name != "paid" or first is None or first.page != pair.value.page:
        return False
    return box_of(pair.value.polygon)[3] < box_of(first.polygon)[1]


def _but_items(pairs: Sequence[Field], rows: Sequence[Row]) -> list[Field]:
    """The pairs without sums that are an item's amount: shipping may be sold, too."""
    amounts = lines_in(row.item.amount for row in rows)
    named = lines_in(row.item.description for row in rows)
    return [
        pair
        for pair in pairs
        if pair.name not in SUMS
        or not (
            lines_in([pair.value]) & amounts
            or (pair.name == "shipping" and lines_in([pair.label]) & named)
        )
    ]


def _is_billed(fields: Mapping[str, Value], rows: Sequence[Row]) -> bool:
    """Whether a total is money, and something else typical of bills is there."""
    if "total" not in fields:
        return False
    total = amount_in(fields["total"].text)
    is_money = total is not None and total.is_money
    return is_money and bool(
        rows or {"tax", "subtotal", "date", "paid", "change"} & set(fields)
    )


def _chosen(pairs: Sequence[Field]) -> dict[str, Value]:
    """Of fields with one name the best one.

    Of amounts the amount due, and the last of others; of the rest the one with the most
    specific label, the first of those.
    """
    found: dict[str, Field] = {}
    most = max((amount_of(p.value) for p in pairs if p.name == "total"), default=Decimal())
    for pair in pairs:
        if not pair.name or (pair.name in SUMS and pair.value.kind != "amount"):
            continue
        if kinds().get(pair.name) == "code" and not _is_code(pair):
            continue  # such as a name: `Your reference: J. Smith`
        if pair.name == "tax" and 0 < most <= amount_of(pair.value):
            continue  # a tax number, not a tax amount
        if pair.name not in found or _fits_better(pair, found[pair.name]):
            found[pair.name] = pair
    chosen = {name: pair.value for name, pair in found.items()}
    sums = [p for p in pairs if p.name in ("subtotal", "total") and p.value.kind == "amount"]
    if total := payable(sums, chosen):
        chosen["total"] = total
    paid = [p.value for p in pairs if p.name == "paid" and p.value.kind == "amount"]
    if len(paid) > 2 and paid_in_parts(parts := list(map(amount_of, paid))) == abs(parts[-1]):
        chosen["paid"] = paid[-1]
    return chosen


def _is_code(pair: Field) -> bool:
    text = pair.value.text
    # From `PO Box 4417`; and from a program in Portugal, `Processado por programa certificado
    # n.º`.
    is_other = text.casefold().startswith("box ") or _PROGRAM.fullmatch(text)
    return not is_other and (any(map(str.isdigit, text)) or " " not in text)


def _fits_better(pair: Field, other: Field) -> bool:
    if pair.name in SUMS:
        return name_of(pair.label.text) == pair.name or name_of(other.label.text) != pair.name
    return len(plain(pair.label.text)) > len(plain(other.label.text))


def _dated(pairs: Sequence[Field], values: Sequence[Value], page: Page) -> Value | None:
    """The first page's first date without a label: one with a time beside it, if there is one.

    Dates in tables belong to the items, not to the bill.
    """
    named = {pair.value.polygon for pair in pairs if kinds().get(pair.name) == "date"}
    dates = [v for v in values if v.kind == "date" and v.page == page.number]
    free = [value for value in dates if value.polygon not in named]
    rows = {line for block in page.blocks if block.table for line in block.line_indexes}
    free = [value for value in free if not rows & set(value.lines)] or free
    lines = {line for value in free for line in value.lines}
    moments = {line for line in lines if TIME.search(page.lines[line].text)}
    timed = [value for value in free if moments & set(value.lines)]
    return next(iter(timed or free), None)
