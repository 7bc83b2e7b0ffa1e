"""Messages of a cloud queue while a worker holds them: renewed, deleted, released."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from typing import Protocol

from pagetide.errors import StoreFailed
from pagetide.server.queues.wake_text import WakeText

log = logging.getLogger(__name__)

LONGEST_HIDDEN_S = 43200  # SQS takes no more


class Handle(Protocol):
    """A message as its service knows it, while it is ours. What is gone is no error."""

    def hide(self, seconds: int) -> None:
        """Hide it from others for so long from now on.

        Raises:
            StoreFailed: The service cannot be reached.
        """
        ...

    def delete(self) -> None:
        """Delete it for good.

        Raises:
            StoreFailed: The service cannot be reached.
        """
        ...


class Held:
    """The port `ports.Message`, until it is done or released: then it does nothing.

    A lock keeps a renewal from hiding again what another thread has just released.
    """

    exact = False

    def __init__(self, text: WakeText, handle: Handle, let_go: Callable[[Held], None]) -> None:
        self.job_id, self.task_id, self.trace = text.job, text.task, text.traceparent
        self._handle: Handle | None = handle
        self._let_go = let_go
        self._lock = threading.Lock()

    def renew(self, seconds: float) -> None:
        """See `ports.Message`; whole seconds, rounded up."""
        with self._lock:
            if handle := self._handle:
                self._quietly(lambda: handle.hide(whole(seconds, least=1)))

    def done(self) -> None:
        """See `ports.Message`."""
        self._end(lambda handle: handle.delete())

    def release(self, delay_s: float = 0.0) -> None:
        """See `ports.Message`; whole seconds, rounded up."""
        self._end(lambda handle: handle.hide(whole(delay_s)))

    def _end(self, act: Callable[[Handle], None]) -> None:
        with self._lock:
            handle, self._handle = self._handle, None
            if handle:
                self._quietly(lambda: act(handle))
        self._let_go(self)

    def _quietly(self, act: Callable[[], None]) -> None:
        try:
            act()
        except StoreFailed as error:
            extra = {"task": self.task_id, "code": error.code}
            log.warning("wake-up not held or let go", extra=extra)
        except Exception:  # an SDK's own mistake; the message comes again
            log.exception("wake-up not held or let go", extra={"task": self.task_id})


class HeldMessages:
    """The messages that one receiver has given out and that are still held."""

    def __init__(self) -> None:
        self._held: set[Held] = set()
        self._lock = threading.Lock()

    def hold(self, text: WakeText, handle: Handle) -> Held:
        """A message that is held from now on."""
        held = Held(text, handle, self._let_go)
        with self._lock:
            self._held.add(held)
        return held

    def release(self) -> None:
        """Release all of them."""
        with self._lock:
            left = tuple(self._held)
        for held in left:
            held.release()

    def _let_go(self, held: Held) -> None:
        with self._lock:
            self._held.discard(held)


def whole(seconds: float, least: int = 0) -> int:
    """Whole seconds, rounded up, as far as the services take them."""
    return max(least, min(math.ceil(seconds), LONGEST_HIDDEN_S))
