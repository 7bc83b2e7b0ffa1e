"""Words set with room between their letters: PDFium takes that room for spaces.

A browser and many typesetters write no spaces; PDFium makes one wherever letters stand apart.
Of `F O R FA L D` the true ones are wider than the room that all letters of the line have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from pagetide.geometry import Box

# A letter by itself, as every line with such words has.
ALONE = re.compile(r"(?<![^\s\x00])[^\W\d_](?![^\s\x00])")
# In heights of a line.
_ROOM = 0.05  # between the letters of a word that is set so, at least
_SPACE = 0.125  # so much wider than that is a space, which is 0.25 wide by itself
_NARROW = 0.22  # room that no space is
_APART = 1.0  # as columns stand
_LETTERS = 0.6  # of what stands side by side
_LEAST = 4  # letters of such words


class _Gap(NamedTuple):
    at: int | None  # of the space between two letters, if there is one
    room: float  # in points
    height: float
    is_in_word: bool  # whether there are letters on both sides


def made_spaces(letters: Sequence[tuple[str, Box]]) -> list[int]:
    """The places of spaces in a line that only the room between letters has made.

    Args:
        letters: The line's characters with their boxes (points, y up) as wide as their advance;
            of spaces the boxes are not looked at.
    """
    return [at for run in _runs(letters) for at in _made_in(run)]


def stand_apart(letters: Sequence[tuple[str, Box]]) -> bool:
    """Whether there is room between most letters of a piece of a line; see `made_spaces`."""
    return any(run and _usual(run) >= _ROOM * _height(run) for run in _runs(letters))


def _usual(run: Sequence[_Gap]) -> float:
    """In points: small capitals have as much room as the large one before them."""
    return median(gap.room for gap in run)


def _height(run: Sequence[_Gap]) -> float:
    return median(gap.height for gap in run)


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
                run.append(_Gap(space, room, height, letter.isalpha() and text.isalpha()))
        last, space = (text, box), None
    yield run


def _made_in(run: Sequence[_Gap]) -> Iterator[int]:
    spaced = [(gap.at, gap.room) for gap in run if gap.at is not None]
    if len(run) < _LEAST - 1 or sum(gap.is_in_word for gap in run) < _LETTERS * len(run):
        return  # such as a formula
    usual, height = _usual(run), _height(run)
    within = [gap.room for gap in run if gap.at is None]
    if usual < _ROOM * height or (within and median(within) < _ROOM * height):
        return
    space = usual + _SPACE * height
    # Where PDFium leaves no two letters together, they may be letters by themselves: `A B C`.
    if not within and usual > _NARROW * height and max(room for _, room in spaced) < space:
        return
    yield from (at for at, room in spaced if room < space)
