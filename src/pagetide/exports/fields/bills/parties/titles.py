"""Titles of bills and receipts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pagetide.exports.fields.bills.parties.firms import (
    each_line,
    is_of_a_firm,
    words_in,
    words_of_role,
)
from pagetide.languages.labels import (
    is_begun,
    names,
    plain,
)

_COMPOUND = re.compile(r"[A-Z][a-zäöüß-]{2,30}rechnung")  # but not `Rechnungsnummer`
_TITLE = 40  # characters of a title
_TITLE_WORDS = 3  # words that a title may start with: `Nota di credito n. 38`
_KIND = 5  # words of a title that names the service
_ENDINGS = ("invoice", "bill", "rechnung")


@each_line
def is_title(text: str) -> bool:
    """Whether a text is a bill's title, or similar on a receipt."""
    words = words_in(text)
    return bool(words) and words_of_role("titles").issuperset(words)


@each_line
def has_title(text: str) -> bool:
    """Whether a text is a bill's title, starts with its word, or ends with it."""
    first = text.split(maxsplit=_TITLE_WORDS)[:_TITLE_WORDS]
    if first and (_begins_title(first) or _COMPOUND.fullmatch(first[0])):
        return True
    if len(text) > _TITLE:
        return False
    whole = plain(text)
    return (
        whole in words_of_role("bills")
        or whole.endswith("发票")
        or _is_joined(text)
        or _is_kind(text)
    )


def _begins_title(words: Sequence[str]) -> bool:
    if not is_begun(plain(words[0]), _titles_in_order()):
        return False  # as most are
    begun = (plain("".join(words[:count])) for count in range(1, len(words) + 1))
    return any(each in words_of_role("bills") for each in begun)


@cache
def _titles_in_order() -> list[str]:
    return sorted(words_of_role("bills"))


def _is_kind(text: str) -> bool:
    """Whether a title names the service: `Your electricity bill`, `Stromrechnung`."""
    words = text.split()
    is_title = 0 < len(words) <= _KIND and words[0][:1].isupper() and words[-1].isalpha()
    return is_title and plain(words[-1]).endswith(_ENDINGS) and plain(text) not in names()


def _is_joined(text: str) -> bool:
    """Whether a title word follows a company name on the same line."""
    last = text.rsplit(maxsplit=1)[-1:]
    named = last and last[0][:1].isupper() and plain(last[0]) in words_of_role("bills")
    return bool(named) and is_of_a_firm(text)


def is_receipt(text: str) -> bool:
    """Whether a text is a receipt's title."""
    return len(text) <= _TITLE and plain(text) in words_of_role("receipts")
