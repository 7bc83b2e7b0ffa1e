"""The `review` task, which a person claims as a worker claims pages.

It waits in a line of its key's own, in which what has waited longest is first.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.review import Reason, ReviewState


def pool_of(owner: str) -> str:
    """Where the reviews of a key's jobs wait."""
    return f"review/{owner}"


def id_of(job_id: str) -> str:
    """The id of a job's `review` task."""
    return f"{job_id}.review"


def asked(job: Job, reasons: Sequence[Reason], now: float) -> tuple[Job, tuple[Task, ...]]:
    """A job that has ended, and the task of its review; none where there is no reason."""
    if job.review is None or not reasons:
        return job, ()
    job = replace(job, review=replace(job.review, reasons=tuple(reasons)))
    pool = pool_of(job.owner)
    return job, (Task(id=id_of(job.id), job_id=job.id, kind="review", pool=pool, due=now),)


def state(job: Job, task: Task | None) -> ReviewState:
    """How far a job's review is.

    Args:
        job: The job.
        task: Its `review` task; None where it has none, or it was not looked at.
    """
    if job.review is None or not job.review.reasons:
        return "none"
    if job.review.outcome:
        return job.review.outcome
    return "claimed" if task and task.lease else "waiting"
