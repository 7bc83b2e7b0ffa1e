"""Work in a thread that is given up when nobody waits for it any more.

No thread can be stopped from outside. So work that waits for long asks, and says how it is
woken. It finds its cancellation in the context that it runs in, for between the request that
it is done for and the socket that it waits at lie a dozen calls which have no use for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Cancelled(Exception):
    """The work was cancelled; only for the code that cancelled it."""


class Cancellation:
    """Whether somebody still waits for a piece of work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._wakes: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Cancel the work, and wake it where it waits."""
        with self._lock:
            self._cancelled = True
            for wake in self._wakes:
                wake()

    def check(self) -> None:
        """Go on, if somebody waits.

        Raises:
            Cancelled: Nobody does.
        """
        if self._cancelled:
            raise Cancelled

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """A wait, which `wake` ends when the work is cancelled; it must not block or raise.

        Raises:
            Cancelled: It was, before the wait, or in the middle where the wait failed.
        """
        with self._lock:
            self.check()
            self._wakes.append(wake)
        try:
            yield
        except Exception:
            self.check()
            raise
        finally:
            with self._lock:
                self._wakes.remove(wake)


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def current() -> Cancellation:
    """The cancellation of the work that runs here; where it has none, one that never comes."""
    return _current.get() or Cancellation()


@contextmanager
def work() -> Iterator[Cancellation]:
    """A piece of work that can be cancelled, and all that is called in it, threads included."""
    made = Cancellation()
    token = _current.set(made)
    try:
        yield made
    finally:
        _current.reset(token)
