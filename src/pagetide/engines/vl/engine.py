"""The PaddleOCR-VL engine: pages in, readings out, the blocks of all of them asked at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec

from pagetide.document import Line, ModelInfo
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.engines.vl.crops import Pixels
from pagetide.engines.vl.plan import Planner
from pagetide.engines.vl.server.in_flight import InFlight, Question
from pagetide.engines.vl.stream import Means, Stream
from pagetide.errors import EngineFailed
from pagetide.languages import find


class Other:
    """The engine that reads what the model could not; opened when first needed."""

    def __init__(self, opener: Callable[[], Engine]) -> None:
        self._open = opener
        self._engine: Engine | None = None
        self._opening = threading.Lock()

    def lines(self, pixels: Pixels, language: str) -> tuple[Line, ...]:
        """The lines on a picture, in its pixels.

        Raises:
            PagetideError: It cannot be opened, or failed.
        """
        with self._opening:
            if self._engine is None:
                self._engine = self._open()
        image = PageImage(pixels=pixels, dpi=144)
        (reading,) = self._engine.read(iter([image]), language)
        if reading.error:
            raise EngineFailed(reading.error.message)
        return reading.lines

    def close(self) -> None:
        """Close the engine, if it was opened."""
        with self._opening:
            if self._engine is not None:
                self._engine.close()
                self._engine = None


class VlEngine:
    """PaddleOCR-VL on a server; see `ports.Engine`.

    One thread runs the event loop in which the server is asked; `threads` others find areas,
    cut them out and put pages together. Pages are taken from their iterators in the callers'
    threads.
    """

    def __init__(
        self,
        planner: Planner,
        open_in_flight: Callable[[], InFlight],
        *,
        model: ModelInfo,
        threads: int,
        slots: int,
        other: Other | None = None,
    ) -> None:
        """Start the threads.

        Args:
            planner: Makes the questions.
            open_in_flight: Called in the event loop; whom to ask.
            model: What `describe` says, but for the language.
            threads: So many pages are prepared at once.
            slots: So many questions are on their way at once.
            other: Reads what the model could not; None leaves it unread.
        """
        self._model = model
        self._other = other
        self._streams: set[Stream] = set()
        self._guard = threading.Lock()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="pagetide-vl", daemon=True
        )
        self._thread.start()
        self._in_flight = asyncio.run_coroutine_threadsafe(
            _called(open_in_flight), self._loop
        ).result()
        self._means = Means(
            plan=planner.plan,
            ask=self._ask,
            drop=self._drop,
            other=other.lines if other else None,
            planners=ThreadPoolExecutor(threads, thread_name_prefix="pagetide-vl-plan"),
            finishers=ThreadPoolExecutor(threads, thread_name_prefix="pagetide-vl-page"),
            slots=slots,
            ahead=threads + 1,
        )

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        return msgspec.structs.replace(self._model, language=find(language).code)

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`. Pages ahead of the one waited for are asked about meanwhile."""
        stream = Stream(images, find(language).code, self._means)
        with self._guard:
            if self._closed:
                raise EngineFailed("The engine is closed.")
            self._streams.add(stream)
        try:
            yield from stream.readings()
        finally:
            with self._guard:
                self._streams.discard(stream)

    def close(self) -> None:
        """Stop the threads; who still reads gets an error."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
            streams = list(self._streams)
        for stream in streams:
            stream.close()
        self._means.planners.shutdown(cancel_futures=True)
        asyncio.run_coroutine_threadsafe(self._in_flight.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._means.finishers.shutdown(cancel_futures=True)
        if self._other:
            self._other.close()

    def _ask(self, caller: Hashable, questions: list[Question]) -> None:
        with suppress(RuntimeError):  # the loop is closed: the stream has its error
            self._loop.call_soon_threadsafe(self._in_flight.put, caller, questions)

    def _drop(self, caller: Hashable) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._in_flight.drop, caller)


async def _called(open_in_flight: Callable[[], InFlight]) -> InFlight:
    return open_in_flight()
