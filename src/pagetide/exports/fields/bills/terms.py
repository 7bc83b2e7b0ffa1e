"""When a bill is to be paid, where a sentence says so: `Please pay by 30 April 2025`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.languages.labels import words_by_role

_BEFORE = 60  # characters before a date in which what it is for is said


def due_date(pages: Sequence[Page], values: Sequence[Value]) -> Value | None:
    """The first date behind a word such as `until`, in a sentence about paying.

    Args:
        pages: The bill's.
        values: What proves itself on them.
    """
    by_number = {page.number: page for page in pages}
    for value in values:
        page = by_number.get(value.page)
        if value.kind != "date" or page is None:
            continue
        [line] = value.lines[:1]
        own = page.lines[line].text
        above = page.lines[line - 1].text if line else ""
        below = page.lines[line + 1].text if line + 1 < len(page.lines) else ""
        before = f"{above} {own[: own.find(value.text)]}"
        sentence = f"{before[-_BEFORE:]} {own[own.find(value.text) :]} {below}"
        if _until().search(before) and _paying().search(sentence):
            return value
    return None


@cache
def _until() -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, words_by_role("terms.toml", as_is=True)["until"])))
    return re.compile(rf"(?:^|\W)(?:{words})\W{{0,3}}$", re.IGNORECASE)


@cache
def _paying() -> re.Pattern[str]:
    stems = "|".join(sorted(map(re.escape, words_by_role("terms.toml", as_is=True)["paying"])))
    return re.compile(rf"(?:^|\W)(?:{stems})", re.IGNORECASE)
