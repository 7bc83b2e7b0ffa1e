"""Jobs and tasks as data; `transitions` changes them.

Times are seconds since the epoch.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from pagetide.document import Failure, LineBreaks, ModelInfo, SourceInfo, TextLayerMode
from pagetide.server.jobs.review import Correction, Review

JobStatus = Literal[
    "queued", "running", "succeeded", "partial", "failed", "cancelled", "expired"
]
Priority = Literal["interactive", "batch"]
TaskKind = Literal["read", "finish", "deliver", "review"]
TaskState = Literal["waiting", "leased", "done"]
Urgency = Literal["first", "interactive", "batch"]
Event = Literal["ended", "reviewed", "review_expired"]

URGENCIES: tuple[Urgency, ...] = ("first", "interactive", "batch")
ENDED: frozenset[JobStatus] = frozenset(
    {"succeeded", "partial", "failed", "cancelled", "expired"}
)
BATCHES = "batches/"  # a blob below it, named after a job, says which batch the job is of
SYSTEM = "system"  # the pool of tasks that need no model: a server does them itself


class JobOptions(Struct, frozen=True, kw_only=True, gc=False):
    """How a job's document is to be read; see `reading.ReadOptions`.

    Attributes:
        languages: Codes; none means whatever the model reads.
        formats: Made along with `json` and `raw` when the job finishes.
        line_breaks: Whether text formats join a paragraph's rows.
        barcodes: Whether bar codes and QR codes are looked for.
    """

    model: str
    languages: tuple[str, ...] = ()
    pages: str | None = None
    dpi: float = 144
    text_layer: TextLayerMode = "auto"
    formats: tuple[str, ...] = ()
    line_breaks: LineBreaks = "join"
    barcodes: bool = False

    @property
    def language(self) -> str:
        """The language for the engine: those given joined, else whatever it reads."""
        return "+".join(self.languages) or "auto"


class Result(Struct, frozen=True, kw_only=True, gc=False):
    """A result blob: its key, media type, size and SHA-256 in hex."""

    key: str
    media_type: str
    bytes: int
    sha256: str


class Job(Struct, frozen=True, kw_only=True, gc=False):
    """A request to read one document.

    Attributes:
        owner: The API key's id; empty where keys are off.
        input: Key of the blob that holds the document.
        password: Kept until the job ends, encrypted (see `passwords`), and never shown.
        page_count: Pages to read.
        weight: How many turns its tasks get while others' get one; see `fair_queueing`.
        tasks_open: `read` tasks not yet done.
        pages_counted: Pages that count as its key's active ones until it ends; 0 where the key
            has no limit of them. See `allowances`.
        fingerprint: Same bytes, model and options give the same one.
        cached_from: The job whose results this one was answered with.
        results: Format to its blob.
        error: Why the job failed.
        review: Of its result by a person; None where none is wanted. See `review`.
        erased: Nothing of it can be had any more; the record's details are gone.
        clearing: It is erased, but blobs of it may be left: they are still to be deleted.
        trace: The W3C `traceparent` it came with, or empty.
        version: Counts the changes; a store sees by it whether it was changed meanwhile.
    """

    id: str
    owner: str
    status: JobStatus
    created_at: float
    expires_at: float
    pool: str
    options: JobOptions
    source: SourceInfo
    input: str
    page_count: int
    password: str | None = None
    priority: Priority = "interactive"
    weight: float = 1.0
    started_at: float | None = None
    finished_at: float | None = None
    pages_done: int = 0
    pages_failed: int = 0
    page_timeouts: int = 0
    tasks_open: int = 0
    pages_counted: int = 0
    ttl_s: float = 0
    webhook_url: str | None = None
    metadata: dict[str, str] = {}
    idempotency_key: str | None = None
    request_hash: str = ""
    fingerprint: str = ""
    cached_from: str | None = None
    results: dict[str, Result] = {}
    error: Failure | None = None
    review: Review | None = None
    erased: bool = False
    clearing: bool = False
    trace: str = ""
    version: int = 0

    @property
    def ended(self) -> bool:
        """Whether nothing will be read for it any more."""
        return self.status in ENDED

    @property
    def active_pages(self) -> int:
        """Pages that count as its key's active ones now."""
        return 0 if self.ended else self.pages_counted

    @property
    def cleared(self) -> bool:
        """Whether nothing is left of it but the record that it was."""
        return self.erased and not self.clearing

    @property
    def prefix(self) -> str:
        """The prefix of the keys of all its blobs."""
        return f"jobs/{self.id}/"

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.status} {self.pages_done}/{self.page_count}>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("id", self.id), ("status", self.status)]  # a struct's own shows every field


