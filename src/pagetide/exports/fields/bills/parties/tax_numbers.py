"""The seller's tax number: after a label anywhere in a line, or by its form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import chain

from pagetide.document.field import Field, Value
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.languages.composed import says_theirs
from pagetide.languages.labels import labels_of
from pagetide.languages.patterns import any_of
from pagetide.structure.tables.pieces import has_figures

# Prefixes of European VAT numbers.
_VAT = re.compile(
    r"(?:AT|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI"
    r"|SK|XI)E?[\s.-]?[A-Z]{0,2}\d"
)
_NEAR = 4.0  # heights below a customer's address within which a number is the customer's
_FLUSH = 1.0  # heights between the starts of lines of one column, at most
_CODE = r"(?P<code>[A-Z]{0,3}[\s.-]?\d[\dA-Z]*(?:[\s./-]{1,2}[\dA-Z]*\d[\dA-Z]*){0,6})"
_LEAST = 6  # figures of such a number
# Those of Switzerland and Canada are recognised without a label.
_AROUND = re.compile(
    r"CHE-\d{3}\.\d{3}\.\d{3}(?:\s(?:MWST|TVA|IVA)(?!/))?|(?<!\d)\d{5}\s?\d{4}\s?R[CMT]\d{4}"
)

_BELGIAN = re.compile(r"(?<!\w)BE\s?[01]\d{3}\.\d{3}\.\d{3}(?!\d)")


def tax_number(
    found: Mapping[str, Value],
    pairs: Sequence[Field],
    values: Sequence[Value],
    sheets: Sequence[Sheet],
) -> Value | None:
    """The first number that is not the customer's, preferably with a country prefix.

    A number below the customer's address is theirs, or has a label that says so; None if there
    is no number. A proven one has valid check digits.

    Args:
        found: The bill's fields so far.
        pairs: All labels with their values.
        values: The values recognised by their form.
        sheets: The document's: the first and the last are examined.
    """
    sheet, *others = sheets
    theirs = _lines_of_customer(found, sheet)
    theirs |= {n for pair in pairs if says_theirs(pair.label.text) for n in pair.value.lines}
    labelled = [pair.value for pair in pairs if pair.name == "tax_number"]
    proven = [value for value in values if value.kind == "tax_id"]
    first: Value | None = None
    for value in chain(proven, labelled, *map(_in_lines, (sheet, *others[-1:]))):
        if value.page != sheet.page.number or theirs.isdisjoint(value.lines):
            if _VAT.match(value.text):
                return value
            first = first or value
    return first or next(_bare(sheet, theirs), None)


def _bare(sheet: Sheet, theirs: Set[int]) -> Iterator[Value]:
    """The numbers without a label, by a form that only Belgian ones have."""
    for phrase in sheet.phrases:
        if phrase.line not in theirs and (found := _BELGIAN.search(phrase.text)):
            yield sheet.value([phrase.part(*found.span())])


def _lines_of_customer(found: Mapping[str, Value], sheet: Sheet) -> set[int]:
    """The customer's lines, and those below and above them in the same column."""
    values = [found[name] for name in ("customer", "customer_address") if name in found]
    own = {n for value in values if value.page == sheet.page.number for n in value.lines}
    theirs = [phrase for phrase in sheet.phrases if phrase.line in own]
    if not theirs:
        return own
    first, last = theirs[0], theirs[-1]
    near, flush = last.y1 + _NEAR * last.height, _FLUSH * first.height
    return own | {
        phrase.line
        for phrase in sheet.phrases
        if first.y0 <= phrase.y0 < near and abs(phrase.x0 - first.x0) < flush
    }


def _in_lines(sheet: Sheet) -> Iterator[Value]:
    yield from (sheet.value([part]) for part in map(_number_in, sheet.phrases) if part)


def _number_in(phrase: Phrase) -> Phrase | None:
    """The number after a label in a line, wherever the label is."""
    if len(phrase.text) < _LEAST or not has_figures(phrase.text):
        return None
    if sum(map(str.isdigit, phrase.text)) < _LEAST:
        return None
    if around := _AROUND.search(phrase.text):
        return phrase.part(*around.span())
    for found in _labelled().finditer(phrase.text):
        code = found["code"].strip(" .-")
        if sum(map(str.isdigit, code)) >= _LEAST:
            start = found.start("code") + found["code"].index(code)
            return phrase.part(start, start + len(code))
    return None


@cache
def _labelled() -> re.Pattern[str]:
    labels = sorted({*labels_of("tax_number"), *_SHORT})
    first = "".join(sorted({re.escape(label[0]) for label in labels}))
    words = any_of(
        labels, lambda letter: r"[\s.-]{0,2}" if letter == " " else re.escape(letter)
    )
    return re.compile(rf"(?<!\w)(?i:(?=[{first}]){words})(?!\w)[\s.:#]{{0,4}}{_CODE}")


_SHORT = ("vat", "tva", "btw", "ust", "mwst", "iva", "moms")
"""A tax's own name, if no amount follows it."""
