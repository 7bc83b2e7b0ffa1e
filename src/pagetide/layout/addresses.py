"""Recognises a postal address by its town: a postal code beside a name.

The forms of postal codes are those of the Universal Postal Union's guides to addressing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LEAST, MOST = 3, 9  # lines
LONGEST = 60  # letters of one
AFTER_TOWN = 2  # lines, such as a country and a tax number

_NAME = r"[^\W\d_]{2}"
_CODE_BEFORE = re.compile(
    r"(?:[A-Z]{1,3}\s?[-–]\s?)?"  # a country's sign
    r"(?:\d{2}-?\d{3}|\d{3} \d{2}|\d{4}-\d{3}|\d{4}(?: ?[A-Z]{2})?|\d{6}|\d{5}-\d{3})"
    rf",? {_NAME}"
)
_CODE_BEHIND = re.compile(
    rf"{_NAME},? [A-Z]{{2,3}},? (?:\d{{4}}|\d{{5}}(?:-\d{{4}})?|\d{{5}}-\d{{3}})$"
    rf"|{_NAME}(?: [-–])?,? (?:\d{{3}} ?\d{{3}}|\d{{5}}-\d{{3}})$"
    rf"|(?:^|{_NAME},? )[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}$"
    rf"|{_NAME}, [A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)? \d{{5}}(?:-\d{{4}})?$"  # a state in full
    rf"|{_NAME}\S* [A-Z]\d[A-Z] ?\d[A-Z]\d$|\) [A-Z]\d[A-Z] ?\d[A-Z]\d$"
)
_POST_BOX = re.compile(r"(?:P\.? ?O\.? ?)?Box\b|Postfach\b|Postbus\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d [^\W\d_]")
_MONEY = re.compile(r"\b(?:EUR|USD|CHF|GBP|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|INR|BRL) \d+$")


def is_address(lines: Sequence[str]) -> bool:
    """Whether lines, from the top, are a name's address: one of the last is its town.

    Above it is a street with its number, which may look like a town if the number comes first
    and is long. A column of towns does not count, nor does one that starts with a figure.
    """
    if not LEAST <= len(lines) <= MOST or max(map(len, lines)) > LONGEST:
        return False
    towns = [place for place, text in enumerate(lines) if _is_town(text.strip())]
    if not towns or any(map(str.isdigit, lines[0])) or towns[0] < towns[-1] - 1:
        return False
    *streets, last = towns
    if streets and not (lines[streets[0]][:1].isdigit() and not lines[last][:1].isdigit()):
        return False
    is_last = len(lines) - AFTER_TOWN <= last + 1
    return is_last and any(map(_is_street, lines[1:last]))


def _is_town(text: str) -> bool:
    if _YEAR.match(text) or _MONEY.search(text) or _POST_BOX.match(text):
        return False
    return bool(_CODE_BEFORE.match(text) or _CODE_BEHIND.search(text))


def _is_street(text: str) -> bool:
    """Whether a line has letters and a number."""
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))
