"""Counts of an owner in a SQL store: unfinished jobs, and pages used.

One row of `owners`, which whoever writes it keeps locked until the job is there, or has ended.
"""

from __future__ import annotations

from msgspec.structs import replace
from sqlalchemy import Connection

from pagetide.server.jobs import allowances
from pagetide.server.jobs.allowances import Allowance, Usage
from pagetide.server.jobs.job import Job
from pagetide.server.stores import statements
from pagetide.server.stores.statements import Upserts

_NO_DAY = {"day": 0, "day_pages": 0}


def used(connection: Connection, owner: str) -> Usage:
    """The usage of an owner."""
    row = connection.execute(statements.USAGE, {"owner": owner}).first()
    return Usage(**row._mapping) if row else Usage()


def add(connection: Connection, upserts: Upserts, job: Job, allowance: Allowance) -> None:
    """Count a new job.

    Raises:
        PagetideError: See `allowances.check`; the transaction must not be kept.
    """
    pages, now = job.active_pages, job.created_at
    if not pages:
        _add_job(connection, upserts, job.owner, 1)
        return
    day = {"day": allowances.day_of(now), "day_pages": pages}
    usage = _add_pages(connection, upserts, job.owner, 1, pages, day)
    before = replace(
        usage,
        active_pages=usage.active_pages - pages,
        day_pages=usage.day_pages - pages,
    )
    allowances.check(allowance, before, pages, now)


def give_back(connection: Connection, upserts: Upserts, job: Job) -> None:
    """Count a job no more that ends now, as it was before."""
    if pages := job.active_pages:
        _add_pages(connection, upserts, job.owner, -1, -pages, _NO_DAY)
    else:
        _add_job(connection, upserts, job.owner, -1)


def _add_job(connection: Connection, upserts: Upserts, owner: str, jobs: int) -> None:
    connection.execute(upserts.add_active, {"id": owner, "active": jobs})


def _add_pages(
    connection: Connection,
    upserts: Upserts,
    owner: str,
    jobs: int,
    pages: int,
    day: dict[str, int],
) -> Usage:
    more = {"id": owner, "active": jobs, "active_pages": pages, **day}
    return Usage(**connection.execute(upserts.add_pages, more).one()._mapping)
