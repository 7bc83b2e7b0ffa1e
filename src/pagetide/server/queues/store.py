"""The queue without a server: workers poll the store, sooner when notified."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.server.jobs.job import Task
from pagetide.server.ports import Notifications

LOOK_S = 2.0  # a notification may be lost, so the store is asked at least so often


class StoreQueue:
    """The port `ports.Queue` over notifications: a message means whichever task waits first."""

    def __init__(self, notifications: Notifications, look_s: float = LOOK_S) -> None:
        self._notifications, self._look_s = notifications, look_s

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`: notifications say it of every new task already."""

    def receiver(self, pool: str, concurrency: int) -> StoreReceiver:
        """See `ports.Queue`."""
        return StoreReceiver(self._notifications, pool, self._look_s)

    def ready(self, pool: str) -> None:
        """See `ports.Queue`: the store is the queue."""

    def close(self) -> None:
        """See `ports.Queue`; the notifications are their owner's to close."""


class StoreReceiver:
    """The port `ports.Receiver`: says "look" at once, and after a look in vain waits first."""

    def __init__(self, notifications: Notifications, pool: str, look_s: float) -> None:
        self._notifications, self._pool, self._look_s = notifications, pool, look_s
        self._listener = notifications.subscribe(pool)
        self._in_vain = False

    def receive(self, timeout_s: float) -> Look | None:
        """See `ports.Receiver`."""
        if self._in_vain:
            notified = self._listener.wait(min(timeout_s, self._look_s))
            if not notified and timeout_s < self._look_s:
                return None
        self._in_vain = False
        return Look(self)

    def nothing_there(self) -> None:
        """Nothing waits: hear of something before the next look."""
        self._in_vain = True

    def wake(self) -> None:
        """See `ports.Receiver`; the pool's other workers look, too."""
        self._notifications.publish(self._pool)

    def close(self) -> None:
        """See `ports.Receiver`."""
        self._listener.close()


class Look:
    """The port `ports.Message`: the store may have something to do."""

    job_id = task_id = trace = ""
    exact = False

    def __init__(self, receiver: StoreReceiver) -> None:
        self._receiver = receiver

    def renew(self, seconds: float) -> None:
        """See `ports.Message`."""

    def done(self) -> None:
        """See `ports.Message`."""

    def release(self, delay_s: float = 0.0) -> None:
        """See `ports.Message`: there was nothing to do."""
        self._receiver.nothing_there()
