"""Erases a job: first it is hidden, then its blobs are deleted until none is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pagetide.errors import DiskFull
from pagetide.server.jobs import endings, owing
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Blobs
from pagetide.server.ports.store import Move
from pagetide.system.disk_room import DiskRoom


class Change(Protocol):
    """A store's `change`, or one that notifies of it as well."""

    def __call__(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """See `ports.Store.change`."""
        ...


def clear(job: Job, going: Move, change: Change, blobs: Blobs, room: DiskRoom) -> None:
    """Mark a job as going, unless it is, delete its blobs, and note that none is left.

    On a full disk its blobs go first, and the ballast: then there is room for the mark. Where
    it ends midway the job stays marked, for the next who comes by.

    Args:
        job: The job.
        going: The move that marks it; it is given the job's `deliver` task.
        change: The store's.
        blobs: Where its blobs are.
        room: On the disk of the store.

    Raises:
        PagetideError: The store or the blobs cannot be reached, or there is no room.
    """

    def noted(note: Callable[[], object]) -> None:
        try:
            note()
        except DiskFull:
            blobs.delete_under(job.prefix)
            with room.off_ballast():
                note()

    if not job.clearing:
        noted(lambda: change(job.id, owing.delivery_id(job), going, durable=True))
    blobs.delete_under(job.prefix)
    noted(lambda: change(job.id, None, lambda job, _: endings.cleared(job), durable=True))
