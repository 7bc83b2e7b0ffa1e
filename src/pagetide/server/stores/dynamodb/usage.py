"""Usage of owners: counters updated in the same transactions as the jobs.

Only jobs of owners that have an allowance are counted: all of an owner's that come and end at
the same time write one item, and get in each other's way.
"""

from __future__ import annotations

from pagetide.server.jobs.allowances import DAY_S, Allowance, Usage, day_of
from pagetide.server.jobs.job import Job
from pagetide.server.stores.dynamodb.requests import Condition, Item, Table, Write, key_of
from pagetide.server.stores.dynamodb.shape import GONE_AT

_DAYS_KEPT = 3


def usage_of(table: Table, owner: str) -> Usage:
    """The usage of an owner, on the day that was counted last."""
    items = table.partition(_partition(owner))
    active = sum(_pages(item) for item in items if item["sk"]["S"] == _ACTIVE)
    days = [(_day(item), _pages(item)) for item in items if item["sk"]["S"] != _ACTIVE]
    day, day_pages = max(days, default=(0, 0))
    return Usage(active_pages=active, day=day, day_pages=day_pages)


def taking(job: Job, allowance: Allowance) -> list[Write]:
    """Count a new job, if its owner may have so many pages more."""
    pages = job.active_pages
    if not pages:
        return []
    day = day_of(job.created_at)
    gone_at = {":gone": {"N": str((day + _DAYS_KEPT) * DAY_S)}}
    return [
        Write(
            kind="Update",
            item=key_of((_partition(job.owner), _ACTIVE)),
            where=_room(allowance.active_pages, pages),
            change="ADD pages :pages",
            values=_counted(pages),
        ),
        Write(
            kind="Update",
            item=key_of((_partition(job.owner), f"{_DAY}{day:07}")),
            where=_room(allowance.pages_per_day, pages),
            change=f"SET {GONE_AT} = :gone ADD pages :pages",
            values=_counted(pages) | gone_at,
        ),
    ]


def giving_back(old: Job, new: Job) -> list[Write]:
    """Count a job no more that has ended."""
    pages = old.active_pages - new.active_pages
    if not pages:
        return []
    return [
        Write(
            kind="Update",
            item=key_of((_partition(old.owner), _ACTIVE)),
            change="ADD pages :pages",
            values=_counted(-pages),
        )
    ]


_ACTIVE, _DAY = "active", "day#"


def _partition(owner: str) -> str:
    return f"usage#{owner}"


def _room(most: int | None, pages: int) -> Condition | None:
    if most is None:
        return None
    return Condition(
        says="attribute_not_exists(pages) OR pages <= :room",
        values={":room": {"N": str(most - pages)}},
    )


def _counted(pages: int) -> Item:
    return {":pages": {"N": str(pages)}}


def _pages(item: Item) -> int:
    return int(item["pages"]["N"])


def _day(item: Item) -> int:
    return int(item["sk"]["S"].removeprefix(_DAY))
