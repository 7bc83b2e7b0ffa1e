"""The tasks that one worker holds: claimed, renewed, released."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

from pagetide.errors import DiskFull, JobUnknown, LeaseLost, StoreFailed
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Task
from pagetide.server.jobs.moved import Moved, TaskAlone, TaskTaken
from pagetide.server.ports import Message, Receiver, Store
from pagetide.server.ports.store import Move
from pagetide.server.service.notifier import Notifier
from pagetide.server.worker.claim import Claim

log = logging.getLogger(__name__)

RENEWALS_A_LEASE = 3  # two may fail before the lease runs out
HASTE = 5  # times sooner where one failed: after an outage there is half a lease to renew
LAPSED_S = 1.0  # until a task is looked at again whose lease ran out and nobody took it yet


class Claims:
    """Holds tasks for a worker; a thread renews their leases."""

    def __init__(
        self,
        store: Store,
        notifier: Notifier,
        *,
        pool: str,
        worker: str,
        lease_s: float,
        clock: Callable[[], float],
        beat: Callable[[], None],
    ) -> None:
        self._store, self._notifier = store, notifier
        self._pool, self._worker = pool, worker
        self._lease_s, self._clock, self._beat = lease_s, clock, beat
        self._held: list[Claim] = []
        self._owed: list[Claim] = []
        self._aside: Message | None = None
        self._store_away = False
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._renewing = threading.Thread(
            target=self._keep_renewing, name="pagetide-lease", daemon=True
        )
        self._renewing.start()

    @property
    def held(self) -> tuple[Claim, ...]:
        """The tasks held now, those whose lease is lost among them."""
        with self._lock:
            return tuple(self._held)

    def take(self, receiver: Receiver, timeout_s: float) -> Claim | None:
        """The next task, waiting for a message at most so long; None where there is none.

        A message's task that may only be held alone is taken as soon as nothing else is held,
        and nothing else before it.

        Raises:
            DiskFull: The store has no room.
            StoreFailed: The store or the queue is away.
        """
        if self.waits_alone and self.held:
            return None
        if self._store_away:  # a message that is taken in vain too often is a dead letter
            self._store.next_due(self._pool)
            self._store_away = False
        while message := self._set_aside(None) or receiver.receive(timeout_s):
            claim = self._claim(message)
            if claim or self.waits_alone:
                return claim
            timeout_s = 0.0  # that message was late or came twice; there may be more of them
        return None

    def _claim(self, message: Message) -> Claim | None:
        try:
            claim = self._named(message) if message.exact else self._next(message)
        except BaseException as error:
            self._store_away = isinstance(error, StoreFailed)
            message.release()
            raise
        if claim:
            with self._lock:
                self._held.append(claim)
        return claim

    @property
    def waits_alone(self) -> bool:
        """Whether a task is to be taken next that must be held alone."""
        return self._aside is not None

    def _next(self, message: Message) -> Claim | None:
        """The task whose turn it is, whichever the message names: all alike are one task more.

        Where none can be taken, what is to become of the message is decided by its own task.
        """
        if claim := self._first(message):
            return claim
        if self.held and self._first_is_alone():
            self._set_aside(message)
        elif not message.task_id:
            message.release()
        else:
            return self._named(message)
        return None

    def _first_is_alone(self) -> bool:
        first = self._store.waiting(self._pool, self._clock(), 1)
        return any(task.alone for task in first)

    def _first(self, message: Message) -> Claim | None:
        """The first in line; beside others none, where that must be alone."""
        now, token = self._clock(), secrets.token_hex(6)
        until = now + self._lease_s
        taken = self._store.claim(
            self._pool, self._worker, now=now, until=until, token=token, beside=bool(self.held)
        )
        if taken is None:
            return None
        job, task = taken
        return Claim(job=job, task=task, token=token, message=message)

    def _named(self, message: Message) -> Claim | None:
        """The task that a message names, unless it is done, or somebody else's just now."""
        now, token = self._clock(), secrets.token_hex(6)
        until, beside = now + self._lease_s, bool(self.held)
        take = partial(
            moves.take,
            pool=self._pool,
            token=token,
            worker=self._worker,
            until=until,
            now=now,
            beside=beside,
        )
        try:
            moved = self._store.change(message.job_id, message.task_id, take)
        except (LeaseLost, JobUnknown):
            message.done()  # a message that was late, came twice, or is for others
        except TaskTaken as error:
            left_s = error.free_at - now
            message.release(left_s if left_s > 0 else LAPSED_S)
        except TaskAlone:
            self._set_aside(message)
        else:
            job, task = moved.job, moved.tasks[0]
            return Claim(job=job, task=task, token=token, message=message)
        return None

    def _set_aside(self, message: Message | None) -> Message | None:
        """Keep a message for when nothing is held; what was kept before, if it is time."""
        with self._lock:
            if message is None and self._held:
                return None
            kept, self._aside = self._aside, message
        return kept

    def change(
        self,
        claim: Claim,
        move: Move,
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
            claim.job = moved.job
            for task in moved.tasks:
                if task.id == claim.task.id or _goes_on(task, claim.token):
                    claim.task = task
        self._notifier.moved(moved)
        return moved

    def begin(self, claim: Claim) -> None:
        """Note that the work itself begins: from now on, dying counts as a try.

        Where the store is away, it is noted before the next page, and nothing counts till then.
        """
        if claim.lost or (claim.task.lease and claim.task.lease.begun):
            return
        try:
            self.change(claim, partial(moves.begin, token=claim.token))
        except LeaseLost:
            log.warning("lease lost", extra={"task": claim.task.id})
        except (StoreFailed, DiskFull) as error:
            log.warning("not noted as begun", extra={"task": claim.task.id, "code": error.code})

    def let_go(self, claim: Claim) -> None:
        """Renew it no more; its message has served, unless a move is owed."""
        with self._lock:
            self._held.remove(claim)
            if claim.owes:
                self._owed.append(claim)
        if not claim.owes:
            claim.message.done()

    def owe(self, claim: Claim, move: Move, *, durable: bool = False) -> None:
        """Note a claim whose last move is to be made as soon as the store is back."""
        claim.lost = True
        claim.owes = partial(self.change, claim, move, durable=durable)

    def until(self) -> float:
        """When a lease that is renewed now ends."""
        return self._clock() + self._lease_s

    def close(self) -> None:
        """Renew nothing any more."""
        self._ended.set()
        self._renewing.join()
        self._settle()
        for claim in self._owed:
            log.error("left to its lease", extra={"task": claim.task.id})
        if self._aside:
            self._aside.release()

    def renew(self) -> float:
        """Renew all leases once, with their messages, and make the moves that are owed.

        Returns:
            How many seconds later that is to be done again: soon, where the store is away.
        """
        self._beat()
        held, renewed = self.held, True
        for claim in held:
            if not claim.lost:
                renewed &= self._renew_one(claim)
                self._beat()  # a store that is away may have kept it waiting
        self._settle()
        self._hold([*(claim.message for claim in [*held, *self._owed]), self._aside])
        pause_s = self._lease_s / RENEWALS_A_LEASE
        return pause_s / HASTE if self._owed or not renewed else pause_s

    def _keep_renewing(self) -> None:
        pause_s = self._lease_s / RENEWALS_A_LEASE
        while not self._ended.wait(pause_s):
            pause_s = self.renew()

    def _settle(self) -> None:
        """Make the moves that are owed, in their order, until the store is away again."""
        while self._owed:
            claim = self._owed[0]
            assert claim.owes  # noqa: S101 - else it would not be here
            try:
                claim.owes()
            except LeaseLost:
                log.warning("result refused", extra={"task": claim.task.id})
            except (StoreFailed, DiskFull):
                return
            self._owed.pop(0)
            claim.message.done()

    def _hold(self, messages: Iterable[Message | None]) -> None:
        """Renew messages, for no longer than leaves time for the leases."""
        until = time.monotonic() + self._lease_s / RENEWALS_A_LEASE
        for message in messages:
            if message and time.monotonic() < until:
                message.renew(self._lease_s)

    def _renew_one(self, claim: Claim) -> bool:
        """Renew a lease; False where the store did not answer."""
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
            # It is ours until the store says otherwise: it may be away for all alike.
            log.warning("lease not renewed", extra={"task": claim.task.id})
            return False
        return True


def _goes_on(task: Task, token: str) -> bool:
    """Whether a task is held under this token: the one that came with the last one's end."""
    return task.lease is not None and task.lease.token == token
