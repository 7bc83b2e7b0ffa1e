"""The meaning of a sum's label by its words: with or without taxes, rounded, due."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Literal

from pagetide.languages.labels import words_by_role
from pagetide.structure.tables.pieces import has_figures

Sum = Literal["subtotal", "tax", "total", "rounding", ""]
_WORD = re.compile(r"[^\W\d_]+(?:/[^\W\d_]+)?")
_RATE = re.compile(r"\d{1,2}(?:[.,]\d{1,3})?\s*%")
_CURRENCIES = ("$", "€", "£", "¥")  # of the sum after the label
_MOST = 8  # words of a label
_WHICH = frozenset({"with", "without", "tax"})


@lru_cache(maxsize=1024)  # a page tests each label several times
def sum_of(label: str) -> Sum:
    """The sum that a label names; empty if one of its words is unknown, or it names none."""
    roles = _roles(label)
    if not roles or ("goods" in roles and not roles & {"with", "without", "net"}):
        return ""
    is_sum = "sum" in roles or ("amount" in roles and {"with", "without", "payable"} & roles)
    if "round" in roles and not {"payable", "with"} & roles:
        return "rounding"
    if "payable" in roles and "tax" not in roles:
        return "total"
    if _is_rated_tax(label):
        return "tax"
    if "without" in roles or ("net" in roles and "with" not in roles):
        return "subtotal"
    if is_sum and ("tax" not in roles or {"with", "payable"} & roles):
        return "total"
    return "tax" if "tax" in roles and "paper" not in roles else ""


def _is_rated_tax(label: str) -> bool:
    """Whether it starts with a tax and its rate, whatever its base: `IVA 22% su base`."""
    rate = _RATE.search(label)
    return bool(rate and rate.start() and _roles(label[: rate.start()]) == {"tax"})


def is_payable(label: str) -> bool:
    """Whether a sum's label says that it is the amount due, after all else."""
    words = _WORD.findall(label.casefold())
    return any("payable" in _by_word().get(word, ()) for word in words)


def sums_with(words: Iterable[str]) -> Literal["total", "net", ""]:
    """Whether words among others say that a sum includes its taxes, or excludes them."""
    roles = {role for word in words for role in _by_word().get(word, ())}
    if not roles & {"with", "without"}:
        return ""
    return "total" if roles >= {"with", "sum"} else "net"


def begins_sum(label: str) -> bool:
    """Whether a label starts or ends with a word for a sum, without tax words."""
    words = _WORD.findall(label.casefold())
    ends = {role for word in (*words[:1], *words[-1:]) for role in _by_word().get(word, ())}
    return "sum" in ends and not sums_with(words)


def says_which(word: str) -> bool:
    """Whether a word says that an amount is net, or with or without which tax."""
    return bool(_by_word().get(word.casefold().strip(".,"), frozenset()) & _WHICH)


def is_of_a_tax(text: str) -> bool:
    """Whether one of a text's words is a tax's."""
    return any("tax" in _by_word().get(word, ()) for word in _WORD.findall(text.casefold()))


def is_of_a_sum(text: str) -> bool:
    """Whether a sum's label may have these words: it has no others."""
    return not has_figures(text) and all(map(_by_word().get, _WORD.findall(text.casefold())))


@lru_cache(maxsize=1024)
def _roles(label: str) -> frozenset[str]:
    """The roles of a label's words; empty if a word has none."""
    bare = _RATE.sub(" ", label).rstrip() if "%" in label else label.rstrip()
    if bare.endswith(_CURRENCIES) or not is_of_a_sum(bare):
        return frozenset()
    found = [_by_word()[word] for word in _WORD.findall(bare.casefold())]
    if not found or len(found) > _MOST:
        return frozenset()
    return frozenset().union(*found) - {"filler"}


@cache
def _by_word() -> dict[str, frozenset[str]]:
    """From a word to its roles: some have two."""
    found: dict[str, frozenset[str]] = {}
    for role, words in words_by_role("sums.toml").items():
        own = frozenset({role})
        found |= {word: found.get(word, own) | own for word in words}
    return found
