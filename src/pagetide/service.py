"""Jobs from the outside: submit, status, results, cancel, erase."""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from pagetide import metrics, moves, page_ranges, tracing
from pagetide.admission import Admission
from pagetide.document import SourceInfo
from pagetide.errors import (
    BadOption,
    BlobMissing,
    IdempotencyConflict,
    JobEnded,
    JobGone,
    JobUnknown,
    NotFound,
    PagetideError,
    ResultNotReady,
    TooManyPages,
    nearest,
)
from pagetide.inspection import Inspector
from pagetide.job import HOUSE, Delivery, Job, JobOptions, Priority, Result, Task, page_key
from pagetide.languages import resolve
from pagetide.page_index import PageIndex
from pagetide.ports import Backlog, Blobs, JobQuery, Queue, Store
from pagetide.settings import Settings

MADE_ALWAYS = ("json", "raw")
FORMATS = (*MADE_ALWAYS, "md", "txt", "html", "hocr", "pdf")
MOST_AHEAD = 1000  # tasks before a job are counted no further
JOBS = "jobs"  # the topic on which a job's id says that it has changed


class ModelPlaces(Protocol):
    """What the service must know of models; `wiring.Models` does."""

    def pool(self, model: str) -> str:
        """Whose workers run a model.

        Raises:
            UnknownModel: There is no such model.
            ModelUnavailable: It is known, but cannot run here.
        """
        ...

    def version(self, model: str) -> str:
        """Changes whenever the model's results may."""
        ...

    def pools(self) -> tuple[str, ...]:
        """All pools that models run in."""
        ...


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What a user asks for.

    Attributes:
        document: The document as a file; it is taken, and gone afterwards.
        name: What its sender calls it.
        owner: The API key's id; empty where keys are off.
        ttl_s: How long input and results are kept; None means as the settings say.
        max_pages: The key's own limit.
        max_active: The key's own limit.
        trace: The request's W3C `traceparent`, or empty.
    """

    document: Path
    name: str
    options: JobOptions
    owner: str = ""
    password: str | None = field(default=None, repr=False)
    priority: Priority = "interactive"
    webhook_url: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    ttl_s: float | None = None
    max_pages: int | None = None
    max_active: int | None = None
    trace: str = ""


class Service:
    """Everything a user can do; what workers do is in `worker`.

    Any number of threads may use it, and any number of services one store.

    Attributes:
        settings: As given.
        store: The truth.
        blobs: Documents and results.
        queue: Wakes workers and tells of news.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        blobs: Blobs,
        queue: Queue,
        models: ModelPlaces,
        inspector: Inspector,
        vet_url: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings, self.store, self.blobs, self.queue = settings, store, blobs, queue
        self._models, self._inspector, self._vet_url = models, inspector, vet_url
        self._clock = clock
        self._admission = Admission(store, settings, clock)

    def submit(self, submission: Submission) -> Job:
        """Take a document in; once this returns, it will be read whatever dies.

        The same document, model and options of the same key are answered from the earlier
        result: the job is then `succeeded` at once.

        Raises:
            PagetideError: It is refused; nothing is left behind.
        """
        try:
            with tracing.span("submit", submission.trace) as trace:
                return self._submit(dataclasses.replace(submission, trace=trace))
        finally:
            submission.document.unlink(missing_ok=True)

    def job(self, job_id: str, owner: str | None = None) -> Job:
        """A job.

        Args:
            job_id: Its id.
            owner: Whose jobs may be seen; None sees all.

        Raises:
            JobUnknown: There never was one, or it is another key's.
            JobGone: It was erased or has expired.
        """
        job = self.store.job(job_id)
        if job is None or (owner is not None and job.owner != owner):
            raise JobUnknown
        if job.erased:
            what = "has expired" if job.status == "expired" else "was erased"
            raise JobGone(f"The job {what}.")
        return job

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """Jobs, the newest first."""
        return self.store.jobs(query)

    def position(self, job: Job) -> int | None:
        """How many tasks wait before the job's first one, at most 1000; None unless queued."""
        if job.status != "queued":
            return None
        waiting = [task for task in self.store.tasks(job.id) if task.state == "waiting"]
        return min((self.store.ahead(task, MOST_AHEAD) for task in waiting[:1]), default=None)

    def page(self, job: Job, number: int) -> bytes:
        """A page's JSON, as soon as it is read.

        Raises:
            PageOutOfRange: The job does not read such a page.
            ResultNotReady: It is not read yet.
            JobEnded: The job ended without it.
        """
        if "json" in job.results:
            return self._finished_page(job, number)
        page_ranges.check(number, job.options.pages, job.source.page_count)
        for task in self.store.tasks(job.id):
            if number in task.done:
                return self._unfinished_page(job, number, task.done[number])
        if job.ended:
            raise JobEnded(f"The job has ended without this page: {job.status}.")
        raise ResultNotReady(f"Page {number} is not read yet.")

    def page_image(self, job: Job, number: int) -> bytes:
        """A page's picture as PNG, at the job's dpi.

        Raises:
            PagetideError: It cannot be rendered; of an encrypted document only while the job
                runs, since its password is forgotten afterwards.
        """
        with self.blobs.local(job.input) as path:
            return self._inspector.page_png(path, number, job.options.dpi, job.password)

    def result(self, job: Job, format_name: str) -> Result:
        """Where a result is; one that was not asked for before begins to be made.

        Raises:
            BadOption: There is no such format.
            ResultNotReady: The job is not done, or the format is being made.
            JobEnded: The job ended without results.
            PagetideError: The format cannot be made.
        """
        _check_formats((format_name,))
        if format_name in job.results:
            return job.results[format_name]
        if not job.ended:
            raise ResultNotReady("The job is not done yet.")
        if "json" not in job.results:
            raise JobEnded(f"The job ended without a result: {job.status}.")
        self._make(job, format_name)
        raise ResultNotReady(f"The format {format_name} is being made.")

    def inline(self, job: Job) -> bytes | None:
        """The document's JSON, where it is there and small enough for a status."""
        info = job.results.get("json")
        if info is None or info.bytes > self.settings.inline_bytes:
            return None
        return self.blobs.get(info.key)

    def stream(self, info: Result, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """A result's bytes, in chunks."""
        return self.blobs.stream(info.key, start, end)

    def cancel(self, job_id: str, owner: str | None = None) -> Job:
        """Stop a job; what is being read is thrown away.

        Raises:
            JobUnknown: There is no such job.
            JobGone: It was erased or has expired.
            JobEnded: It has ended otherwise.
        """
        self.job(job_id, owner)
        now = self._clock()
        moved = self._change(job_id, None, lambda job, _: moves.cancel(job, now), durable=True)
        metrics.job_moved(state=moved.job.status, model=moved.job.options.model)
        self.blobs.delete_under(f"{moved.job.prefix}pages/")
        return moved.job

    def erase(self, job_id: str, owner: str | None = None) -> None:
        """Remove a job's input, results and details.

        Raises:
            JobUnknown: There is no such job.
            JobGone: It was erased already, or has expired.
        """
        prefix = self.job(job_id, owner).prefix
        now = self._clock()
        self._change(job_id, None, lambda job, _: moves.erase(job, now), durable=True)
        self.blobs.delete_under(prefix)

    def deliveries(self, job: Job) -> tuple[Delivery, ...]:
        """What became of the job's webhook so far."""
        tasks = self.store.tasks(job.id)
        return next((task.deliveries for task in tasks if task.kind == "deliver"), ())

    def redeliver(self, job: Job) -> None:
        """Call the job's webhook again.

        Raises:
            JobEnded: It has none, or has not ended.
        """
        now = self._clock()
        self._change(
            job.id, f"{job.id}.deliver", lambda job, task: moves.redeliver(job, task, now)
        )

    def backlog(self, pool: str) -> Backlog:
        """What a pool has to do.

        Raises:
            NotFound: There is no such pool.
        """
        if pool not in self.pools():
            raise NotFound(f"There is no pool {pool!r}; {nearest(pool, self.pools())}")
        return self.store.backlog(pool, self._clock())

    def pools(self) -> tuple[str, ...]:
        """All pools."""
        return (*self._models.pools(), HOUSE)

    def close(self) -> None:
        """Let go of everything."""
        self._inspector.close()
        self.store.close()

    def _submit(self, asked: Submission) -> Job:
        options = asked.options
        pool = self._models.pool(options.model)
        _check_formats(options.formats)
        for language in options.languages:
            resolve(language)
        if asked.webhook_url:
            self._vet_url(asked.webhook_url)
        source = self._inspector.inspect(asked.document, asked.name, asked.password)
        numbers = _numbers(options, source, asked.max_pages)
        job = self._job(asked, source, pool, len(numbers))
        if self.settings.cache:
            earlier = self.store.same_job(asked.owner, job.fingerprint)
            if earlier and self._reuse(job, earlier, asked.document):
                ended = self._cached(job, earlier)
                return self._kept(ended, moves.delivery(ended, ended.created_at))
        self._admission.admit(asked.owner, asked.max_active)
        self.blobs.put_file(job.input, asked.document)
        return self._kept(job, self._tasks(job, numbers))

    def _job(self, asked: Submission, source: SourceInfo, pool: str, pages: int) -> Job:
        now = self._clock()
        job_id = new_job_id(now)
        ttl_s = self.settings.ttl_s if asked.ttl_s is None else asked.ttl_s
        version = self._models.version(asked.options.model)
        wanted = replace(asked.options, formats=())
        fingerprint = _hash(source.sha256, version, wanted, asked.password)
        return Job(
            id=job_id,
            owner=asked.owner,
            status="queued",
            created_at=now,
            expires_at=now + ttl_s,
            ttl_s=ttl_s,
            pool=pool,
            options=asked.options,
            source=source,
            input=f"jobs/{job_id}/input",
            page_count=pages,
            password=asked.password,
            priority=asked.priority,
            webhook_url=asked.webhook_url,
            metadata=asked.metadata,
            idempotency_key=asked.idempotency_key,
            request_hash=_hash(
                fingerprint, asked.options, asked.webhook_url, asked.metadata, asked.priority
            ),
            fingerprint=fingerprint,
            trace=asked.trace,
        )

    def _tasks(self, job: Job, numbers: Sequence[int]) -> tuple[Task, ...]:
        size = self.settings.task_pages
        parts = [tuple(numbers[i : i + size]) for i in range(0, len(numbers), size)]
        return tuple(
            Task(
                id=f"{job.id}.{i:05}",
                job_id=job.id,
                kind="read",
                pool=job.pool,
                priority=job.priority,
                due=job.created_at,
                pages=part,
            )
            for i, part in enumerate(parts)
        )

    def _kept(self, job: Job, tasks: tuple[Task, ...]) -> Job:
        job = replace(job, tasks_open=sum(task.kind == "read" for task in tasks))
        try:
            kept = self.store.submit(job, tasks)
        except PagetideError:
            self.blobs.delete_under(job.prefix)
            raise
        if kept.id == job.id:
            for pool in {task.pool for task in tasks}:
                self.queue.ring(pool, job.id)
            return kept
        self.blobs.delete_under(job.prefix)
        if kept.request_hash != job.request_hash:
            raise IdempotencyConflict
        return kept

    def _reuse(self, job: Job, earlier: Job, document: Path) -> bool:
        """Copy an earlier job's results; False where they are going or gone."""
        try:
            for info in earlier.results.values():
                self.blobs.copy(info.key, _moved_key(info.key, earlier, job))
            index = f"{earlier.prefix}results/pages.idx"
            self.blobs.copy(index, _moved_key(index, earlier, job))
            self.blobs.put_file(job.input, document)
        except PagetideError as error:
            self.blobs.delete_under(job.prefix)
            if isinstance(error, BlobMissing):
                return False
            raise
        return True

    def _cached(self, job: Job, earlier: Job) -> Job:
        results = {
            name: replace(info, key=_moved_key(info.key, earlier, job))
            for name, info in earlier.results.items()
        }
        return replace(
            job,
            status="succeeded",
            started_at=job.created_at,
            finished_at=job.created_at,
            password=None,
            pages_done=earlier.pages_done,
            cached_from=earlier.id,
            results=results,
        )

    def _unfinished_page(self, job: Job, number: int, token: str) -> bytes:
        try:
            return self.blobs.get(page_key(job, number, token)).partition(b"\n")[0]
        except BlobMissing:
            now = self.job(job.id)
            if not now.ended:
                raise
            return self.page(now, number)  # it has just moved into the result

    def _finished_page(self, job: Job, number: int) -> bytes:
        index = PageIndex.decode(self.blobs.get(f"{job.prefix}results/pages.idx"))
        place = index.place(number)
        if place is None:
            page_ranges.check(number, job.options.pages, job.source.page_count)
            raise BlobMissing(f"Page {number} is missing from the result.")
        return b"".join(self.blobs.stream(job.results["json"].key, *place))

    def _make(self, job: Job, format_name: str) -> None:
        task_id = moves.format_task_id(job, format_name)
        known = {task.id: task for task in self.store.tasks(job.id)}
        failure = known[task_id].error if task_id in known else None
        if failure:
            raise JobEnded(f"The format {format_name} cannot be made: {failure.message}")
        now = self._clock()
        self._change(
            job.id, task_id, lambda job, task: moves.add_format(job, task, format_name, now)
        )

    def _change(
        self,
        job_id: str,
        task_id: str | None,
        move: Callable[[Job, Task | None], moves.Moved],
        *,
        durable: bool = False,
    ) -> moves.Moved:
        moved = self.store.change(job_id, task_id, move, durable=durable)
        announce(self.queue, moved)
        return moved


def announce(queue: Queue, moved: moves.Moved) -> None:
    """Wake the pools that have new work, and whoever waits for news of the job."""
    for pool in moved.rings:
        queue.ring(pool, moved.job.id)
    queue.ring(JOBS, moved.job.id)


def new_job_id(now: float) -> str:
    """An id that nobody can guess; later ones are larger."""
    return f"job_{int(now * 1000):011x}{secrets.token_hex(10)}"


def _check_formats(formats: Sequence[str]) -> None:
    for name in formats:
        if name not in FORMATS:
            raise BadOption(f"There is no format {name!r}; {nearest(name, FORMATS)}")


def _numbers(options: JobOptions, source: SourceInfo, most: int | None) -> tuple[int, ...]:
    numbers = page_ranges.chosen(options.pages, source.page_count)
    if most is not None and len(numbers) > most:
        raise TooManyPages(f"This key may read {most} pages a job, not {len(numbers)}.")
    return numbers


def _moved_key(key: str, source: Job, target: Job) -> str:
    return target.prefix + key.removeprefix(source.prefix)


def _hash(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
