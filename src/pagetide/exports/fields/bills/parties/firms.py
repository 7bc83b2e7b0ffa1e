"""Company names: their legal forms, their words, their register numbers."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pagetide.languages.labels import (
    plain,
    words_by_role,
)

_WORD = re.compile(r"[^\W\d_]+(?:[./&'’][^\W\d_]+)*")
_HAN_FIRM = re.compile("公司|商行|商店|超市|酒店|餐厅|工厂")
_LETTERS = re.compile(r"[^\W\d_]+")
# A register number: five or more digits, and a letter.
_FIGURES = re.compile(
    r"(?<![^\W\d_])[A-Z]{0,3}(?:\d[\dlIO]{4,}|\d{3}(?:\s\d{3}){2}(?:\s\d{5})?)"
    r"\s?-?\s?[A-Z]{0,2}(?![^\W_])"
)
SHORT = 3  # letters of a legal form that may be another word
each_line = lru_cache(maxsize=512)  # a line is tested below each name above it


@cache
def words_of_role(role: str) -> frozenset[str]:
    """The letterhead words with one role, plain; see `letterheads.toml`."""
    return words_by_role("letterheads.toml")[role]


@each_line
def words_in(text: str) -> tuple[str, ...]:
    """A text's words, plain."""
    return tuple(plain(word) for word in _WORD.findall(text))


@each_line
def is_of_a_firm(text: str) -> bool:
    """Whether a text has a word of a company name, such as its legal form."""
    words = words_in(text)
    if words and len(words[0]) <= SHORT and not text[:SHORT].isupper():
        words = words[1:]  # `Vos références`: legal forms in first place are in capitals
    return not words_of_role("firms").isdisjoint(words) or bool(_HAN_FIRM.search(text))


@each_line
def is_form(text: str) -> bool:
    """Whether a text has only company words, like the end of a name over two lines."""
    words = words_in(without_entry(text))
    return bool(words) and _forms().issuperset(words)


@cache
def _forms() -> frozenset[str]:
    return words_of_role("forms") | words_of_role("firms")


@each_line
def is_entry(text: str) -> bool:
    """Whether a text is a company's register number, with the words for it."""
    if _FIGURES.search(text) is None:
        return False
    left = _LETTERS.findall(_FIGURES.sub("", text).casefold())
    return all(word in words_of_role("registered") or len(word) == 1 for word in left)


def without_entry(name: str) -> str:
    """A company name without the register number after it."""
    words = name.split()
    cuts = (cut for cut in range(1, len(words)) if is_entry(" ".join(words[cut:])))
    return " ".join(words[: next(cuts, None)])
