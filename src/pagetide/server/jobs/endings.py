"""How a job ends, is cancelled, expires and is erased: moves like those in `transitions`."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from pagetide.errors import JobEnded
from pagetide.server.jobs import owing
from pagetide.server.jobs.job import SYSTEM, Job, JobStatus, Task
from pagetide.server.jobs.moved import Moved


def ended(
    job: Job,
    status: JobStatus,
    now: float,
    *tasks: Task,
    drop: Literal["none", "read", "all"],
) -> Moved:
    """End a job with a status: its password is removed, and its webhook is owed."""
    job = replace(
        job,
        status=status,
        finished_at=now,
        expires_at=now + job.ttl_s,
        password=None,
        tasks_open=0,
    )
    deliver = owing.delivery(job, now)
    wakes = tuple(task.pool for task in deliver)
    return Moved(job=job, tasks=(*tasks, *deliver), drop=drop, wakes=wakes, became=status)


def cancel(job: Job, now: float) -> Moved:
    """Cancel a job: its tasks are dropped, and their holders' leases with them.

    Raises:
        JobEnded: It has ended otherwise.
    """
    if job.status == "cancelled":
        return Moved(job=job)
    if job.ended:
        raise JobEnded(f"The job has already ended: {job.status}.")
    return ended(job, "cancelled", now, drop="all")


def expire(job: Job, task: Task | None = None) -> Moved:
    """Expire a job: as `erase`, but its webhook is still notified.

    Where its review is still open, the webhook is notified of that, too.

    Args:
        job: The job.
        task: Its `deliver` task, which stays until the webhook took it or is given up.
    """
    status: JobStatus = job.status if job.erased else "expired"
    is_open = job.review is not None and job.review.open
    deliveries = owing.of_open_review(job) if is_open else ()
    return Moved(
        job=_tombstone(job, status),
        drop="all",
        tasks=(*owing.owed(job, task), *deliveries),
        wakes=(SYSTEM,) if deliveries else (),
        became=None if job.erased else status,
        review_expired=is_open,
    )


def erase(job: Job, now: float) -> Moved:
    """Erase a job for its owner: only a tombstone is left; no webhook is called.

    From now on its blobs are deleted, by any process, until `cleared`.
    """
    became: JobStatus | None = None if job.ended else "cancelled"
    job = job if job.ended else replace(job, status="cancelled", finished_at=now)
    job = replace(job, expires_at=min(job.expires_at, now))
    return Moved(job=_tombstone(job, job.status), drop="all", became=became)


def cleared(job: Job) -> Moved:
    """Record that no blob is left of an erased job."""
    return Moved(job=replace(job, clearing=False))


def gone(job: Job, task: Task) -> bool:
    """Whether a task that is still there should not be: its job dropped it.

    A store that drops a job's tasks leaves out those that somebody has locked.
    """
    if job.erased:
        return task.owed is None
    if job.ended and task.kind == "read":
        return True
    return job.ended and task.kind == "finish" and "json" not in job.results


def _tombstone(job: Job, status: JobStatus) -> Job:
    return Job(
        id=job.id,
        owner=job.owner,
        status=status,
        created_at=job.created_at,
        finished_at=job.finished_at,
        expires_at=job.expires_at,
        pool=job.pool,
        options=type(job.options)(model=job.options.model),
        source=type(job.source)(name="", sha256="", bytes=0, media_type="", page_count=0),
        input="",
        page_count=job.page_count,
        pages_done=job.pages_done,
        pages_failed=job.pages_failed,
        erased=True,
        clearing=True,
        version=job.version,
    )
