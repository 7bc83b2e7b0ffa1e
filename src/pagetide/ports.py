"""The ports: what reading and serving need from the outside, and nothing more.

An adapter of a port passes that port's suite in `tests/contract/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pagetide.document import Block, Failure, Line, ModelInfo, Notice
from pagetide.job import Job, JobStatus, Task
from pagetide.keys import ApiKey
from pagetide.layout import NOTHING_DRAWN, Area, Drawn
from pagetide.moves import Moved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class PageImage:
    """A page as a picture.

    Attributes:
        pixels: Height × width × 3, uint8, blue-green-red, row 0 at the top; turned as
            displayed.
        dpi: Pixels per inch, or the assumed value where a picture names none.
    """

    pixels: NDArray[np.uint8]
    dpi: float


@dataclass(frozen=True, kw_only=True)
class PageReading:
    """What an engine found on one page; see `document.Page` for the fields' meaning.

    A page on which the engine failed has an error and no lines.

    Attributes:
        areas: What a layout model saw; `structure` makes blocks of it and the lines.
        drawn: Rules on the picture.
        blocks: The page's blocks, where the engine itself makes them; `line_indexes` are
            places in `lines`, and `order` is filled. None leaves it to `structure`.
        model: What read the page, where that is not what `describe` says.
        raw: The engine's own output, untouched, as JSON; None where these fields are all.
    """

    lines: tuple[Line, ...]
    orientation: int = 0
    lines_below_confidence: int = 0
    warnings: tuple[Notice, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    error: Failure | None = None
    areas: tuple[Area, ...] = ()
    drawn: Drawn = NOTHING_DRAWN
    blocks: tuple[Block, ...] | None = None
    model: ModelInfo | None = None
    raw: bytes | None = None


class Engine(Protocol):
    """Runs a model over pages.

    One engine serves any number of threads at once. It owns its threads: however many
    callers there are, no more than its `threads` work.
    """

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        ...

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """Read pages, giving one reading for each, in order, as soon as it is done.

        Images are taken from the iterator only as fast as they are read, a bounded number
        ahead. An error raised by the iterator reaches the caller after the readings of the
        pages before it.

        Raises:
            EngineFailed: The engine cannot go on.
            UnknownLanguage: The model does not read this language.
        """
        ...

    def close(self) -> None:
        """Stop the engine's threads and free its memory."""
        ...


Move = Callable[[Job, Task | None], Moved]


@dataclass(frozen=True, kw_only=True)
class JobQuery:
    """Which jobs to list, the newest first.

    Attributes:
        owner: Only this key's; None means everybody's.
        status: Only those in this status.
        before: Only those with a smaller id: the last one of the page before.
        limit: So many at most.
    """

    owner: str | None = None
    status: JobStatus | None = None
    before: str | None = None
    limit: int = 50


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """What a pool has to do; what autoscalers read.

    Attributes:
        waiting: Tasks that are due and that nobody holds.
        leased: Tasks that somebody holds.
        oldest_s: For how long the first of the waiting has been due, 0 if none is.
    """

    waiting: int = 0
    leased: int = 0
    oldest_s: float = 0.0


