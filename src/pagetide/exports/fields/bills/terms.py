"""When a bill is to be paid, where a sentence says so: `Please pay by 30 April 2025`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice

from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.languages.labels import words_by_role

_BEFORE = 60  # characters before a date, and behind it, in which what it is for is said
_MOST = 100  # dates that are looked at


def due_date(pages: Sequence[Page], values: Sequence[Value]) -> Value | None:
    """The last of the days behind a word such as `until`, in sentences about paying.

    Until an earlier one a discount is given.

    Args:
        pages: The bill's.
        values: What proves itself on them.
    """
    by_number = {page.number: page for page in pages}
    dates = (value for value in values if value.kind == "date" and value.page in by_number)
    found: list[Value] = []
    for value in islice(dates, _MOST):
        lines, [line] = by_number[value.page].lines, value.lines[:1]
        above, own, below = (
            lines[n].text if 0 <= n < len(lines) else "" for n in (line - 1, line, line + 1)
        )
        head, _, rest = own.partition(value.text)
        before = f"{above[-_BEFORE:]} {head}"[-_BEFORE:]
        sentence = f"{before} {rest[:_BEFORE]} {below[:_BEFORE]}"
        if _until().search(before) and _paying().search(sentence):
            found.append(value)
    return max(found, key=lambda value: value.normalised or "", default=None)


@cache
def _until() -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, words_by_role("terms.toml", as_is=True)["until"])))
    return re.compile(rf"(?:^|\W)(?:{words})\W{{0,3}}$", re.IGNORECASE)


@cache
def _paying() -> re.Pattern[str]:
    stems = "|".join(sorted(map(re.escape, words_by_role("terms.toml", as_is=True)["paying"])))
    return re.compile(rf"(?:^|\W)(?:{stems})", re.IGNORECASE)
