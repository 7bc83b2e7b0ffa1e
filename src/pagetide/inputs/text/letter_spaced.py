"""Words with letter-spacing: PDFium takes the gaps between letters for spaces.

A browser and many typesetters write no spaces; PDFium adds one wherever letters are apart. In
`F O R FA L D` the real ones are wider than the gaps between all letters of the word. These gaps
are equal between all letters, whatever their width; letters in cells differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pagetide.geometry import Box

_ALONE = re.compile(r"(?<![^\s\x00])[^\W\d_](?![^\s\x00])")
_TITLE = 24  # characters
# In heights of a line.
_ROOM = 0.05  # between the letters of a letter-spaced word, at least
_SPACE = 0.125  # this much wider than that is a space, which is 0.25 wide by itself
_NARROW = 0.19  # a gap narrower than any space
_WIDE = 0.6  # gap between the letters of a title
_ALIKE = 0.04  # how much gaps of one word may differ, except for kerned letters
_KERNED = 0.2  # of them, at most
_BETWEEN = 0.35  # width of a space beside the gap before it, at most
_APART = 1.0  # the distance of columns
_LETTERS = 0.6  # of side-by-side text
_LEAST, _LONG = 4, 5  # letters of such words, and of a single one on its line
_VARIED = 3  # different letters
_SINGLE = frozenset("aeiouyAEIOUY&–-·|")  # words of one letter
_VOWELS = frozenset("aeiouyæøœаеёиоуыэюяіїєαεηιουω")


class _Gap(NamedTuple):
    at: int | None  # of the space between two letters, if there is one
    room: float  # in points
    height: float
    letters: str  # the one before and the one after

    @property
    def is_in_word(self) -> bool:
        return self.letters.isalpha()


def may_be_spaced(characters: str, start: int, stop: int) -> int | None:
    """The index of a line's isolated letter, or of a short one's first capital; otherwise None.

    Only such lines have words that PDFium splits: `F O R FA L D`, `FA KTURA`.
    """
    if alone := _ALONE.search(characters, start, stop):
        return alone.start()
    is_title = stop - start <= _TITLE and characters[start:stop].isupper()
    return start if is_title and " " in characters[start:stop] else None


def made_spaces(letters: Sequence[tuple[str, Box]]) -> list[int]:
    """The indexes of a line's spaces that are only due to gaps between letters.

    Args:
        letters: The line's characters with their boxes (points, y up) as wide as their advance;
            the boxes of spaces are ignored.
    """
    runs = list(_runs(letters))
    return [at for run in runs for part in _stretches(run) for at in _made_in(part, runs)]


def stand_apart(letters: Sequence[tuple[str, Box]]) -> bool:
    """Whether letters of a part of a line have gaps between them; see `made_spaces`."""
    return any(len(part) > 1 for run in _runs(letters) for part in _stretches(run))


def _runs(letters: Sequence[tuple[str, Box]]) -> Iterator[list[_Gap]]:
    """The gaps between letters, by column."""
    run: list[_Gap] = []
    last: tuple[str, Box] | None = None
    space: int | None = None
    for at, (text, box) in enumerate(letters):
        if text.isspace():
            space = at
            continue
        if last is not None:
            letter, before = last
            height = max(before[3] - before[1], box[3] - box[1]) or 1.0
            room = box[0] - before[2]
            if room > _APART * height or abs(box[1] - before[1]) > height / 2:
                yield run
                run = []
            else:
                run.append(_Gap(space, room, height, letter + text))
        last, space = (text, box), None
    yield run


def _stretches(run: Sequence[_Gap]) -> Iterator[list[_Gap]]:
    """The gaps of letters that are all apart, without those to adjacent words.

    Small capitals have as much gap as the large one before them: it is compared with the line.
    """
    least = _ROOM * median(gap.height for gap in run) if run else 0.0
    part: list[_Gap] = []
    begins = 0  # whether a word precedes
    for gap in run:
        if gap.room >= least:
            part.append(gap)
            continue
        yield part[begins:-1]
        part, begins = [], 1
    yield part[begins:]


def _made_in(part: Sequence[_Gap], runs: Sequence[Sequence[_Gap]]) -> Iterator[int]:
    in_words = sum(gap.is_in_word for gap in part)
    if len(part) < _LEAST - 1 or in_words < _LETTERS * len(part):
        return  # such as a formula
    height = median(gap.height for gap in part)
    usual = median(gap.room for gap in part)
    space = usual + _SPACE * height
    if all(gap.at is not None for gap in part):
        # PDFium joins no two letters: they may be isolated letters, as in cells.
        is_alone = len([run for run in runs if run]) == 1 and len(part) == len(runs[-1])
        if not _is_spaced(part, usual, space, height, is_alone=is_alone):
            return
    yield from (gap.at for gap in part if gap.at is not None and gap.room < space)


def _is_spaced(
    part: Sequence[_Gap], usual: float, space: float, height: float, *, is_alone: bool
) -> bool:
    """Whether letters that are all isolated are letter-spaced words."""
    inside = [gap.room for gap in part if gap.room < space]
    large = max(gap.height for gap in part)  # for small capitals the large ones decide
    uneven = sum(abs(room - usual) > _ALIKE * large for room in inside)
    words = list(_words(part, space))
    if uneven > _KERNED * len(inside) or not _are_words(words):
        return False
    if usual <= _NARROW * height:
        return True
    between = [gap.room - usual for gap in part if gap.room >= space]
    if between:
        return max(between) < _BETWEEN * large + usual
    [word] = words
    return is_alone and len(word) >= _LONG and usual < _WIDE * height


def _words(part: Sequence[_Gap], space: float) -> Iterator[str]:
    word = part[0].letters[0]
    for gap in part:
        if gap.room >= space:
            yield word
            word = ""
        word += gap.letters[1]
    yield word


def _are_words(words: Sequence[str]) -> bool:
    """Whether the spelled text may be words, not a row of marks, grades or days."""
    if any(len(word) == 1 and word not in _SINGLE and word.isalpha() for word in words):
        return False
    text = "".join(filter(str.isalpha, "".join(words)))
    is_alphabet = all(ord(b) == ord(a) + 1 for a, b in pairwise(text))
    long = [word for word in words if len(word) >= _VARIED and not word.isdecimal()]
    spoken = sum(any(_bare(letter) in _VOWELS for letter in word) for word in long)
    return len(set(text)) >= _VARIED and not is_alphabet and 2 * spoken > len(long)


def _bare(letter: str) -> str:
    """A letter in lower case, without its accents."""
    return unicodedata.normalize("NFD", letter.casefold())[:1]
