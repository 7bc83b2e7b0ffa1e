"""The changes of a move, and why a task cannot be taken; see `transitions`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pagetide.server.jobs.job import Job, JobStatus, Task


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
    """The changes of a move.

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
