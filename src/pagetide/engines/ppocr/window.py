"""A few pages in work together: their lines are sorted by width across all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace

from pagetide.document import Failure
from pagetide.engine import PageReading
from pagetide.engines.ppocr import batches
from pagetide.engines.ppocr.lines.crops import Crop
from pagetide.engines.ppocr.lines.decode import ReadLine
from pagetide.errors import EngineFailed

ReadBatch = Callable[[Sequence[Crop]], list[ReadLine]]


@dataclass(frozen=True)
class ReadRequest:
    """Crops that a page waits for, and who is to read them."""

    crops: list[Crop]
    read: ReadBatch


StagedSteps = Generator[ReadRequest, list[ReadLine], PageReading]
"""Yields what is to be read, is sent a `ReadLine` for each crop, returns the page's reading."""


class Window:
    """Pages read together.

    Making it starts the search for lines. `recognise` hands the found lines to the threads and
    returns; `readings` waits for what they say. Between the two calls the caller starts the
    next window, so that the threads always have work.
    """

    def __init__(
        self,
        pages: Sequence[StagedSteps],
        executor: Executor,
        fits: batches.Fits,
        side_by_side: int,
    ) -> None:
        self._executor, self._fits, self._side_by_side = executor, fits, side_by_side
        self._pages = [_PageInWork(steps) for steps in pages]
        self._steps = [executor.submit(page.advance, []) for page in self._pages]
        self._batches: list[_Batch] = []

    def __bool__(self) -> bool:
        return bool(self._pages)

    def recognise(self) -> None:
        """Hand the lines of all pages, once they are found, to the threads."""
        for step in self._steps:
            step.result()
        asking: dict[ReadBatch, list[tuple[_PageInWork, int]]] = {}
        for page in self._pages:
            places = [(page, i) for i in range(len(page.crops))]
            asking.setdefault(page.read, []).extend(places)
        parts = [
            (read, chosen, [page.crops[i] for page, i in chosen])
            for read, places in asking.items()
            for chosen in self._planned(places)
        ]
        for page in self._pages:
            page.crops = []  # the batches let go of them as they are read
        self._batches = []
        while parts:
            self._batches.append(_Batch(*parts.pop(0), self._executor))

    def _planned(
        self, places: list[tuple[_PageInWork, int]]
    ) -> Iterator[list[tuple[_PageInWork, int]]]:
        widths = [page.crops[i].shape[1] for page, i in places]
        plan = batches.plan(widths, self._fits, self._side_by_side)
        return ([places[n] for n in chosen] for chosen in plan)

    def readings(self) -> Iterator[PageReading]:
        """The pages' readings, in order, once all are done."""
        while self._batches:
            for batch in self._batches:
                batch.collect()
            waiting = [page for page in self._pages if page.waits]
            self._steps = [self._executor.submit(page.advance, page.lines) for page in waiting]
            self.recognise()
        return (page.reading() for page in self._pages)

    def abandon(self) -> None:
        """Take back what no thread has begun: nobody waits for the readings any more."""
        for step in self._steps:
            step.cancel()
        for batch in self._batches:
            batch.done.cancel()


class _PageInWork:
    """One page's steps, the crops it waits for, what they say, and how long it took."""

    def __init__(self, steps: StagedSteps) -> None:
        self._steps = steps
        self._reading: PageReading | None = None
        self.crops: list[Crop] = []
        self.read: ReadBatch = _nobody
        self.lines: list[ReadLine] = []
        self.recognise_ms = 0.0

    @property
    def waits(self) -> bool:
        """Whether it goes on once its lines are read."""
        return bool(self.lines)

    def advance(self, lines: list[ReadLine]) -> None:
        """Go on with what the crops say, to the next crops or to the end."""
        try:
            asked = self._steps.send(lines) if lines else next(self._steps)
            self.crops, self.read = asked.crops, asked.read
        except StopIteration as end:
            self._reading = end.value
        except EngineFailed as error:
            self.fail(error)
        self.lines = [ReadLine()] * len(self.crops)

    def fail(self, error: EngineFailed) -> None:
        """Give the page up: it has an error instead of lines."""
        failure = Failure.of(error)
        self._reading = PageReading(lines=(), error=failure)
        self.lines = []

    def reading(self) -> PageReading:
        """The page's reading, with the milliseconds of one core that its lines took."""
        assert self._reading is not None  # noqa: S101 - a page without crops has ended
        timings = {**self._reading.timings_ms, "recognise": round(self.recognise_ms, 1)}
        return replace(self._reading, timings_ms=timings)


def _nobody(crops: Sequence[Crop]) -> list[ReadLine]:
    raise AssertionError("a page without crops asks nobody")


class _Batch:
    """Lines of several pages being read at once."""

    def __init__(
        self,
        read: ReadBatch,
        places: list[tuple[_PageInWork, int]],
        crops: list[Crop],
        executor: Executor,
    ) -> None:
        self._places, self._crops = places, crops
        self._widths = [crop.shape[1] for crop in crops]
        self.done: Future[tuple[list[ReadLine], float]] = executor.submit(self._timed, read)

    def _timed(self, read: ReadBatch) -> tuple[list[ReadLine], float]:
        started = time.perf_counter()
        lines = read(self._crops)
        self._crops = []
        return lines, (time.perf_counter() - started) * 1000

    def collect(self) -> None:
        """Wait for the lines and give each to its page, with its share of the time."""
        try:
            lines, elapsed_ms = self.done.result()
        except EngineFailed as error:
            for page, _ in self._places:
                page.fail(error)
            return
        columns = sum(self._widths)
        for (page, i), width, line in zip(self._places, self._widths, lines, strict=True):
            if page.waits:  # it may have failed over another batch
                page.lines[i] = line
                page.recognise_ms += elapsed_ms * width / columns
