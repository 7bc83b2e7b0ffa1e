"""Pools and requests for them, as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pagetide.server.api.answers.wire import Time, moment
from pagetide.server.service.load.demand import Demand

Count = Annotated[int, Meta(ge=0)]


class PoolView(Struct, frozen=True, kw_only=True):
    """The backlog of a pool.

    Attributes:
        size: The number for autoscalers: tasks that wait or are held, but at least four for
            every kept worker.
        waiting: Tasks that are due and not held.
        leased: Tasks that a worker holds.
        oldest_s: Seconds since the first waiting task became due.
        warm_until: Until when workers are kept on request; null without a request.
    """

    size: Count
    waiting: Count
    leased: Count
    oldest_s: float
    warm_until: Time | None


class PoolList(Struct, frozen=True, kw_only=True):
    """The backlog of each pool, by name."""

    pools: dict[str, PoolView]


class WarmForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many workers of a pool to keep, and for how long.

    Attributes:
        workers: How many; 0 ends an earlier request.
        for_s: For how long, in seconds.
    """

    workers: Annotated[int, Meta(ge=0, le=100)] = 1
    for_s: Annotated[float, Meta(ge=0, le=86400)] = 900


class WarmView(Struct, frozen=True, kw_only=True):
    """The kept workers of a pool.

    Attributes:
        workers: Workers that are kept on request.
        warm_until: Until when; null if none are kept.
        size: As of the pool's backlog.
    """

    pool: str
    workers: Count
    warm_until: Time | None
    size: Count


def pool_view(wanted: Demand) -> PoolView:
    """A pool as the API shows it."""
    backlog = wanted.backlog
    return PoolView(
        size=wanted.size(),
        waiting=backlog.waiting,
        leased=backlog.leased,
        oldest_s=round(backlog.oldest_s, 3),
        warm_until=moment(wanted.warm.until) if wanted.warm else None,
    )


def warm_view(pool: str, wanted: Demand) -> WarmView:
    """What is kept of a pool, as the API shows it."""
    return WarmView(
        pool=pool,
        workers=wanted.warm.workers if wanted.warm else 0,
        warm_until=moment(wanted.warm.until) if wanted.warm else None,
        size=wanted.size(),
    )
