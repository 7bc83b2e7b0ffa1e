"""The tables of the SQL store.

A row's `body` is the whole `Job`, `Task` or `ApiKey` as JSON. The other columns repeat only
what is searched for, so that a new field of a struct needs no new column.

A partial index holds only the rows that its condition picks, so that what workers ask for
all the time costs the same however many jobs have ended. A query must repeat the condition
in the same words, without parameters: that is what the constants are for. What is counted
lies in the index whole, with the columns of its condition: else every row would be fetched.
"""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    literal_column,
)

from pagetide.server.jobs.fair_queueing import place
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.stores import RANKS

SCHEMA = 3  # grows with every change of the tables, see `migrations`

metadata = MetaData()

# Ids are sorted by their bytes, whatever the language of a PostgreSQL database.
_Text = Text().with_variant(Text(collation="C"), "postgresql")
# A row is written anew several times in its life: with room left beside it the new one needs
# no entries in the indexes, and the old ones are cleared away before they slow a search down.
_changing = {
    "fillfactor": 70,
    "autovacuum_vacuum_scale_factor": 0.02,
    "autovacuum_analyze_scale_factor": 0.05,
}

versions = Table(
    "versions",
    metadata,
    Column("schema", Integer, primary_key=True),
    Column("oldest", Integer, nullable=False, server_default="1"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", _Text, primary_key=True),
    Column("owner", _Text, nullable=False),
    Column("status", _Text, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("erased", Boolean, nullable=False),
    Column("fingerprint", _Text, nullable=False),
    Column("idempotency_key", _Text),
    Column("expires_at", Float, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    postgresql_with=_changing,
)
ERASED = jobs.c.erased.is_(True)
KEPT = jobs.c.active.is_(False) & jobs.c.erased.is_(False)
REUSABLE = (jobs.c.status == literal_column("'succeeded'")) & jobs.c.erased.is_(False)
NAMED = jobs.c.idempotency_key.is_not(None)

# Counting 100,000 rows of an index took 6 ms at every submit, so the count is kept.
owners = Table(
    "owners",
    metadata,
    Column("id", _Text, primary_key=True),
    Column("active", Integer, nullable=False),  # jobs that have not ended
    # What `allowances` limit, and the day that `day_pages` are of.
    Column("active_pages", Integer, nullable=False, server_default="0"),
    Column("day", Integer, nullable=False, server_default="0"),
    Column("day_pages", Integer, nullable=False, server_default="0"),
    postgresql_with=_changing,
)

tasks = Table(
    "tasks",
    metadata,
    Column("job_id", _Text, primary_key=True),
    Column("id", _Text, primary_key=True),
    Column("kind", _Text, nullable=False),
    Column("pool", _Text, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("alone", Boolean, nullable=False),
    Column("due", Float),  # while it waits
    Column("turn", Float, nullable=False, server_default="0"),
    Column("worker", _Text),  # while it is leased
    Column("lease_until", Float),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,  # one tree instead of two, a job's tasks side by side
    postgresql_with=_changing,
)
# Where each owner's last task of a pool and priority ends, see `fair_queueing`.
turns = Table(
    "turns",
    metadata,
    Column("owner", _Text, primary_key=True),
    Column("pool", _Text, primary_key=True),
    Column("rank", Integer, primary_key=True),
    Column("ends", Float, nullable=False),
    postgresql_with=_changing,
)
WAITING = tasks.c.due.is_not(None)
LEASED = tasks.c.lease_until.is_not(None)

keys = Table(
    "keys",
    metadata,
    Column("id", _Text, primary_key=True),
    Column("created_at", Float, nullable=False),
    Column("body", Text, nullable=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", _Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)


def _index(name: str, *columns: Any, where: Any = None, unique: bool = False) -> None:
    Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


_index("jobs_of_owner", jobs.c.owner, jobs.c.id)
_index("jobs_in_status", jobs.c.status, jobs.c.id)
_index("jobs_named", jobs.c.owner, jobs.c.idempotency_key, where=NAMED, unique=True)
_index("jobs_reusable", jobs.c.owner, jobs.c.fingerprint, jobs.c.id, where=REUSABLE)
_index("jobs_kept", jobs.c.expires_at, where=KEPT)
_index("jobs_erased", jobs.c.expires_at, where=ERASED)
_index(
    "tasks_in_turn",
    *(tasks.c.pool, tasks.c.turn, tasks.c.due, tasks.c.id, tasks.c.alone),
    where=WAITING,
)
_index("tasks_due", tasks.c.pool, tasks.c.due, where=WAITING)
_index("tasks_leased", tasks.c.lease_until, tasks.c.pool, tasks.c.worker, where=LEASED)


def job_row(job: Job) -> dict[str, Any]:
    """A job as a row of `jobs`."""
    return {
        "id": job.id,
        "owner": job.owner,
        "status": job.status,
        "active": not job.ended,
        "erased": job.cleared,
        "fingerprint": job.fingerprint,
        "idempotency_key": job.idempotency_key,
        "expires_at": job.expires_at,
        "version": job.version,
        "body": _json(job),
    }


def task_row(task: Task) -> dict[str, Any]:
    """A task as a row of `tasks`."""
    return {
        "job_id": task.job_id,
        "id": task.id,
        "kind": task.kind,
        "pool": task.pool,
        "rank": RANKS[task.priority],
        "alone": task.alone,
        "due": task.due if task.state == "waiting" else None,
        "turn": place(task)[0],
        "worker": task.lease.worker if task.lease else None,
        "lease_until": task.lease.until if task.lease else None,
        "body": _json(task),
    }


def key_row(key: ApiKey) -> dict[str, Any]:
    """An API key as a row of `keys`."""
    return {"id": key.id, "created_at": key.created_at, "body": _json(key)}


def _json(value: Job | Task | ApiKey) -> str:
    return msgspec.json.encode(value).decode()
