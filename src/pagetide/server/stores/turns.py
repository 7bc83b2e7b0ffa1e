"""Serialises writers: threads in a line, processes by a lock on a file.

The system hands a file's lock on at once, and takes it from a process that dies.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Who waits holds a thread, which others may need to read. So where nothing has moved for a
# while few wait, and the others are refused at once.
STUCK_S = 1.0
STUCK_WAITERS = 8


class Line:
    """The threads of a process, one after the other."""

    def __init__(self) -> None:
        self._first, self._counting = threading.Lock(), threading.Lock()
        self._waiting = 0
        self._since: float | None = None  # when the first began to try, until one can go on

    @contextmanager
    def place(self, until: float) -> Iterator[None]:
        """Be the only thread in here.

        Args:
            until: When to give up, by the monotonic clock.

        Raises:
            TimeoutError: The others took longer, or nothing moves and enough are waiting.
        """
        if not self._first.acquire(blocking=False):
            self._wait(until)
        try:
            self._since = self._since or time.monotonic()
            yield
        finally:
            self._first.release()

    def go_on(self) -> None:
        """The one in the place has all it waited for."""
        self._since = None

    def _wait(self, until: float) -> None:
        with self._counting:
            if self._waiting >= STUCK_WAITERS and self._stuck():
                raise TimeoutError
            self._waiting += 1
        try:
            if not self._first.acquire(timeout=_left(until)):
                raise TimeoutError
        finally:
            with self._counting:
                self._waiting -= 1

    def _stuck(self) -> bool:
        since = self._since
        return since is not None and time.monotonic() - since > STUCK_S


class FileTurn:
    """Processes, one after the other; of each, one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._asking = self._wanted = False
        self._had: int | None = None

    @contextmanager
    def held(self, until: float) -> Iterator[None]:
        """Be the only process in here.

        Args:
            until: When to give up, by the monotonic clock.

        Raises:
            TimeoutError: The others took longer.
            OSError: The file cannot be opened.
        """
        file = self._take(until)
        try:
            yield
            fcntl.flock(file, fcntl.LOCK_UN)  # at once, though a child may still hold the file
        finally:
            os.close(file)  # this ends the turn too

    def _take(self, until: float) -> int:
        with self._changed:
            if not self._asking:
                file = os.open(self._path, os.O_RDWR)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return file
                except BlockingIOError:
                    self._ask(file)
            self._wanted = True
            self._changed.wait_for(lambda: self._had is not None, _left(until))
            self._wanted = False
            had, self._had = self._had, None
            if had is None:
                raise TimeoutError
            return had

    def _ask(self, file: int) -> None:
        """Wait in a thread, since a wait for a lock has no timeout.

        Who comes next takes it over, else every wait given up would leave a thread behind.
        """
        self._asking = True
        threading.Thread(
            target=self._wait, args=(file,), name="pagetide-turn", daemon=True
        ).start()

    def _wait(self, file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)
        with self._changed:
            self._asking = False
            if self._wanted:
                self._had = file
                self._changed.notify()
            else:
                fcntl.flock(file, fcntl.LOCK_UN)
                os.close(file)


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())
