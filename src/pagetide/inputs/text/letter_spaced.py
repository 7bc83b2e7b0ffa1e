"""Words set with room between their letters: PDFium takes that room for spaces.

A browser and many typesetters write no spaces; PDFium makes one wherever letters stand apart.
Of `F O R FA L D` the true ones are wider than the room that all letters of the word have. That
room is the same between all letters, whatever their width; letters in cells stand otherwise.
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
_ROOM = 0.05  # between the letters of a word that is set so, at least
_SPACE = 0.125  # so much wider than that is a space, which is 0.25 wide by itself
_NARROW = 0.19  # room that no space is
_WIDE = 0.6  # room between the letters of a title
_ALIKE = 0.04  # so much may rooms of one word differ, but for kerned letters
_KERNED = 0.2  # of them, at most
_BETWEEN = 0.35  # that a space takes beside the room before it, at most
_APART = 1.0  # as columns stand
_LETTERS = 0.6  # of what stands side by side
_LEAST, _LONG = 4, 5  # letters of such words, and of one alone in its line
_VARIED = 3  # different letters
_SINGLE = frozenset("aeiouyAEIOUY&–-·|")  # words of one letter
_VOWELS = frozenset("aeiouyæøœаеёиоуыэюяіїєαεηιουω")


class _Gap(NamedTuple):
    at: int | None  # of the space between two letters, if there is one
    room: float  # in points
    height: float
    letters: str  # the one before and the one behind

    @property
    def is_in_word(self) -> bool:
        return self.letters.isalpha()


def may_be_spaced(characters: str, start: int, stop: int) -> int | None:
    """The place of a line's letter by itself, or of a short one's first capital; None else.

    Only such lines have words that PDFium parts: `F O R FA L D`, `FA KTURA`.
    """
    if alone := _ALONE.search(characters, start, stop):
        return alone.start()
    is_title = stop - start <= _TITLE and characters[start:stop].isupper()
    return start if is_title and " " in characters[start:stop] else None


def made_spaces(letters: Sequence[tuple[str, Box]]) -> list[int]:
    """The places of spaces in a line that only the room between letters has made.

    Args:
        letters: The line's characters with their boxes (points, y up) as wide as their advance;
            of spaces the boxes are not looked at.
    """
    runs = list(_runs(letters))
    return [at for run in runs for part in _stretches(run) for at in _made_in(part, runs)]


def stand_apart(letters: Sequence[tuple[str, Box]]) -> bool:
    """Whether letters of a piece of a line have room between them; see `made_spaces`."""
    return any(len(part) > 1 for run in _runs(letters) for part in _stretches(run))


def _runs(letters: Sequence[tuple[str, Box]]) -> Iterator[list[_Gap]]:
    """The gaps between letters, those of each column by themselves."""
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
    """The gaps of letters that all stand apart; those to the words beside them left out.

    Small capitals have as much room as the large one before them: it is held against the line.
    """
    least = _ROOM * median(gap.height for gap in run) if run else 0.0
    part: list[_Gap] = []
    begins = 0  # whether a word stands before
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
        # PDFium leaves no two letters together: they may be letters by themselves, as in cells.
        is_alone = len([run for run in runs if run]) == 1 and len(part) == len(runs[-1])
        if not _is_spaced(part, usual, space, height, is_alone=is_alone):
            return
    yield from (gap.at for gap in part if gap.at is not None and gap.room < space)


def _is_spaced(
    part: Sequence[_Gap], usual: float, space: float, height: float, *, is_alone: bool
) -> bool:
    """Whether letters that all stand by themselves are words set wide."""
    inside = [gap.room for gap in part if gap.room < space]
    large = max(gap.height for gap in part)  # of small capitals the large ones tell
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
    """Whether what letters spell may be words, and no row of marks, grades or days."""
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
