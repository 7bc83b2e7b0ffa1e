"""Spaces of a page that writes its letters individually, each as a separate text object.

A browser does so if letters are not at their font's positions: letter-spaced, or in a hinted
font. Its spaces are objects, too. PDFium drops them, and adds spaces by the gaps between
letters: in `Ü ber n ach tu ngim` both too many and too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import pypdfium2.raw as pdfium

from pagetide.geometry import Box
from pagetide.inputs.drawings.paths import Bounds
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.marks import AS_IS

_PAIR = re.compile(r"[^\W\d_]{2}(?=(?P<space> ))|(?<!\w)[^\W\d_](?P<beside> )[^\W\d_]")
_SPACES = 3  # side by side, at most
_WIDER = 0.2  # in heights: a gap this much wider than others is intended
_LEVEL = 0.2  # in heights: letters of one line are no further apart


class WrittenSpaces(NamedTuple):
    """A line's spaces according to its objects: indexes among the page's characters.

    Attributes:
        written: PDFium's that the page writes, too.
        made: Those that it does not write, between letters of a word, if it writes any.
        missing: Letters before which it writes one that PDFium lacks.
    """

    written: set[int]
    made: set[int]
    missing: set[int]


class _Pair(NamedTuple):
    """Two consecutive letters: their indexes, and those of their objects."""

    first: int
    second: int
    before: int
    behind: int
    room: float
    height: float

    @property
    def spaces(self) -> range:
        return range(self.first + 1, self.second)


class PageObjects:
    """The objects of a loaded page, in writing order."""

    def __init__(self, page: int, count: int) -> None:
        self._objects = [calls.page_object(page, number) or 0 for number in range(count)]
        self._places = {each: number for number, each in enumerate(self._objects)}
        self._bounds = Bounds()

    def spaces(
        self, text_page: int, letters: Sequence[tuple[str, Box]], start: int
    ) -> WrittenSpaces:
        """The spaces of a line.

        Args:
            text_page: The page's text, PDFium's handle.
            letters: The line's characters with their boxes (points, y up).
            start: The index of the first among the page's.
        """
        pairs = list(self._pairs(text_page, letters, start))
        together = [pair for pair in pairs if pair.behind == pair.before + 1]
        parted = [pair for pair in pairs if self._are_spaces(pair.before + 1, pair.behind)]
        usual = median([pair.room for pair in together]) if together else 0.0
        near = [pair for pair in together if abs(pair.room - usual) < _WIDER * pair.height]
        if not parted and 2 * sum(bool(pair.spaces) for pair in near) > len(near):
            near = []  # isolated letters, as in a pattern
        return WrittenSpaces(
            written={at for pair in parted for at in pair.spaces},
            made={at for pair in near for at in pair.spaces},
            missing={pair.second for pair in parted if not pair.spaces},
        )

    def _pairs(
        self, text_page: int, letters: Sequence[tuple[str, Box]], start: int
    ) -> Iterator[_Pair]:
        last: tuple[int, int, Box] | None = None
        for at, (text, box) in enumerate(letters, start):
            if text.isspace():
                continue
            place = self._places.get(calls.char_object(text_page, at) or 0)
            if place is None:  # in a nested object
                last = None
                continue
            if last and abs(last[2][1] - box[1]) < _LEVEL * (box[3] - box[1]):
                first, before, (_, low, x1, high) = last
                yield _Pair(first, at, before, place, box[0] - x1, high - low)
            last = at, place, box

    def _are_spaces(self, start: int, stop: int) -> bool:
        """Whether some objects exist and are all spaces."""
        between = self._objects[start:stop] if stop - start <= _SPACES else []
        return bool(between) and all(map(self._is_space, between))

    def _is_space(self, item: int) -> bool:
        """Whether an object is text without ink."""
        if calls.object_kind(item) != pdfium.FPDF_PAGEOBJ_TEXT:
            return False
        box = self._bounds.of(item, AS_IS)
        return box is None or box[0] == box[2]


def is_set_by_letters(text_page: int, characters: str, start: int, stop: int) -> bool:
    """Whether two letters of a line, beside a space that PDFium has added, are two objects.

    They are before it or, if there is only one there, around it.
    """
    pair = _PAIR.search(characters, start, stop)
    if pair is None or not calls.char_is_generated(text_page, pair.start(pair.lastgroup or 0)):
        return False
    first, second = pair.start(), pair.end() - 1
    return bool(calls.char_object(text_page, first) != calls.char_object(text_page, second))
