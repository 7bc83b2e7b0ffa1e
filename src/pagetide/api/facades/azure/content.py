"""The content of one page as it is written, and where in it what was read stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pagetide.api.facades.azure.spelling import Spelling, as_read

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
    _taken: list[Place] = field(default_factory=list)
    _next: int = 0
    _furthest: int = 0

    @property
    def span(self) -> Place:
        """Where all of it stands."""
        return self.place(0, len(self.text))

    def place(self, start: int, end: int) -> Place:
        """Where a part of it stands."""
        return self.start + self.places[start], self.start + self.places[end]

    def claim(self, word: str) -> Place | None:
        """The place of a word in the text, that no word has claimed; None where it is not."""
        text = self.text
        place = self._next
        while place < len(text) and text[place].isspace():
            place += 1
        if not text.startswith(word, place) or self._overlaps(place, place + len(word)):
            found = self._search(word)
            if found is None:
                return None
            place = found
        self._next = place + len(word)
        self._furthest = max(self._furthest, self._next)
        self._taken.append((place, self._next))
        return place, self._next

    def _search(self, word: str) -> int | None:
        """A free place of the word: best where it stands by itself."""
        free = [at for at in _all(self.text, word) if not self._overlaps(at, at + len(word))]
        alone = [at for at in free if self._alone(at, at + len(word))]
        wanted = alone or free
        return min(wanted, key=lambda at: (at < self._next, at), default=None)

    def _alone(self, start: int, end: int) -> bool:
        before, after = self.text[start - 1 : start], self.text[end : end + 1]
        return (not before or before.isspace()) and (not after or after.isspace())

    def _overlaps(self, start: int, end: int) -> bool:
        if start >= self._furthest:
            return False
        return any(a < end and start < b for a, b in self._taken)


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


def _all(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)
