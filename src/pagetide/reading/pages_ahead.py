"""Pages prepared ahead of their reading, by several sandboxes where a document is long."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

from pagetide.inputs import Input, Limits, Sandbox

PAGES_A_CHILD = 16  # a child takes 0.3 s to start: fewer pages are not worth another
MOST_CHILDREN = 4
AHEAD = 2  # pages of each child
BYTES_AHEAD = 8 << 20  # and no further while more than these wait to be taken

T = TypeVar("T")


class Sandboxes:
    """The children of one reader: the first for everything, the others for long documents."""

    def __init__(self, limits: Limits, most: int) -> None:
        self._limits = limits
        self._most = max(1, min(most, MOST_CHILDREN))
        self._sandboxes = [Sandbox(limits)]
        self._growing = threading.Lock()

    @property
    def first(self) -> Sandbox:
        """The one that opens every document."""
        return self._sandboxes[0]

    def others(self, pages: int) -> list[Sandbox]:
        """The further sandboxes that a document of so many pages is worth."""
        wanted = min(self._most, -(-pages // PAGES_A_CHILD))
        with self._growing:
            while len(self._sandboxes) < wanted:
                self._sandboxes.append(Sandbox(self._limits))
        return self._sandboxes[1:wanted]

    def close(self) -> None:
        """End all children."""
        for sandbox in self._sandboxes:
            sandbox.close()


def pages_ahead(
    opened: Input,
    others: Sequence[Sandbox],
    numbers: Sequence[int],
    prepare: Callable[[Input, int], T],
    weigh: Callable[[T], int],
) -> Iterator[T]:
    """The results of `prepare` for each page, in order, a few pages ahead of the consumer.

    Args:
        opened: The input, open in its first sandbox.
        others: Sandboxes to open it in as well.
        numbers: Pages, from 1.
        prepare: Called with the input, as open in one of the sandboxes, and a page's number.
        weigh: How many bytes what `prepare` made takes.
    """
    idle: queue.SimpleQueue[Input] = queue.SimpleQueue()
    idle.put(opened)

    def prepared(number: int) -> T:
        chosen = idle.get()
        try:
            return prepare(chosen, number)
        finally:
            idle.put(chosen)

    with ExitStack() as stack:
        for sandbox in others:
            idle.put(stack.enter_context(opened.beside(sandbox)))
        children = 1 + len(others)
        pool = stack.enter_context(ThreadPoolExecutor(children, "pagetide-page"))
        stack.callback(pool.shutdown, cancel_futures=True)
        waiting: deque[Future[T]] = deque()
        for number in numbers:
            waiting.append(pool.submit(prepared, number))
            while len(waiting) > AHEAD * children or _weight(waiting, weigh) > BYTES_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _weight(waiting: deque[Future[T]], weigh: Callable[[T], int]) -> int:
    return sum(weigh(future.result()) for future in waiting if future.done())
