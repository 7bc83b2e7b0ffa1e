"""Offsets of the pages in `document.json`, so that one page is read without the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from pagetide.document import Document

_EMPTY_PAGES = b'"pages":[]'


class PageIndex(Struct, frozen=True):
    """Where pages stand: number, first byte, and the byte after the last."""

    places: tuple[tuple[int, int, int], ...]

    def place(self, number: int) -> tuple[int, int] | None:
        """First byte of a page and the byte after its last; None where it is not there."""
        return next(((a, b) for n, a, b in self.places if n == number), None)

    def encode(self) -> bytes:
        """The index as a blob."""
        return msgspec.json.encode(self.places)

    @classmethod
    def decode(cls, blob: bytes) -> PageIndex:
        """The index that `encode` wrote."""
        return cls(msgspec.json.decode(blob, type=tuple[tuple[int, int, int], ...]))


class PageWriter:
    """Writes a document's JSON page by page, in constant memory, and notes the places.

    Attributes:
        bytes: Written so far.
    """

    def __init__(self, document: Document) -> None:
        """Begin.

        Args:
            document: Everything but its pages.
        """
        whole = msgspec.json.encode(document)
        self._head, mark, self._tail = whole.partition(_EMPTY_PAGES)
        assert mark  # noqa: S101 - a document without pages has the mark, once and unquoted
        self._head += _EMPTY_PAGES[:-1]
        self._tail = b"]" + self._tail + b"\n"
        self._places: list[tuple[int, int, int]] = []
        self.bytes = 0

    def write(self, pages: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """The JSON in parts.

        Args:
            pages: Number and JSON of each page.
        """
        yield self._counted(self._head)
        for i, (number, page) in enumerate(pages):
            if i:
                yield self._counted(b",")
            start = self.bytes
            yield self._counted(page)
            self._places.append((number, start, self.bytes))
        yield self._counted(self._tail)

    @property
    def index(self) -> PageIndex:
        """The places of the pages written."""
        return PageIndex(tuple(self._places))

    def _counted(self, part: bytes) -> bytes:
        self.bytes += len(part)
        return part
