"""Log lines on their way to a stream that nobody may be reading: nobody waits for it."""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections import deque
from typing import TextIO

MOST = 10_000  # lines that wait; more are dropped, and counted
FLUSH_S = 2.0  # at the end of a process

_all: weakref.WeakSet[Queued] = weakref.WeakSet()


def newly_dropped() -> int:
    """How many lines this process has dropped since this was last asked."""
    return sum(handler.newly_dropped() for handler in list(_all))


class Queued(logging.Handler):
    """Hands lines to a thread of its own that writes them.

    Where nobody reads the stream's other end the thread waits, and nobody else. Lines that
    find no room are dropped; how many is said in a line, once half of the room is free again.
    """

    _lines: deque[str]
    _changed: threading.Condition
    _thread: threading.Thread | None
    _writing: bool
    _dropped: int
    _unreported: int

    def __init__(self, stream: TextIO, most: int = MOST) -> None:
        super().__init__()
        self._stream, self._most = stream, most
        self.begin()
        _all.add(self)

    @property
    def dropped(self) -> int:
        """How many lines were dropped and not reported yet."""
        return self._dropped

    def newly_dropped(self) -> int:
        """How many lines were dropped since this was last asked."""
        with self._changed:
            unreported, self._unreported = self._unreported, 0
        return unreported

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the record's line."""
        line = self.format(record)
        with self._changed:
            if len(self._lines) >= (self._most // 2 if self._dropped else self._most):
                self._dropped += 1
                self._unreported += 1
                return
            if self._dropped:
                self._lines.append(self._dropped_line())
            self._lines.append(line)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write, name="pagetide-log", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def flush(self) -> None:
        """Wait until all is written, but not for long."""
        until = time.monotonic() + FLUSH_S
        with self._changed:
            while self._lines or self._writing:
                if not self._changed.wait(until - time.monotonic()):
                    return

    def begin(self) -> None:
        """Begin anew: in a forked process no thread is left, nor are the lines its own."""
        self._lines = deque()
        self._changed = threading.Condition()
        self._thread = None
        self._writing, self._dropped, self._unreported = False, 0, 0

    def _dropped_line(self) -> str:
        record = logging.makeLogRecord(
            {
                "name": "pagetide.telemetry.logs",
                "levelno": logging.WARNING,
                "levelname": "WARNING",
                "msg": "lines were dropped: nobody read the log",
                "count": self._dropped,
            }
        )
        self._dropped = 0
        return self.format(record)

    def _write(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                while not self._lines:
                    self._changed.wait()
                line, self._writing = self._lines.popleft(), True
            try:
                self._stream.write(f"{line}\n")
                self._stream.flush()
            except (OSError, ValueError):  # its other end is gone: nobody reads
                continue


def _after_fork() -> None:
    for handler in _all:
        handler.begin()


os.register_at_fork(after_in_child=_after_fork)
