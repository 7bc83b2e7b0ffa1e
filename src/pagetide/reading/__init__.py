"""The reading pipeline: documents in, pages out in order, pictures read many at a time."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from pagetide.document import TEXT_LAYER, Document, ModelInfo, Page
from pagetide.document.known_source import KnownSource, remember
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.engines.pixels import barcodes
from pagetide.errors import PagetideError
from pagetide.inputs import Limits, Source, open_input
from pagetide.inputs.pages import Assemble
from pagetide.inputs.sniff import MediaType
from pagetide.languages import AUTO, find
from pagetide.reading.given import Given, check_kind, source_of
from pagetide.reading.options import Progress, ReadOptions, ReadPage, Request
from pagetide.reading.pages_ahead import Sandboxes, pages_ahead
from pagetide.reading.pages_in_work import Prepared, Work, prepare
from pagetide.settings import Settings, available_cores

__all__ = ["Given", "Progress", "ReadOptions", "ReadPage", "Reader", "Request"]

MOST_TEXT_PAGES_AHEAD = 16  # held back behind a page that is still being read


class Reader:
    """Reads documents with one engine, which it opens for the first picture.

    Any number of threads may use one reader.
    """

    def __init__(
        self,
        open_engine: Callable[[], Engine] | None,
        settings: Settings,
        *,
        vet_language: Callable[[str], object] = find,
    ) -> None:
        """Make a reader.

        Args:
            open_engine: Gives the engine; called at most once. None where only text layers
                are to be read.
            settings: Limits and the like.
            vet_language: Raises where the engine cannot read a language.
        """
        self._open_engine = open_engine
        self._vet_language = cache(vet_language)  # 0.5 ms of a document; refusals are not kept
        self._settings, self._limits = settings, Limits.of(settings)
        self._sandboxes = Sandboxes(self._limits, settings.threads or available_cores())
        self._engine: Engine | None = None
        self._opening = threading.Lock()

    def read(self, source: Given, options: ReadOptions | None = None) -> Document:
        """Read a document whole: a path, bytes, an open file, a picture, an address.

        Pages that cannot be read have an error; the others are included.

        Raises:
            TypeError: The source has none of these types.
            PagetideError: The document cannot be opened, or none of its pages can be read.
        """
        [(_, result)] = self.read_many([source], options)
        if isinstance(result, PagetideError):
            raise result
        return result

    def read_pages(self, source: Given, options: ReadOptions | None = None) -> Iterator[Page]:
        """Read a document and yield each page as soon as it and the pages before it are done.

        Raises:
            PagetideError: The document cannot be opened.
        """
        for work, page, _ in self._stream([self._request(source, options)]):
            if work.error:
                raise work.error
            if page:
                if known := work.known:
                    remember(known, page)
                yield page

    def stream(self, requests: Iterable[Request]) -> Iterator[ReadPage]:
        """Read documents together as they arrive, and yield every page as soon as it is done.

        Args:
            requests: Taken as they are needed: a few pages before they are read.
        """
        for work, page, raw in self._stream(requests):
            yield ReadPage(
                request=work.request,
                page=page,
                raw=raw,
                model=self._model_of([page], work.options.language) if page else None,
                error=work.error,
            )

    def warm(self, language: str = AUTO) -> None:
        """Start opening the engine, and return at once; errors are raised when it is used.

        Args:
            language: What is said of the engine is made ready for it: digests of networks
                take 50 ms, which nobody waits for here.
        """

        def opened() -> None:
            with suppress(PagetideError):  # whoever asks for the engine gets the error
                self._opened_engine().describe(language)

        if self._open_engine:
            threading.Thread(target=opened, name="pagetide-warm", daemon=True).start()

    def read_many(
        self,
        sources: Iterable[Given],
        options: ReadOptions | None = None,
        *,
        on_page: Callable[[Page, int], None] | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> Iterator[tuple[Given, Document | PagetideError]]:
        """Read several documents; their pages are read together.

        Args:
            sources: As for `read`; consumed as needed.
            options: The same for all documents.
            on_page: Called with each page when it is done, and with the number of pages of its
                document to read.
            on_progress: Called with each page, and for each document without a page.

        Yields:
            Each source with its document, or with its error.

        Raises:
            TypeError: A source has a type that cannot be read.
        """
        count, ended = len(sources) if isinstance(sources, Sized) else None, 0
        requests = (self._request(source, options) for source in sources)
        for work, page, _ in self._stream(requests):
            if page:
                work.pages.append(page)
                if on_page:
                    on_page(page, work.page_count)
            has_ended = bool(work.error) or len(work.pages) == work.page_count
            ended += has_ended
            if on_progress:
                on_progress(work.progress(page, ended, count))
            if has_ended:
                yield work.request.source, work.error or self._document(work)

    def close(self) -> None:
        """Stop the engine's threads and the sandbox."""
        self._sandboxes.close()
        with self._opening:
            if self._engine:
                self._engine.close()
                self._engine = None

    def _document(self, work: _Work) -> Document | PagetideError:
        assert work.info  # noqa: S101 - only an opened document has pages
        if work.page_errors and all(page.error for page in work.pages):
            return work.page_errors[min(work.page_errors)]
        from pagetide.structure import settled

        language = work.options.language
        notice = find(language).notice
        document = Document(
            source=work.info,
            model=self._model_of(work.pages, language),
            pages=settled(work.pages),
            warnings=(notice,) if notice else (),
        )
        if known := work.known:
            remember(known, document, *document.pages)
        return document

    def _model_of(self, pages: Sequence[Page], language: str) -> ModelInfo:
        """The model that read the pages: the engine, or the PDF library alone."""
        if self._engine and not all(page.text_layer.used for page in pages):
            return self._engine.describe(language)
        return _text_layer(find(language).code)

    def _done(self, item: Prepared[_Work], reading: PageReading | None = None) -> _Done:
        """A page as it leaves; it names what read it, if that is not what was asked for."""
        if reading is None:  # what has no picture is put together here
            item.work.request.begin()
        page, model = item.page(reading), reading and reading.model
        if page and page.text_layer.used and self._open_engine:
            model = _text_layer(find(item.work.options.language).code)
        if page and model:
            page = msgspec.structs.replace(page, model=model)
        return item.work, page, reading

    def _stream(self, requests: Iterable[Request]) -> Iterator[_Done]:
        """Every page of every request in order; one that cannot be opened comes once."""
        with closing(self._prepared(requests)) as prepared:  # also where the engine fails
            coming: Iterator[Prepared[_Work]] = prepared
            while item := next(coming, None):
                if item.image is None:
                    yield self._done(item)
                else:
                    left: list[Prepared[_Work]] = []
                    yield from self._with_pictures(item, coming, left)
                    coming = chain(left, coming) if left else coming

    def _with_pictures(
        self,
        first: Prepared[_Work],
        prepared: Iterator[Prepared[_Work]],
        left: list[Prepared[_Work]],
    ) -> Iterator[_Done]:
        """Pages from one that must be read on, until a run of pages needs no reading.

        It ends as well where the language changes; the page that was taken too much is put
        into `left`.
        """
        waiting: deque[tuple[Prepared[_Work], bool]] = deque()  # and whether it is being read
        language = first.work.options.language

        def images() -> Iterator[PageImage]:
            item: Prepared[_Work] | None = first
            ready = 0
            while item:
                if item.image and item.work.options.language != language:
                    left.append(item)
                    return
                waiting.append((item.without_picture(), item.image is not None))
                ready = 0 if item.image else ready + 1
                if item.image:
                    item.work.request.begin()
                    yield item.image
                item = next(prepared, None) if ready < MOST_TEXT_PAGES_AHEAD else None

        for reading in self._opened_engine().read(images(), language):
            while not waiting[0][1]:
                yield self._done(waiting.popleft()[0])
            yield self._done(waiting.popleft()[0], reading)
        for item, _ in waiting:
            yield self._done(item)

    def _prepared(self, requests: Iterable[Request]) -> Generator[Prepared[_Work]]:
        for request in requests:
            most = self._limits.page_timeouts_max
            work = _Work(request, text_only=self._open_engine is None, timeouts_max=most)
            try:
                yield from self._pages_of(work)
            except PagetideError as error:
                work.error = error
                yield Prepared(work=work)

    def _pages_of(self, work: _Work) -> Iterator[Prepared[_Work]]:
        options = work.options
        self._vet(options)
        sandbox = self._sandboxes.first
        sandbox.warm()
        with open_input(
            work.opening(),
            sandbox=sandbox,
            limits=self._limits,
            password=options.password,
            on_type=partial(self._expect, options),
        ) as opened:
            numbers = work.open(opened, options.pages)
            others = self._sandboxes.others(len(numbers))
            make = partial(
                prepare,
                work,
                dpi=options.dpi,
                text_layer=options.text_layer,
                barcodes=options.barcodes,
                assemble=_where_it_is_opened() if others else None,
            )
            for item in pages_ahead(opened, others, numbers, make, Prepared.weight):
                if not work.request.wanted():
                    return
                yield item

    def _request(self, source: Given, options: ReadOptions | None) -> Request:
        options = options or ReadOptions()
        check_kind(source)
        self._vet(options)  # an unknown language is refused before anything is opened
        prepare = partial(source_of, settings=self._settings)
        return Request(source=source, options=options, prepare=prepare)

    def _vet(self, options: ReadOptions) -> None:
        """Check that the language can be read, and bar codes where they are asked for.

        A text layer may be in any language that there is.
        """
        only_text = options.text_layer == "only"
        (find if only_text else self._vet_language)(options.language)
        if options.barcodes:
            barcodes.vet()

    def _expect(self, options: ReadOptions, media_type: MediaType) -> None:
        """Prepare what a first page needs, while the sandbox still starts.

        That is the engine, where it is needed for certain, and what puts a page together.
        """
        is_read = media_type is not MediaType.PDF and options.text_layer != "only"
        if self._engine is None and is_read:
            self.warm(options.language)
        importlib.import_module("pagetide.reading.assembled")

    def _opened_engine(self) -> Engine:
        with self._opening:
            if self._engine is None:
                assert self._open_engine  # noqa: S101 - without one no picture comes
                self._engine = self._open_engine()
            return self._engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Work(Work):
    """A request on its way."""

    def __init__(self, request: Request, *, text_only: bool, timeouts_max: int) -> None:
        super().__init__(request.timeouts, timeouts_max)
        self.request = request
        options = request.options
        self.options = replace(options, text_layer="only") if text_only else options
        self._again: os.PathLike[str] | bytes | None = None

    def opening(self) -> Source:
        """What is to be opened; it is remembered where it can be opened again."""
        source = self.request.prepare(self.request.source)
        if isinstance(source, str | Path):
            self._again = Path(source).absolute()  # wherever the process goes
        elif isinstance(source, os.PathLike | bytes):
            self._again = source
        return source

    @property
    def known(self) -> KnownSource | None:
        """What its pages can be had from again; none where a stream was read to its end."""
        if self.info is None or self._again is None:
            return None
        return KnownSource(
            source=self._again, password=self.options.password, sha256=self.info.sha256
        )

    def progress(self, page: Page | None, ended: int, documents: int | None) -> Progress:
        """How far it is, and how many documents have ended with it, of so many."""
        return Progress(
            source=self.request.source,
            page=page,
            pages_done=len(self.pages),
            pages=max(self.page_count, 0),
            documents_done=ended,
            documents=documents,
        )


_Done = tuple[_Work, Page | None, PageReading | None]


def _where_it_is_opened() -> Assemble:
    """Puts a text layer's page together, of a long document in several children at once."""
    from pagetide.reading.assembled import of_text

    return of_text


@cache
def _text_layer(code: str) -> ModelInfo:
    return ModelInfo(
        name=TEXT_LAYER,
        engine="text_layer",
        version=f"pypdfium2 {importlib.metadata.version('pypdfium2')}",
        runtime="pdfium",
        language=code,
    )
