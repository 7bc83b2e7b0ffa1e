"""Phrases: adjacent words of one line; the basis of labels and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from pagetide.geometry import Box

GAP = 1.2  # line heights between a phrase and the next

Word = tuple[str, float, float, float, float]
"""A word's text and box."""


class Phrase(Struct, frozen=True, gc=False):
    """Adjacent words of one line, upright, with text running from left to right.

    Attributes:
        text: In the line's wording.
        x0: Its left edge.
        y0: Its upper edge.
        x1: Its right edge.
        y1: Its lower edge.
        line: The line's index in the page's `lines`.
        words: In the text's order.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    line: int
    words: Sequence[Word]

    @property
    def box(self) -> Box:
        """Around all of it."""
        return (self.x0, self.y0, self.x1, self.y1)

    @property
    def height(self) -> float:
        """Of its line, in pixels."""
        return self.y1 - self.y0

    def stops(self) -> Iterator[tuple[int, int, Word]]:
        """The start and end of each word, as character indexes."""
        place = 0
        for word in self.words:
            place = self.text.find(word[0], place)
            yield place, place + len(word[0]), word
            place += len(word[0])

    def part(self, start: int, end: int) -> Phrase:
        """Some of its characters, without the spaces around them."""
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        is_whole = len(text) == len(self.text)
        if is_whole and (self.words[0][1], self.words[-1][3]) == (self.x0, self.x1):
            return self
        end = start + len(text)
        kept: list[Word] = []
        after = 0
        for word in self.words:
            place = self.text.find(word[0], after)
            after = place + len(word[0])
            if place >= end:
                break
            if after > start:
                is_inside = start <= place and after <= end
                kept.append(word if is_inside else _cut(word, start - place, end - place))
        x0, x1 = sorted((kept[0][1], kept[-1][3])) if kept else (self.x0, self.x1)
        return Phrase(text, x0, self.y0, x1, self.y1, self.line, kept)

    def without_colon(self) -> Phrase:
        """A value without the colon in a separate column before it."""
        bare = self.text.lstrip(" :：")
        return (
            self if bare == self.text else self.part(len(self.text) - len(bare), len(self.text))
        )


def _cut(word: Word, start: int, end: int) -> Word:
    """Some of a word's characters, with their share of its width."""
    text, x0, y0, x1, y1 = word
    start, end, width = max(start, 0), min(end, len(text)), x1 - x0
    left, right = x0 + width * start / len(text), x0 + width * end / len(text)
    return (text[start:end], left, y0, right, y1)
