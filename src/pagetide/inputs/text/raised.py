"""Letters raised or lowered beside larger ones: powers, indexes, footnote marks."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pagetide.inputs.pdf import calls
from pagetide.inputs.text.lines import COLUMN_GAP, PlacedWord, turned

Level = Literal["superscript", "subscript"]

# The size of such letters, and the offset of their baseline, in em of the text beside. TeX:
# 0.7, and 0.36 up or 0.15 down; Word: 0.65, 0.35, 0.14; browsers: 0.83, 0.33, 0.2.
_SMALLER = 0.88
_RAISED = (0.15, 0.75)
_LOWERED = (-0.5, -0.06)
_SAME = 0.1  # in heights: how much the boxes of words on one level may differ
_LETTERS = 10  # more in a row are separate text, as beside a large initial


class _Size(NamedTuple):
    """A letter's size in points, and its baseline, seen along the direction of its text."""

    em: float
    baseline: float


class Levels:
    """Which words of a loaded page, and which parts of words, are raised or lowered.

    Args:
        text: PDFium's handle of the text, as a number.
        words: In PDFium's order.
        starts: Where each word's first character is.
    """

    def __init__(self, text: int, words: Sequence[PlacedWord], starts: Sequence[int]) -> None:
        self._text = text
        self._words = words
        self._starts = starts
        self._matrix = (ctypes.c_float * 6)()
        self._origin = (ctypes.c_double * 2)()

    def of_words(self, changes: Sequence[int]) -> dict[int, Level]:
        """The indexes of words that are raised or lowered as a whole.

        Args:
            changes: The indexes of words after which a text object ends; the last word too.
        """
        found: dict[int, Level] = {}
        for at in changes[:-1]:
            following = at + 1
            if self._is_alike(at, following) or not self._is_beside(at, following):
                continue
            angle = self._words[at][3]
            sizes = {each: self._size(self._starts[each], angle) for each in (at, following)}
            smaller, other = sorted(sizes, key=lambda each: sizes[each].em)
            if level := _level_of(sizes[smaller], sizes[other]):
                found |= dict.fromkeys(self._run(smaller, smaller - other), level)
        return found

    def of_parts(self, place: int, starts: Sequence[int]) -> list[Level | None]:
        """The level of each part of a word.

        Args:
            place: The word's index.
            starts: Where each part's first character is.
        """
        angle = self._words[place][3]
        sizes = [self._size(start, angle) for start in starts]
        usual = max(sizes, key=lambda size: size.em)
        levels = [_level_of(size, usual) for size in sizes]
        if levels[-1] and self._goes_on(place, sizes[-1]):
            levels[-1] = None
        return levels

    def _goes_on(self, place: int, size: _Size) -> bool:
        """Whether the text that follows is set like this part: then it is not a mark.

        A few letters are not text: marks such as `1, 2` are several words.
        """
        if not self._is_beside(place + 1, place):
            return False
        following = self._size(self._starts[place + 1], self._words[place][3])
        is_alike = _level_of(size, following) is None and abs(following.em - size.em) < _SAME
        return is_alike and not self._run(place + 1, 1)

    def _run(self, place: int, step: int) -> list[int]:
        """The words that continue at one level, away from the text; few, or none."""
        words, run = self._words, [place]
        letters = len(words[place][0])
        while letters <= _LETTERS and self._is_beside(run[-1] + step, run[-1]):
            if not self._is_alike(run[-1], run[-1] + step):
                break
            run.append(run[-1] + step)
            letters += max(1, len(words[run[-1]][0]))
        return run if letters <= _LETTERS else []

    def _is_alike(self, place: int, other: int) -> bool:
        """Whether two words may be on one level in one size, judging by their boxes."""
        (_, low, _, high), (_, low2, _, high2) = self._words[place][1], self._words[other][1]
        off = _SAME * (high - low)
        return -off <= low - low2 <= off and -off <= high - high2 <= off

    def _is_beside(self, place: int, beside: int) -> bool:
        words = self._words
        if not (0 <= place < len(words) and 0 <= beside < len(words)):
            return False
        (x0, low, x1, high), (x2, low2, x3, high2) = words[place][1], words[beside][1]
        gap = max(x0 - x3, x2 - x1)
        return (
            words[place][3] == words[beside][3]
            and gap <= COLUMN_GAP * max(high - low, high2 - low2)
            and min(high, high2) > max(low, low2)
        )

    def _size(self, index: int, angle: float) -> _Size:
        """Of a character; in points, zero if PDFium does not know it."""
        at, matrix = ctypes.addressof(self._origin), ctypes.addressof(self._matrix)
        known = calls.char_origin(self._text, index, at, at + 8)
        if not known or not calls.char_matrix(self._text, index, matrix):
            return _Size(0.0, 0.0)
        x, y = self._origin
        em = calls.char_size(self._text, index) * math.hypot(self._matrix[2], self._matrix[3])
        return _Size(em, turned((x, y, x, y), angle)[1])


def _level_of(size: _Size, usual: _Size) -> Level | None:
    if not 0 < size.em <= _SMALLER * usual.em:
        return None
    off = (size.baseline - usual.baseline) / usual.em
    if _RAISED[0] <= off <= _RAISED[1]:
        return "superscript"
    return "subscript" if _LOWERED[0] <= off <= _LOWERED[1] else None
