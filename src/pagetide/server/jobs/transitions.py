"""Every way a job and its tasks may change, as functions without side effects.

A store loads a job and one task, calls a move, and writes what comes back, all or nothing
and with nobody in between. So the rules stand here once, whatever the store.

How a job ends is in `endings`, what becomes of a task whose holder is gone in `losses`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pagetide.document import TEXT_LAYER, Failure, ModelInfo
from pagetide.errors import JobEnded, LeaseLost
from pagetide.server.jobs import owing, review_task
from pagetide.server.jobs.endings import ended
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, JobStatus, Lease, Result, Task
from pagetide.server.jobs.moved import Moved, TaskAlone, TaskTaken
from pagetide.server.jobs.review import Reason


def lease(job: Job, task: Task, worker: str, token: str, until: float, now: float) -> Moved:
    """Lease a waiting task to a worker."""
    task = replace(task, state="leased", lease=Lease(worker=worker, token=token, until=until))
    if job.status == "queued":
        job = replace(job, status="running", started_at=now)
    return Moved(job=job, tasks=(task,))


def take(
    job: Job,
    task: Task | None,
    *,
    pool: str,
    worker: str,
    token: str,
    until: float,
    now: float,
    beside: bool,
) -> Moved:
    """Claim the task that a worker was woken for, if it still waits.

    Raises:
        LeaseLost: There is no such task any more, it is done, or it is another pool's.
        TaskTaken: Somebody holds it, or it is not due; the error says until when.
        TaskAlone: It may not be held beside others.
    """
    if task is None or task.state == "done" or task.pool != pool:
        raise LeaseLost
    if task.lease:
        raise TaskTaken(task.lease.until)
    if task.due > now:
        raise TaskTaken(task.due)
    if task.alone and beside:
        raise TaskAlone
    return lease(job, task, worker, token, until, now)


def renew(job: Job, task: Task | None, token: str, until: float) -> Moved:
    """Renew a lease: its holder is alive.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, lease = _held(task, token)
    lease = replace(lease, until=until, doubts=0)
    return Moved(job=job, tasks=(replace(held, lease=lease),))


def begin(job: Job, task: Task | None, token: str) -> Moved:
    """Record that the holder begins to work: from now on its death counts as a try.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, lease = _held(task, token)
    return Moved(job=job, tasks=(replace(held, lease=replace(lease, begun=True)),))


def record(
    job: Job,
    task: Task | None,
    token: str,
    pages: Mapping[int, bool],
    until: float,
    model: ModelInfo | None = None,
    timeouts: int = 0,
) -> Moved:
    """Record pages of a `read` task, each read or failed; the lease is renewed.

    The task notes what read its pages; an engine counts for more than a text layer. The job
    counts the pages that took too long.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, lease = _held(task, token)
    new = {number: read for number, read in pages.items() if number in held.pages_left}
    noted = model is None or (held.model is not None and held.model.name != TEXT_LAYER)
    task = replace(
        held,
        lease=replace(lease, until=until, doubts=0),
        done={**held.done, **dict.fromkeys(new, token)},
        model=held.model if noted else model,
    )
    return Moved(
        job=replace(
            job,
            pages_done=job.pages_done + len(new),
            pages_failed=job.pages_failed + sum(not read for read in new.values()),
            page_timeouts=job.page_timeouts + timeouts,
        ),
        tasks=(task,),
    )


def complete_read(
    job: Job, task: Task | None, token: str, now: float, *, until: float | None = None
) -> Moved:
    """Complete a `read` task; after the last one comes the `finish` task.

    Args:
        job: The job.
        task: The `read` task.
        token: The lease's.
        now: When.
        until: Given, the holder goes on with the `finish` task, under the same token, and its
            lease ends then; else that waits for whoever takes it.

    Raises:
        LeaseLost: The task is not the holder's any more.
        ValueError: Pages are left.
    """
    held, lease = _held(task, token)
    if held.pages_left:
        raise ValueError(f"pages {held.pages_left} of {held.id} are not done")
    moved = closed(job, held, now)
    if until is None or not moved.wakes:
        return moved
    done, finish = moved.tasks
    lease = Lease(worker=lease.worker, token=token, until=until)
    return Moved(job=moved.job, tasks=(done, replace(finish, state="leased", lease=lease)))


def record_last(
    job: Job,
    task: Task | None,
    token: str,
    pages: Mapping[int, bool],
    until: float,
    model: ModelInfo | None = None,
    timeouts: int = 0,
    *,
    now: float,
    goes_on: bool,
) -> Moved:
    """As `record`, for the last pages of a task, and with them `complete_read`.

    Raises:
        LeaseLost: The task is not the holder's any more.
        ValueError: Pages are left.
    """
    recorded = record(job, task, token, pages, until, model, timeouts)
    (task,) = recorded.tasks
    return complete_read(recorded.job, task, token, now, until=until if goes_on else None)


