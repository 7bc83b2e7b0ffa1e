"""Recovers tasks whose worker is gone: moves like those in `transitions`.

A range whose reading outlived its workers is halved until the page that kills them is alone:

    tries of a range         3, after which it is halved
    tries of a half          1, for the deaths of the whole count against it
    tries of a page alone    3 more, with nothing else in the worker; then it has failed

A try counts from the moment its reading began, which the holder records (`begin`). A worker
that dies before, or a store that is away for longer than a lease, counts against nobody.
"""

from __future__ import annotations

from msgspec.structs import replace

from pagetide.document import Failure
from pagetide.server.jobs.endings import ended
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.transitions import closed

TRIES = 3
FINISH_TRIES = 6  # deaths of those who made the results; then the formats are left out
MOST_DOUBTS = 4  # whoever sweeps may be new each time, and know of no outage
FINISH_PAUSE_MAX_S = 300.0


def lapse(
    job: Job,
    task: Task | None,
    token: str,
    now: float,
    failure: Failure,
    *,
    grace_s: float,
    answering_s: float,
) -> Moved:
    """A lease has run out: its holder is doubted for a while before the task is lost.

    While the store is away nobody can renew. Who is alive does so as soon as it is back: so
    the task is lost only where the store answered all the while.

    Args:
        job: The job.
        task: The task that was leased.
        token: The lease that has run out; with another one nothing changes.
        now: When.
        failure: As in `lose`.
        grace_s: How long a holder that is alive may take to renew.
        answering_s: For how long the store has been known to answer.
    """
    if task is None or task.lease is None or task.lease.token != token:
        return Moved(job=job)
    if task.lease.until > now:  # it was renewed meanwhile
        return Moved(job=job)
    doubts = task.lease.doubts
    if doubts >= MOST_DOUBTS or (doubts and answering_s >= grace_s):
        return lose(job, task, token, now, failure)
    doubted = replace(task.lease, doubts=doubts + 1, until=now + grace_s)
    return Moved(job=job, tasks=(replace(task, lease=doubted),))


def lose(
    job: Job,
    task: Task | None,
    token: str,
    now: float,
    failure: Failure,
    *,
    reported: bool = False,
) -> Moved:
    """The holder died or did not renew: the task waits again, is halved, or is given up.

    Args:
        job: The job.
        task: The task that was leased.
        token: The lease that is lost; with another one nothing changes.
        now: When.
        failure: What to say of a page that is given up.
        reported: The holder lives and says so itself; it counts, begun or not.
    """
    if task is None or task.lease is None or task.lease.token != token:
        return Moved(job=job)
    charged = task.lease.begun or reported
    task = replace(task, state="waiting", lease=None)
    if charged and task.kind in ("read", "finish"):
        task = replace(task, attempts=task.attempts + 1, alone=True)
        if task.kind == "finish":
            return _lost_finish(job, task, failure, now, reported=reported)
        return _lost_read(job, task, failure, now)
    if task.kind == "read" and not task.pages_left:
        return closed(job, task, now)
    return Moved(job=job, tasks=(task,), wakes=(task.pool,))


def _lost_read(job: Job, task: Task, failure: Failure, now: float) -> Moved:
    left = task.pages_left
    if not left:
        return closed(job, task, now)
    if task.attempts < (TRIES if len(left) > 1 else 2 * TRIES):
        return Moved(job=job, tasks=(task,), wakes=(task.pool,))
    if len(left) > 1:
        return _halved(job, task, left)
    job = replace(job, pages_done=job.pages_done + 1, pages_failed=job.pages_failed + 1)
    task = replace(task, failures={**task.failures, left[0]: failure})
    return replace(closed(job, task, now), given_up=1)


def _halved(job: Job, task: Task, left: tuple[int, ...]) -> Moved:
    """The pages done stay with the task, which is done; the others make two new ones."""
    middle = len(left) // 2
    parts = [_part(task, half, i) for i, half in enumerate((left[:middle], left[middle:]))]
    kept = tuple(n for n in task.pages if n not in left)
    return Moved(
        job=replace(job, tasks_open=job.tasks_open + 1),
        tasks=(replace(task, state="done", pages=kept), *parts),
        wakes=(task.pool,),
    )


def _part(task: Task, pages: tuple[int, ...], index: int) -> Task:
    return Task(
        id=f"{task.id}.{index}",
        job_id=task.job_id,
        kind="read",
        pool=task.pool,
        priority=task.priority,
        due=task.due,
        turn=task.turn,
        pages=pages,
        attempts=TRIES if len(pages) == 1 else TRIES - 1,
        alone=True,
    )


def _lost_finish(
    job: Job, task: Task, failure: Failure, now: float, *, reported: bool
) -> Moved:
    """Retry it for as long as the pages are there, later each time.

    The results themselves are written in constant memory: where it keeps dying, it dies of a
    format. The formats are left out then, and `error` says why.
    """
    task = replace(task, due=now + min(task.attempts**2, FINISH_PAUSE_MAX_S))
    if task.attempts < FINISH_TRIES:
        return Moved(job=job, tasks=(task,), wakes=(task.pool,))
    if task.formats:
        text = (
            f"Not created: {', '.join(task.formats)}. Every attempt failed or ended the"
            " process."
        )
        task = replace(task, formats=(), error=replace(failure, message=text))
    elif reported:
        return ended(replace(job, error=failure), "failed", now, drop="all")
    if job.ended:  # a format was asked for later, and nothing else
        return Moved(job=job, tasks=(replace(task, state="done"),))
    return Moved(job=job, tasks=(task,), wakes=(task.pool,))
