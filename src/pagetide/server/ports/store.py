"""The port of the job store: jobs, tasks, API keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from pagetide.server.jobs.allowances import UNLIMITED, Allowance, Usage
from pagetide.server.jobs.job import Job, JobStatus, Task
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.jobs.moved import Moved

Move = Callable[[Job, Task | None], Moved]


@dataclass(frozen=True, kw_only=True)
class JobQuery:
    """Which jobs to list, the newest first.

    Attributes:
        owner: Only this key's; None means everybody's.
        status: Only those in this status.
        before: Only those with a smaller id: the last one of the page before.
        limit: So many at most.
    """

    owner: str | None = None
    status: JobStatus | None = None
    before: str | None = None
    limit: int = 50


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """The backlog of a pool, which autoscalers read.

    Attributes:
        waiting: Tasks that are due and that nobody holds.
        leased: Tasks that somebody holds.
        oldest_s: For how long the first of the waiting has been due, 0 if none is.
    """

    waiting: int = 0
    leased: int = 0
    oldest_s: float = 0.0


class Store(Protocol):
    """Jobs, tasks and API keys: the truth. Any number of threads and processes use one store.

    Every method is atomic. `now` is the time in seconds since the epoch. All methods raise
    `StoreFailed` where the store cannot be reached, and `DiskFull` where it cannot grow.
    """

    def submit(self, job: Job, tasks: Iterable[Task], allowance: Allowance = UNLIMITED) -> Job:
        """Keep a new job and its tasks, so that they outlive a power cut.

        The job's `active_pages` are counted with its owner's, for now and for the day of
        `created_at`; those of now until the job ends.

        Args:
            job: The job.
            tasks: Its tasks.
            allowance: What its owner may use, however many submit at once.

        Returns:
            The job; or, where its owner has used its idempotency key before, the earlier
            job, and nothing is kept.

        Raises:
            TooManyPages: See `allowances.check`; nothing is kept.
            ActivePagesReached: Likewise.
            PagesPerDayReached: Likewise.
        """
        ...

    def usage(self, owner: str) -> Usage:
        """The usage of an owner's jobs, as `submit` has counted it."""
        ...

    def job(self, job_id: str) -> Job | None:
        """A job, or None where there never was one."""
        ...

    def versions(self, job_ids: Collection[str]) -> dict[str, int]:
        """The `version` of each of these jobs that there is: another one once it changes."""
        ...

    def named(self, owner: str, idempotency_key: str) -> Job | None:
        """The job that an owner has submitted with an idempotency key; None where none is."""
        ...

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """Jobs, the newest (largest id) first."""
        ...

    def same_job(self, owner: str, fingerprint: str) -> Job | None:
        """The newest `succeeded` job of an owner with this fingerprint, not erased."""
        ...

    def count_active(self, owner: str | None, limit: int) -> int:
        """How many jobs, of an owner or of all, have not ended; counting stops at `limit`."""
        ...

    def tasks(self, job_id: str) -> tuple[Task, ...]:
        """A job's tasks, by id."""
        ...

    def claim(
        self, pool: str, worker: str, *, now: float, until: float, token: str, beside: bool
    ) -> tuple[Job, Task] | None:
        """Lease the first waiting task of a pool that is due (`moves.lease`).

        Owners take turns: the smallest turn comes first (`fair_queueing.place`). A task gets
        its turn when it is written for the first time.

        Args:
            pool: Whose tasks.
            worker: Who asks.
            now: Only tasks that are due by now.
            until: When the lease ends unless renewed.
            token: The lease's token, new and unguessable.
            beside: The worker holds other tasks already: it gets nothing where the first is
                `alone`, or that would wait until nothing else does.
        """
        ...

    def change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """Load a job and one of its tasks, call the move, write what it returns.

        Nobody changes the job or the task between. A move may be called several times. The
        job's `version` grows by one. What the move raises reaches the caller, and nothing
        is changed.

        Args:
            job_id: The job.
            task_id: One of its tasks; the move is given None where there is no such task.
            move: See `moves`.
            durable: Return only when it would outlive a power cut.

        Raises:
            JobUnknown: There never was such a job.
        """
        ...

    def overdue(self, now: float, limit: int = 100) -> tuple[Task, ...]:
        """Leased tasks whose lease has run out."""
        ...

    def leased_to(self, worker: str) -> tuple[Task, ...]:
        """Tasks that a worker holds."""
        ...

    def expired(self, now: float, limit: int = 100) -> tuple[Job, ...]:
        """Ended jobs, not yet cleared, that are past `expires_at`; erased ones among them."""
        ...

    def forget(self, before: float, limit: int = 1000) -> int:
        """Delete the records of cleared jobs that expired before a time; how many."""
        ...

    def backlog(self, pool: str, now: float) -> Backlog:
        """The backlog of a pool."""
        ...

    def next_due(self, pool: str) -> float | None:
        """When the first waiting task of a pool is or was due; None where none waits."""
        ...

    def waiting(self, pool: str, now: float, limit: int) -> tuple[Task, ...]:
        """Waiting tasks of a pool that are due, in the order in which they are claimed."""
        ...

    def ahead(self, task: Task, limit: int) -> int:
        """How many waiting tasks are in line before this one; counting stops at `limit`.

        Others' that come later may get turns before it.
        """
        ...

    def keys(self) -> tuple[ApiKey, ...]:
        """All API keys, revoked ones too, the oldest first."""
        ...

    def put_key(self, key: ApiKey) -> None:
        """Keep an API key, in place of the one with its id."""
        ...

    def value(self, name: str, proposed: bytes) -> bytes:
        """The small value kept under this name; the one proposed where there was none."""
        ...

    def put_value(self, name: str, value: bytes) -> None:
        """Replace a small value, such as a secret."""
        ...

    def check_writable(self) -> None:
        """Check that it takes writes now, without writing anything; answers within seconds."""
        ...

    def clock(self) -> float:
        """The store's own time, in seconds since the epoch; to find how far ours is off."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...
