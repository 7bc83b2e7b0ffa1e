"""Jobs as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pagetide.document import BlockKind, Failure, SourceInfo
from pagetide.server.jobs import review_task
from pagetide.server.jobs.job import Delivery, Job, JobStatus, Priority
from pagetide.server.jobs.review import ReviewState

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Link = Annotated[str, Meta(extra_json_schema={"format": "uri-reference"})]


class ResultView(Struct, frozen=True, kw_only=True):
    """An available result.

    Attributes:
        url: Opens it without a key, for a limited time.
    """

    bytes: int
    media_type: str
    url: Link


class CapacityView(Struct, frozen=True, kw_only=True):
    """What a job waits for: a first worker of its pool.

    Attributes:
        since: When the first of the pool's waiting tasks became due.
    """

    pool: str
    since: Time


class JobView(Struct, frozen=True, kw_only=True):
    """A job.

    Attributes:
        pages: The requested page range; null means all.
        expires_at: When its input and results will be removed.
        queue_position: Waiting tasks before its first one, counted up to 1000; null unless it
            is queued, and in lists.
        waiting_for_capacity: No worker of its pool is running: one is being started, or there
            is no capacity; null if one works, and in lists.
        cached: Answered from the earlier job `cached_from`, without reading.
        review: Whether a person reviews its result, or has: `waiting` also during the review.
        erased: Only its existence is still known; requests for it are 410.
        links: Further addresses: `self`, `events`, `result`, `cancel`,
            `deliveries`, `review`.
        results: The available results, by format.
        result: The document, if it is available and small.
        result_url: A link that opens the document without a key, for a limited time, if it is
            available and not in `result`.
    """

    id: str
    status: JobStatus
    model: str
    languages: tuple[str, ...]
    pages: str | None
    priority: Priority
    created_at: Time
    started_at: Time | None
    finished_at: Time | None
    expires_at: Time | None
    pages_total: int
    pages_done: int
    pages_failed: int
    queue_position: int | None
    waiting_for_capacity: CapacityView | None
    source: SourceInfo
    metadata: dict[str, str]
    cached: bool
    cached_from: str | None
    error: Failure | None
    review: ReviewState
    erased: bool
    links: dict[str, Link]
    results: dict[str, ResultView]
    result: msgspec.Raw | UnsetType = UNSET
    result_url: Link | UnsetType = UNSET


class JobList(Struct, frozen=True, kw_only=True):
    """Jobs, newest first.

    Attributes:
        next_cursor: Cursor for the next jobs; null if there are none.
    """

    jobs: tuple[JobView, ...]
    next_cursor: str | None


class FigureView(Struct, frozen=True, kw_only=True):
    """A figure of a page, cut out.

    Attributes:
        order: The block's, on its page.
        caption: Its caption, or empty.
        url: Opens its picture without a key, for a limited time.
    """

    order: int
    kind: BlockKind
    caption: str
    url: Link


class FigureList(Struct, frozen=True, kw_only=True):
    """A page's figures, charts and seals, in reading order."""

    figures: tuple[FigureView, ...]


class DeliveryView(Struct, frozen=True, kw_only=True):
    """An attempt to call the webhook.

    Attributes:
        status: The HTTP status of the answer, or null.
        error: Why there was no answer, or empty.
    """

    at: Time
    elapsed_ms: float
    status: int | None
    error: str
    succeeded: bool


class DeliveryList(Struct, frozen=True, kw_only=True):
    """The attempts to call a job's webhook, oldest first."""

    deliveries: tuple[DeliveryView, ...]


class Waiting(Struct, frozen=True, kw_only=True):
    """Not available yet: try again."""

    status: JobStatus
    pages_total: int
    pages_done: int


def job_view(
    job: Job,
    *,
    root: str,
    results: dict[str, ResultView],
    position: int | None = None,
    starved_since: float | None = None,
    inline: bytes | None = None,
) -> JobView:
    """A job as the API shows it."""
    url = results["json"].url if "json" in results and inline is None else UNSET
    return JobView(
        id=job.id,
        status=job.status,
        model=job.options.model,
        languages=job.options.languages,
        pages=job.options.pages,
        priority=job.priority,
        created_at=moment(job.created_at),
        started_at=None if job.started_at is None else moment(job.started_at),
        finished_at=None if job.finished_at is None else moment(job.finished_at),
        expires_at=moment(job.expires_at) if job.ended else None,
        pages_total=job.page_count,
        pages_done=job.pages_done,
        pages_failed=job.pages_failed,
        queue_position=position,
        waiting_for_capacity=capacity_view(job, starved_since),
        source=job.source,
        metadata=job.metadata,
        cached=job.cached_from is not None,
        cached_from=job.cached_from,
        error=job.error,
        review=review_task.state(job, None),
        erased=job.erased,
        links=_links(job, root),
        results=results,
        result=UNSET if inline is None else msgspec.Raw(inline),
        result_url=url,
    )


def delivery_view(delivery: Delivery) -> DeliveryView:
    """A delivery as the API shows it."""
    return DeliveryView(
        at=moment(delivery.at),
        elapsed_ms=delivery.elapsed_ms,
        status=delivery.status,
        error=delivery.error,
        succeeded=delivery.succeeded,
    )


def capacity_view(job: Job, starved_since: float | None) -> CapacityView | None:
    """See `JobView.waiting_for_capacity`."""
    if starved_since is None:
        return None
    return CapacityView(pool=job.pool, since=moment(starved_since))


def waiting(job: Job) -> Waiting:
    """The answer while a result is being made."""
    return Waiting(status=job.status, pages_total=job.page_count, pages_done=job.pages_done)


def moment(seconds: float) -> str:
    """A time as RFC 3339 in UTC, to the millisecond."""
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def job_path(job_id: str) -> str:
    """The path of a job."""
    return f"/v1/jobs/{job_id}"


def _links(job: Job, root: str) -> dict[str, str]:
    here = f"{root}{job_path(job.id)}"
    names = ["events", "result", "cancel"]
    names += ["deliveries"] if job.webhook_url else []
    names += ["review"] if job.review else []
    return {"self": here, **{name: f"{here}/{name}" for name in names}}
