"""The tokens of a section's chunks, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pagetide.exports.chunks.chunking import Chunking
from pagetide.exports.chunks.cutting import cut


@dataclass(frozen=True, kw_only=True)
class Counting:
    """Counts the tokens of a section's chunks.

    Attributes:
        headings: What stands above them, as far as it leaves half of a chunk for the text.
        overlap: Most tokens of one chunk that the next begins with: half of what the headings
            leave, at most.
    """

    headings: tuple[str, ...]
    how: Chunking
    overlap: int

    @classmethod
    def under(cls, headings: Sequence[str], how: Chunking) -> Counting:
        """That of a section under these headings."""

        def fits(text: str) -> bool:
            return how.count(f"{text}\n") <= how.max_tokens // 2

        kept = tuple(headings)
        while len(kept) > 1 and not fits("\n".join(kept)):
            kept = kept[1:]
        if kept and not fits(kept[0]):
            shortened = cut(kept[0], fits)[0]
            kept = (shortened,) if fits(shortened) else ()
        room = how.max_tokens - how.count("\n".join((*kept, "")))
        return cls(headings=kept, how=how, overlap=min(how.overlap, room // 2))

    def tokens(self, text: str) -> int:
        """How many a chunk of this text has, with its headings."""
        return self.how.count("\n".join((*self.headings, text)))

    def fits(self, text: str) -> bool:
        """Whether a chunk may have this text."""
        return self.tokens(text) <= self.how.max_tokens

    def fits_behind_overlap(self, text: str) -> bool:
        """Whether a chunk may have it and begin with the end of the one before."""
        return self.tokens(text) + self.overlap <= self.how.max_tokens

    def is_overlap(self, text: str) -> bool:
        """Whether a chunk may begin with so much of the one before."""
        return self.how.count(text) <= self.overlap
