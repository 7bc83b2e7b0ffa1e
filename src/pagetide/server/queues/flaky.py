"""For tests: a queue that loses some of its wake-ups, and sends some of them twice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pagetide.errors import BadOption
from pagetide.server.jobs.job import Task
from pagetide.server.ports import Queue, Receiver


def flaky(queue: Queue, faults: str) -> FlakyQueue:
    """The queue, with faults.

    Args:
        queue: Does what is not lost.
        faults: The shares that are lost and doubled, such as `0.1,0.2`.

    Raises:
        BadOption: These are not two shares.
    """
    try:
        lost, doubled = map(float, faults.split(","))
    except ValueError:
        raise BadOption("PAGETIDE_QUEUE_FAULTS must be two shares, such as 0.1,0.1.") from None
    return FlakyQueue(queue, lost, doubled)


class FlakyQueue:
    """The port `ports.Queue`, on a bad day."""

    def __init__(self, queue: Queue, lost: float, doubled: float) -> None:
        self._queue, self._lost, self._doubled = queue, lost, doubled

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`."""
        for task in tasks:
            drawn = random.random()  # noqa: S311 - no secret
            if drawn >= self._lost:
                times = 2 if drawn >= 1 - self._doubled else 1
                self._queue.send([task] * times, trace)

    def receiver(self, pool: str, concurrency: int) -> Receiver:
        """See `ports.Queue`."""
        return self._queue.receiver(pool, concurrency)

    def ready(self, pool: str) -> int | None:
        """See `ports.Queue`."""
        return self._queue.ready(pool)

    def close(self) -> None:
        """See `ports.Queue`."""
        self._queue.close()
