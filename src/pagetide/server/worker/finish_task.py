"""Runs the `finish` task: makes a job's results, or records why it cannot."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pagetide.document import Failure
from pagetide.errors import BlobMissing, DiskFull, LeaseLost, PagetideError, StoreFailed
from pagetide.server.jobs.job import Result, Task
from pagetide.server.jobs.review import Reason
from pagetide.server.ports import Store
from pagetide.server.worker.assembly import Finisher
from pagetide.server.worker.claim import Claim
from pagetide.server.worker.claims import Claims
from pagetide.server.worker.outcomes import Outcomes
from pagetide.system.watchdog import Watch
from pagetide.telemetry import tracing

log = logging.getLogger(__name__)

FINISH_DEADLINES = 10  # it may take so many times as long as a page


@dataclass(frozen=True, kw_only=True)
class FinishTask:
    """Carries out claims of `finish` tasks."""

    store: Store
    claims: Claims
    finisher: Finisher
    outcomes: Outcomes
    watch: Watch

    def carry_out(self, claim: Claim) -> None:
        """Make the results, and let go of the claim, however it ends.

        Raises:
            DiskFull: The results are there, and the blobs of single pages cannot be removed.
            StoreFailed: Likewise.
        """
        self.watch.alive(FINISH_DEADLINES)
        self.claims.begin(claim)
        if claim.lost:
            self.outcomes.give_back(claim, claim.task.due)
            return
        try:
            with tracing.span("finish", claim.job.trace, job=claim.job.id):
                results, error, whole = self._results(claim)
                reasons = self._reasons(claim)
        except (DiskFull, StoreFailed) as failure:
            self.outcomes.put_off([claim], failure)
        except LeaseLost:
            self.outcomes.give_back(claim, claim.task.due)
        except BlobMissing as failure:
            self._read_again(claim, failure)
        except PagetideError as failure:
            self.outcomes.fail(claim, failure)
        else:
            self.outcomes.finish(claim, results, error, whole=whole, reasons=reasons)
            if not claim.lost:
                self.finisher.tidy(claim.job)

    def _results(self, claim: Claim) -> tuple[dict[str, Result], Failure | None, bool]:
        """The results, why no page or format could be had, and whether all is there."""
        results: dict[str, Result] = {}
        in_part: Sequence[int] = ()
        error = None
        if not claim.job.ended:
            tasks = self._read_tasks(claim)
            results, in_part = self.finisher.assemble(claim.job, tasks)
            error = self.finisher.failure(claim.job, tasks)
        missing = claim.task.error  # formats that were left out, for making one kept failing
        for name in claim.task.formats:
            if name not in results:
                made = self._exported(claim, name)
                if isinstance(made, Failure):
                    missing = missing or made
                else:
                    results[name] = made
        return results, error or missing, not in_part and not missing

    def _reasons(self, claim: Claim) -> tuple[Reason, ...]:
        return () if claim.job.ended else self.finisher.reasons(claim.job)

    def _exported(self, claim: Claim, name: str) -> Result | Failure:
        """A format, or why it was not made: it does not take the others with it.

        The job is then `partial` and says so; who asks for the format has it tried once more.
        """
        try:
            return self.finisher.export(claim.job, name)
        except (DiskFull, StoreFailed):
            raise
        except PagetideError as error:
            if claim.job.ended:
                raise
            log.warning("format not made", extra={"job": claim.job.id, "code": error.code})
            text = f"The format {name} was not created: {error.message}"
            return Failure(code=error.code, message=text)

    def _read_again(self, claim: Claim, error: BlobMissing) -> None:
        """Read pages again that are gone; if it is something else, the job fails."""
        gone: Sequence[int] = ()
        if not claim.job.ended:
            gone = self.finisher.gone(claim.job, self._read_tasks(claim))
        if gone:
            self.outcomes.read_again(claim, tuple(gone))
        else:
            self.outcomes.fail(claim, error)

    def _read_tasks(self, claim: Claim) -> list[Task]:
        return [task for task in self.store.tasks(claim.job.id) if task.kind == "read"]
