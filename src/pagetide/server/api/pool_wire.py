"""Pools and requests for them, as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pagetide.server.api.wire import Time, moment
from pagetide.server.service.demand import Demand

Count = Annotated[int, Meta(ge=0)]


class PoolView(Struct, frozen=True, kw_only=True):
    """What a pool has to do.

    Attributes:
        size: What an autoscaler goes by: tasks that wait or are held, but at least four for
            every worker that is kept.
        waiting: Tasks that are due and that nobody holds.
        leased: Tasks that a worker holds.
        oldest_s: For how long the first of the waiting has been due, in seconds.
        warm_until: How long workers are kept as was asked; null where nobody did.
    """

    size: Count
    waiting: Count
    leased: Count
    oldest_s: float
    warm_until: Time | None


class PoolList(Struct, frozen=True, kw_only=True):
    """What each pool has to do, by its name."""

    pools: dict[str, PoolView]


class WarmForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many workers of a pool are to be kept, and for how long.

    Attributes:
        workers: How many; 0 ends what was asked before.
        for_s: For how long, in seconds.
    """

    workers: Annotated[int, Meta(ge=0, le=100)] = 1
    for_s: Annotated[float, Meta(ge=0, le=86400)] = 900


class WarmView(Struct, frozen=True, kw_only=True):
    """What is kept of a pool.

    Attributes:
        workers: Workers that are kept as was asked.
        warm_until: For how long; null where none are.
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
