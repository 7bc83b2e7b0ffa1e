"""What the API gives the web page beside jobs, as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pagetide.server.api.answers.wire import Time

Count = Annotated[int, Meta(ge=0)]


class LimitView(Struct, frozen=True, kw_only=True):
    """What may be sent.

    Attributes:
        key: The key's name; null if keys are off.
        scopes: What it may do: `read`, `submit`, `operate`, `scale`.
        max_bytes: Maximum bytes of a document.
        max_pages: Maximum pages to read in one job.
        max_active: Maximum jobs that have not ended.
        active_pages: Maximum pages in jobs that have not ended; null means no limit, also
            below.
        active_pages_left: What is left of them.
        pages_per_day: Maximum pages in jobs accepted on one day (UTC).
        pages_left_today: What is left of them.
        requests_per_second: Maximum requests per second to one server process.
        media_types: The types that can be read.
        ttl_s: How long document and results are kept after the end, in seconds, unless a job
            sets another time.
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
    """The backlog of a pool, sample by sample, as parallel lists.

    Attributes:
        kept: Workers that are now kept without work.
        at: Times, in seconds since the epoch, oldest first.
        waiting: Tasks that were due and not held.
        leased: Tasks that a worker held.
        workers: Worker processes, if the process that starts them has reported them; otherwise
            null.
    """

    kept: Count
    at: tuple[float, ...]
    waiting: tuple[Count, ...]
    leased: tuple[Count, ...]
    workers: tuple[Count | None, ...]


class HistoryView(Struct, frozen=True, kw_only=True):
    """The backlog of the pools in the last hour, as observed by this process.

    Attributes:
        now: Time of this answer.
        since: Start of the observation.
        every_s: Seconds between two samples while there is work; without work there are none.
    """

    now: Time
    since: Time
    every_s: float
    pools: dict[str, PoolHistory]
