"""Splits seller and customer into names and addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pagetide.document.field import Field, Value
from pagetide.exports.fields.bills.parties.addresses import is_of_an_address
from pagetide.exports.fields.bills.parties.choice import parties_on
from pagetide.exports.fields.bills.parties.firms import is_form
from pagetide.exports.fields.bills.parties.letterheads import (
    is_addressed,
    is_attention,
    is_salutation,
    sender_in,
)
from pagetide.exports.fields.bills.parties.sellers import address_of, seller_named
from pagetide.exports.fields.bills.parties.tills import is_strip, seller_at_head
from pagetide.exports.fields.bills.parties.title_numbers import number_at_title
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.languages.labels import kinds


def parties(
    fields: Mapping[str, Value],
    pairs: Sequence[Field],
    sheets: Sequence[Sheet],
    *,
    titled: bool,
) -> dict[str, Value]:
    """Seller and customer, with names and addresses split, and a number without a label.

    A text with a bill's title or number, or with an amount due, that is not a till receipt has
    an addressee. Labels are used for till receipts, and if no name on a page is likely.

    Args:
        fields: The bill's, as far as labels give them.
        pairs: All labels with their values.
        sheets: The pages' phrases.
        titled: Whether a bill's title is on them.
    """
    sheet, found = sheets[0], dict(fields)
    if "number" not in found and (number := number_at_title(sheet)):
        found["number"] = number
    is_sent = titled or bool(found.keys() & {"number", "due_date"})
    is_letter = is_sent and not is_strip(sheet)
    read = _on_sheet(sheet) if is_letter else _of_a_till(pairs, sheet)
    for party in ("supplier", "customer"):
        if party in found and party not in read:
            found |= name_and_address(party, found[party], sheets)
    return found | read


def _on_sheet(sheet: Sheet) -> dict[str, Value]:
    seller, customer = parties_on(sheet)
    found: dict[str, Value] = {}
    if seller:
        found["supplier"] = sheet.value(*seller_named(seller, sheet))
        if address := address_of(seller):
            found["supplier_address"] = sheet.value(address)
    if customer:
        found["customer"] = sheet.value(customer.name)
        has_address = is_addressed(customer.text) and len(customer.address) > 1
        if has_address or any(is_of_an_address(phrase.text) for phrase in customer.address):
            found["customer_address"] = sheet.value(customer.address)
        if customer.contact:
            found["customer_contact"] = sheet.value(customer.contact)
    return found


def _of_a_till(pairs: Sequence[Field], sheet: Sheet) -> dict[str, Value]:
    if any(pair.name == "supplier" for pair in pairs):
        return {}
    others = (pair for pair in pairs if kinds().get(pair.name) == "lines")
    taken = {line for pair in others for line in (*pair.label.lines, *pair.value.lines)}
    name, address = seller_at_head(sheet, taken)
    values = {"supplier": name, "supplier_address": address}
    return {key: value for key, value in values.items() if value}


def name_and_address(party: str, value: Value, sheets: Sequence[Sheet]) -> dict[str, Value]:
    """What a label has of a party, its name and its address apart.

    Args:
        party: The name of the field.
        value: All of its lines.
        sheets: The document's phrases.
    """
    sheet, lines = _found(value, sheets)
    if sheet is None:
        return {}
    if len(lines) == 1:
        span = sender_in(lines[0].text)
        parts = [lines[0].part(0, span[0])] if span else []
        rest = [lines[0].part(span[1], len(lines[0].text))] if span else []
    else:
        lines = lines[is_salutation(lines[0].text) :]
        end = next((n for n, line in enumerate(lines) if n and not is_form(line.text)), None)
        parts, rest = lines[:end], lines[end:] if end else []
    if not rest:
        return {}
    named = {party: sheet.value(parts)}
    if contact := [line for line in rest if is_attention(line.text)]:
        rest = [line for line in rest if line not in contact]
        named[f"{party}_contact"] = sheet.value(contact)
    if not any(is_of_an_address(line.text) for line in rest):
        return named
    return {**named, f"{party}_address": sheet.value(rest)}


def _found(value: Value, sheets: Sequence[Sheet]) -> tuple[Sheet | None, list[Phrase]]:
    """The phrases of a value; none if they can no longer be separated."""
    texts = value.text.split("\n")
    for sheet in sheets:
        if sheet.page.number != value.page:
            continue
        own = [phrase for phrase in sheet.phrases if phrase.line in value.lines]
        by_text = {phrase.text: phrase for phrase in own}
        if all(text in by_text for text in texts):
            return sheet, [by_text[text] for text in texts]
    return None, []
