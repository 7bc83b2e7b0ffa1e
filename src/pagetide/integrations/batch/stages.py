"""The two stages of a pipeline, whichever engine runs them: documents cut, then read.

Rows in have a `path` (or the URL of an object), or `bytes`, and may have a `document`, which
names it in the rows that come out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pagetide import PagetideError, ReadOptions
from pagetide.integrations.batch.apart import Apart
from pagetide.integrations.batch.cutting import ranges
from pagetide.integrations.batch.part_reader import Care, PageCounter, PartReader, Piece
from pagetide.integrations.batch.rows import PageRow, failed
from pagetide.integrations.batch.sources import entry_of
from pagetide.server.wiring import open_place

Row = Mapping[str, Any]
MOST = 64
UNOPENED = 0  # the `first` of a document whose pages could not be counted


class Cutter:
    """Counts pages, and gives a row for each part of a document."""

    def __init__(self, pages_per_part: int = MOST) -> None:
        self._most, self._counter = pages_per_part, PageCounter()

    def cut(self, row: Row) -> Iterator[dict[str, Any]]:
        """The row again for each part, with its `first` and `last` page.

        One that cannot be opened comes with 0 for both: reading it says why.
        """
        document = named(row)
        kept = {"document": document, "path": row.get("path"), "bytes": row.get("bytes")}
        try:
            with tempfile.TemporaryDirectory(prefix="pagetide-cut-") as folder:
                pages = self._counter.count(fetched(row, Path(folder)))
        except PagetideError:
            yield {**kept, "first": UNOPENED, "last": UNOPENED}
            return
        for first, last in ranges(pages, self._most):
            yield {**kept, "first": first, "last": last}

    def close(self) -> None:
        """End the process that counts."""
        self._counter.close()


class StageWorker:
    """Reads parts; runs in a process of its own."""

    def __init__(
        self, model: str, how: ReadOptions, options: Mapping[str, Any], threads: int | None
    ) -> None:
        self._reader = PartReader(model, how, options=options, threads=threads)
        self._counter = PageCounter(how.password)

    def work(self, row: Row, care: Care) -> list[PageRow]:
        """The rows of a part, or of a document that was not cut."""
        document = named(row)
        with tempfile.TemporaryDirectory(prefix="pagetide-read-") as folder:
            try:
                source = fetched(row, Path(folder))
                first, last = row.get("first") or UNOPENED, row.get("last") or UNOPENED
                if first == UNOPENED:
                    first, last = 1, self._counter.count(source)
            except PagetideError as error:
                return [failed(document, error)]
            piece = Piece(key=0, document=document, source=source, first=first, last=last)
            return list(self._reader.rows([piece], care))

    def close(self) -> None:
        """End the engine and the sandbox."""
        self._reader.close()
        self._counter.close()


class PartsReader:
    """Reads parts, each page once; what kills the process that reads costs one page."""

    def __init__(
        self,
        model: str = "structure-lite",
        how: ReadOptions | None = None,
        options: Mapping[str, str | int | float | bool] | None = None,
        threads: int | None = 1,
    ) -> None:
        """Prepare; the engine is opened when the first picture comes.

        Args:
            model: What reads the pictures.
            how: Language, resolution and the like.
            options: What the model takes beside, by name.
            threads: Cores of this reader.
        """
        make = partial(StageWorker, model, how or ReadOptions(), dict(options or {}), threads)
        self._apart = Apart(make)

    def rows(self, rows: Iterable[Row]) -> Iterator[PageRow]:
        """The pages of all rows, in order.

        Raises:
            PagetideError: The model is not installed, and the like: no row can be read.
        """
        for row in rows:
            yield from self._apart.work(dict(row))

    def close(self) -> None:
        """End it."""
        self._apart.close()


def named(row: Row) -> str:
    """What the pages of a row call their document."""
    return str(row.get("document") or row.get("path") or "")


def fetched(row: Row, folder: Path) -> Path | bytes:
    """A row's document on this machine.

    Raises:
        PagetideError: It cannot be had.
    """
    if (held := row.get("bytes")) is not None:
        return bytes(held)
    path = str(row.get("path") or "")
    if "://" not in path:
        return Path(path)
    entry, file = entry_of(path, Path()), folder / "document"
    with file.open("wb") as into:
        open_place(entry.place).copy(entry.name, into)
    return file