class Lease(Struct, frozen=True, kw_only=True, gc=False):
    """Who holds a task, until when, with which token.

    Attributes:
        begun: The work itself has begun: if the holder dies now, it may have died of it.
        doubts: How often it ran out since the holder last renewed.
    """

    worker: str
    token: str
    until: float
    begun: bool = False
    doubts: int = 0


class Delivery(Struct, frozen=True, kw_only=True, gc=False):
    """One attempt to call a webhook: the HTTP status that came back, or why none did."""

    at: float
    elapsed_ms: float
    status: int | None = None
    error: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the webhook took it."""
        return self.status is not None and 200 <= self.status < 300


class Owed(Struct, frozen=True, kw_only=True, gc=False):
    """What is left of an expired job until its webhook has been notified."""

    url: str
    status: JobStatus


class Task(Struct, frozen=True, kw_only=True, gc=False):
    """One leased unit of a job.

    Attributes:
        due: It is not claimed before.
        turn: Of the tasks that are due the one with the smallest is claimed first; 0 where that
            is the one that is due first. See `fair_queueing`.
        pages: Pages to read, of a `read` task.
        done: Pages read so far, each with the token of the lease it was read under.
        failures: Pages given up, each with the reason.
        attempts: Tries in which whoever had begun it died or stopped reporting.
        alone: To be held with no other task, because tries have failed.
        formats: What a `finish` task makes.
        deliveries: What a `deliver` task has tried.
        tells: The event of a `deliver` task.
        owed: What a `deliver` task that has outlived its job's details reports.
        model: What read the pages.
        error: Why a `finish` task could not make a format, or leaves its formats out.
        corrections: What came of a `review` task.
    """

    id: str
    job_id: str
    kind: TaskKind
    pool: str
    due: float
    turn: float = 0.0
    priority: Priority = "interactive"
    state: TaskState = "waiting"
    pages: tuple[int, ...] = ()
    done: dict[int, str] = {}
    failures: dict[int, Failure] = {}
    attempts: int = 0
    alone: bool = False
    lease: Lease | None = None
    formats: tuple[str, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    tells: Event = "ended"
    owed: Owed | None = None
    model: ModelInfo | None = None
    error: Failure | None = None
    corrections: tuple[Correction, ...] = ()

    @property
    def urgency(self) -> Urgency:
        """Which of its pool's queues it is in: what is nearly done, or was lost, comes first.

        The store puts them first by their `turn`; a queue knows only who came earlier.
        """
        return "first" if self.kind == "finish" or self.attempts else self.priority

    @property
    def pages_left(self) -> tuple[int, ...]:
        """Pages neither read nor given up."""
        return tuple(n for n in self.pages if n not in self.done and n not in self.failures)


job_from_json = msgspec.json.Decoder(Job).decode
task_from_json = msgspec.json.Decoder(Task).decode


def page_key(job: Job, number: int, token: str) -> str:
    """Where a page read under a lease is kept.

    The token keeps a holder whose lease was lost from writing over the page of the next.
    """
    return f"{job.prefix}pages/{number}-{token}.jsonl"
