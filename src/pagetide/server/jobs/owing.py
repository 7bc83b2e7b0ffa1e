"""Webhook deliveries a job owes: when they are sent, and which outlive the job's details."""

from __future__ import annotations

from msgspec.structs import replace

from pagetide.server.jobs.job import SYSTEM, Job, Owed, Task

# After a webhook's n-th failed attempt; with jitter on top they span 24 hours.
PAUSES_S = (5, 30, 120, 600, 1800, 3600, 7200, 14400, 21600, 36000)
OWED_S = 2 * sum(PAUSES_S)  # after its job's end no webhook is called any more


def delivery(job: Job, now: float) -> tuple[Task, ...]:
    """The `deliver` task of a job that has ended; none where no webhook was asked for."""
    if not job.webhook_url:
        return ()
    task_id = delivery_id(job)
    return (Task(id=task_id, job_id=job.id, kind="deliver", pool=SYSTEM, due=now),)


def of_review(job: Job, now: float) -> tuple[Task, ...]:
    """The `deliver` task of a job that has been reviewed; none where there is no webhook.

    Each review of it has one of its own: a receiver knows by the id what it has taken.
    """
    if not job.webhook_url:
        return ()
    task_id = f"{delivery_id(job)}-reviewed.{job.version}"
    task = Task(
        id=task_id, job_id=job.id, kind="deliver", pool=SYSTEM, due=now, tells="reviewed"
    )
    return (task,)


def of_open_review(job: Job) -> tuple[Task, ...]:
    """The `deliver` task of a job whose time ends before its review; none without a webhook."""
    if not job.webhook_url:
        return ()
    task = Task(
        id=f"{delivery_id(job)}-review_expired",
        job_id=job.id,
        kind="deliver",
        pool=SYSTEM,
        due=job.expires_at,
        tells="review_expired",
        owed=Owed(url=job.webhook_url, status=job.status),
    )
    return (task,)


def delivery_id(job: Job) -> str:
    """The id of the task that notifies a job's webhook."""
    return f"{job.id}.deliver"


def owed(job: Job, task: Task | None) -> tuple[Task, ...]:
    """The `deliver` task of a job whose details go; none where nothing is owed."""
    if task is None or task.state == "done" or not (task.owed or job.webhook_url):
        return ()
    left = task.owed or Owed(url=job.webhook_url or "", status=job.status)
    return (replace(task, owed=left),)
