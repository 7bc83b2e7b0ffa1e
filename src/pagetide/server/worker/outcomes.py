"""How a claim ends: done, failed, retried, or handed back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from pagetide.document import Failure
from pagetide.errors import DiskFull, LeaseLost, PagetideError, StoreFailed
from pagetide.server.jobs import losses
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, Result
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.review import Reason
from pagetide.server.ports import Blobs, Store
from pagetide.server.ports.store import Move
from pagetide.server.worker.claim import Claim
from pagetide.server.worker.claims import Claims
from pagetide.system.watchdog import Watch

log = logging.getLogger(__name__)

PUT_OFF_S = 5.0  # before what there was no room for is tried again


class Outcomes:
    """Makes the last move of a claim and lets go of it, whoever holds the task by then."""

    def __init__(
        self,
        *,
        claims: Claims,
        store: Store,
        blobs: Blobs,
        watch: Watch,
        clock: Callable[[], float],
    ) -> None:
        self._claims, self._store, self._blobs = claims, store, blobs
        self._watch, self._clock = watch, clock

    def record_last(self, claim: Claim, record: Callable[..., Moved], *, stops: bool) -> None:
        """The last pages of a `read` task are done, and it with them.

        Was it the job's last, the claim goes on as its `finish` task: nobody waits for another
        worker, and no message is sent. It does not where the holder stops, nor where its
        message stands for this task alone.

        Args:
            claim: The claim.
            record: `moves.record_last`, but for what is known here.
            stops: Take nothing on.

        Raises:
            LeaseLost: It is not held any more.
            StoreFailed: The store is away; the pages are not recorded.
            DiskFull: Likewise, for it has no room.
        """
        goes_on = not (stops or claim.message.exact)
        with claim.lock:  # nothing is renewed between the move and the letting go
            self._claims.change(claim, partial(record, now=self._clock(), goes_on=goes_on))
            if claim.task.state == "done":
                self._let_go(claim)

    def complete(self, claim: Claim) -> None:
        """All pages of a `read` task were done when it was taken."""
        now = self._clock()
        self._end(claim, lambda job, task: moves.complete_read(job, task, claim.token, now))

    def finish(
        self,
        claim: Claim,
        results: Mapping[str, Result],
        error: Failure | None,
        *,
        whole: bool = True,
        reasons: Sequence[Reason] = (),
    ) -> None:
        """The results of a `finish` task are there; the rest as in `moves.complete_finish`."""
        move = partial(
            moves.complete_finish,
            token=claim.token,
            results=results,
            now=self._clock(),
            error=error,
            whole=whole,
            reasons=reasons,
        )
        self._end(claim, move, durable=True)

    def read_again(self, claim: Claim, pages: tuple[int, ...]) -> None:
        """A `finish` task found pages gone."""
        log.error("pages gone, read again", extra={"job": claim.job.id, "pages": len(pages)})
        now = self._clock()
        self._end(claim, partial(moves.read_again, token=claim.token, pages=pages, now=now))

    def fail(self, claim: Claim, error: PagetideError) -> None:
        """The job cannot be read, or its results cannot be made."""
        now, failure = self._clock(), Failure.of(error)
        log.warning("task failed", extra={"task": claim.task.id, "code": error.code})
        self._end(
            claim,
            lambda job, task: moves.fail(job, task, claim.token, failure, now),
            durable=True,
        )

    def lose(self, claims: Iterable[Claim], error: PagetideError) -> None:
        """Retry tasks by a new engine or worker, and count the try."""
        now, failure = self._clock(), Failure.of(error)
        lose = partial(losses.lose, now=now, failure=failure, reported=True)
        for claim in claims:
            self._end(claim, partial(lose, token=claim.token))

    def put_off(self, claims: Iterable[Claim], error: PagetideError) -> None:
        """There is no room or no way to the store: nothing is wrong with the tasks."""
        log.error("work put off", extra={"code": error.code})
        for claim in claims:
            self.give_back(claim, self._clock() + PUT_OFF_S)

    def give_back(self, claim: Claim, due: float) -> None:
        """The task waits again, from `due` on, and no try is counted."""
        self._end(claim, lambda job, task: moves.give_back(job, task, claim.token, due))

    def _end(
        self,
        claim: Claim,
        move: Move,
        *,
        durable: bool = False,
    ) -> None:
        """Make the last move of a claim; if it was lost, there is none to make.

        Where the store cannot be reached, or has no room, the move is owed.
        """
        with claim.lock:  # nothing is renewed between the move and the letting go
            try:
                if not claim.lost:
                    self._claims.change(claim, move, durable=durable)
            except LeaseLost:
                log.warning("result refused", extra={"task": claim.task.id})
            except (DiskFull, StoreFailed) as error:
                log.error(
                    "owed to the store", extra={"task": claim.task.id, "code": error.code}
                )
                self._claims.owe(claim, move, durable=durable)
            finally:
                self._let_go(claim)
        if claim.lost:
            with suppress(StoreFailed):  # the sweep looks for them, too
                self._clear(claim.job)

    def _let_go(self, claim: Claim) -> None:
        self._claims.let_go(claim)
        if not self._claims.held:
            self._watch.rest()

    def _clear(self, job: Job) -> None:
        """Remove what was written for a job that was erased meanwhile."""
        found = self._store.job(job.id)
        if found is None or found.erased:
            for written in ("pages/", "results/"):  # a role allows a worker no more
                self._blobs.delete_under(f"{job.prefix}{written}")
