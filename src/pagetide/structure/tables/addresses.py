"""Whether lines are a postal address, told by its town: a postal code beside a name.

The forms of postal codes are those of the Universal Postal Union's guides to addressing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LEAST, MOST = 3, 9  # lines
AFTER_TOWN = 2  # lines, such as a country and a tax number

_NAME = r"[^\W\d_]{2,}"
_TOWN = re.compile(
    rf"(?:[A-Z]{{1,3}}\s?[-–]\s?)?"  # a country's sign
    rf"(?:\d{{2}}-?\d{{3}}|\d{{3}} \d{{2}}|\d{{4}}-\d{{3}}|\d{{4}}(?: ?[A-Z]{{2}})?|\d{{6}})"
    rf",? {_NAME}.*"
    rf"|.*{_NAME},? [A-Z]{{2,3}},? (?:\d{{4}}|\d{{5}}(?:-\d{{4}})?|\d{{5}}-\d{{3}})"
    rf"|.*{_NAME}(?: [-–])?,? (?:\d{{3}} ?\d{{3}}|\d{{5}}-\d{{3}})"
    rf"|\d{{5}}-\d{{3}} .*"
    rf"|(?:.*{_NAME},? )?[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}"
    rf"|.*{_NAME}.* [A-Z]\d[A-Z] ?\d[A-Z]\d"
)


def is_address(lines: Sequence[str]) -> bool:
    """Whether lines, from the top, are a name's address: one of the last is its town.

    A street's line right above it may look like one, with a long house number. A column of
    towns is none, nor is one that begins with a figure.
    """
    if not LEAST <= len(lines) <= MOST or any(map(str.isdigit, lines[0])):
        return False
    towns = [place for place, text in enumerate(lines) if _TOWN.fullmatch(text.strip())]
    if not towns or towns[0] < towns[-1] - 1:
        return False
    return len(towns) <= 2 and len(lines) - AFTER_TOWN <= towns[-1] + 1
