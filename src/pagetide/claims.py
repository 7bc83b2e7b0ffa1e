"""The tasks that one worker holds: taken, kept alive, let go."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from pagetide import metrics, moves
from pagetide.errors import DiskFull, JobUnknown, LeaseLost, StoreFailed
from pagetide.job import Job, Task
from pagetide.moves import Moved
from pagetide.news import announce
from pagetide.ports import Queue, Store

log = logging.getLogger(__name__)

RENEWALS_A_LEASE = 3  # two may fail before the lease is lost


@dataclass(eq=False)
class Claim:
    """A task that is held.

    Attributes:
        lost: It is somebody else's by now, or nobody's: what was read for it is thrown away.
        lock: Held while it is changed, so that what it says is always the latest.
    """

    job: Job
    task: Task
    token: str
    until: float
    lost: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)


class Claims:
    """Holds tasks for a worker; a thread renews their leases."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        *,
        worker: str,
        lease_s: float,
        clock: Callable[[], float],
        beat: Callable[[], None],
    ) -> None:
        self._store, self._queue, self._worker = store, queue, worker
        self._lease_s, self._clock, self._beat = lease_s, clock, beat
        self._held: list[Claim] = []
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._renewing = threading.Thread(
            target=self._renew, name="pagetide-lease", daemon=True
        )
        self._renewing.start()

    @property
    def held(self) -> tuple[Claim, ...]:
        """The tasks held now, those whose lease is lost among them."""
        with self._lock:
            return tuple(self._held)

    def take(self, pool: str) -> Claim | None:
        """The next task of a pool, if one is due; beside others only one that may be."""
        now, token = self._clock(), secrets.token_hex(6)
        until = now + self._lease_s
        taken = self._store.claim(
            pool,
            self._worker,
            now=now,
            until=until,
            token=token,
            beside=bool(self.held),
        )
        if taken is None:
            return None
        job, task = taken
        claim = Claim(job=job, task=task, token=token, until=until)
        with self._lock:
            self._held.append(claim)
        return claim

    def change(
        self,
        claim: Claim,
        move: Callable[[Job, Task | None], Moved],
        *,
        durable: bool = False,
    ) -> Moved:
        """Apply a move to a task that is held.

        Raises:
            LeaseLost: It is not held any more; the claim says so from now on.
        """
        with claim.lock:
            try:
                moved = self._store.change(claim.job.id, claim.task.id, move, durable=durable)
            except (LeaseLost, JobUnknown) as error:
                claim.lost = True
                raise LeaseLost from error
            if moved.job.status != claim.job.status:
                metrics.job_moved(state=moved.job.status, model=moved.job.options.model)
            claim.job = moved.job
            for task in moved.tasks:
                if task.id == claim.task.id:
                    claim.task = task
                    claim.until = task.lease.until if task.lease else claim.until
        announce(self._queue, moved)
        return moved

    def let_go(self, claim: Claim) -> None:
        """Renew it no more."""
        with self._lock:
            self._held.remove(claim)

    def until(self) -> float:
        """When a lease that is renewed now ends."""
        return self._clock() + self._lease_s

    def close(self) -> None:
        """Renew nothing any more."""
        self._ended.set()
        self._renewing.join()

    def _renew(self) -> None:
        while not self._ended.wait(self._lease_s / RENEWALS_A_LEASE):
            self._beat()
            for claim in self.held:
                if not claim.lost:
                    self._renew_one(claim)

    def _renew_one(self, claim: Claim) -> None:
        try:
            until = self.until()
            with claim.lock:
                if claim in self.held:  # else it has just been let go
                    self.change(
                        claim, lambda job, task: moves.renew(job, task, claim.token, until)
                    )
        except LeaseLost:
            log.warning("lease lost", extra={"task": claim.task.id})
        except (StoreFailed, DiskFull):
            log.warning("lease not renewed", extra={"task": claim.task.id})
            claim.lost = claim.lost or self._clock() > claim.until
