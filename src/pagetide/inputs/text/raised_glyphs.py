"""Marks whose glyphs are raised in the font: a `1` or an `a` as large as others, by code.

Typesetters use such glyphs if a font has them (OpenType's feature `sups`): size and baseline
are those of the text, and only the ink shows it.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence

from pagetide.inputs.pdf import calls
from pagetide.inputs.text.lines import NEW_LINE, PlacedWord

_RAISED = 0.2  # of a letter's height: how far above the baseline such ink starts
# A number after a word or a stop, one before a word, a letter after a number; at the end of a
# phrase a letter after a word, at the start of a line a mark alone.
_BEHIND = re.compile(r"(?<=[^\W\d_]|[.,;:!?)\]”’»\"'%])\d{1,2}$|(?<=\d)[a-h]$")
_BEFORE = re.compile(r"\d{1,2}(?=[^\W\d_]{2})")
_AT_END = re.compile(r"(?<=[^\W\d_]{3})[a-h]$")
_ALONE = re.compile(r"\d{1,2}$|[a-h]$")
_APART = 0.8  # heights between phrases


def raised_glyphs(
    text: int, words: Sequence[PlacedWord], spans: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, tuple[int, int]]]:
    """The indexes of words with such marks, and their position in the word.

    Args:
        text: PDFium's handle of the text, as a number.
        words: In PDFium's order.
        spans: Where each word's first character is, and the index after its last.
    """
    ink = _Ink(text)
    for place, (word, _, joint, angle) in enumerate(words):
        last = word[-1:]
        if not ("a" <= last <= "h" or last.isdecimal() or word[:1].isdecimal()):
            continue  # most words: patterns would take ten times as long
        if "a" <= last <= "h" and not _may_stand(words, place):
            continue
        start, end = spans[place]
        if angle or end - start != len(word):
            continue
        mark = (
            _BEHIND.search(word)
            or _BEFORE.match(word)
            or (_AT_END.search(word) if _ends_phrase(words, place) else None)
            or (_ALONE.match(word) if joint == NEW_LINE else None)
        )
        if mark and all(ink.is_raised(start + at) for at in range(*mark.span())):
            yield place, mark.span()


def _may_stand(words: Sequence[PlacedWord], place: int) -> bool:
    """Whether the last letter may be a mark: after a number, or at the end of a phrase."""
    word, _, joint, _ = words[place]
    inside = word[-2:-1].isdecimal() or word[0].isdecimal()
    return inside or joint == NEW_LINE or _ends_phrase(words, place)


def _ends_phrase(words: Sequence[PlacedWord], place: int) -> bool:
    if place + 1 == len(words) or words[place + 1][2] == NEW_LINE:
        return True
    (_, low, right, high), (left, *_) = words[place][1], words[place + 1][1]
    return left - right > _APART * (high - low)


class _Ink:
    def __init__(self, text: int) -> None:
        self._text = text
        self._numbers = (ctypes.c_double * 4)()
        self._origin = (ctypes.c_double * 2)()
        self._loose = (ctypes.c_float * 4)()

    def is_raised(self, index: int) -> bool:
        """Whether a character's ink starts well above its baseline."""
        at, origin = ctypes.addressof(self._numbers), ctypes.addressof(self._origin)
        known = calls.char_ink(self._text, index, *(at + 8 * n for n in range(4)))
        if not known or not calls.char_origin(self._text, index, origin, origin + 8):
            return False
        calls.char_box(self._text, index, ctypes.addressof(self._loose))
        high = self._loose[1] - self._loose[3]
        return bool(self._numbers[2] - self._origin[1] > _RAISED * high > 0)
