"""The PP-OCR engine: pages in, readings out, lines of many pages read side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pagetide.document import ModelInfo
from pagetide.engines.ppocr.line_reader import read_lines
from pagetide.engines.ppocr.page import PageOptions, read_page
from pagetide.engines.ppocr.runtime import Runtime
from pagetide.engines.ppocr.window import Window
from pagetide.languages import resolve
from pagetide.ports import PageImage, PageReading

WINDOW = 3  # pages whose lines are sorted into batches together; 4 gain 3 % and take 70 MB
WINDOW_PIXELS = 32_000_000  # and no more of them than hold so many pixels


class PPOcrEngine:
    """PP-OCRv6 small on this machine's cores; see `ports.Engine`."""

    def __init__(
        self, runtime: Runtime, *, version: str, threads: int, options: PageOptions
    ) -> None:
        self._runtime = runtime
        self._version = version
        self._options = options
        self._lanes = ThreadPoolExecutor(threads, thread_name_prefix="pagetide-lane")

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        return ModelInfo(
            name="pp-ocrv6",
            engine="ppocr",
            version=self._version,
            runtime=self._runtime.name,
            language=resolve(language).code,
            parts={"detection": "PP-OCRv6_small_det", "recognition": "PP-OCRv6_small_rec"},
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`. The first page is read alone, so that it is there soon."""
        coming = _UntilError(images)
        full = resolve(language).alphabet == "full"
        window = following = self._start(coming, 1, full)
        try:
            while window:
                window.recognise()
                following = self._start(coming, WINDOW, full)
                yield from window.readings()
                window = following
        finally:
            window.abandon()
            following.abandon()
        coming.raise_if_ended_by_error()

    def close(self) -> None:
        """Stop the engine's threads; pages in work are given up."""
        self._lanes.shutdown(cancel_futures=True)

    def _start(self, images: Iterator[PageImage], count: int, full: bool) -> Window:
        pages, pixels = [], 0
        for image in itertools.islice(images, count):
            pages.append(read_page(image.pixels, self._runtime.detect, self._options))
            pixels += image.pixels.shape[0] * image.pixels.shape[1]
            if pixels >= WINDOW_PIXELS:
                break
        return Window(pages, partial(read_lines, self._runtime, full=full), self._lanes)


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