class Store(Protocol):
    """Jobs, tasks and API keys: the truth. Any number of threads and processes use one store.

    Every method is atomic. `now` is the time in seconds since the epoch. All methods raise
    `StoreFailed` where the store cannot be reached, and `DiskFull` where it cannot grow.
    """

    def submit(self, job: Job, tasks: Iterable[Task]) -> Job:
        """Keep a new job and its tasks, so that they outlive a power cut.

        Returns:
            The job; or, where its owner has used its idempotency key before, the earlier
            job, and nothing is kept.
        """
        ...

    def job(self, job_id: str) -> Job | None:
        """A job, or None where there never was one."""
        ...

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """Jobs, the newest (largest id) first."""
        ...

    def same_job(self, owner: str, fingerprint: str) -> Job | None:
        """The newest `succeeded` job of an owner with this fingerprint, not erased."""
        ...

    def count_active(self, owner: str | None, limit: int) -> int:
        """How many jobs, of an owner or of all, have not ended; counting stops at `limit`."""
        ...

    def tasks(self, job_id: str) -> tuple[Task, ...]:
        """A job's tasks, by id."""
        ...

    def claim(
        self, pool: str, worker: str, *, now: float, until: float, token: str, beside: bool
    ) -> tuple[Job, Task] | None:
        """Lease the first waiting task of a pool that is due (`moves.lease`).

        `interactive` comes before `batch`, then the earlier `due`, then the smaller id.

        Args:
            pool: Whose tasks.
            worker: Who asks.
            now: Only tasks that are due by now.
            until: When the lease ends unless renewed.
            token: The lease's token, new and unguessable.
            beside: The worker holds other tasks already: only a task that is not `alone`.
        """
        ...

    def change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """Load a job and one of its tasks, call the move, write what it returns.

        Nobody changes the job or the task between. A move may be called several times. The
        job's `version` grows by one. What the move raises reaches the caller, and nothing
        is changed.

        Args:
            job_id: The job.
            task_id: One of its tasks; the move is given None where there is no such task.
            move: See `moves`.
            durable: Return only when it would outlive a power cut.

        Raises:
            JobUnknown: There never was such a job.
        """
        ...

    def overdue(self, now: float, limit: int = 100) -> tuple[Task, ...]:
        """Leased tasks whose lease has run out."""
        ...

    def leased_to(self, worker: str) -> tuple[Task, ...]:
        """Tasks that a worker holds."""
        ...

    def expired(self, now: float, limit: int = 100) -> tuple[Job, ...]:
        """Ended jobs, not yet erased, that are past `expires_at`."""
        ...

    def forget(self, before: float, limit: int = 1000) -> int:
        """Delete erased jobs that expired before a time; how many."""
        ...

    def backlog(self, pool: str, now: float) -> Backlog:
        """What a pool has to do."""
        ...

    def next_due(self, pool: str) -> float | None:
        """When the first waiting task of a pool is or was due; None where none waits."""
        ...

    def ahead(self, task: Task, limit: int) -> int:
        """How many waiting tasks are claimed before this one; counting stops at `limit`."""
        ...

    def keys(self) -> tuple[ApiKey, ...]:
        """All API keys, revoked ones too, the oldest first."""
        ...

    def put_key(self, key: ApiKey) -> None:
        """Keep an API key, in place of the one with its id."""
        ...

    def secret(self, name: str, proposed: bytes) -> bytes:
        """The secret of this name; the one proposed where there was none."""
        ...

    def put_secret(self, name: str, value: bytes) -> None:
        """Replace a secret."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, kw_only=True)
class Blob:
    """A blob: its key, size, entity tag, and when it was written."""

    key: str
    bytes: int
    etag: str
    modified: float


class Blobs(Protocol):
    """Bytes under keys such as `jobs/ID/input`.

    All methods raise `StoreFailed` where the blobs cannot be reached, and `DiskFull` where
    there is no room. A blob appears whole or not at all.
    """

    def put(self, key: str, data: bytes | Iterable[bytes], *, durable: bool = False) -> Blob:
        """Keep bytes, in place of what was there.

        Args:
            key: Where.
            data: What.
            durable: Return only when it would outlive a power cut.
        """
        ...

    def put_file(self, key: str, path: Path) -> Blob:
        """Keep a file, which may be moved there, so that it outlives a power cut."""
        ...

    def find(self, key: str) -> Blob | None:
        """What is known of a blob; None where there is none."""
        ...

    def get(self, key: str) -> bytes:
        """A small blob, whole.

        Raises:
            BlobMissing: There is no such blob.
        """
        ...

    def stream(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """A blob's bytes from `start` up to `end`, in chunks of at most 1 MiB.

        Raises:
            BlobMissing: There is no such blob; raised by the call, not by the first chunk.
        """
        ...

    def local(self, key: str) -> AbstractContextManager[Path]:
        """The blob as a file to read, for as long as the context is open.

        Raises:
            BlobMissing: There is no such blob.
        """
        ...

    def copy(self, source: str, target: str) -> None:
        """Keep the same bytes under another key.

        Raises:
            BlobMissing: There is no such blob.
        """
        ...

    def under(self, prefix: str) -> Iterator[Blob]:
        """All blobs whose keys begin with a prefix that ends in `/`, in no order."""
        ...

    def delete(self, key: str) -> None:
        """Remove a blob, if it is there."""
        ...

    def delete_under(self, prefix: str) -> int:
        """Remove all blobs under a prefix that ends in `/`; how many."""
        ...

    def link(self, key: str, *, expires_s: float, name: str, media_type: str) -> str | None:
        """A URL that opens only this blob, without a key; None where the API must sign one."""
        ...


class Listener(Protocol):
    """Hears a queue's rings on the topics it was opened for."""

    def wait(self, timeout_s: float) -> tuple[tuple[str, str], ...]:
        """Wait for rings, at most so long.

        Returns:
            Topic and text of what was heard since the last call; empty if nothing was.
            Rings may be lost, doubled or late: look into the store in any case.
        """
        ...

    def fileno(self) -> int:
        """A file descriptor that is readable when something was heard; -1 where none is."""
        ...

    def close(self) -> None:
        """Hear no more."""
        ...


class Queue(Protocol):
    """Wakes whoever waits for work or for news. It only wakes: the store is the truth.

    A topic is a pool (`cpu`, `house`) with any text, or `jobs` with a job's id, which says
    that the job has changed.
    """

    def ring(self, topic: str, text: str = "") -> None:
        """Wake those who listen to a topic. Never raises, never waits long."""
        ...

    def listen(self, *topics: str) -> Listener:
        """Hear what is rung from now on; close it when done."""
        ...
