"""Page ranges of documents in, rows out: whatever is wrong with one is in its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pagetide import PagetideError, ReadOptions, open_reader
from pagetide.errors import (
    CannotWrite,
    DiskFull,
    ModelUnavailable,
    RuntimeUnavailable,
    SandboxTooWeak,
    StoreFailed,
    UnknownLanguage,
    WorkerLost,
)
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.integrations.batch.rows import PageRow, failed, row_of
from pagetide.reading import Request
from pagetide.settings import Settings

# These say nothing of a document: with the next one it would be the same.
ENDS_THE_RUN = (
    CannotWrite,
    DiskFull,
    ModelUnavailable,
    RuntimeUnavailable,
    SandboxTooWeak,
    StoreFailed,
    UnknownLanguage,
)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Pages `first` to `last` of a document; `key` is its place in whatever list it is from."""

    key: int
    document: str
    source: Path | bytes
    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Care:
    """How careful to be after the process that read these pages has died.

    Attributes:
        apart: Read each page alone, and say before each which it is.
        lost: Pages that are not to be tried again, by their document's key and their number.
        at: Told the page.
    """

    apart: bool = False
    lost: frozenset[tuple[int, int]] = frozenset()
    at: Callable[[int, int], None] = field(default=lambda key, page: None)


class PageCounter:
    """Counts pages, in a sandbox that starts when it is first needed."""

    def __init__(self, password: str | None = None) -> None:
        self._sandbox = Sandbox(Limits.of(Settings.from_environment()))
        self._password = password

    def count(self, source: Path | bytes) -> int:
        """How many pages a document has.

        Raises:
            PagetideError: It cannot be opened.
        """
        with open_input(source, sandbox=self._sandbox, password=self._password) as opened:
            return opened.info.page_count

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.close()


class PartReader:
    """Keeps its engine from piece to piece."""

    def __init__(
        self,
        model: str = "structure-lite",
        how: ReadOptions | None = None,
        *,
        options: Mapping[str, str | int | float | bool] | None = None,
        threads: int | None = None,
    ) -> None:
        """Make a reader; the engine is opened when the first picture comes.

        Raises:
            BadOption: There is no such model, or it has no such option.
        """
        self._how = how or ReadOptions()
        self._reader = open_reader(model, options=options, threads=threads)

    def rows(self, pieces: Iterable[Piece], care: Care | None = None) -> Iterator[PageRow]:
        """A row for every page of every piece, each once, in order.

        Raises:
            PagetideError: One of `ENDS_THE_RUN`.
        """
        wanted, care = list(pieces), care or Care()
        come = 0
        if not care.apart:
            for row in self._together(wanted):
                come += 1
                yield row
        # The engine broke at a page, or is to be spared: that page, and who comes behind it.
        places = ((piece, n) for piece in wanted for n in range(piece.first, piece.last + 1))
        for number, (piece, page) in enumerate(places):
            if number >= come:
                yield self._alone(piece, page, care)

    def _together(self, pieces: list[Piece]) -> Iterator[PageRow]:
        """The rows of all pieces, until the engine breaks."""
        requests = (self._request(piece, piece.first, piece.last) for piece in pieces)
        try:
            for got in self._reader.stream(requests):
                piece = got.request.tag
                assert isinstance(piece, Piece)  # noqa: S101 - for the type
                if got.error:
                    if isinstance(got.error, ENDS_THE_RUN):
                        raise got.error
                    for page in range(piece.first, piece.last + 1):
                        yield failed(piece.document, got.error, page)
                elif got.page and got.model:
                    yield row_of(piece.document, got.page, got.model)
        except ENDS_THE_RUN:
            raise
        except PagetideError:
            return

    def _alone(self, piece: Piece, page: int, care: Care) -> PageRow:
        if (piece.key, page) in care.lost:
            return failed(piece.document, WorkerLost(), page)
        care.at(piece.key, page)
        try:
            for got in self._reader.stream([self._request(piece, page, page)]):
                if got.error:
                    raise got.error
                if got.page and got.model:
                    return row_of(piece.document, got.page, got.model)
        except ENDS_THE_RUN:
            raise
        except PagetideError as error:
            return failed(piece.document, error, page)
        raise AssertionError("a page that was asked for has not come")

    def _request(self, piece: Piece, first: int, last: int) -> Request:
        how = replace(self._how, pages=f"{first}-{last}")
        return Request(source=piece.source, options=how, tag=piece)

    def close(self) -> None:
        """End the engine."""
        self._reader.close()