def complete_finish(
    job: Job,
    task: Task | None,
    token: str,
    results: Mapping[str, Result],
    now: float,
    error: Failure | None = None,
    *,
    whole: bool = True,
    reasons: Sequence[Reason] = (),
) -> Moved:
    """Complete a `finish` task: the job ends, or an ended one has further formats.

    A job of which no page could be read has failed; one of which some pages or formats could
    not be had, or pages not as a `whole`, is partial. The `error` given says why. Where there
    are `reasons`, a person is to review what there is.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    job = replace(job, results={**job.results, **results})
    done = replace(held, state="done", lease=None)
    if job.ended:
        return Moved(job=job, tasks=(done,))
    status: JobStatus = "succeeded" if whole and not job.pages_failed else "partial"
    if job.pages_failed == job.page_count:
        status = "failed"
    job, review = review_task.asked(
        replace(job, error=error), () if status == "failed" else reasons, now
    )
    return ended(job, status, now, done, *review, drop="read")


def read_again(
    job: Job, task: Task | None, token: str, pages: tuple[int, ...], now: float
) -> Moved:
    """Read pages again that the `finish` task finds gone, as after a power cut.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    again = Task(
        id=f"{job.id}.again.{job.version}",
        job_id=job.id,
        kind="read",
        pool=job.pool,
        priority=job.priority,
        due=held.due,
        turn=held.turn,
        pages=pages,
    )
    job = replace(job, pages_done=job.pages_done - len(pages), tasks_open=1)
    done = replace(held, state="done", lease=None)
    return Moved(job=job, tasks=(done, again), wakes=(job.pool,))


def fail(job: Job, task: Task | None, token: str, failure: Failure, now: float) -> Moved:
    """Fail a job that cannot be read at all, or whose results cannot be made.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    if job.ended:  # what failed is a format asked for later; the job keeps its results
        done = replace(held, state="done", lease=None, error=failure)
        return Moved(job=job, tasks=(done,))
    return ended(replace(job, error=failure), "failed", now, drop="all")


def give_back(job: Job, task: Task | None, token: str, due: float) -> Moved:
    """Hand a task back: what was done stays done, the rest waits, and no try is counted.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    task = replace(held, state="waiting", lease=None, due=due)
    return Moved(job=job, tasks=(task,), wakes=(task.pool,))


def delivered(
    job: Job, task: Task | None, token: str, delivery: Delivery, jitter: float
) -> Moved:
    """Record an attempt to call a webhook; after a failure it is tried again, later each time.

    Args:
        job: The job.
        task: Its `deliver` task.
        token: The lease's.
        delivery: What came of it.
        jitter: 0–1, spreads the attempts of many jobs.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    tried = len(held.deliveries)
    task = replace(held, lease=None, deliveries=(*held.deliveries, delivery))
    if delivery.succeeded or tried >= len(owing.PAUSES_S):
        return Moved(job=job, tasks=(replace(task, state="done", owed=None),))
    pause = owing.PAUSES_S[tried] * (1 + jitter / 4)
    return Moved(job=job, tasks=(replace(task, state="waiting", due=delivery.at + pause),))


def redeliver(job: Job, task: Task | None, now: float) -> Moved:
    """Try the webhook once more now.

    Raises:
        JobEnded: There is nothing to deliver.
    """
    if task is None:
        raise JobEnded("This job has no webhook delivery to repeat.")
    if task.state == "leased":
        return Moved(job=job)
    again = replace(task, state="waiting", due=now)
    return Moved(job=job, tasks=(again,), wakes=(SYSTEM,))


def add_format(job: Job, task: Task | None, format_name: str, now: float) -> Moved:
    """Make one more format of an ended job's results.

    Args:
        job: The job.
        task: What the earlier request for this format left, if there was one; it has the id
            that `format_task_id` gives.
        format_name: Such as `md`.
        now: When.

    Raises:
        JobEnded: It has no results.
    """
    if "json" not in job.results:
        raise JobEnded("This job has no result to convert to another format.")
    if task is not None and task.state != "done":
        return Moved(job=job)
    finish = _finish(job, format_task_id(job, format_name), (format_name,), due=now)
    return Moved(job=job, tasks=(finish,), wakes=(job.pool,))


def format_task_id(job: Job, format_name: str) -> str:
    """The id of the task that makes a format after the job has ended."""
    return f"{job.id}.finish-{format_name}"


def _held(task: Task | None, token: str) -> tuple[Task, Lease]:
    if task is None or task.lease is None or task.lease.token != token:
        raise LeaseLost
    return task, task.lease


def closed(job: Job, task: Task, now: float) -> Moved:
    """Close a `read` task with no page left; after the last one comes `finish`."""
    job = replace(job, tasks_open=job.tasks_open - 1)
    done = replace(task, state="done", lease=None)
    if job.tasks_open:
        return Moved(job=job, tasks=(done,))
    # Before tasks of later jobs: this one is nearly done.
    finish = _finish(job, f"{job.id}.finish", job.options.formats, min(now, job.created_at))
    finish = replace(finish, turn=task.turn)
    return Moved(job=job, tasks=(done, finish), wakes=(finish.pool,))


def _finish(job: Job, task_id: str, formats: tuple[str, ...], due: float) -> Task:
    return Task(
        id=task_id,
        job_id=job.id,
        kind="finish",
        pool=job.pool,
        priority=job.priority,
        due=due,
        formats=formats,
    )
