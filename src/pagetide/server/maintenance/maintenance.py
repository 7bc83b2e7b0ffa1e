"""The background loop of a server: recovers lost tasks, expires jobs, calls webhooks."""

from __future__ import annotations

import logging
import math
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import TypeVar

import anyio

from pagetide.document import Failure
from pagetide.errors import JobUnknown, PagetideError, StoreFailed, WorkerLost
from pagetide.server.jobs import endings, losses, owing
from pagetide.server.jobs.job import SYSTEM, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.maintenance.deliverer import DELIVERY_LEASE_S, Deliverer
from pagetide.server.maintenance.lost_wake_ups import LostWakeUps
from pagetide.server.maintenance.orphans import OLD_S, Orphans
from pagetide.server.ports import Blobs, Move, Notifications, Store
from pagetide.server.service import blob_owner
from pagetide.server.service.erasing import clear
from pagetide.server.service.notifier import Notifier
from pagetide.server.service.submitting import pending_uploads
from pagetide.settings import Settings
from pagetide.system.disk_room import DiskRoom
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)

T = TypeVar("T")

WORKER_LOST = Failure.of(WorkerLost())
SEND_AGAIN_S = 6.0  # a quorum queue of RabbitMQ reports its length every five seconds
SENT_AT_ONCE = 1000
GRACE = 0.5  # of a lease: who lives renews three times in one
AWAY = 3  # so many failures in a row, and it is not the task but the store
ORPHANS_EVERY_S = 3600.0
UPLOADS_EVERY_S = 300.0


class Sweeper:
    """Puts right what died in the middle: leases, expired jobs, blobs that nobody knows."""

    def __init__(
        self,
        *,
        store: Store,
        blobs: Blobs,
        notifier: Notifier,
        settings: Settings,
        pools: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
        every_s: float = 0.0,
        room: DiskRoom | None = None,
    ) -> None:
        """Make it.

        Args:
            store: The truth.
            blobs: Documents and results.
            notifier: Tells of what has changed, and wakes workers.
            settings: Times to live.
            pools: Those whose workers are woken by a queue.
            clock: Seconds since the epoch.
            every_s: How often it is called where nothing fails.
            room: On the disks of store and blobs; None means that it is not looked at.
        """
        self._room = room or DiskRoom()
        self._store, self._blobs, self._notifier = store, blobs, notifier
        self._pools = tuple(pool for pool in pools if pool != SYSTEM)
        self._settings, self._clock = settings, clock
        self._lost_wake_ups = {pool: LostWakeUps() for pool in self._pools}
        self._grace_s = settings.lease_s * GRACE
        self._gap_s = max(self._grace_s / 2, 2 * every_s)
        self._answered_since = self._answered_at = -math.inf
        self._orphans = Orphans(store, blobs, clock)
        self._orphans_due = self._uploads_due = 0.0

    def rescue(self) -> None:
        """Recover tasks and wake-ups that were lost, which never takes long."""
        self.take_back()
        self.send_again()

    def tidy(self) -> None:
        """Remove what is not needed any more, and see that the next to be removed can be."""
        self._room.keep_ballast()
        self.expire()
        if self._clock() >= self._uploads_due:
            self._uploads_due = self._clock() + UPLOADS_EVERY_S
            self.remove_uploads()
        if self._clock() >= self._orphans_due:
            self._orphans_due = self._clock() + ORPHANS_EVERY_S
            self.remove_orphans()

    def take_back(self) -> None:
        """Take tasks from holders whose lease has run out.

        Raises:
            StoreFailed: Some could not be taken; one keeps no other from it.
        """
        failed, in_a_row = None, 0
        overdue = self._store.overdue(self._clock())
        answering_s = self._answering_s()
        for task in overdue:
            try:
                self._lapse(task, answering_s)
                in_a_row = 0
            except StoreFailed as error:
                failed, in_a_row = error, in_a_row + 1
                if in_a_row == AWAY:
                    break
        if failed:
            raise failed

    def _answering_s(self) -> float:
        """The seconds for which the store has answered; a gap may be an outage."""
        now, before = self._clock(), self._answered_at
        if now - before > self._gap_s:
            self._answered_since = now
        self._answered_at = now
        return now - self._answered_since

    def send_again(self) -> int:
        """Wake workers for tasks that have waited though their pool's queue is short; how many.

        A queue that holds fewer messages than tasks wait has lost some. Which ones does not
        matter, for workers take what is first in line. Where it holds as many, nothing is sent.
        """
        return sum(self._send_again(pool, self._clock() - SEND_AGAIN_S) for pool in self._pools)

    def _send_again(self, pool: str, before: float) -> int:
        if not self._store.waiting(pool, before, 1):  # nor is the queue asked, at rest
            return 0
        try:
            ready = self._notifier.queue.ready(pool)
        except StoreFailed as error:
            log.error("the queue cannot be asked", extra={"pool": pool, "code": error.code})
            return 0
        if ready is None or ready >= SENT_AT_ONCE:
            return 0
        late = self._store.waiting(pool, before, SENT_AT_ONCE)
        lost = self._lost_wake_ups[pool].lost(len(late) - ready, self._clock())
        if lost:
            self._notifier.again(late[:lost])
            log.warning("wake-ups sent again", extra={"pool": pool, "count": lost})
        return lost

    def take_from(self, worker: str) -> int:
        """Take all tasks from a worker that is known to be dead; how many."""
        held = self._store.leased_to(worker)
        for task in held:
            self.lose(task)
        return len(held)

    def lose(self, task: Task) -> None:
        """Take a task from its holder, which is known to be dead."""
        self._take(task, partial(losses.lose, now=self._clock(), failure=WORKER_LOST))

    def _lapse(self, task: Task, answering_s: float) -> None:
        """Take a task whose lease has run out, unless its holder renews before long."""
        doubt = partial(losses.lapse, grace_s=self._grace_s, answering_s=answering_s)
        self._take(task, partial(doubt, now=self._clock(), failure=WORKER_LOST))

    def _take(self, task: Task, move: Callable[..., Moved]) -> None:
        assert task.lease  # noqa: S101 - only leased tasks are given here
        try:
            moved = self._store.change(
                task.job_id, task.id, partial(move, token=task.lease.token)
            )
        except JobUnknown:
            return  # forgotten meanwhile
        if moved.tasks and not moved.tasks[0].lease:
            log.warning("lease lost", extra={"task": task.id, "worker": task.lease.worker})
            metrics.lease_lost(pool="review" if task.kind == "review" else task.pool)
        self._notifier.moved(moved)

    def _change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        moved = self._store.change(job_id, task_id, move, durable=durable)
        self._notifier.moved(moved)
        return moved

    def expire(self) -> None:
        """Remove what has outlived its time, and what is left of erased jobs.

        Raises:
            PagetideError: Some could not be removed; one keeps no other from it.
        """
        now, failed = self._clock(), None
        for job in self._store.expired(now):
            try:
                with suppress(JobUnknown):  # forgotten meanwhile
                    clear(job, endings.expire, self._change, self._blobs, self._room)
            except PagetideError as error:
                failed = error
        if failed:
            raise failed
        self._store.forget(now - max(self._settings.forget_s, owing.OWED_S))

    def remove_uploads(self) -> int:
        """Remove documents that were sent, never submitted, and have expired; how many blobs.

        Raises:
            BlobsOfAnotherStore: They are not this store's; none was removed.
        """
        blob_owner.check(self._store, self._blobs)
        return pending_uploads.remove_expired(self._blobs, self._clock())

    def remove_orphans(self) -> int:
        """Remove blobs of jobs that never came to be, or that are gone; how many jobs.

        Raises:
            BlobsOfAnotherStore: They are not this store's; none was removed.
        """
        self._remove_broken_off(self._clock() - OLD_S)
        return self._orphans.remove()

    def _remove_broken_off(self, before: float) -> None:
        for path in (self._settings.home_folder / "uploads").glob("*"):
            with suppress(FileNotFoundError):  # whose upload has just come to its end
                if path.stat().st_mtime < before:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


