"""Tasks by their place in the indexes: waiting, or leased."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice

from pagetide.server.jobs.fair_queueing import Head
from pagetide.server.jobs.job import SYSTEM, Priority, Task
from pagetide.server.ports import Backlog
from pagetide.server.stores.dynamodb import finding
from pagetide.server.stores.dynamodb.finding import Loaded
from pagetide.server.stores.dynamodb.items import (
    LEASED,
    line,
    place_in_line,
    stamp,
    through,
    time_of,
    worked_by,
)
from pagetide.server.stores.dynamodb.requests import Item, Search, Table

_EMPTY_LOOKS, _EMPTY_PAUSE_S = 3, 0.02
_LOOKED_AT = 100
_FEW = 8  # the more, the seldomer two meet; the fewer, the nearer to the order


def candidates(table: Table, pool: str, now: float, beside: bool) -> Iterator[Loaded]:
    """Due tasks that an index lists, as they are now; void ones are left out.

    The first in line comes first. Who goes on lost it to somebody who goes on, too, so the
    next few come in any order.
    """

    def free(entries: Iterator[Item]) -> Iterator[Item]:
        for each in entries:
            if beside and each["alone"]["S"] == "yes":
                return
            yield each

    lost = False
    for chunk in finding.chunks(table, free(table.entries(_due(pool, now))), (1, _FEW)):
        yield from (random.sample(chunk, len(chunk)) if lost and len(chunk) <= _FEW else chunk)
        lost = lost or bool(chunk)


def waiting(table: Table, pool: str, now: float, limit: int) -> tuple[Task, ...]:
    """See `ports.Store`."""
    return tuple(islice(_found(table, _due(pool, now), _waits, limit), limit))


def next_due(table: Table, pool: str) -> float | None:
    """See `ports.Store`; of the first hundred in line, where more wait."""
    line_up = Search(index="lines", partition=line(pool))
    first = islice(_found(table, line_up, _waits, _LOOKED_AT), _LOOKED_AT)
    return min((task.due for task in first), default=None)


def backlog(table: Table, pool: str, now: float) -> Backlog:
    """See `ports.Store`.

    What moves between two counts, or is just leaving one index for another, would be in
    neither: so nothing is believed only when it was seen three times.
    """
    for _ in range(_EMPTY_LOOKS - 1):
        found = _counted(table, pool, now)
        if found.waiting or found.leased:
            return found
        table.pause(_EMPTY_PAUSE_S)
    return _counted(table, pool, now)


def _counted(table: Table, pool: str, now: float) -> Backlog:
    due = _due(pool, now)
    first = list(islice(table.entries(due, page=_LOOKED_AT), _LOOKED_AT))
    oldest = min((time_of(entry["due"]["S"]) for entry in first), default=now)
    count = table.count(due) if first else 0
    held = table.count(Search(index="lines", partition=LEASED, only=("pool", pool)))
    return Backlog(waiting=count, leased=held, oldest_s=now - oldest)


def ahead(table: Table, task: Task, limit: int) -> int:
    """See `ports.Store`."""
    below = place_in_line(task)
    return table.count(Search(index="lines", partition=line(task.pool), below=below), limit)


def head(table: Table, pool: str, now: float) -> Head | None:
    """The first task in a pool's line."""
    first = next(table.entries(_due(pool, now), page=_FEW), None)
    if first is None:
        return None
    priority: Priority = "batch" if first["priority"]["S"] == "batch" else "interactive"
    return Head(time_of(first["place"]["S"]), priority)


def _due(pool: str, now: float) -> Search:
    """The due tasks of a pool; notifications, which have no turns, are sorted by it."""
    up_to = through(now) if pool == SYSTEM else None
    return Search(index="lines", partition=line(pool), up_to=up_to, due=stamp(now))


def overdue(table: Table, now: float, limit: int) -> tuple[Task, ...]:
    """See `ports.Store`."""
    search = Search(index="lines", partition=LEASED, up_to=through(now))
    past = (task for task in _found(table, search, _is_held, limit) if _until(task) <= now)
    return tuple(sorted(islice(past, limit), key=_until))


def leased_to(table: Table, worker: str) -> tuple[Task, ...]:
    """See `ports.Store`."""
    search = Search(index="workers", partition=worked_by(worker))
    held = _found(table, search, _is_held, 8)
    return tuple(task for task in held if task.lease and task.lease.worker == worker)


def _found(
    table: Table, search: Search, wanted: Callable[[Task], bool], most: int
) -> Iterator[Task]:
    read = (each.task for each in finding.tasks(table, search, most))
    return (task for task in read if task is not None and wanted(task))


def _waits(task: Task) -> bool:
    return task.state == "waiting"


def _is_held(task: Task) -> bool:
    return task.lease is not None


def _until(task: Task) -> float:
    return task.lease.until if task.lease else 0.0
