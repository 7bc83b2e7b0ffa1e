"""A worker: takes tasks of one pool, reads their pages, leaves when there is no more work."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path

from pagetide.errors import DiskFull, EngineFailed, PagetideError, StoreFailed
from pagetide.inputs import Limits, Sandbox
from pagetide.reading import Reader, Request
from pagetide.server.ports import Blobs, Receiver, Store
from pagetide.server.service.load import absences
from pagetide.server.service.notifier import Notifier
from pagetide.server.worker.assembly import Finisher
from pagetide.server.worker.claim import Claim
from pagetide.server.worker.claims import Claims
from pagetide.server.worker.finish_task import FINISH_DEADLINES, FinishTask
from pagetide.server.worker.input_cache import Inputs
from pagetide.server.worker.leaving import Leaving
from pagetide.server.worker.outcomes import Outcomes
from pagetide.server.worker.read_task import ReadTask
from pagetide.server.worker.readers import Readers
from pagetide.settings import Settings
from pagetide.system.cipher import Cipher
from pagetide.system.watchdog import Watch
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)

RETRY_S = 1.0  # until the store or the queue is asked again after it failed
LISTEN_S = 2.0  # then a worker sees whether it is to leave
TOGETHER_S = 0.05  # how long a reading that goes on waits for one more task to join it


class Worker:
    """Reads for one pool, in one process.

    Tasks that wait are read side by side, as if they were pages of one document.
    """

    def __init__(
        self,
        *,
        store: Store,
        blobs: Blobs,
        notifier: Notifier,
        settings: Settings,
        pool: str,
        name: str,
        cipher: Cipher,
        open_reader: Callable[[str], Reader],
        abort: Callable[[], None],
        beat: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Make a worker.

        Args:
            store: The truth.
            blobs: Documents and results.
            notifier: Tells of what has changed, and wakes workers.
            settings: Lease, idle time, limits.
            pool: Whose tasks it takes.
            name: Unlike any other worker's.
            cipher: Opens the passwords of jobs.
            open_reader: Gives the reader of a model.
            abort: Ends the process at once; called when no page comes for too long.
            beat: Called a few times in every lease, as long as the process runs at all.
            clock: Seconds since the epoch.
        """
        self._store, self._notifier, self._pool = store, notifier, pool
        self._settings, self._clock = settings, clock
        self._claims = Claims(
            store,
            notifier,
            pool=pool,
            worker=name,
            lease_s=settings.lease_s,
            clock=clock,
            beat=beat,
        )
        self._readers, self._leaving = Readers(open_reader), Leaving(settings)
        self._sandbox, self._inputs = Sandbox(Limits.of(settings)), Inputs(blobs)
        self._watch = Watch(settings.page_deadline_s, partial(self._hangs, abort))
        self._outcomes = Outcomes(
            claims=self._claims, store=store, blobs=blobs, watch=self._watch, clock=clock
        )
        self._read_task = ReadTask(
            blobs=blobs,
            inputs=self._inputs,
            cipher=cipher,
            claims=self._claims,
            outcomes=self._outcomes,
            watch=self._watch,
            leaving=self._leaving,
            pool=pool,
            version=settings.version or version("pagetide"),
        )
        alive = partial(self._watch.alive, FINISH_DEADLINES)
        self._finish_task = FinishTask(
            store=store,
            claims=self._claims,
            finisher=Finisher(blobs, self._sandbox, cipher, alive),
            outcomes=self._outcomes,
            watch=self._watch,
        )
        self._receiver: Receiver | None = None

    @property
    def held(self) -> int:
        """How many tasks it holds now."""
        return len(self._claims.held)

    def run(self) -> str:
        """Work until there is nothing to do, or until stopped; says why it leaves."""
        with closing(self._open_receiver()) as receiver:
            idle_since = time.monotonic()
            while not self._leaving.stopping.is_set():
                left = idle_since + self._settings.idle_s - time.monotonic()
                claim = self._take(receiver, max(0.0, min(left, LISTEN_S)))
                if claim:
                    self._work(claim, receiver)
                    idle_since = time.monotonic()
                    if reason := self._leaving.worn():
                        return reason
                elif left <= 0:
                    return "idle"
        return "stopped"

    def warm(self, models: Iterable[str], page: Path) -> None:
        """Load models, and read a page with each, before work is taken.

        Raises:
            PagetideError: One cannot be loaded, or cannot read.
        """
        for model in models:
            if self._leaving.stopping.is_set():
                return
            begun = time.monotonic()
            self._readers.of(model).read(page)
            seconds = time.monotonic() - begun
            log.info("model is warm", extra={"model": model, "ms": round(seconds * 1000)})

    def cannot_start(self, reason: str) -> None:
        """Tell servers that no worker of the pool starts, so that they take no work for it."""
        try:
            absences.report(self._store, self._pool, reason, self._clock())
        except PagetideError as error:
            log.warning("reason not told to servers", extra={"code": error.code})

    def can_start(self) -> None:
        """Tell servers that a worker has started, if one reported that none does."""
        try:
            absences.withdraw(self._store, self._pool)
        except PagetideError as error:
            log.warning("start not told to servers", extra={"code": error.code})

    def stop(self) -> None:
        """Take nothing more; finish what is in hand, or give it back before long."""
        self._leaving.stop()
        # A signal does not end its waiting. A thread, for this may be a signal's handler.
        if receiver := self._receiver:
            threading.Thread(target=receiver.wake, daemon=True).start()

    def close(self) -> None:
        """Close everything; tasks still held are handed back."""
        for claim in self._claims.held:
            self._outcomes.give_back(claim, claim.task.due)
        self._claims.close()
        self._watch.close()
        self._readers.close()
        self._sandbox.close()
        metrics.report_to(None)  # by notifications, if `open_worker` set them

    def _hangs(self, abort: Callable[[], None]) -> None:
        """Say what is in hand and does not go on, and end the process."""
        log.error(
            "worker hangs",
            extra={
                "pool": self._pool,
                "task": ", ".join(claim.task.id for claim in self._claims.held),
                "reason": f"no page was done within {self._settings.page_deadline_s:g} s",
            },
        )
        abort()

    def _open_receiver(self) -> Receiver:
        settings = self._settings
        self._receiver = self._notifier.queue.receiver(self._pool, settings.concurrency)
        return self._receiver

    def _work(self, claim: Claim, receiver: Receiver) -> None:
        """Carry out a task, and what is taken beside it."""
        waiting = [claim]
        try:
            while waiting:
                self._finish(waiting)
                if waiting:
                    self._read(waiting.pop(), receiver, waiting)
        except (DiskFull, StoreFailed) as error:
            self._outcomes.put_off(self._claims.held, error)
        except PagetideError:
            raise
        except Exception:  # our own mistake; if it were not counted, it might be made for ever
            self._outcomes.lose(self._claims.held, PagetideError())
            raise

    def _finish(self, waiting: list[Claim]) -> None:
        """Carry out the `finish` tasks among those that wait."""
        for claim in [one for one in waiting if one.task.kind == "finish"]:
            waiting.remove(claim)
            self._finish_task.carry_out(claim)

    def _read(self, first: Claim, receiver: Receiver, waiting: list[Claim]) -> None:
        """Read a task, and those of its model that are taken meanwhile."""
        model = first.job.options.model
        try:
            reader = self._readers.of(model)
            for page in reader.stream(self._taken(first, receiver, waiting)):
                if claim := self._read_task.keep(page):
                    waiting.append(claim)
                self._finish(waiting)
        except EngineFailed as error:
            log.error("engine failed", extra={"model": model})
            self._readers.drop(model)
            self._outcomes.lose(self._reading(model), error)
        except (DiskFull, StoreFailed) as error:
            self._outcomes.put_off(self._reading(model), error)
        except PagetideError as error:
            for claim in self._reading(model):
                self._outcomes.fail(claim, error)
        for claim in self._reading(model):
            self._outcomes.give_back(claim, claim.task.due)
        self._inputs.clear()

    def _taken(
        self, first: Claim, receiver: Receiver, waiting: list[Claim]
    ) -> Iterator[Request]:
        """Tasks to read, taken as the reader asks for them; those not for it wait."""
        model = first.job.options.model
        claim: Claim | None = first
        while claim:
            if claim.task.kind == "read" and claim.job.options.model == model:
                yield from self._read_task.requests(claim)
            else:
                waiting.append(claim)
                # A `finish` task has its turn after the next page, if one is to come.
                if claim.task.kind == "read" or not self._reading(model):
                    return
            claim = None if claim.task.alone else self._next(receiver)

    def _next(self, receiver: Receiver) -> Claim | None:
        if self._leaving.is_due():
            return None
        if self._claims.waits_alone or len(self._claims.held) >= self._settings.concurrency:
            return None
        return self._take(receiver, 0.0) or self._take(receiver, TOGETHER_S)

    def _take(self, receiver: Receiver, timeout_s: float) -> Claim | None:
        """The next task; none while the store or the queue is away, for both come back."""
        try:
            return self._claims.take(receiver, timeout_s)
        except (DiskFull, StoreFailed) as error:
            log.error("nothing can be taken now", extra={"code": error.code})
            self._leaving.stopping.wait(RETRY_S)
            return None

    def _reading(self, model: str) -> list[Claim]:
        return [
            claim
            for claim in self._claims.held
            if claim.task.kind == "read" and claim.job.options.model == model
        ]
