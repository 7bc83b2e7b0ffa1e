"""The reading pipeline: documents in, pages out in order, pictures read many at a time."""

from __future__ import annotations

import importlib.metadata
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Self

from pagetide.document import Document, ModelInfo, Page, TextLayerMode
from pagetide.errors import PagetideError
from pagetide.inputs import Limits, Source, open_input
from pagetide.languages import resolve
from pagetide.pages_ahead import Sandboxes, pages_ahead
from pagetide.pages_in_work import Prepared, Work, prepare
from pagetide.ports import Engine, PageImage
from pagetide.settings import Settings, available_cores

MOST_TEXT_PAGES_AHEAD = 16  # held back behind a page that is still being read


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How documents are read.

    Attributes:
        language: A code that `languages.resolve` knows; `auto` reads whatever the model can.
        pages: Which pages, as `page_ranges.parse` reads it; None means all.
        password: For encrypted PDFs.
        dpi: Pixels per inch at which PDF pages are rendered, 72–600.
        text_layer: Whether a page's own text is taken: if it can be trusted, never, or only.
    """

    language: str = "auto"
    pages: str | None = None
    password: str | None = field(default=None, repr=False)
    dpi: float = 144
    text_layer: TextLayerMode = "auto"


class Reader:
    """Reads documents with one engine, which it opens when the first picture comes.

    Any number of threads may read with one reader.
    """

    def __init__(self, open_engine: Callable[[], Engine] | None, settings: Settings) -> None:
        """Make a reader.

        Args:
            open_engine: Gives the engine; called at most once. None where only text layers
                are to be read.
            settings: Limits and the like.
        """
        self._open_engine = open_engine
        self._limits = Limits.of(settings)
        self._sandboxes = Sandboxes(self._limits, settings.threads or available_cores())
        self._engine: Engine | None = None
        self._opening = threading.Lock()

    def read(self, source: Source, options: ReadOptions | None = None) -> Document:
        """Read a document whole.

        Pages that cannot be read carry their error; the others are there.

        Raises:
            PagetideError: The document cannot be opened, or none of its pages can be read.
        """
        [(_, result)] = self.read_many([source], options)
        if isinstance(result, PagetideError):
            raise result
        return result

    def read_pages(self, source: Source, options: ReadOptions | None = None) -> Iterator[Page]:
        """Read a document, giving each page as soon as it and those before it are done.

        Raises:
            PagetideError: The document cannot be opened.
        """
        for work, page in self._stream([source], options or ReadOptions()):
            if work.error:
                raise work.error
            if page:
                yield page

    def read_many(
        self,
        sources: Iterable[Source],
        options: ReadOptions | None = None,
        *,
        on_page: Callable[[Page, int], None] | None = None,
    ) -> Iterator[tuple[Source, Document | PagetideError]]:
        """Read documents one after the other, their pages side by side.

        Args:
            sources: Paths, bytes or binary files; taken as they are needed.
            options: The same for all of them.
            on_page: Called with each page as it is done, and with how many pages of its
                document are read in all.

        Yields:
            Each source with its document, or with the error that kept it from being read.
        """
        options = options or ReadOptions()
        for work, page in self._stream(sources, options):
            if page:
                work.pages.append(page)
                if on_page:
                    on_page(page, work.page_count)
            if work.error or len(work.pages) == work.page_count:
                yield work.source, work.error or self._document(work, options)

    def close(self) -> None:
        """End the engine's threads and the sandbox."""
        self._sandboxes.close()
        with self._opening:
            if self._engine:
                self._engine.close()
                self._engine = None

    def _document(self, work: Work, options: ReadOptions) -> Document | PagetideError:
        assert work.info  # noqa: S101 - only an opened document has pages
        if work.page_errors and all(page.error for page in work.pages):
            return work.page_errors[min(work.page_errors)]
        notice = resolve(options.language).notice
        return Document(
            source=work.info,
            model=self._model_of(work.pages, options.language),
            pages=tuple(work.pages),
            warnings=(notice,) if notice else (),
        )

    def _model_of(self, pages: Sequence[Page], language: str) -> ModelInfo:
        """What read the pages: the engine, or the PDF library where that was enough."""
        if self._engine and not all(page.text_layer.used for page in pages):
            return self._engine.describe(language)
        return ModelInfo(
            name="text-layer",
            engine="text_layer",
            version=f"pypdfium2 {importlib.metadata.version('pypdfium2')}",
            runtime="pdfium",
            language=resolve(language).code,
        )

    def _stream(
        self, sources: Iterable[Source], options: ReadOptions
    ) -> Iterator[tuple[Work, Page | None]]:
        """Every page of every source in order; a source that fails comes once, without."""
        if self._open_engine is None:
            options = replace(options, text_layer="only")
        resolve(options.language)  # an unknown language is told before anything is opened
        prepared = self._prepared(sources, options)
        for item in prepared:
            if item.image is None:
                yield item.work, item.page()
            else:
                yield from self._with_pictures(item, prepared, options.language)

    def _with_pictures(
        self, first: Prepared, prepared: Iterator[Prepared], language: str
    ) -> Iterator[tuple[Work, Page | None]]:
        """Pages from one that must be read on, until a run of pages needs no reading."""
        waiting: deque[Prepared] = deque()

        def images() -> Iterator[PageImage]:
            item: Prepared | None = first
            ready = 0
            while item and ready < MOST_TEXT_PAGES_AHEAD:
                waiting.append(item)
                ready = 0 if item.image else ready + 1
                if item.image:
                    yield item.image
                item = next(prepared, None) if ready < MOST_TEXT_PAGES_AHEAD else None

        for reading in self._opened_engine().read(images(), language):
            while waiting[0].image is None:
                item = waiting.popleft()
                yield item.work, item.page()
            item = waiting.popleft()
            yield item.work, item.page(reading)
        for item in waiting:
            yield item.work, item.page()

    def _prepared(self, sources: Iterable[Source], options: ReadOptions) -> Iterator[Prepared]:
        for source in sources:
            work = Work(source)
            try:
                sandbox = self._sandboxes.first
                sandbox.warm()
                with open_input(
                    source, sandbox=sandbox, limits=self._limits, password=options.password
                ) as opened:
                    numbers = work.open(opened, options.pages)
                    others = self._sandboxes.others(len(numbers))
                    make = partial(
                        prepare, work, dpi=options.dpi, text_layer=options.text_layer
                    )
                    yield from pages_ahead(opened, others, numbers, make, Prepared.weight)
            except PagetideError as error:
                work.error = error
                yield Prepared(work=work)

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
