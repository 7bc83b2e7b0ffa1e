"""The clock that leases are counted by: the store's, wherever a process runs.

A machine's own clock may be minutes off or be set while it runs. Who is ahead would take
tasks from those who hold them, and who is behind would hold them for ever.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from pagetide.errors import PagetideError

log = logging.getLogger(__name__)

EVERY_S = 60.0  # so often the store is asked
SOON_S = 1.0  # then again, where it has never answered
NEAR_S = 2.0  # what whole seconds explain; so near, our own is as good


class StoreClock:
    """Gives the store's time in seconds since the epoch; any thread may call it.

    Between two questions time goes on by the monotonic clock. Nobody waits for an answer:
    while the store is away, or slow to answer, what was last known holds.
    """

    def __init__(
        self,
        ask: Callable[[], float],
        *,
        own: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask, self._own, self._monotonic = ask, own, monotonic
        self._asking = threading.Lock()
        self._offset = own() - monotonic()
        self._due = monotonic() + EVERY_S
        self._far = self._known = False
        self._look()

    def __call__(self) -> float:
        """The time."""
        now = self._monotonic()
        if now >= self._due and self._asking.acquire(blocking=False):
            self._due = now + EVERY_S
            threading.Thread(target=self._look_aside, name="store-clock", daemon=True).start()
        return now + self._offset

    def _look_aside(self) -> None:
        try:
            self._look()
        finally:
            self._asking.release()

    def _look(self) -> None:
        before = self._monotonic()
        try:
            store_now = self._ask()
        except PagetideError as error:
            log.warning("the store did not tell the time", extra={"code": error.code})
            if not self._known:
                self._due = self._monotonic() + SOON_S
            return
        after = self._monotonic()
        # Where it took long, nobody knows when it was so late.
        doubt_s = (after - before) / 2
        self._learn(store_now - (before + after) / 2, self._own() - after, doubt_s)

    def _learn(self, stores: float, ours: float, doubt_s: float) -> None:
        """Take the surest: a slow answer only shows offsets larger than it took."""
        surely = NEAR_S + doubt_s
        if self._known and 2 * doubt_s > NEAR_S and abs(stores - self._offset) <= surely:
            return
        self._known = True
        far = abs(stores - ours) > surely
        if far and not self._far:
            seconds = round(ours - stores, 1)
            log.warning("this machine's clock is off", extra={"seconds": seconds})
        self._offset, self._far = (stores if far else ours), far
