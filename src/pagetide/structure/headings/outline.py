"""Headings from the document's outline, located among the lines of the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from pagetide.document import Line
from pagetide.geometry import Box, union
from pagetide.layout import OutlineItem
from pagetide.structure.figures.captions import caption_begins

STATED = "outline"  # the label of headings whose level the document itself states
MOST_ITEMS = 100  # of a page; no page has as many headings
MOST_ROWS = 4  # of a heading
MOST_PIECES = 8  # lines: a number, and rows in pieces
MOST_BEGUN = 50  # places where a title may start
MOST_LOOKED = 60  # lines: those of other columns may be between a heading's
SHORTEST = 3  # letters and digits of a title that is distinct from other text; 2 in Chinese
ALIKE = 1.25  # the ratio of the heights of a heading's rows
_NUMBER = re.compile(
    r"\s*(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])(?:[.–-](?:\d{1,3}|[A-Z]))*[.):]?(?:\s+|$)"
)
_IS_WIDE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


class Headline(NamedTuple):
    """An outline item's position on the page: its lines' places, and its level.

    The level is 0 for the one item that encloses all others.
    """

    places: tuple[int, ...]
    level: int


def headlines(
    lines: Sequence[Line], boxes: Sequence[Box], items: Sequence[OutlineItem]
) -> list[Headline]:
    """The outline's items that appear on the page as separate lines.

    Of several such places an item gets the one nearest to its target; if it has no target
    position, the one in the largest letters.

    Args:
        lines: Of the page, any order.
        boxes: Theirs, upright, in page pixels.
        items: Those that point to the page.
    """
    page = _Page(lines, boxes)
    found: list[Headline] = []
    taken: set[int] = set()
    for item in items[:MOST_ITEMS]:
        if caption_begins(item.title) is not None:
            continue
        spelled = [
            places
            for places in page.spelled(item.title)
            if not taken.intersection(places) and page.reaches(places, item.left)
        ]
        if spelled:
            best = min(spelled, key=lambda places: page.distance(places, item.top))
            taken.update(best)
            found.append(Headline(best, min(item.level, 6)))
    return found


class _Page:
    def __init__(self, lines: Sequence[Line], boxes: Sequence[Box]) -> None:
        self.boxes = boxes
        self.lines = lines
        self.order = sorted(range(len(lines)), key=lambda n: (boxes[n][1], boxes[n][0]))
        self.letters = [_letters(line.text) for line in lines]
        self.unnumbered = [_letters(_unnumbered(line.text)) for line in lines]

    def spelled(self, title: str) -> list[tuple[int, ...]]:
        """Each run of lines, one below or after the other, that spells a title."""
        spelt = dict.fromkeys((_letters(title), _letters(_unnumbered(title))))
        keys = [key for key in spelt if len(key) >= (SHORTEST - bool(_IS_WIDE.search(key)))]
        begun = (
            (at, key[len(start) :])
            for at, place in enumerate(self.order)
            for key in keys
            for start in dict.fromkeys((self.letters[place], self.unnumbered[place]))
            if start and key.startswith(start)
        )
        runs = (self._run(at, rest) for at, rest in islice(begun, MOST_BEGUN))
        return list(dict.fromkeys(run for run in runs if run))

    def _run(self, at: int, rest: str) -> tuple[int, ...]:
        """The lines from one on that spell the rest of a title; none if they do not."""
        run = [self.order[at]]
        for place in self.order[at + 1 : at + MOST_LOOKED]:
            if not rest or len(run) > MOST_PIECES:
                break
            if self.boxes[place][1] > self._below(run):
                return ()
            text = self.letters[place]
            if text and rest.startswith(text) and self._adjoins(run, place):
                run.append(place)
                rest = rest[len(text) :]
        if rest:
            return ()
        return (*self._number_before(run), *run)

    def _below(self, run: Sequence[int]) -> float:
        last = self.boxes[run[-1]]
        return last[3] + (last[3] - last[1])

    def _adjoins(self, run: Sequence[int], place: int) -> bool:
        around, box = union([self.boxes[p] for p in run]), self.boxes[place]
        last = self.boxes[run[-1]]
        height, own = last[3] - last[1], box[3] - box[1]
        alike = max(height, own) <= ALIKE * min(height, own)
        behind = min(last[3], box[3]) - max(last[1], box[1]) > own / 2
        across = min(around[2], box[2]) - max(around[0], box[0]) > 0
        rows = (box[3] - around[1]) / max(own, 1.0)
        return alike and (behind or across) and rows < 2 * MOST_ROWS

    def _number_before(self, run: Sequence[int]) -> list[int]:
        """A number on a separate line before the first of a run."""
        box = self.boxes[run[0]]
        height = box[3] - box[1]
        return [
            place
            for place, other in enumerate(self.boxes)
            if 0 <= box[0] - other[2] < 4 * height
            and min(box[3], other[3]) - max(box[1], other[1]) > height / 2
            and not self.unnumbered[place]
            and self.letters[place]
        ][:1]

    def reaches(self, places: Sequence[int], left: float | None) -> bool:
        """Whether lines do not end left of a title's target: that is in another column."""
        return left is None or max(self.boxes[place][2] for place in places) > left

    def distance(self, places: Sequence[int], top: float | None) -> tuple[float, float]:
        """The distance of lines from a title's target, or how small they are; and how low."""
        box = union([self.boxes[place] for place in places])
        height = self.boxes[places[-1]][3] - self.boxes[places[-1]][1]
        return (-height if top is None else abs(box[1] - top), box[1])


def _letters(text: str) -> str:
    """The letters and digits of a text, for comparing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def _unnumbered(text: str) -> str:
    return _NUMBER.sub("", text, count=1)
