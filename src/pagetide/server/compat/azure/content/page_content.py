"""The content of one page as it is written, and where in it what was read stands."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pagetide.server.compat.azure.content.spelling import Spelling, as_read

MOST_LOOKS = 10_000  # at places in one text that are taken
_GAP, _TOKEN, _ENDS = re.compile(r"\s*"), re.compile(r"\S+"), re.compile(r"\s|\Z")
Place = tuple[int, int]


@dataclass(eq=False)
class Stretch:
    """A text that was read, in the content.

    Attributes:
        text: As it was read.
        start: Where it begins in the content.
        places: Where each letter stands, counted from `start`, and where the text ends.
    """

    text: str
    start: int
    places: Sequence[int]
    _taken: list[Place] = field(default_factory=list)  # in order, none upon another
    _next: int = 0
    _looks: int = MOST_LOOKS

    @property
    def span(self) -> Place:
        """Where all of it stands."""
        return self.place(0, len(self.text))

    def place(self, start: int, end: int) -> Place:
        """Where a part of it stands."""
        return self.start + self.places[start], self.start + self.places[end]

    def claim(self, word: str, *, whole: bool = False) -> Place | None:
        """The place of a word in the text, that no word has claimed; None where it is not.

        Best is where it follows the last word and stands by itself, then where it does one
        of both, then anywhere: a part of another word may be the place of a longer one.

        Args:
            word: As it was read.
            whole: Whether it has to stand by itself.
        """
        apart = (self._next_word, self._alone)
        for find in apart if whole else (*apart, self._following, self._within):
            place = find(word)
            if word and place is not None:
                self._next = place + len(word)
                insort(self._taken, (place, self._next))
                return place, self._next
        return None

    def _next_word(self, word: str) -> int | None:
        place = self._following(word)
        if place is None or not _ENDS.match(self.text, place + len(word)):
            return None
        return place

    def _following(self, word: str) -> int | None:
        found = _GAP.match(self.text, self._next)
        place = found.end() if found else self._next
        free = self.text.startswith(word, place) and not self._taken_at(place, word)
        return place if free else None

    def _alone(self, word: str) -> int | None:
        places = self._tokens.get(word, [])
        while places:
            place = places.pop(bisect_left(places, self._next) % len(places))
            if not self._taken_at(place, word):
                return place
        return None

    def _within(self, word: str) -> int | None:
        """A free place, were it in another word; after many looks in vain, none any more."""
        for place, end in ((self._next, len(self.text)), (0, self._next)):
            while self._looks and (place := self.text.find(word, place, end)) >= 0:
                beyond = self._taken_at(place, word)
                if not beyond:
                    return place
                place, self._looks = beyond, self._looks - 1
        return None

    @cached_property
    def _tokens(self) -> dict[str, list[int]]:
        """Where each word stands by itself, but for places that were taken from here."""
        found: dict[str, list[int]] = defaultdict(list)
        for token in _TOKEN.finditer(self.text):
            found[token.group()].append(token.start())
        return found

    def _taken_at(self, place: int, word: str) -> int:
        """Where what is claimed of a place ends; 0 where nothing is."""
        before = bisect_left(self._taken, (place + len(word),))
        end = self._taken[before - 1][1] if before else 0
        return end if end > place else 0


class Written:
    """The content of a page, as it grows."""

    def __init__(self) -> None:
        self.length = 0
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """All that is written so far."""
        return "".join(self._parts)

    def mark(self, text: str) -> None:
        """Write what was not read: markup, and what stands between texts."""
        self._parts.append(text)
        self.length += len(text)

    def read(self, text: str, spelling: Spelling = as_read) -> Stretch:
        """Write what was read."""
        spelled, places = spelling(text)
        stretch = Stretch(text, self.length, places)
        self.mark(spelled)
        return stretch


Claim = tuple[Stretch, int, int]


def spans_of(claims: Iterable[Claim | None]) -> list[Place]:
    """Where words stand, those together that only white space parts."""
    runs: list[Claim] = []
    for claim in filter(None, claims):
        stretch, start, end = claim
        if runs and _follows(runs[-1], claim):
            runs[-1] = (stretch, runs[-1][1], end)
        else:
            runs.append((stretch, start, end))
    return [stretch.place(start, end) for stretch, start, end in runs]


def _follows(run: Claim, claim: Claim) -> bool:
    between = claim[0].text[run[2] : claim[1]]
    return run[0] is claim[0] and run[2] <= claim[1] and not between.strip()
