"""Runs the `read` task: asks a reader for pages, and stores them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from pagetide.document import ModelInfo, Page
from pagetide.errors import BlobMissing, LeaseLost, PageTimeout, SecretMissing, SecretWrong
from pagetide.reading import ReadOptions, ReadPage, Request
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import page_key
from pagetide.server.ports import Blobs
from pagetide.server.service import passwords
from pagetide.server.worker.assembly import page_blob
from pagetide.server.worker.claim import Claim
from pagetide.server.worker.claims import Claims
from pagetide.server.worker.input_cache import Inputs
from pagetide.server.worker.leaving import Leaving
from pagetide.server.worker.outcomes import Outcomes
from pagetide.system.cipher import Cipher
from pagetide.system.watchdog import Watch
from pagetide.telemetry import metrics, tracing

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ReadTask:
    """Carries out claims of `read` tasks, but for the reading itself.

    Attributes:
        pool: Whose pages are counted.
        version: What a result says of who read it.
    """

    blobs: Blobs
    inputs: Inputs
    cipher: Cipher
    claims: Claims
    outcomes: Outcomes
    watch: Watch
    leaving: Leaving
    pool: str
    version: str

    def requests(self, claim: Claim) -> Iterator[Request]:
        """The requests to a reader for a claim; none where nothing is left or can be read.

        The document is at hand until the next one is asked for.
        """
        self.watch.alive()
        if not claim.task.pages_left:
            self.outcomes.complete(claim)
            return
        try:
            password = passwords.of(self.cipher, claim.job)
            with self.inputs.local(claim.job.input) as path:
                yield Request(
                    source=path,
                    options=_options(claim, password),
                    tag=claim,
                    wanted=lambda: not claim.lost and not self.leaving.halted.is_set(),
                    begin=partial(self.claims.begin, claim),
                    timeouts=claim.job.page_timeouts,
                )
        except (BlobMissing, SecretMissing, SecretWrong) as error:
            self.outcomes.fail(claim, error)

    def keep(self, item: ReadPage) -> Claim | None:
        """Keep a page that was read, and close its task with the last one.

        Returns:
            The claim, where it goes on as that of the job's `finish` task.

        Raises:
            DiskFull: There is no room for the page.
            StoreFailed: The store or the blobs are away.
        """
        claim = item.request.tag
        assert isinstance(claim, Claim)  # noqa: S101 - we tagged it
        self.watch.alive()
        if claim.lost:
            return None
        if item.error:
            self.outcomes.fail(claim, item.error)
            return None
        page = item.page
        assert page is not None  # noqa: S101 - without an error there is a page
        key = page_key(claim.job, page.number, claim.token)
        model = item.model and replace(item.model, worker=self.version)
        self.blobs.put(key, page_blob(page, model, item.raw))
        self.leaving.pages += 1
        try:
            self._record(claim, page, model)
        except LeaseLost:
            log.warning("result refused", extra={"task": claim.task.id})
            self.blobs.delete(key)
            return None
        self._count(claim, page)
        return claim if claim.task.kind == "finish" else None

    def _record(self, claim: Claim, page: Page, model: ModelInfo | None) -> None:
        """Note a page in the store; with the last one its task is done."""
        last = claim.task.pages_left == (page.number,)
        record = partial(
            moves.record_last if last else moves.record,
            token=claim.token,
            pages={page.number: not page.error},
            until=self.claims.until(),
            model=model,
            timeouts=int(page.error is not None and page.error.code == PageTimeout.code),
        )
        if last:
            self.outcomes.record_last(claim, record, stops=self.leaving.is_due())
        else:
            self.claims.change(claim, record)

    def _count(self, claim: Claim, page: Page) -> None:
        seconds = sum(page.timings_ms.values()) / 1000
        model = claim.job.options.model
        metrics.page_read(
            model=model, pool=self.pool, seconds=seconds, failed=page.error is not None
        )
        for notice in page.warnings:
            metrics.page_noticed(code=notice.code, pool=self.pool)
        tracing.ended(
            "page", claim.job.trace, seconds, job=claim.job.id, page=page.number, model=model
        )


def _options(claim: Claim, password: str | None) -> ReadOptions:
    options = claim.job.options
    return ReadOptions(
        language=options.language,
        pages=",".join(map(str, claim.task.pages_left)),
        password=password,
        dpi=options.dpi,
        text_layer=options.text_layer,
        barcodes=options.barcodes,
    )
