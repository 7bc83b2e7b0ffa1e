"""What keeps a worker from hanging or swelling: a deadline for progress, and its memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path


class Watch:
    """Calls for the end of the process when no progress is seen for too long."""

    def __init__(self, deadline_s: float, abort: Callable[[], None]) -> None:
        """Begin, at rest.

        Args:
            deadline_s: Longest time without progress while work is in hand.
            abort: Called, from a thread of its own, when it has passed.
        """
        self._deadline_s, self._abort = deadline_s, abort
        self._due: float | None = None
        self._changed = threading.Condition()
        self._closed = False
        threading.Thread(target=self._watch, name="pagetide-watch", daemon=True).start()

    def alive(self, times: int = 1) -> None:
        """There is progress; the next is due within so many deadlines."""
        self._set(time.monotonic() + times * self._deadline_s)

    def rest(self) -> None:
        """Nothing is in hand: no progress is due."""
        self._set(None)

    def close(self) -> None:
        """Watch no more."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _set(self, due: float | None) -> None:
        with self._changed:
            sooner = due is not None and (self._due is None or due < self._due)
            self._due = due
            if sooner:  # the thread sleeps too long; a later deadline it sees when it wakes
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._closed:
                left = None if self._due is None else self._due - time.monotonic()
                if left is not None and left <= 0:
                    self._due = None
                    self._abort()
                else:
                    self._changed.wait(left)


def resident_mb() -> float:
    """Memory this process has in RAM, in MB; 0 where it is not known."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
