"""The phrases of upright lines, from their words' boxes alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf
from statistics import median
from typing import NamedTuple

from pagetide.document import Line
from pagetide.exports.fields.phrases.phrase import GAP, Phrase, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.structure.tables.columns_apart import NARROWEST, SPACES
from pagetide.structure.tables.pieces import WORD_GAP, is_figure


class Spaced(NamedTuple):
    """An upright line's words.

    Attributes:
        text: The line's.
        place: The line's, on its page.
        words: In the line's order.
        wide: Indexes of words after a space that may separate columns.
        starts: Where each word starts in the text; None if words do not run to the right, or
            anything but a space is between two.
    """

    text: str
    place: int
    words: list[Word]
    wide: list[int]
    starts: list[int] | None

    def phrases(self, far: float) -> Iterator[Phrase]:
        """The words split at wide spaces, figures if they are farther apart than words."""
        cuts = [place for place in self.wide if self._is_parted(place, far)]
        for first, end in pairwise((0, *cuts, len(self.words))):
            yield self._phrase(self.starts or (), self.words[first:end], first)

    def columns(self) -> list[int]:
        """Indexes of figures that may be in another column than the figure before."""
        return [place for place in self.wide if self._are_figures(place)]

    def _phrase(self, starts: Sequence[int], words: list[Word], first: int) -> Phrase:
        last = first + len(words) - 1
        text = self.text[starts[first] : starts[last] + len(words[-1][0])]
        upper, lower = min([word[2] for word in words]), max([word[4] for word in words])
        return Phrase(text, words[0][1], upper, words[-1][3], lower, self.place, words)

    def _is_parted(self, place: int, far: float) -> bool:
        space = _space(self.words[place - 1], self.words[place])
        return space > GAP or (space > far and self._are_figures(place))

    def _are_figures(self, place: int) -> bool:
        return is_figure(self.words[place][0]) and is_figure(self.words[place - 1][0])


def spaced(line: Line, place: int) -> Phrase | Spaced:
    """The words of an upright line; a phrase if no space splits them."""
    words: list[Word] = []
    wide: list[int] = []
    right, upper, lower, is_rightward = -inf, inf, -inf, True
    for word in line.words:
        corners = word.polygon
        if len(corners) != 4:
            corners = polygon_of(box_of(corners))
        (x0, y0), (end, top), (x1, y1), (left, foot) = corners
        if x0 != left or y0 != top or x1 != end or y1 != foot:
            x0, y0, x1, y1 = box_of(corners)
        if x0 - right > NARROWEST * (y1 - y0) and words:
            wide.append(len(words))
        if x1 < right:
            is_rightward = False
        if y0 < upper:
            upper = y0
        if y1 > lower:
            lower = y1
        words.append((word.text, x0, y0, x1, y1))
        right = x1
    text = line.text
    is_single = is_rightward and bool(words) and not wide
    if is_single and (" ".join([word[0] for word in words]) == text or _starts(words, text)):
        return Phrase(text, words[0][1], upper, right, lower, place, words)
    return Spaced(text, place, words, wide, _starts(words, text) if is_rightward else None)


def _starts(words: Sequence[Word], text: str) -> list[int] | None:
    """Where words start in a text with only a space between two."""
    starts: list[int] = []
    place = 0
    for word in words:
        if starts and text.startswith(" ", place):
            place += 1
        if not text.startswith(word[0], place):
            return None
        starts.append(place)
        place += len(word[0])
    return starts if starts and place == len(text) else None


def far_apart(lines: Iterable[Phrase | Spaced]) -> float:
    """From which space on the figures of a page are farther apart than its words."""
    spaces = [_space(a, b) for line in lines for a, b in pairwise(line.words)]
    near = [space for space in spaces if 0 < space <= WORD_GAP]
    return SPACES * median(near) if near else 0.0


def _space(left: Word, right: Word) -> float:
    """The gap between two words, in heights of the right one."""
    return (right[1] - left[3]) / max(right[4] - right[2], 1e-6)
