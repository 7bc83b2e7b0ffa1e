"""The job store in this process's memory: for tests, and for a server that need not last."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable

from msgspec.structs import replace

from pagetide.errors import BadOption, JobUnknown, StoreFailed
from pagetide.server.jobs import allowances, fair_queueing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.allowances import UNLIMITED, Allowance, Usage
from pagetide.server.jobs.fair_queueing import Head
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Backlog, JobQuery, Move

Place = tuple[float, float, str, str]


def open_store(url: str) -> MemoryStore:
    """An empty store.

    Args:
        url: `memory:`.

    Raises:
        BadOption: The URL says more than that.
    """
    if url != "memory:":
        raise BadOption("The store's URL must be just memory:")
    return MemoryStore()


class MemoryStore:
    """A `ports.Store` that any number of threads of one process share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, dict[str, Task]] = {}
        self._named: dict[tuple[str, str | None], str] = {}
        # The waiting tasks of each pool in the order they are claimed in, and who is leased.
        self._waiting: defaultdict[str, list[Place]] = defaultdict(list)
        self._leased: dict[tuple[str, str], Task] = {}
        self._ends: dict[fair_queueing.Flow, float] = {}
        self._usage: defaultdict[str, Usage] = defaultdict(Usage)
        self._keys: dict[str, ApiKey] = {}
        self._secrets: dict[str, bytes] = {}

    def submit(self, job: Job, tasks: Iterable[Task], allowance: Allowance = UNLIMITED) -> Job:
        """See `ports.Store`."""
        with self._lock:
            name = (job.owner, job.idempotency_key)
            if name in self._named:
                return self._jobs[self._named[name]]
            if job.id in self._jobs:
                raise StoreFailed("A job with this ID already exists.")
            self._use(job, allowance)
            if job.idempotency_key is not None:
                self._named[name] = job.id
            self._tasks[job.id] = {}
            self._write(job, self._placed(job, tuple(tasks)))
        return job

    def usage(self, owner: str) -> Usage:
        """See `ports.Store`."""
        with self._lock:
            return self._usage.get(owner, Usage())

    def job(self, job_id: str) -> Job | None:
        """See `ports.Store`."""
        with self._lock:
            return self._jobs.get(job_id)

    def versions(self, job_ids: Collection[str]) -> dict[str, int]:
        """See `ports.Store`."""
        with self._lock:
            found = ((job_id, self._jobs.get(job_id)) for job_id in job_ids)
            return {job_id: job.version for job_id, job in found if job}

    def named(self, owner: str, idempotency_key: str) -> Job | None:
        """See `ports.Store`."""
        with self._lock:
            found = self._named.get((owner, idempotency_key))
            return None if found is None else self._jobs[found]

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """See `ports.Store`."""
        found = [job for job in self._newest() if _wanted(job, query)]
        return tuple(found[: query.limit])

    def same_job(self, owner: str, fingerprint: str) -> Job | None:
        """See `ports.Store`."""
        wanted = (owner, fingerprint, "succeeded", False)
        for job in self._newest():
            if (job.owner, job.fingerprint, job.status, job.erased) == wanted:
                return job
        return None

    def count_active(self, owner: str | None, limit: int) -> int:
        """See `ports.Store`."""
        active = [job for job in self._newest() if not job.ended]
        return min(limit, sum(owner in (None, job.owner) for job in active))

    def tasks(self, job_id: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        with self._lock:
            return tuple(task for _, task in sorted(self._tasks.get(job_id, {}).items()))

    def claim(
        self, pool: str, worker: str, *, now: float, until: float, token: str, beside: bool
    ) -> tuple[Job, Task] | None:
        """See `ports.Store`."""
        with self._lock:
            for _, due, task_id, job_id in self._waiting[pool]:
                task = self._tasks[job_id][task_id]
                if due <= now:
                    break
            else:
                return None
            if beside and task.alone:
                return None
            job = self._jobs[job_id]
            moved = self._moved(job, moves.lease(job, task, worker, token, until, now))
        return moved.job, moved.tasks[0]

    def change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """See `ports.Store`."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                raise JobUnknown
            task = self._tasks[job_id].get(task_id) if task_id is not None else None
            return self._moved(job, move(job, task))

    def overdue(self, now: float, limit: int = 100) -> tuple[Task, ...]:
        """See `ports.Store`."""
        found = [(_until(task), task) for task in self._held() if _until(task) <= now]
        return tuple(task for _, task in sorted(found, key=lambda pair: pair[0])[:limit])

    def leased_to(self, worker: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        held = [task for task in self._held() if task.lease and task.lease.worker == worker]
        return tuple(sorted(held, key=lambda task: task.id))

    def expired(self, now: float, limit: int = 100) -> tuple[Job, ...]:
        """See `ports.Store`."""
        kept = [job for job in self._newest() if job.ended and not job.cleared]
        past = [job for job in kept if job.expires_at <= now]
        return tuple(sorted(past, key=lambda job: job.expires_at)[:limit])

    def forget(self, before: float, limit: int = 1000) -> int:
        """See `ports.Store`."""
        with self._lock:
            erased = [job for job in self._jobs.values() if job.cleared]
            past = [job.id for job in erased if job.expires_at < before][:limit]
            for job_id in past:
                del self._jobs[job_id]
                del self._tasks[job_id]
        return len(past)

    def backlog(self, pool: str, now: float) -> Backlog:
        """See `ports.Store`."""
        with self._lock:
            leased = sum(task.pool == pool for task in self._leased.values())
            dues = [due for _, due, _, _ in self._waiting[pool] if due <= now]
        oldest_s = now - min(dues, default=now)
        return Backlog(waiting=len(dues), leased=leased, oldest_s=oldest_s)

    def next_due(self, pool: str) -> float | None:
        """See `ports.Store`."""
        with self._lock:
            return min((due for _, due, _, _ in self._waiting[pool]), default=None)

    def waiting(self, pool: str, now: float, limit: int) -> tuple[Task, ...]:
        """See `ports.Store`."""
        with self._lock:
            due = [place for place in self._waiting[pool] if place[1] <= now]
            return tuple(self._tasks[job_id][task_id] for _, _, task_id, job_id in due[:limit])

    def ahead(self, task: Task, limit: int) -> int:
        """See `ports.Store`."""
        with self._lock:
            return min(limit, bisect_left(self._waiting[task.pool], _place(task)))

    def keys(self) -> tuple[ApiKey, ...]:
        """See `ports.Store`."""
        with self._lock:
            return tuple(sorted(self._keys.values(), key=lambda key: (key.created_at, key.id)))

    def put_key(self, key: ApiKey) -> None:
        """See `ports.Store`."""
        with self._lock:
            self._keys[key.id] = key

    def value(self, name: str, proposed: bytes) -> bytes:
        """See `ports.Store`."""
        with self._lock:
            return self._secrets.setdefault(name, proposed)

    def put_value(self, name: str, value: bytes) -> None:
        """See `ports.Store`."""
        with self._lock:
            self._secrets[name] = value

    def check_writable(self) -> None:
        """See `ports.Store`: it always does."""

    def clock(self) -> float:
        """See `ports.Store`: this process's."""
        return time.time()

    def close(self) -> None:
        """See `ports.Store`."""

    def _newest(self) -> list[Job]:
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: job.id, reverse=True)

    def _held(self) -> list[Task]:
        with self._lock:
            return list(self._leased.values())

    def _use(self, job: Job, allowance: Allowance) -> None:
        if pages := job.active_pages:
            usage, now = self._usage[job.owner], job.created_at
            allowances.check(allowance, usage, pages, now)
            self._usage[job.owner] = allowances.used(usage, pages, now)

    def _moved(self, old: Job, moved: Moved) -> Moved:
        moved = replace(moved, job=replace(moved.job, version=old.version + 1))
        if given_back := old.active_pages - moved.job.active_pages:
            usage = self._usage[old.owner]
            left = usage.active_pages - given_back
            self._usage[old.owner] = replace(usage, active_pages=left)
        mine = self._tasks[old.id]
        for task in [task for task in mine.values() if moved.drop in ("all", task.kind)]:
            self._take(mine.pop(task.id))
        if old.idempotency_key != moved.job.idempotency_key:
            self._named.pop((old.owner, old.idempotency_key), None)
        moved = replace(moved, tasks=self._placed(moved.job, moved.tasks))
        self._write(moved.job, moved.tasks)
        return moved

    def _write(self, job: Job, tasks: Iterable[Task]) -> None:
        self._jobs[job.id] = job
        mine = self._tasks[job.id]
        for task in tasks:
            if task.id in mine:
                self._take(mine[task.id])
            mine[task.id] = task
            if task.state == "waiting":
                insort(self._waiting[task.pool], _place(task))
            elif task.state == "leased":
                self._leased[task.job_id, task.id] = task

    def _placed(self, job: Job, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
        flow = fair_queueing.flow_of(job, tasks)
        if flow is None:
            return tasks
        line, now = self._waiting[flow.pool], tasks[-1].due
        first = next((place for place in line if place[1] <= now), None)
        head = None
        if first:
            head = Head(first[0], self._tasks[first[3]][first[2]].priority)
        tasks, self._ends[flow] = fair_queueing.placed(
            job, tasks, head=head, last=lambda: self._ends.get(flow)
        )
        return tasks

    def _take(self, task: Task) -> None:
        """Take a task out of its line."""
        self._leased.pop((task.job_id, task.id), None)
        if task.state == "waiting":
            line = self._waiting[task.pool]
            del line[bisect_left(line, _place(task))]


def _place(task: Task) -> Place:
    return *fair_queueing.place(task), task.job_id


def _until(task: Task) -> float:
    return task.lease.until if task.lease else 0.0


def _wanted(job: Job, query: JobQuery) -> bool:
    return (
        query.owner in (None, job.owner)
        and query.status in (None, job.status)
        and (query.before is None or job.id < query.before)
    )
