"""The engine's cores: who may compute, so that no more threads work than there are cores."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Cores:
    """A counted resource, lent in the order of asking.

    First come, first served: a caller that needs all cores is not passed by callers that
    need one.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = count
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many callers wait for cores."""
        return len(self._waiting)

    @contextmanager
    def lend(self, wanted: int) -> Iterator[None]:
        """Hold cores for the block's duration; `wanted` is cut to the count there is."""
        wanted = min(wanted, self.count)
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            self._changed.wait_for(lambda: self._waiting[0] is ticket and self._free >= wanted)
            self._waiting.popleft()
            self._free -= wanted
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += wanted
                self._changed.notify_all()
