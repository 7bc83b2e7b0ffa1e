"""A place for a PaddleOCR process, which may come and go."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from pagetide.engines.paddle.process import Answered, DiedBefore, PaddleProcess
from pagetide.errors import EngineFailed, PageFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CLOSED = "The engine is closed."


class ProcessSlot:
    """A place for one process: started when a page comes, and again when one took it down.

    Several threads may use it; their pages wait for each other.
    """

    def __init__(self, python: str, order: dict[str, Any], page_s: float) -> None:
        self._python, self._order, self._page_s = python, order, page_s
        self._process: PaddleProcess | None = None
        self._ended = False
        self._lock = threading.Lock()

    def read(self, pixels: NDArray[np.uint8]) -> Answered:
        """See `PaddleProcess.read`."""
        with self._lock:
            try:
                return self._read(pixels)
            except DiedBefore:  # between two pages: it is not this one's fault
                return self._read(pixels)
            except PageFailed:
                if self._ended:
                    raise EngineFailed(_CLOSED) from None
                raise

    @property
    def is_running(self) -> bool:
        """Whether it has a process."""
        return self._process is not None

    def rest(self) -> None:
        """End the process once the page in work is done; the next page starts another."""
        with self._lock:
            self._drop()

    def end(self) -> None:
        """End the process; a page in work fails."""
        self._ended = True
        if process := self._process:
            process.child.kill()
        with self._lock:
            self._drop()

    def _read(self, pixels: NDArray[np.uint8]) -> Answered:
        process = self._running()
        try:
            return process.read(pixels)
        finally:
            if not process.is_usable:
                self._drop()

    def _running(self) -> PaddleProcess:
        if self._ended:
            raise EngineFailed(_CLOSED)
        if self._process and not self._process.is_usable:
            self._drop()  # it ended between two pages
        if self._process is None:
            self._process = PaddleProcess(self._python, self._order, self._page_s)
        if self._ended:  # while it was started: then `end` may not have seen it
            self._drop()
            raise EngineFailed(_CLOSED)
        return self._process

    def _drop(self) -> None:
        if self._process:
            self._process.end()
            self._process = None
