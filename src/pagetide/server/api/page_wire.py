"""What the API gives the web page beside jobs, as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pagetide.server.api.wire import Time

Count = Annotated[int, Meta(ge=0)]


class LimitView(Struct, frozen=True, kw_only=True):
    """What may be sent.

    Attributes:
        key: What the key's maker calls it; null where keys are off.
        scopes: What it may do: `read`, `submit`, `operate`, `scale`.
        max_bytes: Most bytes of a document.
        max_pages: Most pages to read in one job.
        max_active: Most jobs that have not ended.
        active_pages: Most pages in jobs that have not ended; null where any, and so below.
        active_pages_left: What is left of them.
        pages_per_day: Most pages in jobs that are accepted within a day of UTC.
        pages_left_today: What is left of them.
        requests_per_second: Most requests to one server process.
        media_types: What can be read.
        ttl_s: How long document and results are kept after the end, in seconds, unless a job
            says otherwise.
    """

    key: str | None
    scopes: tuple[str, ...]
    max_bytes: int
    max_pages: int
    max_active: int
    active_pages: int | None
    active_pages_left: int | None
    pages_per_day: int | None
    pages_left_today: int | None
    requests_per_second: int | None
    media_types: tuple[str, ...]
    ttl_s: float


class PoolHistory(Struct, frozen=True, kw_only=True):
    """What a pool had to do, sample by sample; the lists belong together.

    Attributes:
        kept: Workers that are kept now though there is no work.
        at: When, in seconds since the epoch, the oldest first.
        waiting: Tasks that were due and that nobody held.
        leased: Tasks that a worker held.
        workers: Worker processes, where whoever starts them had told; else null.
    """

    kept: Count
    at: tuple[float, ...]
    waiting: tuple[Count, ...]
    leased: tuple[Count, ...]
    workers: tuple[Count | None, ...]


class HistoryView(Struct, frozen=True, kw_only=True):
    """What the pools had to do in the last hour, as far as this process has watched.

    Attributes:
        now: When this was told.
        since: Since when this process has watched.
        every_s: Seconds between two samples while there is work; without, there are none.
    """

    now: Time
    since: Time
    every_s: float
    pools: dict[str, PoolHistory]
