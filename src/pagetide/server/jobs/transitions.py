"""Every way a job and its tasks may change, as functions without side effects.

A store loads a job and one task, calls a move, and writes what comes back, all or nothing
and with nobody in between. So the rules stand here once, whatever the store.

What becomes of a task whose holder is gone is in `losses`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pagetide.document import TEXT_LAYER, Failure, ModelInfo
from pagetide.errors import JobEnded, LeaseLost
from pagetide.server.jobs import owing, review_task
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, JobStatus, Lease, Result, Task
from pagetide.server.jobs.review import Reason


class TaskTaken(Exception):
    """Somebody else holds the task, or it is not due yet.

    Attributes:
        free_at: When it may be free, in seconds since the epoch.
    """

    def __init__(self, free_at: float) -> None:
        super().__init__(f"not before {free_at}")
        self.free_at = free_at


class TaskAlone(Exception):
    """The task may not be held beside others."""


class Moved(Struct, frozen=True, kw_only=True):
    """What a move changes.

    Attributes:
        job: The job as it is now.
        tasks: Tasks that are new or changed.
        drop: Tasks that go: none, the job's `read` tasks, or all it has.
        wakes: Pools that have work they did not have before.
        became: How the job ended by this, or that it expired; None where it did neither now.
        given_up: Pages that nobody will read, for all who tried died.
        review_expired: The job's time ended before anybody had closed its review.
    """

    job: Job
    tasks: tuple[Task, ...] = ()
    drop: Literal["none", "read", "all"] = "none"
    wakes: tuple[str, ...] = ()
    became: JobStatus | None = None
    given_up: int = 0
    review_expired: bool = False


def lease(job: Job, task: Task, worker: str, token: str, until: float, now: float) -> Moved:
    """A worker takes a waiting task."""
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
    """A worker that was woken for a task claims it, if it still waits.

    Args:
        job: The job.
        task: The task that the worker was woken for.
        pool: Whose tasks the worker takes.
        worker: Who asks.
        token: The new lease's.
        until: When the lease ends.
        now: When.
        beside: The worker holds other tasks already.

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
    """The holder is alive.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, lease = _held(task, token)
    lease = replace(lease, until=until, doubts=0)
    return Moved(job=job, tasks=(replace(held, lease=lease),))


def begin(job: Job, task: Task | None, token: str) -> Moved:
    """The holder begins the work itself: from now on its death counts as a try.

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
    """Pages of a `read` task are done, each with or without success; the lease is renewed.

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
    """A `read` task's pages are all done; after the last task comes the `finish` task.

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
    """The results are there: the job ends, or one that had ended has further formats.

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
    """The holder of the `finish` task finds pages gone, as after a power cut: read them anew.

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
    """The holder finds that the job cannot be read at all, or its results cannot be made.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    if job.ended:  # what failed is a format asked for later; the job keeps its results
        done = replace(held, state="done", lease=None, error=failure)
        return Moved(job=job, tasks=(done,))
    return ended(replace(job, error=failure), "failed", now, drop="all")


def give_back(job: Job, task: Task | None, token: str, due: float) -> Moved:
    """The holder stops: what it did stays done, the rest waits, and no try is counted.

    Raises:
        LeaseLost: The task is not the holder's any more.
    """
    held, _ = _held(task, token)
    task = replace(held, state="waiting", lease=None, due=due)
    return Moved(job=job, tasks=(task,), wakes=(task.pool,))


def delivered(
    job: Job, task: Task | None, token: str, delivery: Delivery, jitter: float
) -> Moved:
    """A webhook was tried; after a failure it is tried again, later each time.

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
    """Have an ended job's results put into one more format.

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


def cancel(job: Job, now: float) -> Moved:
    """Nobody reads on; who holds a task finds its lease gone.

    Raises:
        JobEnded: It has ended otherwise.
    """
    if job.status == "cancelled":
        return Moved(job=job)
    if job.ended:
        raise JobEnded(f"The job has already ended: {job.status}.")
    return ended(job, "cancelled", now, drop="all")


def expire(job: Job, task: Task | None = None) -> Moved:
    """Its time to live has passed: as `erase`, but its webhook is still told how it ended.

    Where its review is open still, the webhook is told of that, too.

    Args:
        job: The job.
        task: Its `deliver` task, which stays until the webhook took it or is given up.
    """
    status: JobStatus = job.status if job.erased else "expired"
    is_open = job.review is not None and job.review.open
    told = owing.of_open_review(job) if is_open else ()
    return Moved(
        job=_tombstone(job, status),
        drop="all",
        tasks=(*owing.owed(job, task), *told),
        wakes=(SYSTEM,) if told else (),
        became=None if job.erased else status,
        review_expired=is_open,
    )


def erase(job: Job, now: float) -> Moved:
    """Its owner wants it gone: what is left says only that it was; no webhook is told.

    Its blobs are to be deleted from now on, by whoever comes by, until `cleared`.
    """
    became: JobStatus | None = None if job.ended else "cancelled"
    job = job if job.ended else replace(job, status="cancelled", finished_at=now)
    job = replace(job, expires_at=min(job.expires_at, now))
    return Moved(job=_tombstone(job, job.status), drop="all", became=became)


def cleared(job: Job) -> Moved:
    """No blob is left of an erased job."""
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


def _held(task: Task | None, token: str) -> tuple[Task, Lease]:
    if task is None or task.lease is None or task.lease.token != token:
        raise LeaseLost
    return task, task.lease


def closed(job: Job, task: Task, now: float) -> Moved:
    """A `read` task with no page left is done; the last one makes way for `finish`."""
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


def ended(
    job: Job,
    status: JobStatus,
    now: float,
    *tasks: Task,
    drop: Literal["none", "read", "all"],
) -> Moved:
    """A job ends so, now: its password goes, and its webhook is owed."""
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
