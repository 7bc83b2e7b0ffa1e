"""Which read word is which true one, by its text and position."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.drawn.truth import DrawnPage
from pagetide.document import Page
from pagetide.geometry import Box, Point, box_of, center, contains, intersection_area

NEAR = 0.6  # of a word's height: how far its box may be off


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A read word, or a line that has no words.

    Attributes:
        box: In the truth's CSS pixels.
        line: Its line's place in the page's lines.
        block: The place of the block that contains the line; None if none does.
    """

    text: str
    box: Box
    line: int
    block: int | None


@dataclass(frozen=True)
class Matching:
    """How the words of a page were found.

    Attributes:
        seen: The read words.
        found: For each true word, the place of the read one; None if it is missing.
        doubled: Remaining read words that repeat what is there.
    """

    seen: tuple[Seen, ...]
    found: tuple[int | None, ...]
    doubled: int

    @property
    def missing(self) -> int:
        """True words that were not read."""
        return sum(place is None for place in self.found)


def seen_of(page: Page, back: Callable[[Point], Point]) -> list[Seen]:
    """The read words of a page; `back` takes its pixels to the truth's CSS pixels."""
    owner = {line: place for place, b in enumerate(page.blocks) for line in b.line_indexes}
    return [
        Seen(
            text=part.text,
            box=box_of([back(point) for point in part.polygon]),
            line=place,
            block=owner.get(place),
        )
        for place, line in enumerate(page.lines)
        for part in (line.words or (line,))
    ]


def matched(truth: DrawnPage, seen: Sequence[Seen]) -> Matching:
    """Each true word with the nearest read one of the same text, otherwise with what is there.

    The same text within `NEAR` heights comes first, each read word once. A remaining true word
    then gets the read word with the largest overlap, whatever its text and
    even if others have it too: engines split words elsewhere, and misread letters.
    """
    by_text: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(seen):
        by_text[plain(one.text)].append(place)
    taken: set[int] = set()
    found: list[int | None] = []
    for word in truth.words:
        near = [
            p for p in by_text[plain(word.text)] if p not in taken and _near(word.box, seen[p])
        ]
        best = min(near, key=lambda p: _far(word.box, seen[p].box), default=None)
        found.append(best)
        taken |= {best} if best is not None else set()
    grid = _Grid(seen)
    for place, word in enumerate(truth.words):
        if found[place] is None:
            found[place] = grid.at(word.box)
    return Matching(tuple(seen), tuple(found), _doubled(seen, found))


def plain(text: str) -> str:
    """The text without variants of letters, marks and quotes that readers choose freely."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "")


def _near(box: Box, seen: Seen) -> bool:
    reach = NEAR * (box[3] - box[1])
    wide = (box[0] - reach, box[1] - reach, box[2] + reach, box[3] + reach)
    return contains(wide, center(seen.box))


def _far(a: Box, b: Box) -> float:
    (x, y), (u, v) = center(a), center(b)
    return abs(x - u) + abs(y - v)


def _doubled(seen: Sequence[Seen], found: Sequence[int | None]) -> int:
    used = sorted({place for place in found if place is not None})
    known = [seen[place] for place in used]
    grid, again = _Grid(known), 0
    for place in sorted(set(range(len(seen))) - set(used)):
        there = grid.at(seen[place].box)
        again += there is not None and plain(known[there].text) == plain(seen[place].text)
    return again


class _Grid:
    """Read words by their rows, for quick lookup of a position."""

    STEP = 16.0  # CSS pixels

    def __init__(self, seen: Sequence[Seen]) -> None:
        self._seen = seen
        self._rows: dict[int, list[int]] = defaultdict(list)
        for place, one in enumerate(seen):
            for row in self._of(one.box):
                self._rows[row].append(place)

    def at(self, box: Box) -> int | None:
        """The place of the word that overlaps a box most, at least a third of either."""
        near = {place for row in self._of(box) for place in self._rows[row]}
        shares = {place: _share(box, self._seen[place].box) for place in near}
        best = max(sorted(shares), key=lambda place: shares[place], default=None)
        return best if best is not None and shares[best] >= 1 / 3 else None

    def _of(self, box: Box) -> range:
        return range(int(box[1] // self.STEP), int(box[3] // self.STEP) + 1)


def _share(a: Box, b: Box) -> float:
    """The overlap of two boxes, relative to the smaller one."""
    least = min((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b))
    return intersection_area(a, b) / least if least > 0 else 0.0
