"""Fair queueing: picks the next task when several API keys have some waiting.

Start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queueing", SIGCOMM 1996) with a
flow for each owner, pool and priority. A task gets its turn when it is submitted: the turn that
is being served just then, or the end of its flow's last task, if that is later. The task with
the smallest turn is claimed first, so who has nothing waiting is served next, however much
somebody else has. A task ends later than it starts by its pages, and by the more the less its
flow weighs.

A task of a batch gets its turn where it ends, not where it starts, so that a key's interactive
pages come first: some thirty for each page of a batch, and no batch waits for ever.

Turns are on the scale of time, seconds since the epoch, so that flows which have rested start
anew at now: a page counts for so little that turns hardly get ahead of the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.server.jobs.job import Job, Priority, Task

PAGE_S = 1e-4  # a flow of 10,000 pages a second would keep up with the clock
BATCH = 32.0  # interactive pages that a page of a batch counts for


class Flow(NamedTuple):
    """A sequence of tasks of one key, which follow each other."""

    owner: str
    pool: str
    priority: Priority


class Head(NamedTuple):
    """The first due task in a pool's line."""

    turn: float
    priority: Priority

    @property
    def start(self) -> float:
        """Where who comes now starts."""
        return self.turn - (PAGE_S * BATCH if self.turn and self.priority == "batch" else 0.0)


def flow_of(job: Job, tasks: Sequence[Task]) -> Flow | None:
    """The flow of those of a job's tasks that have no turn yet; None where all have theirs.

    A notification has none: it is sent when it is due; nor has a review, which waits in a line
    of its key's own.
    """
    for task in tasks:
        if _unplaced(task):
            return Flow(job.owner, task.pool, task.priority)
    return None


def placed(
    job: Job, tasks: Sequence[Task], *, head: Head | None, last: Callable[[], float | None]
) -> tuple[tuple[Task, ...], float]:
    """The tasks, each with its turn. Where nothing waits, all flows begin anew.

    Args:
        job: Theirs.
        tasks: In the order in which they are to be taken.
        head: What is first in their pool; None where nothing waits that is due.
        last: Finds the end of their flow's last task; None where it is not known.

    Returns:
        The tasks, and the end of the last.
    """
    found, end = [], (last() or 0.0) if head else 0.0
    for task in tasks:
        if _unplaced(task):
            start = max(end, (head and head.start) or task.due)
            end = start + PAGE_S * max(len(task.pages), 1) * _slowness(job, task)
            task = replace(task, turn=end if task.priority == "batch" else start)
        found.append(task)
    return tuple(found), end


def place(task: Task) -> tuple[float, float, str]:
    """The sort key of a pool's waiting tasks."""
    return task.turn or task.due, task.due, task.id


def _unplaced(task: Task) -> bool:
    return task.state == "waiting" and not task.turn and task.kind not in ("deliver", "review")


def _slowness(job: Job, task: Task) -> float:
    return (BATCH if task.priority == "batch" else 1.0) / job.weight
