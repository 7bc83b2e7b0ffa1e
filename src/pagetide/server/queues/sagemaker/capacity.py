"""Gives an endpoint that gets work its first instance: 0 to 1, and never more."""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

from pagetide.errors import StoreFailed
from pagetide.server.queues.sagemaker.service import EndpointState

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
PATIENCE_S = 1800.0  # for an endpoint that is being changed; the reaper looks at it, too


class Sizes(Protocol):
    """Endpoints that can be looked at and resized."""

    def seen(self, name: str) -> EndpointState:
        """An endpoint as it is now; raises `StoreFailed`."""
        ...

    def resize(self, name: str, instances: int) -> bool:
        """Set the number of instances; False where it cannot be changed now; `StoreFailed`."""
        ...


def woken(sizes: Sizes, name: str) -> bool:
    """Start an instance if there is none; False where that cannot be done just now.

    To be done twice, or by two at once, does nothing more.

    Raises:
        StoreFailed: The endpoint cannot be asked, or refuses.
    """
    return sizes.seen(name).desired > 0 or sizes.resize(name, 1)


class Capacity:
    """Wakes endpoints; what cannot be done at once is tried again in a thread of its own."""

    def __init__(self, sizes: Sizes, pause_s: float = FIRST_PAUSE_S) -> None:
        self._sizes, self._pause_s = sizes, pause_s
        self._asleep: set[str] = set()
        self._lock, self._closed = threading.Lock(), threading.Event()

    def wake(self, name: str) -> None:
        """Start an instance if there is none, now or as soon as possible. Never raises."""
        if self._tried(name):
            return
        with self._lock:
            if name in self._asleep or self._closed.is_set():
                return
            self._asleep.add(name)
        threading.Thread(
            target=self._try_again, args=(name,), name="pagetide-endpoint", daemon=True
        ).start()

    def close(self) -> None:
        """Try nothing again."""
        self._closed.set()

    def _tried(self, name: str) -> bool:
        try:
            return woken(self._sizes, name)
        except StoreFailed as error:
            log.warning("endpoint not woken", extra={"reason": error.message})
            return False

    def _try_again(self, name: str) -> None:
        pause_s, until = self._pause_s, time.monotonic() + PATIENCE_S
        while not self._closed.wait(pause_s) and time.monotonic() < until:
            if self._tried(name):
                break
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        with self._lock:
            self._asleep.discard(name)
