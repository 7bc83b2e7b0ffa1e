"""A queue in this process whose messages are held and redelivered, like those of real ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pagetide.errors import StoreFailed
from pagetide.server.jobs.job import URGENCIES, Task, Urgency

MOST_RELEASES = 1000


@dataclass(eq=False)
class Wake:
    """A message, as `ports.Message`; records what was done with it.

    Attributes:
        free_at: When it can be received next, by the queue's clock; None while there is no
            more of it.
        released: The delays it was released with.
    """

    queue: MessageQueue
    pool: str
    urgency: Urgency
    job_id: str
    task_id: str
    trace: str
    exact: bool = False
    free_at: float | None = 0.0
    renewed: int = 0
    released: list[float] = field(default_factory=list)

    def renew(self, seconds: float) -> None:
        self.renewed += 1
        self.free_at = self.queue.clock() + seconds

    def done(self) -> None:
        self.free_at = None

    def release(self, delay_s: float = 0.0) -> None:
        assert len(self.released) < MOST_RELEASES, "workers turn in circles around a message"
        self.released.append(delay_s)
        self.free_at = self.queue.clock() + delay_s


class MessageQueue:
    """The port `ports.Queue`; a message is held for `hold_s` unless renewed."""

    def __init__(self, hold_s: float = 30.0, clock: Callable[[], float] = time.time) -> None:
        self.hold_s, self.clock = hold_s, clock
        self.messages: list[Wake] = []
        self.away = False
        self._changed = threading.Condition()

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        if self.away:
            return
        with self._changed:
            for task in tasks:
                self.messages.append(
                    Wake(self, task.pool, task.urgency, task.job_id, task.id, trace)
                )
            self._changed.notify_all()

    def receiver(self, pool: str, concurrency: int) -> Inbox:
        return Inbox(self, pool)

    def ready(self, pool: str) -> int:
        if self.away:
            raise StoreFailed("The queue is away.")
        return len(self._free(pool))

    def close(self) -> None:
        pass

    @property
    def left(self) -> list[Wake]:
        """Messages that still exist, held or not."""
        return [message for message in self.messages if message.free_at is not None]

    def lose_all(self) -> None:
        """Like a broker that lost its data."""
        self.messages.clear()

    def take(self, pool: str, timeout_s: float) -> Wake | None:
        with self._changed:
            found = self._free(pool)
            if not found:
                self._changed.wait(min(timeout_s, 0.02))
                found = self._free(pool)
            for message in sorted(found, key=lambda message: URGENCIES.index(message.urgency)):
                message.free_at = self.clock() + self.hold_s
                return message
        return None

    def _free(self, pool: str) -> list[Wake]:
        now = self.clock()
        return [
            message
            for message in self.messages
            if message.pool == pool and message.free_at is not None and message.free_at <= now
        ]


class Inbox:
    """The port `ports.Receiver`."""

    def __init__(self, queue: MessageQueue, pool: str) -> None:
        self._queue, self._pool = queue, pool

    def receive(self, timeout_s: float) -> Wake | None:
        return self._queue.take(self._pool, timeout_s)

    def wake(self) -> None:
        pass

    def close(self) -> None:
        pass
