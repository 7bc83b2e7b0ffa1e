"""A worker: takes tasks of one pool, reads their pages, leaves when there is no more work."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path

from msgspec.structs import replace

from pagetide.document import Failure, ModelInfo, Page
from pagetide.errors import (
    BlobMissing,
    DiskFull,
    EngineFailed,
    LeaseLost,
    PagetideError,
    PageTimeout,
    SecretMissing,
    SecretWrong,
    StoreFailed,
)
from pagetide.inputs import Limits, Sandbox
from pagetide.reading import Reader, ReadOptions, ReadPage, Request
from pagetide.server.jobs import passwords
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Result, page_key
from pagetide.server.ports import Blobs, Receiver, Store
from pagetide.server.service import absences
from pagetide.server.service.notifier import Notifier
from pagetide.server.worker.assembly import Finisher, page_blob
from pagetide.server.worker.claims import Claim, Claims
from pagetide.server.worker.input_cache import Inputs
from pagetide.server.worker.outcomes import Outcomes
from pagetide.settings import Settings
from pagetide.system.cipher import Cipher
from pagetide.system.watchdog import Watch, resident_mb
from pagetide.telemetry import metrics, tracing

log = logging.getLogger(__name__)

RETRY_S = 1.0  # until the store or the queue is asked again after it failed
LISTEN_S = 2.0  # then a worker sees whether it is to leave
TOGETHER_S = 0.05  # how long a reading that goes on waits for one more task to join it
MOST_READERS = 3  # a model's options make another of it; each may hold gigabytes
FINISH_DEADLINES = 10  # a `finish` task may take so many times as long as a page


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
        self._store, self._blobs, self._notifier, self._pool = store, blobs, notifier, pool
        self._settings, self._clock, self._cipher = settings, clock, cipher
        self._version = settings.version or version("pagetide")
        self._open_reader = open_reader
        self._readers: dict[str, Reader] = {}
        self._claims = Claims(
            store,
            notifier,
            pool=pool,
            worker=name,
            lease_s=settings.lease_s,
            clock=clock,
            beat=beat,
        )
        self._sandbox, self._inputs = Sandbox(Limits.of(settings)), Inputs(blobs)
        self._watch = Watch(settings.page_deadline_s, partial(self._hangs, abort))
        alive = partial(self._watch.alive, FINISH_DEADLINES)
        self._finisher = Finisher(blobs, self._sandbox, cipher, alive)
        self._outcomes = Outcomes(
            claims=self._claims, store=store, blobs=blobs, watch=self._watch, clock=clock
        )
        self._receiver: Receiver | None = None
        self._stopping, self._halted = threading.Event(), threading.Event()
        self.pages = 0

    @property
    def held(self) -> int:
        """How many tasks it holds now."""
        return len(self._claims.held)

    def run(self) -> str:
        """Work until there is nothing to do, or until stopped; says why it leaves."""
        with closing(self._open_receiver()) as receiver:
            idle_since = time.monotonic()
            while not self._stopping.is_set():
                left = idle_since + self._settings.idle_s - time.monotonic()
                claim = self._take(receiver, max(0.0, min(left, LISTEN_S)))
                if claim:
                    self._work(claim, receiver)
                    idle_since = time.monotonic()
                    if reason := self._worn():
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
            if self._stopping.is_set():
                return
            begun = time.monotonic()
            self._reader(model).read(page)
            seconds = time.monotonic() - begun
            log.info("model is warm", extra={"model": model, "ms": round(seconds * 1000)})

    def cannot_start(self, reason: str) -> None:
        """Tell servers that no worker of the pool starts, so that they take no work for it."""
        try:
            absences.tell(self._store, self._pool, reason, self._clock())
        except PagetideError as error:
            log.warning("reason not told to servers", extra={"code": error.code})

    def can_start(self) -> None:
        """Tell servers that one has started, if another told that none does."""
        try:
            absences.withdraw(self._store, self._pool)
        except PagetideError as error:
            log.warning("start not told to servers", extra={"code": error.code})

    def stop(self) -> None:
        """Take nothing more; finish what is in hand, or give it back before long."""
        self._stopping.set()
        halt = threading.Timer(self._settings.drain_s * 0.6, self._halted.set)
        halt.daemon = True
        halt.start()
        # A signal does not end its waiting. A thread, for this may be a signal's handler.
        if receiver := self._receiver:
            threading.Thread(target=receiver.wake, daemon=True).start()

    def close(self) -> None:
        """Let go of everything; what is still held is given back."""
        for claim in self._claims.held:
            self._outcomes.give_back(claim, claim.task.due)
        self._claims.close()
        self._watch.close()
        for reader in self._readers.values():
            reader.close()
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
        waiting = [claim]
        try:
            while waiting:
                claim = waiting.pop()
                if claim.task.kind == "finish":
                    self._finish(claim)
                else:
                    self._read(claim, receiver, waiting)
        except (DiskFull, StoreFailed) as error:
            self._outcomes.put_off(self._claims.held, error)
        except PagetideError:
            raise
        except Exception:  # our own mistake; if it were not counted, it might be made for ever
            self._outcomes.lose(self._claims.held, PagetideError())
            raise

    def _read(self, first: Claim, receiver: Receiver, others: list[Claim]) -> None:
        """Read a task, and those that wait beside it; another model's go to `others`."""
        model = first.job.options.model
        try:
            reader = self._reader(model)
            for item in reader.stream(self._requests(first, receiver, others)):
                self._keep(item)
        except EngineFailed as error:
            log.error("engine failed", extra={"model": model})
            self._readers.pop(model).close()
            self._outcomes.lose(self._reading(model), error)
        except (DiskFull, StoreFailed) as error:
            self._outcomes.put_off(self._reading(model), error)
        except PagetideError as error:
            for claim in self._reading(model):
                self._outcomes.fail(claim, error)
        for claim in self._reading(model):
            self._outcomes.give_back(claim, claim.task.due)
        self._inputs.clear()

    def _requests(
        self, first: Claim, receiver: Receiver, others: list[Claim]
    ) -> Iterator[Request]:
        claim: Claim | None = first
        while claim:
            if claim.task.kind == "finish":
                self._finish(claim)
            elif claim.job.options.model != first.job.options.model:
                others.append(claim)
                return
            else:
                yield from self._request(claim)
            claim = None if claim.task.alone else self._next(receiver)

    def _next(self, receiver: Receiver) -> Claim | None:
        if self._stopping.is_set() or self._worn():
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
            self._stopping.wait(RETRY_S)
            return None

    def _request(self, claim: Claim) -> Iterator[Request]:
        self._watch.alive()
        left = claim.task.pages_left
        if not left:
            self._outcomes.complete(claim)
            return
        options = claim.job.options
        try:
            password = passwords.of(self._cipher, claim.job)
            with self._inputs.local(claim.job.input) as path:
                yield Request(
                    source=path,
                    options=ReadOptions(
                        language=options.language,
                        pages=",".join(map(str, left)),
                        password=password,
                        dpi=options.dpi,
                        text_layer=options.text_layer,
                    ),
                    tag=claim,
                    wanted=lambda: not claim.lost and not self._halted.is_set(),
                    begin=partial(self._claims.begin, claim),
                    timeouts=claim.job.page_timeouts,
                )
        except (BlobMissing, SecretMissing, SecretWrong) as error:
            self._outcomes.fail(claim, error)

    def _keep(self, item: ReadPage) -> None:
        """Keep a page that was read, and close its task with the last one."""
        claim = item.request.tag
        assert isinstance(claim, Claim)  # noqa: S101 - we tagged it
        self._watch.alive()
        if claim.lost:
            return
        if item.error:
            self._outcomes.fail(claim, item.error)
            return
        page = item.page
        assert page is not None  # noqa: S101 - without an error there is a page
        key = page_key(claim.job, page.number, claim.token)
        model = item.model and replace(item.model, worker=self._version)
        self._blobs.put(key, page_blob(page, model, item.raw))
        self.pages += 1
        try:
            self._record(claim, page, model)
        except LeaseLost:
            log.warning("result refused", extra={"task": claim.task.id})
            self._blobs.delete(key)
            return
        self._count(claim, page)
        if claim.task.kind == "finish":
            self._finish(claim)

    def _record(self, claim: Claim, page: Page, model: ModelInfo | None) -> None:
        """Note a page in the store; with the last one its task is done."""
        last = claim.task.pages_left == (page.number,)
        record = partial(
            moves.record_last if last else moves.record,
            token=claim.token,
            pages={page.number: not page.error},
            until=self._claims.until(),
            model=model,
            timeouts=int(page.error is not None and page.error.code == PageTimeout.code),
        )
        if last:
            stops = self._stopping.is_set() or bool(self._worn())
            self._outcomes.record_last(claim, record, stops=stops)
        else:
            self._claims.change(claim, record)

    def _count(self, claim: Claim, page: Page) -> None:
        seconds = sum(page.timings_ms.values()) / 1000
        model = claim.job.options.model
        metrics.page_read(
            model=model, pool=self._pool, seconds=seconds, failed=page.error is not None
        )
        for notice in page.warnings:
            metrics.page_noticed(code=notice.code, pool=self._pool)
        tracing.ended(
            "page", claim.job.trace, seconds, job=claim.job.id, page=page.number, model=model
        )

    def _finish(self, claim: Claim) -> None:
        self._watch.alive(FINISH_DEADLINES)
        self._claims.begin(claim)
        if claim.lost:
            self._outcomes.give_back(claim, claim.task.due)
            return
        try:
            with tracing.span("finish", claim.job.trace, job=claim.job.id):
                results, error, whole = self._results(claim)
        except (DiskFull, StoreFailed) as failure:
            self._outcomes.put_off([claim], failure)
            return
        except LeaseLost:
            self._outcomes.give_back(claim, claim.task.due)
            return
        except BlobMissing as failure:
            self._read_again(claim, failure)
            return
        except PagetideError as failure:
            self._outcomes.fail(claim, failure)
            return
        self._outcomes.finish(claim, results, error, whole=whole)
        if not claim.lost:
            self._finisher.tidy(claim.job)

    def _read_again(self, claim: Claim, error: BlobMissing) -> None:
        """Have pages that are gone read again; if it is something else, the job fails."""
        tasks = [t for t in self._store.tasks(claim.job.id) if t.kind == "read"]
        gone = () if claim.job.ended else self._finisher.gone(claim.job, tasks)
        if gone:
            self._outcomes.read_again(claim, gone)
        else:
            self._outcomes.fail(claim, error)

    def _results(self, claim: Claim) -> tuple[dict[str, Result], Failure | None, bool]:
        """The results, why no page or format could be had, and whether all is there."""
        results: dict[str, Result] = {}
        in_part: Sequence[int] = ()
        error = None
        if not claim.job.ended:
            tasks = [t for t in self._store.tasks(claim.job.id) if t.kind == "read"]
            results, in_part = self._finisher.assemble(claim.job, tasks)
            error = self._finisher.failure(claim.job, tasks)
        missing = claim.task.error  # formats that were left out, for making one kept failing
        for name in claim.task.formats:
            if name not in results:
                made = self._exported(claim, name)
                if isinstance(made, Failure):
                    missing = missing or made
                else:
                    results[name] = made
        return results, error or missing, not in_part and not missing

    def _exported(self, claim: Claim, name: str) -> Result | Failure:
        """A format, or why it was not made: it does not take the others with it.

        The job is then `partial` and says so; who asks for the format has it tried once more.
        """
        try:
            return self._finisher.export(claim.job, name)
        except (DiskFull, StoreFailed):
            raise
        except PagetideError as error:
            if claim.job.ended:
                raise
            log.warning("format not made", extra={"job": claim.job.id, "code": error.code})
            text = f"The format {name} was not made: {error.message}"
            return Failure(code=error.code, message=text)

    def _reader(self, model: str) -> Reader:
        """The reader of a model; too many open, the one used longest ago makes way."""
        reader = self._readers.pop(model, None)
        if reader is None:
            while len(self._readers) >= MOST_READERS:
                self._readers.pop(next(iter(self._readers))).close()
            reader = self._open_reader(model)
        self._readers[model] = reader
        return reader

    def _worn(self) -> str:
        """Why this process should make way for a new one; empty if it need not."""
        if self.pages >= self._settings.recycle_pages:
            return f"recycled after {self.pages} pages"
        if resident_mb() > self._settings.recycle_mb:
            return f"recycled at {resident_mb():.0f} MB"
        return ""

    def _reading(self, model: str) -> list[Claim]:
        return [
            claim
            for claim in self._claims.held
            if claim.task.kind == "read" and claim.job.options.model == model
        ]
