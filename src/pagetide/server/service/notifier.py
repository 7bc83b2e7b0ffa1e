"""Notifies subscribers, workers and metrics when a job changes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence

from pagetide.server.jobs.job import SYSTEM, Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Notifications, Queue
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)
JOBS = "jobs"  # the topic on which a job's id says that it has changed


class Notifier:
    """Publishes and sends wake-ups; nothing is lost where it fails, only later."""

    def __init__(
        self, notifications: Notifications, queue: Queue, clock: Callable[[], float] = time.time
    ) -> None:
        self.notifications, self.queue, self._clock = notifications, queue, clock

    def moved(self, moved: Moved) -> None:
        """Count a change of a job, wake pools that have new work, notify its subscribers."""
        if moved.became:
            metrics.job_moved(state=moved.became, model=moved.job.options.model)
        if moved.review_expired:
            metrics.review_expired()
            log.warning("a result went before its review", extra={"job": moved.job.id})
        for _ in range(moved.given_up):
            metrics.page_given_up(model=moved.job.options.model, pool=moved.job.pool)
        self._wake(moved.job, [task for task in moved.tasks if task.pool in moved.wakes])
        self.notifications.publish(JOBS, moved.job.id)

    def submitted(self, job: Job, tasks: Iterable[Task]) -> None:
        """There is a new job."""
        self._wake(job, tasks)

    def again(self, tasks: Sequence[Task]) -> None:
        """The wake-ups of these tasks, of any jobs, seem to be lost."""
        self.queue.send(tasks)
        for pool, job_id in {task.pool: task.job_id for task in tasks}.items():
            self.notifications.publish(pool, job_id)

    def close(self) -> None:
        """Close connections."""
        self.queue.close()
        self.notifications.close()

    def _wake(self, job: Job, tasks: Iterable[Task]) -> None:
        """Wake whoever does these tasks; one that is due later is left to the sweep.

        Who reviews is no worker, and asks.
        """
        now = self._clock()
        waiting = [task for task in tasks if task.state == "waiting" and task.kind != "review"]
        due = [task for task in waiting if task.due <= now]
        wanted = [task for task in due if task.pool != SYSTEM]
        if wanted:
            self.queue.send(wanted, job.trace)
        for pool in dict.fromkeys(task.pool for task in due):
            self.notifications.publish(pool, job.id)
