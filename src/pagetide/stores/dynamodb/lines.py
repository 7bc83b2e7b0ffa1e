"""Tasks by where they stand: waiting in line, or leased."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice

from pagetide.job import Task
from pagetide.ports import Backlog
from pagetide.stores import RANKS
from pagetide.stores.dynamodb import finding
from pagetide.stores.dynamodb.finding import Loaded
from pagetide.stores.dynamodb.items import (
    LEASED,
    line,
    place_in_line,
    through,
    time_of,
    worked_by,
)
from pagetide.stores.dynamodb.requests import Item, Search, Table

_EMPTY_LOOKS, _EMPTY_PAUSE_S = 3, 0.02
_FEW = 8  # the more, the seldomer two meet; the fewer, the nearer to the order


def candidates(table: Table, pool: str, now: float, beside: bool) -> Iterator[Loaded]:
    """What an index says is waiting and due, as it is now; what is void is left out.

    The first in line comes first. Who goes on lost it to somebody who goes on, too, so the
    next few come in any order.
    """
    stopped = False

    def free(entries: Iterator[Item]) -> Iterator[Item]:
        nonlocal stopped
        for each in entries:
            if beside and each["alone"]["S"] == "yes":
                stopped = True
                return
            yield each

    for rank in RANKS.values():
        search = Search(index="lines", partition=line(pool, rank), up_to=through(now))
        wanted = free(table.entries(search))
        lost = False
        for chunk in finding.chunks(table, wanted, (1, _FEW)):
            yield from (
                random.sample(chunk, len(chunk)) if lost and len(chunk) <= _FEW else chunk
            )
            lost = lost or bool(chunk)
        if stopped:
            return


def waiting(table: Table, pool: str, now: float, limit: int) -> tuple[Task, ...]:
    """See `ports.Store`."""
    found: list[Task] = []
    for rank in RANKS.values():
        search = Search(index="lines", partition=line(pool, rank), up_to=through(now))
        left = limit - len(found)
        found += islice(_found(table, search, _waits, left), left)
    return tuple(found)


def next_due(table: Table, pool: str) -> float | None:
    """See `ports.Store`."""
    lines = [Search(index="lines", partition=line(pool, rank)) for rank in RANKS.values()]
    firsts = [next(_found(table, search, _waits, 1), None) for search in lines]
    return min((task.due for task in firsts if task), default=None)


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
    count, oldest = 0, now
    for rank in RANKS.values():
        search = Search(index="lines", partition=line(pool, rank), up_to=through(now))
        first = next(table.entries(search, page=1), None)
        if first:
            oldest = min(oldest, time_of(first["place"]["S"]))
            count += table.count(search)
    held = table.count(Search(index="lines", partition=LEASED, only=("pool", pool)))
    return Backlog(waiting=count, leased=held, oldest_s=now - oldest)


def ahead(table: Table, task: Task, limit: int) -> int:
    """See `ports.Store`."""
    count = 0
    for rank in range(RANKS[task.priority] + 1):
        below = place_in_line(task) if rank == RANKS[task.priority] else None
        search = Search(index="lines", partition=line(task.pool, rank), below=below)
        if count < limit:
            count += table.count(search, limit - count)
    return count


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
