"""Takes documents in: inspected, admitted, and stored durably."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from pagetide.document import SourceInfo, page_ranges
from pagetide.document.kinds import RESULT_FORMATS
from pagetide.errors import (
    BadOption,
    Busy,
    IdempotencyConflict,
    PagetideError,
    StoreFailed,
    TooManyPages,
    nearest,
)
from pagetide.languages import find
from pagetide.server.jobs import allowances
from pagetide.server.jobs.allowances import UNLIMITED, Allowance
from pagetide.server.jobs.job import Job, JobOptions, Priority, Task
from pagetide.server.jobs.review import Review, Rules
from pagetide.server.ports import Blobs, Store
from pagetide.server.service import passwords
from pagetide.server.service.load import absences
from pagetide.server.service.notifier import Notifier
from pagetide.server.service.submitting import reuse
from pagetide.server.service.submitting.admission import Admission
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.settings import Settings
from pagetide.system.cipher import Cipher
from pagetide.system.disk_room import DiskRoom
from pagetide.telemetry import metrics, tracing

# Stands in hashes that outlive the job, where a password stood: whoever has the store could
# guess it. What it opens was just opened with it, so that no two requests differ by it:
# another password that opens the same bytes asks for the same.
_NO_PASSWORD = None


class ModelPlaces(Protocol):
    """The models, as the service needs them; see `catalogue.Models`."""

    def pool(self, model: str) -> str:
        """The pool whose workers run a model.

        Raises:
            UnknownModel: There is no such model.
            ModelUnavailable: It is known, but cannot run here.
        """
        ...

    def vet_language(self, model: str, language: str) -> str:
        """Check that a model reads a language, or several joined by `+`; see `Models`."""
        ...

    def version(self, model: str) -> str:
        """Changes whenever the model's results may."""
        ...

    def pools(self) -> tuple[str, ...]:
        """All pools that models run in."""
        ...


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A document to be read, and how.

    Attributes:
        document: The document as a file; it is taken, and gone afterwards.
        name: What its sender calls it.
        owner: The API key's id; empty where keys are off.
        ttl_s: How long input and results are kept; None means as the settings say.
        max_pages: The key's own limit.
        max_active: The key's own limit.
        allowance: How many pages the key may have read.
        weight: How many turns its work gets while another key's gets one.
        trace: The request's W3C `traceparent`, or empty.
        review: When a person is to look at the result; None means as the settings say.
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
    allowance: Allowance = UNLIMITED
    weight: int = 1
    trace: str = ""
    review: Rules | None = None


