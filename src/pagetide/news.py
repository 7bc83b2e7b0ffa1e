"""Who is told when a job changes."""

from __future__ import annotations

from pagetide.moves import Moved
from pagetide.ports import Queue

JOBS = "jobs"  # the topic on which a job's id says that it has changed


def announce(queue: Queue, moved: Moved) -> None:
    """Wake the pools that have new work, and whoever waits for news of the job."""
    for pool in moved.rings:
        queue.ring(pool, moved.job.id)
    queue.ring(JOBS, moved.job.id)
