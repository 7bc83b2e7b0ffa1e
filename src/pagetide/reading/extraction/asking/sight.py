"""Pictures of a document's pages, for a model that sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from pagetide.document import Document
from pagetide.document.answers import Source
from pagetide.errors import PagetideError
from pagetide.reading.extraction.asking.model_server import ModelServer
from pagetide.reading.extraction.pieces import Row
from pagetide.reading.origins import known_or_given, open_origin

MOST_PICTURES = 8  # in one request

Picture = Callable[[int], bytes]
"""Gives a page's picture, as JPEG, by its number."""


class Sight:
    """The pictures that the model sees of each part.

    Attributes:
        unseen: Pages whose picture was not sent, though the model sees.
    """

    def __init__(self, server: ModelServer, picture: Picture | None) -> None:
        self._sees, self._picture = server.sees, picture
        self._known: dict[int, bytes] = {}
        self.unseen: set[int] = set()

    def of(self, rows: Iterable[Row]) -> list[bytes]:
        """Pictures of the pages that rows stand on; none where the model does not see."""
        if not self._sees:
            return []
        numbers = list(dict.fromkeys(row.page for row in rows))
        self.unseen.update(numbers[MOST_PICTURES:])
        found = map(self._of_page, numbers[:MOST_PICTURES])
        return [picture for picture in found if picture]

    def _of_page(self, number: int) -> bytes:
        if number not in self._known:
            try:
                self._known[number] = self._picture(number) if self._picture else b""
            except PagetideError:  # such as of a document whose password is forgotten
                self._known[number] = b""
        if not self._known[number]:
            self.unseen.add(number)
        return self._known[number]


@contextmanager
def picture_of(
    document: Document, source: Source | None, password: str | None
) -> Iterator[Picture | None]:
    """Renders a document's pages; None where it cannot be opened again.

    Raises:
        PagetideError: The `source` that is given cannot be opened, or has changed.
    """
    with ExitStack() as stack:
        picture: Picture | None = None
        try:
            known = known_or_given(document, source, password)
            origin, _ = stack.enter_context(open_origin(known))
            origin.check(document)
            picture = origin.jpeg
        except PagetideError:
            if source is not None:
                raise
        yield picture