class Submitter:
    """Makes jobs of submissions."""

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        blobs: Blobs,
        notifier: Notifier,
        models: ModelPlaces,
        inspector: Inspector,
        cipher: Cipher,
        vet_url: Callable[[str], None],
        clock: Callable[[], float],
        room: DiskRoom,
    ) -> None:
        self._settings, self._store, self._blobs, self._notifier = (
            settings,
            store,
            blobs,
            notifier,
        )
        self._models, self._inspector, self._vet_url = models, inspector, vet_url
        self._clock, self._cipher, self._room = clock, cipher, room
        self._admission = Admission(store, settings, clock)

    def submit(self, submission: Submission) -> Job:
        """See `service.Service.submit`."""
        try:
            with tracing.span("submit", submission.trace) as trace:
                return self._submit(dataclasses.replace(submission, trace=trace))
        except Busy as error:
            metrics.refused(code=error.code)
            raise
        finally:
            submission.document.unlink(missing_ok=True)

    def same(self, job: Job, submission: Submission, source: SourceInfo | None = None) -> Job:
        """See `service.Service.resubmit`; where the document is there, it counts as well."""
        if job.request_hash != _request_hash(submission, source or job.source):
            raise IdempotencyConflict
        return job

    def _repeated(self, submission: Submission) -> Job | None:
        """The job that the same request made before: its answer is no new work to admit."""
        if submission.idempotency_key is None:
            return None
        return self._store.named(submission.owner, submission.idempotency_key)

    def _submit(self, submission: Submission) -> Job:
        options = submission.options
        pool = self._models.pool(options.model)
        check_formats(options.formats)
        reads = self._reads(options)
        if submission.webhook_url:
            self._vet_url(submission.webhook_url)
        source = self._inspector.inspect(
            submission.document, submission.name, submission.password, submission.owner
        )
        if earlier := self._repeated(submission):
            return self.same(earlier, submission, source)
        self._room.check()
        numbers = _numbers(options, source, submission.max_pages)
        job = self._job(submission, source, pool, len(numbers), reads)
        if self._settings.cache and job.review is None:  # what is to be reviewed is read anew
            earlier = self._store.same_job(submission.owner, job.fingerprint)
            if earlier and reuse.gives(earlier, options.formats, submission.password):
                ended = reuse.ended_by(earlier, job, self._blobs, submission.document)
                if ended:
                    return self._kept(ended, reuse.left_to_do(ended), UNLIMITED)
        if self._settings.pools:
            absences.check(self._store, job.pool, self._clock())
        self._admit(job, submission)
        self._blobs.put_file(job.input, submission.document)
        return self._kept(job, self._tasks(job, numbers), submission.allowance)

    def _admit(self, job: Job, submission: Submission) -> None:
        """Check that there is room for a job, before its document is put anywhere."""
        if job.pages_counted:
            usage = self._store.usage(job.owner)
            allowances.check(submission.allowance, usage, job.pages_counted, job.created_at)
        self._admission.admit(submission.owner, submission.max_active)

    def _reads(self, options: JobOptions) -> str:
        """Check that the language can be read; a text layer may be in any that there is."""
        if options.text_layer == "only":
            return find(options.language).code
        return self._models.vet_language(options.model, options.language)

    def _job(
        self, submission: Submission, source: SourceInfo, pool: str, pages: int, reads: str
    ) -> Job:
        now = self._clock()
        job_id = new_job_id(now)
        pool = self._version_of(pool, job_id)
        ttl_s = self._settings.ttl_s if submission.ttl_s is None else submission.ttl_s
        version = f"{self._models.version(submission.options.model)} {reads} {pool}"
        wanted = replace(submission.options, formats=())
        # The name is in the results: who sends the document under another gets that.
        fingerprint = _hash(source.sha256, source.name, version, wanted, _NO_PASSWORD)
        return Job(
            id=job_id,
            owner=submission.owner,
            status="queued",
            created_at=now,
            expires_at=now + ttl_s,
            ttl_s=ttl_s,
            pool=pool,
            options=submission.options,
            source=source,
            input=f"jobs/{job_id}/input",
            page_count=pages,
            pages_counted=pages if submission.allowance.limited else 0,
            password=passwords.kept(self._cipher, submission.password, job_id),
            priority=submission.priority,
            weight=float(submission.weight),
            webhook_url=submission.webhook_url,
            metadata=submission.metadata,
            idempotency_key=submission.idempotency_key,
            request_hash=_request_hash(submission, source),
            fingerprint=fingerprint,
            trace=submission.trace,
            review=self._review(submission),
        )

    def _review(self, submission: Submission) -> Review | None:
        rules = submission.review or rules_of(self._settings)
        return Review(rules=rules) if rules.any else None

    def _version_of(self, pool: str, job_id: str) -> str:
        """The pool itself, or the one of another version that gets a share of its jobs."""
        canary = self._settings.canary_share
        if canary and canary[0].startswith(f"{pool}-"):
            drawn = int(job_id[-8:], 16) / (1 << 32)  # the id is random
            return canary[0] if drawn < canary[1] else pool
        return pool

    def _tasks(self, job: Job, numbers: Sequence[int]) -> tuple[Task, ...]:
        parts = task_ranges(numbers, self._settings.task_pages)
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

    def _kept(self, job: Job, tasks: tuple[Task, ...], allowance: Allowance) -> Job:
        job = replace(job, tasks_open=sum(task.kind == "read" for task in tasks))
        try:
            kept = self._store.submit(job, tasks, allowance)
        except StoreFailed:
            # It may be kept yet: a COMMIT lands after its answer was given up. What turns out
            # to be nobody's is swept away.
            raise
        except PagetideError:
            self._blobs.delete_under(job.prefix)
            raise
        if kept.id == job.id:
            metrics.job_moved(state=job.status, model=job.options.model)
            if job.cached_from is not None:
                metrics.cache_hit(model=job.options.model)
            self._notifier.submitted(job, tasks)
            return kept
        self._blobs.delete_under(job.prefix)
        if kept.request_hash != job.request_hash:
            raise IdempotencyConflict
        return kept


def is_job_id(text: str) -> bool:
    """Whether a text is of the form that jobs' ids have."""
    return re.fullmatch(r"job_[0-9a-f]{31}", text) is not None


def new_job_id(now: float) -> str:
    """An id that nobody can guess; later ones are larger."""
    return f"job_{int(now * 1000):011x}{secrets.token_hex(10)}"


def check_formats(formats: Sequence[str]) -> None:
    """Check that results come in these formats.

    Raises:
        BadOption: One of them is not known.
    """
    for name in formats:
        if name not in RESULT_FORMATS:
            raise BadOption(f"There is no format {name!r}; {nearest(name, RESULT_FORMATS)}")


def _numbers(options: JobOptions, source: SourceInfo, most: int | None) -> tuple[int, ...]:
    numbers = page_ranges.chosen(options.pages, source.page_count)
    if most is not None and len(numbers) > most:
        raise TooManyPages(f"This key may read {most} pages per job, not {len(numbers)}.")
    return numbers


def task_ranges(numbers: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Pages in ranges; the last of a long document are small.

    So workers that read it together end together: with 50 ranges of 8, four workers end up to
    8 pages apart, which is 1/13 of what each has read.
    """
    small = max(1, size // 4)
    coarse = len(numbers) - 2 * size if len(numbers) > 4 * size else len(numbers)
    coarse -= coarse % size if coarse < len(numbers) else 0
    cuts = [*range(0, coarse, size), *range(coarse, len(numbers), small), len(numbers)]
    return [tuple(numbers[a:b]) for a, b in pairwise(cuts)]


def rules_of(settings: Settings) -> Rules:
    """When a person is to look at a result, unless its submission says otherwise."""
    return Rules(
        below=settings.review_below, sums=settings.review_sums, sample=settings.review_sample
    )


def _request_hash(submission: Submission, source: SourceInfo) -> str:
    """Distinguishes requests with the same idempotency key."""
    return _hash(
        source.sha256,
        submission.options,
        _NO_PASSWORD,
        submission.webhook_url,
        submission.metadata,
        submission.priority,
        *([submission.review] if submission.review else []),  # else as it was before reviews
    )


def _hash(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
