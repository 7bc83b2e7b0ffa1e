"""The phrases of upright lines, from their words' boxes alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import inf
from statistics import median
from typing import NamedTuple

from pagetide.document import Line
from pagetide.exports.fields.phrases import GAP, Phrase, Word, phrase_of
from pagetide.geometry import box_of
from pagetide.structure.tables.pieces import FIGURE_GAP, SPACES, WORD_GAP, is_figure


class Spaced(NamedTuple):
    """An upright line's words.

    Attributes:
        place: The line's, on its page.
        words: In the line's order.
        wide: Places of the words with a space before them that may part columns.
        is_plain: Whether the words run to the right, with single spaces between them.
    """

    place: int
    words: list[Word]
    wide: list[int]
    is_plain: bool

    def phrases(self, far: float) -> list[Phrase]:
        """The words parted at wide spaces, figures where they stand farther apart than words."""
        if not self.wide:
            return [phrase_of(self.words, self.place)]
        cuts = [place for place in self.wide if self._is_parted(place, far)]
        ends = pairwise((0, *cuts, len(self.words)))
        return [phrase_of(self.words[a:b], self.place) for a, b in ends]

    def columns(self) -> list[int]:
        """Places of figures that may be of another column than the figure before."""
        return [place for place in self.wide if self._are_figures(place)]

    def _is_parted(self, place: int, far: float) -> bool:
        space = _space(self.words[place - 1], self.words[place])
        return space > GAP or (space > far and self._are_figures(place))

    def _are_figures(self, place: int) -> bool:
        return is_figure(self.words[place][0]) and is_figure(self.words[place - 1][0])


def spaced(line: Line, place: int) -> Spaced:
    """The words of an upright line, and how they stand."""
    words: list[Word] = []
    wide: list[int] = []
    right, is_plain = -inf, True
    for word in line.words:
        corners = word.polygon
        if len(corners) == 4:
            (x0, y0), (end, top), (x1, y1), (left, foot) = corners
        if len(corners) != 4 or x0 != left or y0 != top or x1 != end or y1 != foot:
            x0, y0, x1, y1 = box_of(corners)
        if x0 - right > FIGURE_GAP * (y1 - y0) and words:
            wide.append(len(words))
        if x1 < right:
            is_plain = False
        words.append((word.text, x0, y0, x1, y1))
        right = x1
    is_plain = is_plain and bool(words) and " ".join([word[0] for word in words]) == line.text
    return Spaced(place, words, wide, is_plain)


def far_apart(lines: Iterable[Spaced]) -> float:
    """From which space on figures of a page stand farther apart than its words do."""
    spaces = [_space(a, b) for line in lines for a, b in pairwise(line.words)]
    near = [space for space in spaces if 0 < space <= WORD_GAP]
    return SPACES * median(near) if near else 0.0


def _space(left: Word, right: Word) -> float:
    """What is left between two words, in heights of the right one."""
    return (right[1] - left[3]) / max(right[4] - right[2], 1e-6)
