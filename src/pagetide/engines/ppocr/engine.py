"""The PP-OCR engine: pages in, readings out, lines of many pages read side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pagetide.document import ModelInfo
from pagetide.engine import PageImage, PageReading
from pagetide.engines.ppocr import cascade
from pagetide.engines.ppocr.inference.runtime import Runtime
from pagetide.engines.ppocr.lines.line_reader import read_first, read_lines
from pagetide.engines.ppocr.page import PageOptions, PageSteps, read_page
from pagetide.engines.ppocr.readers import Readers
from pagetide.engines.ppocr.window import StagedSteps, Window
from pagetide.languages import Language, find

WINDOW = 3  # pages whose lines are sorted into batches together; 4 gain 3 % and take 70 MB
WINDOW_PIXELS = 32_000_000  # and no more of them than hold so many pixels


Stages = Callable[[PageSteps], StagedSteps]


class PPOcrEngine:
    """PP-OCR on this machine's cores; see `ports.Engine`."""

    def __init__(
        self,
        name: str,
        readers: Readers,
        *,
        threads: int,
        options: PageOptions,
    ) -> None:
        """Make one; networks are opened when a language first needs them."""
        self._name, self._readers, self._options = name, readers, options
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="pagetide-ppocr")

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here.

        Raises:
            ModelUnavailable: Its networks are not here; the message says what to run.
        """
        asked = find(language)
        reader = self._readers.reader(asked)
        weights = reader.weights
        return ModelInfo(
            name=self._name,
            engine="ppocr",
            version=weights.version,
            runtime=reader.runtime.name,
            language=asked.code,
            parts=weights.parts,
            weights=weights.hashes,
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`. The first page is read alone, so that it is there soon."""
        coming = _UntilError(images)
        asked = find(language)
        runtime = self._readers.reader(asked).runtime
        start = partial(self._start, coming, stages=self._stages(asked), runtime=runtime)
        window = following = start(1)
        try:
            while window:
                window.recognise()
                following = start(WINDOW)
                yield from window.readings()
                window = following
        finally:
            window.abandon()
            following.abandon()
        coming.raise_if_ended_by_error()

    def close(self) -> None:
        """Stop the engine's threads; pages in work are given up."""
        self._executor.shutdown(cancel_futures=True)

    def _start(
        self, images: Iterator[PageImage], count: int, *, stages: Stages, runtime: Runtime
    ) -> Window:
        pages, pixels = [], 0
        for image in itertools.islice(images, count):
            pages.append(stages(read_page(image.pixels, self._readers.detect, self._options)))
            pixels += image.pixels.shape[0] * image.pixels.shape[1]
            if pixels >= WINDOW_PIXELS:
                break
        return Window(pages, self._executor, runtime.fits, runtime.side_by_side)

    def _stages(self, language: Language) -> Stages:
        """Who reads the lines of a page of this language."""
        reader = self._readers.reader(language)
        best = partial(
            read_lines,
            reader.runtime,
            full=language.alphabet == "full",
            right_to_left=language.script == "Arabic",
        )
        if not reader.weights.staged:
            return partial(cascade.single, read=best)
        return partial(cascade.staged, first=partial(read_first, reader.runtime), better=best)


class _UntilError:
    """An iterator that ends where another fails, and keeps the error for later."""

    def __init__(self, items: Iterator[PageImage]) -> None:
        self._items = items
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[PageImage]:
        return self

    def __next__(self) -> PageImage:
        if self._error is not None:
            raise StopIteration
        try:
            return next(self._items)
        except StopIteration:
            raise
        except Exception as error:
            self._error = error
            raise StopIteration from error

    def raise_if_ended_by_error(self) -> None:
        if self._error is not None:
            raise self._error
