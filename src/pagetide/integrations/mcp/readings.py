"""Pages of documents, read in this process or by a server, and kept for the next question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pagetide.client import Client
from pagetide.document import Page, SourceInfo, page_ranges
from pagetide.engines.catalogue import Models
from pagetide.errors import ResultNotReady
from pagetide.integrations.mcp.document_cache import DocumentCache
from pagetide.reading import Reader
from pagetide.reading.opening import open_reader
from pagetide.reading.options import ReadOptions
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.settings import Settings

MOST_KEPT = 1000  # pages
LOOK_S = 1.0  # how often is seen whether a server's answer is still wanted
MOST_MODELS = 2  # held at once: some take gigabytes

IsWanted = Callable[[], bool]


@dataclass(frozen=True, kw_only=True)
class How:
    """How a document is to be read; see `read_options.ReadOptions`."""

    model: str
    language: str = "auto"
    password: str | None = field(default=None, repr=False)


class Reading(Protocol):
    """Reads pages of a file."""

    def pages(self, path: Path, numbers: str, how: How, wanted: IsWanted) -> Iterator[Page]:
        """These pages, each as soon as it and those before it are done.

        Args:
            path: The file.
            numbers: Such as `1-3,7`.
            how: How.
            wanted: Asked between pages; once it says no, no more come.

        Raises:
            PagetideError: They cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class ReadingHere:
    """Reads in this process, one document after the other."""

    def __init__(self, settings: Settings, trusted: str) -> None:
        """Make it.

        Args:
            settings: As given.
            trusted: The model that its user chose; any other is asked for by a language
                model, and may not have options that name what is on this machine.
        """
        self._settings, self._trusted, self._turn = settings, trusted, threading.Lock()
        self._readers: dict[str, Reader] = {}

    def pages(self, path: Path, numbers: str, how: How, wanted: IsWanted) -> Iterator[Page]:
        """See `Reading`."""
        options = ReadOptions(language=how.language, pages=numbers, password=how.password)
        with self._turn:
            for page in self._reader(how.model).read_pages(path, options):
                if not wanted():
                    return
                yield page

    def close(self) -> None:
        """See `Reading`."""
        for reader in self._readers.values():
            reader.close()

    def _reader(self, model: str) -> Reader:
        if model not in self._readers:
            if model != self._trusted:
                Models(self._settings).pool(model)
            if len(self._readers) == MOST_MODELS:
                self._readers.pop(next(iter(self._readers))).close()
            self._readers[model] = open_reader(model, settings=self._settings)
        return self._readers[model]


class ReadingThere:
    """Has a server read; a job whose pages nobody wants any more is cancelled."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def pages(self, path: Path, numbers: str, how: How, wanted: IsWanted) -> Iterator[Page]:
        """See `Reading`."""
        job = self._client.submit(
            path,
            model=how.model,
            languages=[] if how.language == "auto" else how.language,
            pages=numbers,
            password=how.password,
        )
        while True:
            try:
                ended = self._client.wait(job, timeout_s=LOOK_S)
                break
            except ResultNotReady:
                if not wanted():
                    self._client.cancel(job)
                    return
        yield from self._client.pages(ended)

    def close(self) -> None:
        """See `Reading`."""
        self._client.close()


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A document that is there.

    Attributes:
        path: Its file.
        info: Its name, hash and page count.
        how: How it is read.
    """

    path: Path
    info: SourceInfo
    how: How


class Library:
    """Documents, and the pages of them that were read."""

    def __init__(
        self, documents: DocumentCache, inspector: Inspector, reading: Reading
    ) -> None:
        self._documents, self._inspector, self._reading = documents, inspector, reading
        self._kept: OrderedDict[tuple[str, str, str, int], Page] = OrderedDict()
        self._keeping = threading.Lock()

    def open(self, source: str, how: How) -> Opened:
        """See what a document is.

        Raises:
            PagetideError: It may not be read, is not there, or cannot be opened.
        """
        path, name = self._documents.find(source)
        info = self._inspector.inspect(path, name, how.password)
        return Opened(path=path, info=info, how=how)

    def pages(self, opened: Opened, numbers: Iterable[int], wanted: IsWanted) -> list[Page]:
        """Pages of a document, in order; fewer where they are not wanted any more.

        Raises:
            PagetideError: They cannot be read.
        """
        asked = tuple(numbers)
        found = {n: page for n in asked if (page := self._known(opened, n))}
        missing = [n for n in asked if n not in found]
        if missing:
            spans = page_ranges.written(missing)
            for page in self._reading.pages(opened.path, spans, opened.how, wanted):
                found[page.number] = page
                self._keep(opened, page)
        return [found[n] for n in asked if n in found]

    def close(self) -> None:
        """Let go of readers, sandboxes and files."""
        self._reading.close()
        self._inspector.close()
        self._documents.close()

    def _known(self, opened: Opened, number: int) -> Page | None:
        with self._keeping:
            return self._kept.get(_name(opened, number))

    def _keep(self, opened: Opened, page: Page) -> None:
        if page.error:  # it may be read the next time
            return
        with self._keeping:
            self._kept[_name(opened, page.number)] = page
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)


def _name(opened: Opened, number: int) -> tuple[str, str, str, int]:
    return (opened.info.sha256, opened.how.model, opened.how.language, number)
