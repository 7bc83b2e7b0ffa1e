"""Documents cut into page ranges, so that none holds a worker for long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct


class Part(Struct, frozen=True, kw_only=True, gc=False):
    """Some pages of a document of a list: its place there, and the first and last page."""

    document: int
    first: int
    last: int

    @property
    def numbers(self) -> range:
        """The pages' numbers."""
        return range(self.first, self.last + 1)


def ranges(pages: int, most: int) -> Iterator[tuple[int, int]]:
    """First and last pages of a document's parts, none longer than `most`."""
    for first in range(1, pages + 1, most):
        yield first, min(first + most - 1, pages)


def grouped(counts: Iterable[tuple[int, int]], most: int) -> list[tuple[Part, ...]]:
    """Documents cut into groups of at most `most` pages, in order, every page in one of them.

    Args:
        counts: Documents' places in their list, and how many pages each has.
        most: Pages of a group; all but the last have as many.
    """
    groups: list[list[Part]] = [[]]
    room = most
    for document, pages in counts:
        first = 1
        while first <= pages:
            if not room:
                groups.append([])
                room = most
            last = min(first + room - 1, pages)
            groups[-1].append(Part(document=document, first=first, last=last))
            room -= last - first + 1
            first = last + 1
    return [tuple(group) for group in groups]