class Maintenance:
    """Threads that sweep and deliver until closed."""

    def __init__(
        self,
        sweeper: Sweeper,
        deliverer: Deliverer,
        notifications: Notifications,
        every_s: float,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._sweeper, self._deliverer, self._notifications = sweeper, deliverer, notifications
        self._every_s, self._beat = every_s, beat
        self._ended = threading.Event()
        targets = [self._rescue, self._tidy, self._deliver]
        self._threads = [
            threading.Thread(target=target, name="pagetide-maintenance", daemon=True)
            for target in targets
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the threads; a webhook that is being called is called to its end."""
        self._ended.set()
        self._notifications.publish(SYSTEM)
        for thread in self._threads:
            thread.join(timeout=DELIVERY_LEASE_S)

    def _rescue(self) -> None:
        while True:
            self._safely(self._sweeper.rescue)
            self._beat()
            if self._ended.wait(self._every_s):
                return

    def _tidy(self) -> None:
        """Apart from the rescue: to look through a million blobs takes minutes."""
        while True:
            self._safely(self._sweeper.tidy)
            if self._ended.wait(self._every_s):
                return

    def _deliver(self) -> None:
        with closing(self._notifications.subscribe(SYSTEM)) as listener:
            while not self._ended.is_set():
                self._safely(lambda: anyio.run(self._deliverer.run, listener, self._ended))

    def _safely(self, action: Callable[[], T]) -> T | None:
        try:
            return action()
        except PagetideError as error:
            log.error("maintenance failed", extra={"code": error.code})
        except Exception:
            log.exception("maintenance stumbled")
        return None
