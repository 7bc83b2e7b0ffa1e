"""Hyphens at the ends of rows: which belong to their word, and which only split it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, pairwise

HYPHENS = ("-", "\u2010")
LONGEST = 100  # letters of a row's end that are examined: no word is longer
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_PARTED = re.compile(r"[^\W_][-\u2010\u00ad]")
_OWN = "\u2010"  # put by some programs where they split a word, which has the other one
_OWN_WITHIN = re.compile(rf"{_OWN}\S")
_FEWEST = 2  # rows that end with it
# "(n + 1)-cube", "1999–2000", "voilà—out": only the row's end splits these. The dash of "€
# 25,–" ends an amount.
_TIGHT_END = re.compile(r"[)\]][-\u2010]|[^\s–—,.-][–—]")
_TIGHT_START = re.compile(r"[–—\u2010][^\s–—-]")
_LAST = re.compile(r"[^\W_]+$")
_FIRST = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"://|^www\.|@|[_/\\]")
# "Vor- und Nachteile", "pre- and post-war": the word before has its other half further on.
# Short ones are the ends of words, too: they count if the document has them as words.
_AND = frozenset("and or to und oder bzw sowie et ou och eller og en of".split())  # noqa: SIM905
# Words within compounds: "point-of-view", "end-to-end".
_WITHIN = frozenset("of to the in on by and or for up out as at de du la le en".split())  # noqa: SIM905
# First halves that are rarely joined with the next word; and those that often are not, unless
# the joined word occurs in the document.
_APART = frozenset(("self", "well", "half", "vice"))
_OFTEN_APART = frozenset("all cross ex full high long low mid non semi short".split())  # noqa: SIM905


def are_tight(row: str, following: str) -> bool:
    """Whether no space belongs between the rows, though no word is split."""
    if row[-1:] in ("/", "=", "&", "_") and "://" in _token(row):
        return True
    return bool(_TIGHT_END.fullmatch(row[-2:]) or _TIGHT_START.match(following))


def is_parted(row: str, following: str) -> bool:
    """Whether a word may continue from this row's end to the next row's start."""
    return bool(_PARTED.fullmatch(row[-2:]) and _FIRST.match(following))


class Hyphens:
    """Tells the two kinds apart using the words of the same document.

    Attributes:
        splits: Whether several rows of the document end within a word.
    """

    def __init__(self, rows: Iterable[Iterable[str]]) -> None:
        """Learn the words.

        Args:
            rows: Of each block, its rows; halves of words are not learnt.
        """
        self._known: set[str] = set()
        self._written: set[str] = set()  # with its capitals
        blocks = [list(block) for block in rows]
        self._has_own = _has_own_sign(chain.from_iterable(blocks))
        pairs = chain.from_iterable(map(pairwise, blocks))
        parted = sum(is_parted(row, below) and below[0].islower() for row, below in pairs)
        self.splits = parted >= _FEWEST
        for block in blocks:
            before = ""
            for row in block:
                whole = row.rpartition(" ")[0] if _PARTED.fullmatch(row[-2:]) else row
                whole = _FIRST.sub("", whole, count=1) if is_parted(before, row) else whole
                self._written.update(_WORD.findall(whole))
                before = row
        self._known = set(map(str.lower, self._written))
        chains = (word.split("-") for word in self._known if word.count("-") > 1)
        self._known.update("-".join(pair) for parts in list(chains) for pair in pairwise(parts))

    def joined(self, row: str, following: str) -> str:
        """Both rows as one, if `is_parted` says that a word may continue.

        The hyphen is removed if the document has the word without it, and stays if it has it
        with one, if either half is written as a name or a code is (`PDF-`, `-Saxon`), is a
        letter (`X-ray`), or if both halves are separate words; otherwise it is removed. Before
        "and" and similar words it stays, and so does the space. A document that splits words
        by a sign of its own tells the two apart.
        """
        token = _token(row)
        left, right = _LAST.search(token[:-1]), _FIRST.match(following)
        splits = "\u00ad" + _OWN * self._has_own
        if row[-1] in splits or not left or not right:
            return row[:-1] + following
        a, b = left.group(), right.group()
        rest = following[right.end() :]
        if rest[:1] in ("", " ", ",") and self._is_and(b) and not self._knows(a + b):
            return f"{row} {following}"
        stays = (
            self._has_own
            or self._stays(a, b)
            or token[:-1] == a[-1]  # one letter: no printer breaks a line there
            or self._is_chain(token[: left.start()], a, b, rest)
            or _ADDRESS.search(token)
        )
        return (row if stays else row[:-1]) + following

    def _is_and(self, word: str) -> bool:
        return word.lower() in _AND and (len(word) > 2 or self._knows(word))

    @staticmethod
    def _is_chain(before: str, a: str, b: str, rest: str) -> bool:
        """Several words with hyphens between: "point-of-view"."""
        return any(
            chained and word.lower() in _WITHIN
            for chained, word in ((before[-1:] in HYPHENS, a), (rest[:1] in HYPHENS, b))
        )

    def _stays(self, a: str, b: str) -> bool:
        if self._knows(a + b):
            return False
        if self._knows(f"{a}-{b}") or a.lower() in _APART or _is_code(a, b):
            return True
        # German has "Vertrag" but not "vertrag": that is not a word by itself.
        if min(len(a), len(b)) < 3 or b not in self._written:
            return False
        return self._knows(a) or a.lower() in _OFTEN_APART

    def _knows(self, word: str) -> bool:
        return word.lower() in self._known


def _has_own_sign(rows: Iterable[str]) -> bool:
    """Whether a document splits words by a sign that no word has."""
    found = [row for row in rows if _OWN in row]
    return len(found) >= _FEWEST and not any(map(_OWN_WITHIN.search, found))


def _token(row: str) -> str:
    """The text after the row's last space, or the end of that."""
    return row[-LONGEST:].rpartition(" ")[2]


def _is_code(a: str, b: str) -> bool:
    if not (a + b).isalpha():
        return True
    if (a + b).isupper():
        return False
    return b[0].isupper() or (not a[1:].islower() and len(a) > 1)
