"""One item of a run done: its documents fetched and read, its shard and its note put."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol, Self

import msgspec
from msgspec import Struct

from pagetide import PagetideError, ReadOptions
from pagetide.errors import StoreFailed
from pagetide.integrations.batch.cutting import Part, grouped
from pagetide.integrations.batch.ledger import Ledger, shard_name, staged_name
from pagetide.integrations.batch.part_reader import (
    ENDS_THE_RUN,
    Care,
    PageCounter,
    PartReader,
    Piece,
)
from pagetide.integrations.batch.plan import Bad, Done, Entry, Item, RunOptions
from pagetide.integrations.batch.rows import DocumentRow, PageRow, as_json, failed, in_documents
from pagetide.server.ports import Place
from pagetide.server.wiring import open_place
from pagetide.system.ready_types import ready

_EXAMPLES = 20
_NOTHING: tuple[tuple[Part, ...], ...] = ()


class Job(Struct, frozen=True, kw_only=True):
    """What a worker of a run must know.

    Attributes:
        options: What was asked for.
        target: The target's path or URL.
        threads: Cores of one worker.
    """

    options: RunOptions
    target: str
    threads: int = 1


class Reading(Protocol):
    """What reads pages: see `PartReader`."""

    def rows(self, pieces: Iterable[Piece], care: Care | None = None) -> Iterator[PageRow]:
        """A row for each page."""
        ...

    def close(self) -> None:
        """End the engine."""
        ...


class ItemWorker:
    """Does items, one after the other."""

    def __init__(
        self,
        options: RunOptions,
        target: Place,
        reader: Reading,
        count: Callable[[Path], int],
        open_place: Callable[[str], Place],
    ) -> None:
        self._options, self._target = options, target
        self._reader, self._count = reader, count
        self._place = cache(open_place)

    @classmethod
    def opened(cls, job: Job) -> Self:
        """The worker of a job.

        Raises:
            PagetideError: The target cannot be reached, or an option is wrong.
        """
        options = job.options
        how = ReadOptions(
            language=options.language,
            dpi=options.dpi,
            text_layer=options.text_layer,  # type: ignore[arg-type]  # one of the three
        )
        reader = PartReader(options.model, how, threads=job.threads)
        target = open_place(job.target, make=True)
        return cls(options, target, reader, PageCounter().count, open_place)

    def work(self, item: Item, care: Care) -> Done:
        """Do an item; doing it again puts the same files again.

        Raises:
            PagetideError: One of `part_reader.ENDS_THE_RUN`.
        """
        began = time.monotonic()
        if item.gathers:
            done = self._gathered(item)
        else:
            with tempfile.TemporaryDirectory(prefix="pagetide-batch-") as folder:
                rows, done = self._read(item, Path(folder), care)
            self._put_pages(item, rows)
        done = msgspec.structs.replace(done, seconds=round(time.monotonic() - began, 3))
        Ledger(self._target).note(done)
        return done

    def close(self) -> None:
        """End the engine."""
        self._reader.close()

    def _read(self, item: Item, folder: Path, care: Care) -> tuple[list[PageRow], Done]:
        """The rows of an item, and its note."""
        keys = {part.document for part in item.parts} if item.parts else None
        here = {
            key: self._fetched(entry, folder / str(key))
            for key, entry in enumerate(item.entries)
            if keys is None or key in keys
        }
        rows: list[PageRow] = []
        parts, left = item.parts, _NOTHING
        if parts is None:
            parts, left = self._cut(item, here, rows)
        rows += self._rows(item, parts, here, care)
        begun = 0 if item.parts is not None else len(item.entries)
        return rows, _note(item, rows, begun, left)

    def _cut(
        self, item: Item, here: dict[int, Path | PagetideError], rows: list[PageRow]
    ) -> tuple[tuple[Part, ...], tuple[tuple[Part, ...], ...]]:
        """What a unit reads itself, and what it leaves; what cannot be opened is a row."""
        counts = []
        for key, source in here.items():
            try:
                if isinstance(source, PagetideError):
                    raise source
                counts.append((key, self._count(source)))
            except ENDS_THE_RUN:
                raise
            except PagetideError as error:
                rows.append(failed(item.entries[key].document, error))
        mine, *left = grouped(counts, self._options.pages_per_shard)
        return mine, tuple(left)

    def _rows(
        self,
        item: Item,
        parts: Sequence[Part],
        here: dict[int, Path | PagetideError],
        care: Care,
    ) -> Iterator[PageRow]:
        pieces = []
        for part in parts:
            source, document = here[part.document], item.entries[part.document].document
            if isinstance(source, PagetideError):  # it was there when its pages were counted
                yield from (failed(document, source, n) for n in part.numbers)
                continue
            pieces.append(
                Piece(
                    key=part.document,
                    document=document,
                    source=source,
                    first=part.first,
                    last=part.last,
                )
            )
        yield from self._reader.rows(pieces, care)

    def _fetched(self, entry: Entry, path: Path) -> Path | PagetideError:
        """A document on this machine, or why it cannot be had.

        Raises:
            StoreFailed: Its whole place cannot be reached.
        """
        try:
            place = self._place(entry.place)
        except PagetideError as error:
            return error
        try:
            with path.open("wb") as file:
                place.copy(entry.name, file)
        except StoreFailed as error:
            next(iter(place.files()), None)  # where the place itself answers, it is the file
            return error
        except PagetideError as error:
            return error
        return path

    def _put_pages(self, item: Item, rows: Sequence[PageRow]) -> None:
        if self._options.rows == "documents":
            lines = (msgspec.json.encode(row) + b"\n" for row in rows)
            self._target.put(staged_name(item.name), b"".join(lines))
        else:
            self._put(item.name, rows)

    def _gathered(self, item: Item) -> Done:
        """A shard of documents, of pages that wait until the run has ended."""
        pages: list[PageRow] = []
        for name in item.gathers:
            lines = self._target.read(staged_name(name)).splitlines()
            pages += (msgspec.json.decode(line, type=ready(PageRow)) for line in lines)
        self._put(item.gathers[0], list(in_documents(pages)))
        return Done(item=item.name)

    def _put(self, name: str, rows: Sequence[PageRow] | Sequence[DocumentRow]) -> None:
        options = self._options
        self._target.put(shard_name(name, options), content_of(rows, options))


def content_of(rows: Sequence[PageRow] | Sequence[DocumentRow], options: RunOptions) -> bytes:
    """A shard's bytes."""
    if options.format == "jsonl":
        return b"".join(as_json(row) + b"\n" for row in rows)
    from pagetide.integrations.batch import arrow

    schema = arrow.PAGES if options.rows == "pages" else arrow.DOCUMENTS
    return arrow.parquet_of(rows, schema)


def _note(
    item: Item, rows: Sequence[PageRow], begun: int, left: tuple[tuple[Part, ...], ...]
) -> Done:
    bad = [row for row in rows if row.error]
    return Done(
        item=item.name,
        documents=begun,
        pages=len(rows) - len(bad),
        failed=dict(Counter(row.error.code for row in bad if row.error)),
        examples=tuple(
            Bad(document=row.document, page=row.page, reason=row.error)
            for row in bad[:_EXAMPLES]
            if row.error
        ),
        left=left,
    )
