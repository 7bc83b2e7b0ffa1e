"""Locks and retries, so that threads and processes rarely conflict over a job."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from pagetide.errors import StoreFailed
from pagetide.server.stores.dynamodb.failures import Conflict
from pagetide.server.stores.dynamodb.requests import pauses

T = TypeVar("T")

CONFLICTS_S = 10.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.3


class JobLocks:
    """Locks for jobs: a thread that waits for its turn costs nothing, one that loses does."""

    def __init__(self, count: int = 64) -> None:
        self._locks = [threading.RLock() for _ in range(count)]

    def of(self, job_id: str) -> threading.RLock:
        """The lock of a job; some other jobs have the same."""
        return self._locks[hash(job_id) % len(self._locks)]


def until_done(
    attempt: Callable[[], T],
    pause: Callable[[float], None],
    patience_s: float = CONFLICTS_S,
) -> T:
    """The result of an attempt, repeated as long as others write first.

    Raises:
        StoreFailed: They did all the time.
    """
    until = time.monotonic() + patience_s
    for pause_s in pauses(_FIRST_PAUSE_S, _LONGEST_PAUSE_S):
        try:
            return attempt()
        except Conflict:
            if time.monotonic() > until:
                raise StoreFailed("Too many processes change the same job at once.") from None
        pause(pause_s)
    raise AssertionError("pauses never end")
