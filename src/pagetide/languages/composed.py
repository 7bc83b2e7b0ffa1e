"""Labels of numbers that no list has whole: `Your purchase order no.`, `Ihre Bestellnummer`.

They are made of a thing, a word for its number, and small words between (`composed.toml`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pagetide.languages.labels import plain, words_by_role

_WORD = re.compile(r"n[°º]|#|[^\W\d_]+")
_MOST = 7  # words of such a label
_LONGEST = 3  # words of a thing
_LONG = 48  # characters of a label, at most
_JOINTS = ("", "s", "n", "en", "es", "e")  # between the parts of one word
_THEIRS = frozenset({"theirs", "customer"})
_LEAST = 2  # letters of such a part
_NAMES = {"number": "number", "customer": "customer_number", "tax": "tax_number"}


def composed(label: str) -> str:
    """What a label names by what it is made of; empty where a word of it is none of these."""
    if len(label) > _LONG or any(map(str.isdigit, label)):
        return ""
    words = [plain(word) for word in _WORD.findall(label.casefold())]
    if not 0 < len(words) <= _MOST:
        return ""
    roles: set[str] = set()
    while words:
        found, count = _first_of(words)
        if not found:
            return ""
        roles |= found
        words = words[count:]
    return _named(roles)


def says_theirs(label: str) -> bool:
    """Whether a label says that it is the customer's: `Ihre UID-Nr.`, `Client VAT no`."""
    words = _WORD.findall(label.casefold())[:2]
    return not _words_of_theirs().isdisjoint(map(plain, words))


def begins(word: str) -> bool:
    """Whether such a label may begin with a word."""
    return bool(_roles_of(plain(word)))


def _named(roles: set[str]) -> str:
    is_number = "numbers" in roles
    things = roles & {"number", "order", "customer", "tax"}
    if "order" in things and not things & {"number", "tax"}:
        numbered = is_number or roles & {"references", "theirs", "customer"}
        return "order_number" if numbered else ""
    if not things and {"references", "theirs"} <= roles:
        return "order_number"
    return _NAMES[things.pop()] if is_number and len(things) == 1 else ""


def _first_of(words: list[str]) -> tuple[frozenset[str], int]:
    """What the first words are, the longest that are something, and how many these are."""
    for count in range(min(_LONGEST, len(words)), 0, -1):
        if roles := _roles_of("".join(words[:count])):
            return roles, count
    return frozenset(), 1


@cache
def _words_of_theirs() -> frozenset[str]:
    return frozenset(word for word, roles in _vocabulary().items() if roles & _THEIRS)


@cache
def _vocabulary() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for role, words in words_by_role("composed.toml").items():
        for word in words:
            found[word] = found.get(word, frozenset()) | {role}
    return found


@lru_cache(maxsize=4096)  # the first words of all phrases are asked for
def _roles_of(word: str) -> frozenset[str]:
    known = _vocabulary()
    if word in known:
        return known[word]
    for cut in range(_LEAST, len(word) - 1):
        ends = known.get(word[cut:], frozenset()) & {"numbers", "references"}
        if ends:
            for joint in _JOINTS:
                stem = word[:cut].removesuffix(joint) if joint else word[:cut]
                if word[:cut].endswith(joint) and (begun := known.get(stem)):
                    return begun | ends
    return frozenset()
