"""Several queues as one: each pool has its own, and all the others share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pagetide.server.jobs.job import Task
from pagetide.server.ports import Queue, Receiver


class QueueByPool:
    """The port `ports.Queue` over several, of which it is the only owner.

    A canary's pool, such as `gpu-next`, has the queue of `gpu` unless it has one of its own.
    """

    def __init__(self, others: Queue, named: Mapping[str, Queue]) -> None:
        self._others, self._named = others, dict(named)

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`; each queue is waited for in its turn."""
        queues: dict[int, tuple[Queue, list[Task]]] = {}
        for task in tasks:
            queue = self.of(task.pool)
            queues.setdefault(id(queue), (queue, []))[1].append(task)
        for queue, members in queues.values():
            queue.send(members, trace)

    def receiver(self, pool: str, concurrency: int) -> Receiver:
        """See `ports.Queue`."""
        return self.of(pool).receiver(pool, concurrency)

    def ready(self, pool: str) -> int | None:
        """See `ports.Queue`."""
        return self.of(pool).ready(pool)

    def close(self) -> None:
        """See `ports.Queue`; all are closed, whatever one of them raises."""
        left = [self._others, *self._named.values()]
        self._close(left)

    def of(self, pool: str) -> Queue:
        """The queue of a pool."""
        family = pool.partition("-")[0]
        return self._named.get(pool) or self._named.get(family) or self._others

    def _close(self, left: list[Queue]) -> None:
        if left:
            try:
                left.pop().close()
            finally:
                self._close(left)
