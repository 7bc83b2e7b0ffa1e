"""The SQL store's statements.

They are built once, for SQLAlchemy to find what it compiled. Their parameters are named as
the columns, but for `job_id`, `task_id`, `now`, `before` and `limit`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    bindparam,
    delete,
    func,
    literal_column,
    select,
    tuple_,
    union_all,
    update,
)
from sqlalchemy.dialects.sqlite import Insert, insert

from pagetide.stores import RANKS
from pagetide.stores.tables import (
    ERASED,
    KEPT,
    LEASED,
    NAMED,
    REUSABLE,
    WAITING,
    jobs,
    keys,
    owners,
    secrets,
    tasks,
)

_limit = bindparam("limit", type_=jobs.c.version.type)
_now = bindparam("now", type_=tasks.c.due.type)
_job_id: ColumnElement[str] = bindparam("job_id")
_in_pool = tasks.c.pool == bindparam("pool")
_in_rank = tasks.c.rank == bindparam("rank")
_place = tuple_(tasks.c.due, tasks.c.id)


def _upsert(table: Table) -> Insert:
    statement = insert(table)
    new = {column.name: statement.excluded[column.name] for column in table.columns}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=new)


def _count(of: Table, *cases: ColumnElement[bool]) -> Select[Any]:
    """How many rows are in one of the cases, which have none in common; up to `limit`."""
    each: list[Select[Any]] = [
        select(literal_column("1")).select_from(of).where(case) for case in cases
    ]
    return select(func.count()).select_from(union_all(*each).limit(_limit).subquery())


def _first(*, beside: bool) -> Select[Any]:
    wanted = select(tasks.c.body).where(WAITING, _in_pool, _in_rank, tasks.c.due <= _now)
    if beside:
        wanted = wanted.where(tasks.c.alone.is_(False))
    return wanted.order_by(tasks.c.due, tasks.c.id).limit(1)


def _next_due(rank: int) -> Any:
    first = select(func.min(tasks.c.due)).where(WAITING, _in_pool, tasks.c.rank == rank)
    return first.scalar_subquery()


def _leased_in_pool() -> Any:
    return select(func.count()).where(LEASED, _in_pool).correlate(None).scalar_subquery()


JOB = select(jobs.c.body).where(jobs.c.id == _job_id)
JOB_NAMED = select(jobs.c.body).where(
    NAMED,
    jobs.c.owner == bindparam("owner"),
    jobs.c.idempotency_key == bindparam("idempotency_key"),
)
NEW_JOB = insert(jobs)
SET_JOB = update(jobs).where(jobs.c.id == _job_id)
SAME_JOB = (
    select(jobs.c.body)
    .where(
        REUSABLE,
        jobs.c.owner == bindparam("owner"),
        jobs.c.fingerprint == bindparam("fingerprint"),
    )
    .order_by(jobs.c.id.desc())
    .limit(1)
)
COUNT_ACTIVE = select(func.sum(owners.c.active))
COUNT_ACTIVE_OF = select(owners.c.active).where(owners.c.id == bindparam("owner"))
ADD_ACTIVE = insert(owners)
ADD_ACTIVE = ADD_ACTIVE.on_conflict_do_update(
    index_elements=[owners.c.id],
    set_={"active": owners.c.active + ADD_ACTIVE.excluded.active},
)
EXPIRED = (
    select(jobs.c.body)
    .where(KEPT, jobs.c.expires_at <= _now)
    .order_by(jobs.c.expires_at)
    .limit(_limit)
)
FORGET = delete(jobs).where(
    jobs.c.id.in_(
        select(jobs.c.id)
        .where(ERASED, jobs.c.expires_at < bindparam("before", type_=jobs.c.expires_at.type))
        .limit(_limit)
    )
)

TASK = select(tasks.c.body).where(tasks.c.job_id == _job_id, tasks.c.id == bindparam("task_id"))
TASKS_OF_JOB = select(tasks.c.body).where(tasks.c.job_id == _job_id).order_by(tasks.c.id)
PUT_TASK = _upsert(tasks)
DROP = {
    "all": delete(tasks).where(tasks.c.job_id == _job_id),
    "read": delete(tasks).where(tasks.c.job_id == _job_id, tasks.c.kind == "read"),
}
FIRST = {beside: _first(beside=beside) for beside in (False, True)}
NEXT_DUES = select(*(_next_due(rank).label(f"rank_{rank}") for rank in RANKS.values()))
BACKLOG = select(
    func.count().label("waiting"),
    func.min(tasks.c.due).label("oldest"),
    _leased_in_pool().label("leased"),
).where(WAITING, _in_pool, tasks.c.due <= _now)
OVERDUE = (
    select(tasks.c.body)
    .where(LEASED, tasks.c.lease_until <= _now)
    .order_by(tasks.c.lease_until)
    .limit(_limit)
)
LEASED_TO = (
    select(tasks.c.body)
    .where(LEASED, tasks.c.worker == bindparam("worker"))
    .order_by(tasks.c.id)
)
AHEAD = _count(
    tasks,
    WAITING & _in_pool & (tasks.c.rank < bindparam("rank")),
    WAITING & _in_pool & _in_rank & (_place < tuple_(bindparam("due"), bindparam("task_id"))),
)

KEYS = select(keys.c.body).order_by(keys.c.created_at, keys.c.id)
PUT_KEY = _upsert(keys)
SECRET = select(secrets.c.value).where(secrets.c.name == bindparam("name"))
PROPOSE_SECRET = insert(secrets).on_conflict_do_nothing(index_elements=[secrets.c.name])
PUT_SECRET = _upsert(secrets)
