"""Moves of a review, like those in `transitions`.

It is claimed by `transitions.lease`, kept by `renew`, given back by `give_back`, and taken from
who is gone by `losses.lapse`, as every task is.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pagetide.errors import LeaseLost
from pagetide.server.jobs import owing
from pagetide.server.jobs.job import SYSTEM, Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.review import Correction, Outcome

_NAMED = "review:"  # so that no worker's name is a reviewer's


def holder(by: str) -> str:
    """The name of a reviewer in a lease."""
    return _NAMED + by


def reviewer(task: Task | None) -> str:
    """The reviewer that holds a `review` task; empty where nobody does."""
    return task.lease.worker.removeprefix(_NAMED) if task and task.lease else ""


def close(
    job: Job, task: Task | None, token: str, corrections: Sequence[Correction], now: float
) -> Moved:
    """Close a review that a person has done; the webhook is notified.

    Who closes it again with the same token says what they think by now; where that is the same,
    as when they have not heard the answer, nothing changes.

    Raises:
        LeaseLost: The claim has run out, and somebody else may have it.
    """
    review, given = job.review, tuple(corrections)
    if review is None or task is None:
        raise LeaseLost
    by = review.by
    if task.lease and task.lease.token == token:
        by = reviewer(task)
    elif not review.outcome or review.token != token:
        raise LeaseLost
    elif task.corrections == given:
        return Moved(job=job)
    outcome: Outcome = "corrected" if given else "accepted"
    review = replace(
        review, outcome=outcome, by=by, at=now, corrections=len(given), token=token
    )
    done = replace(task, state="done", lease=None, corrections=given)
    deliveries = owing.of_review(job, now)
    wakes = (SYSTEM,) if deliveries else ()
    return Moved(job=replace(job, review=review), tasks=(done, *deliveries), wakes=wakes)
