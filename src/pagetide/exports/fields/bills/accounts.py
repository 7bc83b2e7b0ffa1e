"""The account to be paid to, where no label has it whole.

There may be several, one may be parted over two lines, and check digits may be wrong.
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

_START = re.compile(r"(?<![0-9A-Z])(?P<country>[A-Z]{2})\s?\d{2}\s?[0-9A-Z]{4}")
_REST = re.compile(r"[0-9A-Z]{1,12}(?:\s[0-9A-Z]{1,12}){0,8}")
_NEAR = 1.5  # heights between two lines of one number, at most
# Characters by country; of the registry of ISO 13616.
_LENGTHS = {
    **{"AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18},
    **{"EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28},
    **{"IE": 22, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27},
    **{"MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SE": 24, "SI": 19},
    **{"SK": 24, "SM": 27, "TR": 26},
}


def account_in(sheets: Sequence[Sheet]) -> Value | None:
    """The first number on the pages that is an IBAN's by its check digits or by its label."""
    labelled: Value | None = None
    for sheet in sheets:
        if not any("IBAN" in phrase.text for row in sheet.rows for phrase in row):
            continue
        for number, row in enumerate(sheet.rows):
            below = sheet.rows[number + 1] if number + 1 < len(sheet.rows) else ()
            for parts, is_labelled in _numbers(row, below):
                value = sheet.value(parts)
                if proven := iban(value.text):
                    return replace(value, kind="iban", normalised=proven)
                labelled = labelled or (value if is_labelled else None)
    return labelled


def _numbers(
    row: Sequence[Phrase], below: Sequence[Phrase]
) -> Iterator[tuple[list[Phrase], bool]]:
    """What has the length of an IBAN, in one phrase or two, and whether its label is near."""
    is_named = any("IBAN" in phrase.text for phrase in row)
    for phrase in row:
        for start in _START.finditer(phrase.text):
            length = _LENGTHS.get(start["country"], 0)
            first = _part(phrase, start.start(), length)
            missing = length - len(_packed(first.text))
            if length and not missing:
                yield [first], is_named
            elif length and first.text == phrase.text[start.start() :].strip():
                rest = next((p for p in below if _may_go_on(p, phrase, missing)), None)
                if rest:
                    yield [first, rest], is_named


def _part(phrase: Phrase, start: int, length: int) -> Phrase:
    """As many letters and figures, from one of them, as far as there are such."""
    end, count = start, 0
    for end, letter in enumerate(phrase.text[start:], start):
        if count == length or not (letter.isspace() or (letter.isalnum() and letter.isascii())):
            return phrase.part(start, end)
        count += letter.isalnum()
    return phrase.part(start, len(phrase.text))


def _may_go_on(rest: Phrase, first: Phrase, missing: int) -> bool:
    is_near = goes_on(rest, first, _NEAR, first) or overlap(rest, first)
    is_rest = _REST.fullmatch(rest.text) is not None and len(_packed(rest.text)) == missing
    return is_near and is_rest and rest.y0 - first.y1 < _NEAR * first.height


def _packed(text: str) -> str:
    return "".join(text.split())
