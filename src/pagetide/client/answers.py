"""What a server answers, as a program sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from pagetide.document import Document, Failure, SourceInfo
from pagetide.errors import ServerError
from pagetide.system.ready_types import ready

T = TypeVar("T")
JobStatus = Literal[
    "queued", "running", "succeeded", "partial", "failed", "cancelled", "expired"
]
Priority = Literal["interactive", "batch"]
ENDED: tuple[JobStatus, ...] = ("succeeded", "partial", "failed", "cancelled", "expired")


class RemoteResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A result that is there: its size, its media type, and a link that needs no key."""

    bytes: int = 0
    media_type: str = ""
    url: str | None = None


class WaitingForCapacity(Struct, frozen=True, kw_only=True):
    """What a job waits for: a first worker of its pool, and since when the pool has work."""

    pool: str = ""
    since: datetime | None = None


class RemoteJob(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job as its server described it; ask again for changes.

    Attributes:
        pages: The page range that was asked for; None means all pages, or unknown.
        queue_position: How many tasks go before its first one; None once it runs.
        waiting_for_capacity: That no worker of its pool is awake; None where one works.
        cached: Answered from an earlier job's result, `cached_from`.
        error: Why the job failed.
        review: Whether a person is to look at its result, or has; `waiting` also while somebody
            does.
        erased: Nothing is left of it but that it was; only a list still shows it.
        result: The document, where the job has ended and the result is small.
        result_url: A link to it that needs no key, where it is large.
        results: Format to what is there.
    """

    id: str
    status: JobStatus
    model: str = ""
    languages: tuple[str, ...] = ()
    pages: str | None = None
    priority: Priority = "interactive"
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    expires_at: datetime | None = None
    pages_total: int = 0
    pages_done: int = 0
    pages_failed: int = 0
    queue_position: int | None = None
    waiting_for_capacity: WaitingForCapacity | None = None
    source: SourceInfo | None = None
    metadata: dict[str, str] = {}
    cached: bool = False
    cached_from: str | None = None
    error: Failure | None = None
    review: Literal["none", "waiting", "claimed", "accepted", "corrected"] = "none"
    erased: bool = False
    links: dict[str, str] = {}
    result: Document | None = None
    result_url: str | None = None
    results: dict[str, RemoteResult] = {}

    @property
    def ended(self) -> bool:
        """Whether nothing will be read for it any more."""
        return self.status in ENDED

    def __repr__(self) -> str:
        return f"<RemoteJob {self.id} {self.status} {self.pages_done}/{self.pages_total}>"


class Event(Struct, frozen=True, kw_only=True):
    """A change of a job.

    Attributes:
        name: `status`, `capacity`, `page` or `position`.
        fields: What it says: of a `status` the job's fields, of a `capacity` the
            `waiting_for_capacity`, of a `page` the counts `pages_done`, `pages_failed` and
            `pages_total`, of a `position` the `position`.
    """

    name: str
    fields: dict[str, Any]

    @property
    def ended(self) -> bool:
        """Whether it says that the job has ended."""
        return self.name == "status" and self.fields.get("status") in ENDED


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt to call a webhook: the HTTP status that came back, or why none did."""

    at: datetime
    elapsed_ms: float = 0
    status: int | None = None
    error: str = ""


class RemoteModel(Struct, frozen=True, kw_only=True):
    """A model that a server knows; only one that is `available` can run there now."""

    name: str
    summary: str = ""
    pool: str = ""
    available: bool = True


class PoolBacklog(Struct, frozen=True, kw_only=True):
    """Tasks of a pool: waiting, held by workers, and how long the first has been due.

    Attributes:
        size: What an autoscaler goes by: the tasks, or what the kept workers are worth.
        warm_until: How long workers are kept as somebody asked.
    """

    size: int = 0
    waiting: int = 0
    leased: int = 0
    oldest_s: float = 0
    warm_until: datetime | None = None


class JobPage(Struct, frozen=True):
    """A part of the list of jobs, and where the next part begins."""

    jobs: tuple[RemoteJob, ...] = ()
    next_cursor: str | None = None


class Upload(Struct, frozen=True, kw_only=True):
    """Where a large document may be sent, and how."""

    id: str
    url: str
    method: str
    fields: dict[str, str] = {}
    max_bytes: int = 0


class Attempts(Struct, frozen=True):
    """A webhook's log."""

    deliveries: tuple[Attempt, ...] = ()


class Models(Struct, frozen=True):
    """The models of a server."""

    models: tuple[RemoteModel, ...] = ()


class Backlogs(Struct, frozen=True):
    """The backlogs of all pools."""

    pools: dict[str, PoolBacklog] = {}


class Problem(Struct, frozen=True):
    """An RFC 9457 problem with Pagetide's members; nothing of it is certain to be there."""

    code: str = ""
    title: str = ""
    detail: str = ""
    retryable: bool | None = None


def decoded(body: bytes, kind: type[T]) -> T:
    """An answer's body as a `kind`; what it does not know is passed over.

    Raises:
        ServerError: The body is not of that form.
    """
    try:
        return msgspec.json.decode(body, type=ready(kind))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ServerError(
            "The server's answer has a form that this version does not know.", 200
        ) from None
