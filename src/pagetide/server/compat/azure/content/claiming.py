"""Where the words of a page's lines stand in the content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, repeat
from math import dist

from pagetide.document import Page, Word
from pagetide.geometry import Box, Point, box_of, center, contains
from pagetide.layout.words import spaced_words
from pagetide.server.compat.azure.content.drafts import LineDraft
from pagetide.server.compat.azure.content.page_content import Claim, Stretch, spans_of

MOST_ASKED = 200  # texts in which a word is looked for that is not where it should be


@dataclass(frozen=True)
class Target:
    """Where words may stand: a text, what it covers of the page, and lines known to be its."""

    stretch: Stretch
    box: Box | None = None
    lines: frozenset[int] = frozenset()


class Claims:
    """What each word of a page's lines has claimed of the content."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._words: dict[int, list[Word]] = {}
        self._found: dict[int, list[Claim | None]] = {}
        self._home: dict[int, Stretch] = {}

    def __contains__(self, index: int) -> bool:
        """Whether a line's words were looked for."""
        return index in self._found

    def claim(self, lines: Iterable[int], targets: Sequence[Target]) -> None:
        """Find the words of lines, those that are not found yet."""
        for index in lines:
            if index not in self._words:
                words = [word for word, _ in spaced_words(self._page.lines[index])]
                self._words[index], self._found[index] = words, [None] * len(words)
            own = [target for target in targets if index in target.lines]
            self._found[index] = [
                claim or _claimed(word, own, targets) for word, claim in self._pairs(index)
            ]
            if targets:
                self._home.setdefault(index, targets[0].stretch)

    def missing(self, index: int) -> str:
        """The words of a line that are not found, with spaces between them."""
        return " ".join(word.text for word, claim in self._pairs(index) if claim is None)

    def lines(self, end: int) -> Iterator[LineDraft]:
        """The lines in the order in which they are written.

        A word that is not found stands where the text is that has it in other words.

        Args:
            end: Where a line stands that is written nowhere.
        """
        for index, claims in self._found.items():
            home = self._home.get(index)
            whole = home.span if home else (end, end)
            places = [claim[0].place(*claim[1:]) if claim else whole for claim in claims]
            words = list(zip(self._words[index], places, strict=True))
            yield LineDraft(index=index, spans=spans_of(claims) or [whole], words=words)

    def _pairs(self, index: int) -> Iterator[tuple[Word, Claim | None]]:
        return zip(self._words[index], self._found[index], strict=True)


def _claimed(word: Word, own: Sequence[Target], targets: Sequence[Target]) -> Claim | None:
    """Where a word stands.

    By itself in its line's cells or in one that it lies in, rather than as a part of another
    word in the likeliest: that would be missing there.

    Args:
        word: The word.
        own: Those of the targets that are known to have its line.
        targets: Where it may stand.
    """
    middle = center(box_of(word.polygon))
    near = [*_holding(own, middle), *_holding(targets, middle), *own]
    likely = _by_likelihood(word, own, targets)
    asked = chain(zip(near, repeat(True)), zip(likely, repeat(False)))
    for target, whole in asked:
        place = target.stretch.claim(word.text, whole=whole)
        if place is not None:
            return target.stretch, *place
    return None


def _by_likelihood(
    word: Word, own: Sequence[Target], targets: Sequence[Target]
) -> Iterator[Target]:
    """The cell of its line that the word lies in, any cell that it lies in, others of its line.

    All are asked where it lies in none; and at last the nearest, for a word that lies in a
    neighbour's cell may have taken its place, and words of one phrase stay together.
    """
    if len(targets) <= 1:
        yield from targets
        return
    middle = center(box_of(word.polygon))
    yield from _holding(own, middle)
    held = _holding(targets, middle)
    yield from held or own
    yield from own if held else targets
    if held:
        yield from _nearest(targets, middle)


def _nearest(targets: Sequence[Target], point: Point) -> list[Target]:
    apart = ((dist(center(t.box), point), n) for n, t in enumerate(targets) if t.box)
    return [targets[place] for _, place in nsmallest(MOST_ASKED, apart)]


def _holding(targets: Sequence[Target], point: Point) -> list[Target]:
    return [target for target in targets if target.box and contains(target.box, point)]
