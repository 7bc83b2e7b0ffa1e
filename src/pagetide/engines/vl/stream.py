"""One reading's pages: planned, asked about, put together, and given back in order."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from pagetide.document import Failure, Line
from pagetide.engine import PageImage, PageReading
from pagetide.engines.vl.crops import Pixels
from pagetide.engines.vl.page import page_reading
from pagetide.engines.vl.plan import Plan
from pagetide.engines.vl.server.client import Answer, BlockUnread
from pagetide.engines.vl.server.in_flight import Outcome, Question
from pagetide.errors import EngineFailed, PagetideError

BYTES_HELD = 512 << 20  # of the pictures of pages not given back: the caller may keep them
MORE_PAGES = 4  # than twice the slots may be held back behind a slow one


@dataclass(frozen=True, kw_only=True)
class Means:
    """What a stream works with; all of it may be called from any thread.

    Attributes:
        plan: What is to be asked about a page.
        ask: Lets questions of a caller wait for their turn.
        drop: Forgets a caller's questions.
        other: Reads lines where the model could not, in a language; None where nothing does.
        planners: Threads that plan pages.
        finishers: Where they are put together.
        slots: So many questions are on their way at once, of all callers.
        ahead: So many pages of a stream are planned at once.
    """

    plan: Callable[[Pixels], Plan]
    ask: Callable[[Hashable, list[Question]], None]
    drop: Callable[[Hashable], None]
    other: Callable[[Pixels, str], Sequence[Line]] | None
    planners: Executor
    finishers: Executor
    slots: int
    ahead: int


class Stream:
    """One call of `Engine.read`.

    Pages are taken as long as fewer than twice as many blocks as there are slots wait or are
    on their way: enough that no slot is empty while pages are left, and bounded.
    """

    def __init__(self, images: Iterator[PageImage], language: str, means: Means) -> None:
        self._images = images
        self._language = language
        self._means = means
        self._changed = threading.Condition()
        self._pages: deque[_Page] = deque()
        self._ended = False
        self._error: Exception | None = None
        self._closed = False

    def readings(self) -> Iterator[PageReading]:
        """The pages' readings, in order.

        Raises:
            EngineFailed: The engine was closed meanwhile.
            Exception: What the iterator of images raised, after the pages before it.
        """
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(self._can_go_on)
                    if self._closed:
                        raise EngineFailed("The engine was closed while it was reading.")
                    done = bool(self._pages) and self._pages[0].done
                    hungry = self._has_room() and self._blocks() < self._means.slots
                if not done and not self._has_room():
                    break
                if hungry or not done:
                    self._take()
                if done:
                    yield self._pages.popleft().result()
        finally:
            self._give_up()
        if self._error:
            raise self._error

    def close(self) -> None:
        """End the reading with an error, from another thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _can_go_on(self) -> bool:
        if self._closed or self._has_room():
            return True
        return self._pages[0].done if self._pages else True

    def _blocks(self) -> int:
        return sum(page.open_questions for page in self._pages)

    def _has_room(self) -> bool:
        planning = sum(not page.planned for page in self._pages)
        return (
            not self._ended
            and planning < self._means.ahead
            and self._blocks() < 2 * self._means.slots
            and len(self._pages) < 2 * self._means.slots + MORE_PAGES
            and sum(page.bytes for page in self._pages) < BYTES_HELD
        )

    def _take(self) -> None:
        try:
            image = next(self._images)
        except StopIteration:
            self._ended = True
        except Exception as error:
            self._ended, self._error = True, error
        else:
            page = _Page(image, self._language, self._means, self._changed, caller=self)
            self._pages.append(page)
            page.start(image.pixels)

    def _give_up(self) -> None:
        for page in self._pages:
            page.wanted = False
        self._pages.clear()
        self._means.drop(self)


class _Page:
    """A page on its way. Its fields are changed under the stream's lock."""

    def __init__(
        self,
        image: PageImage,
        language: str,
        means: Means,
        changed: threading.Condition,
        *,
        caller: Hashable,
    ) -> None:
        self.bytes = image.pixels.nbytes
        self.planned = False
        self.done = False
        self.wanted = True
        self.open_questions = 0
        self._language = language
        self._means = means
        self._changed = changed
        self._caller = caller
        self._plan = Plan()
        self._outcomes: list[Answer | BlockUnread] = []
        self._timings: dict[str, float] = {}
        self._asked_at = 0.0
        self._reading: PageReading | None = None
        self._broken: Exception | None = None

    def start(self, pixels: Pixels) -> None:
        """Plan the page in a thread, then ask."""
        with suppress(RuntimeError):  # the engine is closed: the stream gets its error
            self._means.planners.submit(self._guarded, partial(self._ask, pixels))

    def result(self) -> PageReading:
        """What became of the page, once it is done."""
        if self._broken:
            raise self._broken
        assert self._reading  # noqa: S101 - a page is done once it has one
        return self._reading

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except PagetideError as error:
            self._fail(error)
        except Exception as error:
            with self._changed:
                self._broken = error
            self._end(PageReading(lines=()))

    def _ask(self, pixels: Pixels) -> None:
        if not self.wanted:
            return
        started = time.perf_counter()
        plan = self._means.plan(pixels)
        self._asked_at = time.perf_counter()
        self._timings["layout"] = round((self._asked_at - started) * 1000, 1)
        with self._changed:
            self._plan = plan
            self._outcomes = [BlockUnread("No request was sent for it.")] * len(plan.pieces)
            self.open_questions = len(plan.pieces)
            self.planned = True
            self._changed.notify_all()
        if not plan.pieces:
            self._finish()
            return
        questions = [
            Question(
                key=piece.key,
                body=piece.body,
                on_outcome=partial(self._on_outcome, number),
                wanted=lambda: self.wanted,
            )
            for number, piece in sorted(
                enumerate(plan.pieces), key=lambda each: -each[1].length
            )  # the longest first: the page, and a short document, are done sooner
        ]
        self._means.ask(self._caller, questions)

    def _on_outcome(self, number: int, outcome: Outcome) -> None:
        if isinstance(outcome, PagetideError):
            self._fail(outcome)
            return
        with self._changed:
            if self.done:  # it failed over another block
                return
            self._outcomes[number] = outcome
            self.open_questions -= 1
            last = self.open_questions == 0
            self._changed.notify_all()
        if last and self.wanted:
            with suppress(RuntimeError):  # the engine is closed
                self._means.finishers.submit(self._guarded, self._finish)

    def _finish(self) -> None:
        self._timings["blocks"] = round((time.perf_counter() - self._asked_at) * 1000, 1)
        other = self._means.other
        lines = partial(_in_language, other, self._language) if other else None
        reading = page_reading(self._plan, self._outcomes, lines)
        self._end(replace(reading, timings_ms=self._timings))

    def _fail(self, error: PagetideError) -> None:
        self._end(PageReading(lines=(), error=Failure.of(error), timings_ms=self._timings))

    def _end(self, reading: PageReading) -> None:
        with self._changed:
            if self.done:
                return
            self._reading = reading
            self.planned = self.done = True
            self.wanted = False
            self.open_questions = 0
            self._plan, self._outcomes = Plan(), []
            self._changed.notify_all()


def _in_language(
    other: Callable[[Pixels, str], Sequence[Line]], language: str, pixels: Pixels
) -> Sequence[Line]:
    return other(pixels, language)
