"""The job store on a DynamoDB table."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import islice
from typing import TypeVar

from msgspec.structs import replace

from pagetide.errors import JobUnknown, StoreFailed
from pagetide.server.jobs import allowances, fair_queueing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.allowances import UNLIMITED, Allowance, Usage
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Backlog, JobQuery, Move
from pagetide.server.stores.dynamodb import clearing, finding, lines, usage, writing
from pagetide.server.stores.dynamodb.failures import Conflict
from pagetide.server.stores.dynamodb.finding import Loaded
from pagetide.server.stores.dynamodb.items import (
    JOB,
    KEYS,
    TASKS,
    active_of,
    at_version,
    end_item,
    end_place,
    job_place,
    job_row,
    key_in,
    key_item,
    name_place,
    owned_by,
    same_as,
    stamp,
    task_row,
    through,
    time_of,
    value_in,
    value_item,
    value_place,
    version_of,
    vouched,
)
from pagetide.server.stores.dynamodb.job_locks import JobLocks, until_done
from pagetide.server.stores.dynamodb.requests import (
    ABSENT,
    MOST_WRITES,
    Place,
    Search,
    Table,
    Write,
    key_of,
    place_of,
)

T = TypeVar("T")

_LOOKS = 4  # at a line of which all that it listed was taken already
_LOOK_S = 0.06


class DynamoStore:
    """A `ports.Store` that any number of processes share.

    Args:
        table: Where everything is.
        clock: The time, by which chores are found that are left over.
    """

    def __init__(self, table: Table, clock: Callable[[], float] = time.time) -> None:
        self._table, self._clock = table, clock
        self._locks, self._claiming = JobLocks(), threading.Lock()

    def submit(self, job: Job, tasks: Iterable[Task], allowance: Allowance = UNLIMITED) -> Job:
        """See `ports.Store`.

        Raises:
            TooLarge: The job takes more room than DynamoDB has for one.
        """
        return self._until_done(partial(self._submit, job, tuple(tasks), allowance))

    def usage(self, owner: str) -> Usage:
        """See `ports.Store`."""
        return usage.usage_of(self._table, owner)

    def job(self, job_id: str) -> Job | None:
        """See `ports.Store`."""
        item = self._table.get(job_place(job_id))
        return None if item is None else job_row(item).job

    def versions(self, job_ids: Collection[str]) -> dict[str, int]:
        """See `ports.Store`."""
        places = {job_place(job_id): job_id for job_id in job_ids}
        found = self._table.get_many(places)
        return {places[place]: version_of(item) for place, item in found.items()}

    def named(self, owner: str, idempotency_key: str) -> Job | None:
        """See `ports.Store`."""
        name = self._table.get(name_place(owner, idempotency_key))
        return None if name is None else self.job(name["job"]["S"])

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """See `ports.Store`; one that was submitted just now may not be listed yet."""
        search = Search(
            index="jobs" if query.owner is None else "owners",
            partition=JOB if query.owner is None else owned_by(query.owner),
            below=None if query.before is None else job_place(query.before)[0],
            newest_first=True,
            only=None if query.status is None else ("status", query.status),
        )
        found = finding.jobs(self._table, search, chunk=query.limit)
        wanted = (job for job in found if query.status in (None, job.status))
        return tuple(islice(wanted, query.limit))

    def same_job(self, owner: str, fingerprint: str) -> Job | None:
        """See `ports.Store`; one that succeeded just now may not be found yet."""
        partition = same_as(owner, fingerprint)
        search = Search(index="known", partition=partition, newest_first=True)
        found = finding.jobs(self._table, search, chunk=2)
        fits = (job for job in found if job.status == "succeeded" and not job.erased)
        return next(fits, None)

    def count_active(self, owner: str | None, limit: int) -> int:
        """See `ports.Store`; what changed just now may not be counted yet."""
        if owner is None:
            return self._table.count(Search(index="states", partition="active"), limit)
        return self._table.count(Search(index="known", partition=active_of(owner)), limit)

    def tasks(self, job_id: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return self._until_done(partial(self._tasks, job_id))

    def claim(
        self, pool: str, worker: str, *, now: float, until: float, token: str, beside: bool
    ) -> tuple[Job, Task] | None:
        """See `ports.Store`; a task that came just now may not be found yet."""

        def take(job: Job, task: Task | None) -> Moved:
            if task is None or task.state != "waiting" or task.due > now:
                raise _Taken
            if beside and task.alone:
                raise _Taken
            return moves.lease(job, task, worker, token, until, now)

        with self._claiming:  # threads that all want the first one would lose to each other
            for _ in range(_LOOKS):
                moved, behind = self._first(pool, now, beside, take)
                if moved is not None:
                    return moved.job, moved.tasks[0]
                if not behind:
                    break
                self._table.pause(random.uniform(0, _LOOK_S))  # noqa: S311 - no secret
        return None

    def change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """See `ports.Store`; every change outlives a power cut.

        Raises:
            TooLarge: The job would take more room than DynamoDB has for one.
        """
        with self._locks.of(job_id):
            return self._until_done(partial(self._change, job_id, task_id, move))

    def overdue(self, now: float, limit: int = 100) -> tuple[Task, ...]:
        """See `ports.Store`; a lease that ended just now may not be found yet."""
        return lines.overdue(self._table, now, limit)

    def leased_to(self, worker: str) -> tuple[Task, ...]:
        """See `ports.Store`; what it took just now may not be found yet."""
        return lines.leased_to(self._table, worker)

    def expired(self, now: float, limit: int = 100) -> tuple[Job, ...]:
        """See `ports.Store`."""
        search = Search(index="states", partition="kept", up_to=through(now))
        found = finding.jobs(self._table, search, chunk=limit)
        past = (job for job in found if job.ended and not job.cleared and job.expires_at <= now)
        return tuple(islice(past, limit))

    def forget(self, before: float, limit: int = 1000) -> int:
        """See `ports.Store`; removes what processes that were killed have left, too."""
        clearing.clear(self._table, self._clock())
        search = Search(index="states", partition="erased", below=stamp(before))
        entries = islice(self._table.entries(search, page=min(limit, 1000)), limit)
        return sum(self._forget(place_of(entry)) for entry in entries)

    def backlog(self, pool: str, now: float) -> Backlog:
        """See `ports.Store`; what changed just now may not be counted yet."""
        return lines.backlog(self._table, pool, now)

    def next_due(self, pool: str) -> float | None:
        """See `ports.Store`; a task that came just now may not be found yet."""
        return lines.next_due(self._table, pool)

    def waiting(self, pool: str, now: float, limit: int) -> tuple[Task, ...]:
        """See `ports.Store`; a task that came just now may not be found yet."""
        return lines.waiting(self._table, pool, now, limit)

    def ahead(self, task: Task, limit: int) -> int:
        """See `ports.Store`; what changed just now may not be counted yet."""
        return lines.ahead(self._table, task, limit)

    def keys(self) -> tuple[ApiKey, ...]:
        """See `ports.Store`."""
        keys = map(key_in, self._table.partition(KEYS))
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.id)))

    def put_key(self, key: ApiKey) -> None:
        """See `ports.Store`."""
        self._until_done(partial(self._table.put, key_item(key)))

    def value(self, name: str, proposed: bytes) -> bytes:
        """See `ports.Store`."""
        return self._until_done(partial(self._value, name, proposed))

    def put_value(self, name: str, value: bytes) -> None:
        """See `ports.Store`."""
        self._until_done(partial(self._table.put, value_item(name, value)))

    def check_writable(self) -> None:
        """See `ports.Store`: what answers, writes."""
        self._table.date()

    def clock(self) -> float:
        """See `ports.Store`: DynamoDB's, to the second."""
        return self._table.date()

    def close(self) -> None:
        """See `ports.Store`."""
        self._table.close()

    def _submit(self, job: Job, tasks: tuple[Task, ...], allowance: Allowance) -> Job:
        earlier = self._named(job)
        if earlier is not None:
            return earlier
        allowances.check(allowance, Usage(), job.active_pages, job.created_at)
        tasks = self._placed(job, tasks)
        try:
            writing.submit(self._table, job, tasks, self._clock, allowance)
        except Conflict:
            if self._named(job) is None:
                self._say_why(job, allowance)
            raise
        return job

    def _say_why(self, job: Job, allowance: Allowance) -> None:
        """Why a job cannot be kept; nothing, where it may be another time.

        Raises:
            PagetideError: That is why.
        """
        if self.job(job.id) is not None:
            raise StoreFailed("A job with this ID already exists.") from None
        if pages := job.active_pages:
            allowances.check(allowance, self.usage(job.owner), pages, job.created_at)

    def _named(self, job: Job) -> Job | None:
        """The job that has this one's idempotency key."""
        if job.idempotency_key is None:
            return None
        return self.named(job.owner, job.idempotency_key)

    def _tasks(self, job_id: str) -> tuple[Task, ...]:
        """A partition is not read at one moment; what changed between is read again."""
        place = job_place(job_id)
        items = {place_of(item): item for item in self._table.partition(place[0])}
        if place not in items:
            return ()
        row = job_row(items[place])
        rows = [task_row(item) for (_, sk), item in items.items() if sk.startswith(TASKS)]
        again = self._table.get(place)
        if again is None or version_of(again) != row.job.version:
            raise Conflict
        return tuple(each.task for each in rows if vouched(row, each))

    def _first(
        self, pool: str, now: float, beside: bool, take: Move
    ) -> tuple[Moved | None, bool]:
        """Take the first that can be taken; or whether the index was behind the table."""
        behind = False
        for found in lines.candidates(self._table, pool, now, beside):
            moved = self._take(found, take)
            if moved is not None:
                return moved, False
            behind = True
        return None, behind

    def _take(self, found: Loaded, take: Move) -> Moved | None:
        try:
            return writing.apply(self._table, found, take(found.job, found.task), self._clock)
        except _Taken:
            return None
        except Conflict:  # with another task of the job, as a rule
            pass
        try:
            return self.change(found.job.id, found.task_id, take)
        except (_Taken, JobUnknown):
            return None

    def _change(self, job_id: str, task_id: str | None, move: Move) -> Moved:
        loaded = finding.load(self._table, job_id, task_id)
        if loaded is None:
            raise JobUnknown
        moved = move(loaded.job, loaded.task)
        moved = replace(moved, tasks=self._placed(moved.job, moved.tasks))
        return writing.apply(self._table, loaded, moved, self._clock)

    def _placed(self, job: Job, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
        """Tasks with their turns. Who submits at the same time may get the same ones."""
        flow = fair_queueing.flow_of(job, tasks)
        if flow is None:
            return tasks
        now = tasks[-1].due
        head = lines.head(self._table, flow.pool, now)
        tasks, end = fair_queueing.placed(
            job, tasks, head=head, last=lambda: self._end_of(flow)
        )
        self._table.put(end_item(flow, end, now))
        return tasks

    def _end_of(self, flow: fair_queueing.Flow) -> float | None:
        known = self._table.get(end_place(flow))
        return time_of(known["ends"]["S"]) if known else None

    def _forget(self, place: Place) -> int:
        """Delete a job with whatever there is of it, the job last; 1, or 0 if it was gone."""
        items = {place_of(item): item for item in self._table.partition(place[0])}
        if place not in items:
            return 0
        rest = [Write(kind="Delete", item=key_of(other)) for other in items if other != place]
        same = at_version(version_of(items[place]))
        try:
            for start in range(0, len(rest), MOST_WRITES):
                self._table.write(*rest[start : start + MOST_WRITES])
            self._table.write(Write(kind="Delete", item=key_of(place), where=same))
        except Conflict:  # with another sweep
            return 0
        return 1

    def _value(self, name: str, proposed: bytes) -> bytes:
        found = self._table.get(value_place(name))
        if found is not None:
            return value_in(found)
        self._table.write(Write(kind="Put", item=value_item(name, proposed), where=ABSENT))
        return proposed

    def _until_done(self, attempt: Callable[[], T]) -> T:
        return until_done(attempt, self._table.pause)


class _Taken(Exception):
    """The task is not to be had."""
