"""Places in a text, counted as a caller asks: code points, UTF-16 units, text elements.

A text element is what a reader takes for one character. The rule here: marks (Unicode's
categories Mn, Mc, Me), joiners, skin tones and tags belong to the character before them; what
follows a zero-width joiner belongs to it; flags are pairs of regional indicators; the letters
of a Hangul syllable, and a carriage return with its line feed, are one. That is Unicode's
extended grapheme cluster but for rare prepended marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Literal

StringIndexType = Literal["textElements", "unicodeCodePoint", "utf16CodeUnit"]

_JOINER = "\u200d"
_EXTENDS = frozenset({"Mn", "Mc", "Me"})
# Below this, only CR LF makes one element of two code points.
_PLAIN = re.compile("[^\r\u0300-\U0010ffff]*")


class StringIndex:
    """Turns places in a text, counted in code points, into those that a caller asks for."""

    def __init__(self, kind: StringIndexType, text: str) -> None:
        self._table = _TABLES[kind](text)
        self.length = self._table[-1] if self._table else len(text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offset and length of the text between two places.

        Where a place is inside a text element, all of that element is taken.
        """
        if not self._table:
            return start, end - start
        if start == end:
            return self._table[start], 0
        first = self._table[start]
        return first, self._table[end - 1] + self._width(end - 1) - first

    def _width(self, place: int) -> int:
        """How much the code point at a place, or the element that it is of, counts."""
        end = place + 1
        while end < len(self._table) - 1 and self._table[end] == self._table[place]:
            end += 1
        return self._table[end] - self._table[place]


def text_elements(text: str) -> list[str]:
    """The text cut into its text elements."""
    starts, flags = [], 0
    for i, letter in enumerate(text):
        if not i or not _belongs(text, i, flags):
            starts.append(i)
        flags = flags + 1 if _is_indicator(letter) else 0
    return [text[a:b] for a, b in pairwise([*starts, len(text)])] if text else []


def _code_points(text: str) -> Sequence[int]:
    return ()


def _utf16(text: str) -> Sequence[int]:
    if text.isascii() or max(text, default="") <= "\uffff":
        return ()
    return list(accumulate((1 + (letter > "\uffff") for letter in text), initial=0))


def _elements(text: str) -> Sequence[int]:
    if _PLAIN.fullmatch(text):
        return ()
    elements = text_elements(text)
    table = [number for number, element in enumerate(elements) for _ in element]
    return [*table, len(elements)]


_TABLES = {"textElements": _elements, "unicodeCodePoint": _code_points, "utf16CodeUnit": _utf16}


def _belongs(text: str, place: int, flags: int) -> bool:
    """Whether a code point is of one text element with the one before it.

    Args:
        text: Where it stands.
        place: Its place; not the first.
        flags: How many regional indicators stand right before it.
    """
    before, letter = text[place - 1], text[place]
    if before in "\r\n" or letter in "\r\n":
        return before == "\r" and letter == "\n"
    if letter < "\u0300":
        return False
    if unicodedata.category(before) == "Cc":
        return False
    if _extends(letter) or before == _JOINER:
        return True
    if _is_indicator(letter):
        return flags % 2 == 1
    return _one_syllable(before, letter)


def _extends(letter: str) -> bool:
    return (
        letter in "\u200c\u200d"
        or unicodedata.category(letter) in _EXTENDS
        or "\U0001f3fb" <= letter <= "\U0001f3ff"
        or "\U000e0020" <= letter <= "\U000e007f"
    )


def _is_indicator(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _one_syllable(before: str, letter: str) -> bool:
    """Whether two code points are of one Hangul syllable."""
    if "\u1160" <= letter <= "\u11a7":  # a vowel
        return "\u1100" <= before <= "\u11a7" or _is_open_syllable(before)
    if "\u11a8" <= letter <= "\u11ff":  # a final consonant
        return "\u1160" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    return "\u1100" <= letter <= "\u115f" and "\u1100" <= before <= "\u115f"


def _is_open_syllable(letter: str) -> bool:
    return "\uac00" <= letter <= "\ud7a3" and (ord(letter) - 0xAC00) % 28 == 0
