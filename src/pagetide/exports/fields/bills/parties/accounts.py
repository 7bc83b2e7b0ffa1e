"""The account to be paid to, if no label has it whole.

There may be several, one may be split over two lines, and check digits may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from pagetide.document.field import Value
from pagetide.exports.fields.pairs.near import goes_on, overlap
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.forms import iban

_START = re.compile(r"(?<![0-9A-Z])(?P<country>[A-Z]{2})\s?\d{2}(?:\s?[0-9A-Z]{4}|$)")
_POLISH = re.compile(r"(?<![\w.])\d{2}(?:\s\d{4}){6}(?![\w.])")
_DIGITS = 32  # characters of that, with its spaces
# Banks have such a code in countries without IBANs, too.
_OTHERS = {"US", "CA", "MX", "BR", "AR", "CL", "CO", "AU", "NZ", "ZA", "IN", "SG", "HK", "JP"}
_BANK = re.compile(
    r"\b(?:BIC|SWIFT)(?:\s?/\s?(?:BIC|SWIFT))?(?:[\s-]?[Cc]ode)?[\s:.]{1,3}"
    r"(?P<code>[A-Z]{4}(?P<country>[A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b"
)
_NEAR = 1.5  # heights between two lines of one number, at most
_UNDER = 2  # rows below a number that may have the rest of it
# Characters by country; from the ISO 13616 registry.
_LENGTHS = {
    **{"AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18},
    **{"EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28},
    **{"IE": 22, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27},
    **{"MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SE": 24, "SI": 19},
    **{"SK": 24, "SM": 27, "TR": 26},
}


def bank_in(sheets: Sequence[Sheet]) -> Value | None:
    """The only bank code (ISO 9362) on the pages, after its label in a text."""
    found: dict[str, Value] = {}
    for sheet in sheets:
        for phrase in sheet.phrases:
            is_labelled = "BIC" in phrase.text or "SWIFT" in phrase.text
            match = _BANK.search(phrase.text) if is_labelled else None
            if match and match["country"] in _LENGTHS.keys() | _OTHERS:
                found.setdefault(match["code"], sheet.value([phrase.part(*match.span("code"))]))
    return next(iter(found.values())) if len(found) == 1 else None


def account_in(sheets: Sequence[Sheet]) -> Value | None:
    """The first number on the pages that is an IBAN by its check digits or by its label."""
    labelled: Value | None = None
    for phrase, sheet in _polish(sheets):
        value = sheet.value([phrase])
        if proven := iban(f"PL{value.text}"):
            return replace(value, kind="iban", normalised=proven)
    for sheet in sheets:
        if not any("IBAN" in phrase.text for phrase in sheet.phrases):
            continue
        for number, row in enumerate(sheet.rows):
            under = sheet.rows[number + 1 : number + 1 + _UNDER]
            below = [phrase for each in under for phrase in each]
            for parts, is_labelled in _numbers(row, below):
                value = sheet.value(parts)
                if proven := iban(value.text):
                    return replace(value, kind="iban", normalised=proven)
                labelled = labelled or (value if is_labelled else None)
    return labelled


def _polish(sheets: Sequence[Sheet]) -> Iterator[tuple[Phrase, Sheet]]:
    """Text that looks like a Polish account, which most bills print without the country."""
    for sheet in sheets:
        for phrase in sheet.phrases:
            if len(phrase.text) >= _DIGITS and (found := _POLISH.search(phrase.text)):
                yield phrase.part(*found.span()), sheet


def _numbers(
    row: Sequence[Phrase], below: Sequence[Phrase]
) -> Iterator[tuple[list[Phrase], bool]]:
    """Text with the length of an IBAN, in one phrase or two, and whether its label is near.

    If text follows the second line's part, only the check digits decide.
    """
    is_named = any("IBAN" in phrase.text for phrase in row)
    for phrase in row:
        for start in _START.finditer(phrase.text):
            length = _LENGTHS.get(start["country"], 0)
            first = _part(phrase, start.start(), length)
            missing = length - len(_packed(first.text))
            if length and not missing:
                yield [first], is_named
            elif length and first.text == phrase.text[start.start() :].strip():
                for rest in (p for p in below if _may_go_on(p, phrase)):
                    last = _part(rest, 0, missing)
                    if len(_packed(last.text)) == missing:
                        yield [first, last], is_named and last.text == rest.text


def _part(phrase: Phrase, start: int, length: int) -> Phrase:
    """Up to so many letters and digits from an index on, as long as only these follow."""
    end, count = start, 0
    for end, letter in enumerate(phrase.text[start:], start):
        if count == length or not (letter.isspace() or (letter.isalnum() and letter.isascii())):
            return phrase.part(start, end)
        count += letter.isalnum()
    return phrase.part(start, len(phrase.text))


def _may_go_on(rest: Phrase, first: Phrase) -> bool:
    is_near = goes_on(rest, first, _NEAR, first) or overlap(rest, first)
    return is_near and rest.y0 - first.y1 < _NEAR * first.height


def _packed(text: str) -> str:
    return "".join(text.split())
