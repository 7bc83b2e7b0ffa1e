"""The SQL store's statements.

They are built once, for SQLAlchemy to find what it compiled. Their parameters are named as
the columns, but for `job_id`, `task_id`, `now`, `before`, `limit` and `rows`.

Locks are taken in one order: a task, then its job, then the owner's count, then its turns.
Other tasks of a job are deleted only if nobody has locked them: who has waits for the job, and
then finds that the task is gone (`sql.gone`). SQLite, where nobody writes beside, has no locks
on rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    Delete,
    Insert,
    Select,
    Table,
    Text,
    bindparam,
    case,
    cast,
    column,
    delete,
    func,
    literal_column,
    select,
    tuple_,
    union_all,
    update,
)
from sqlalchemy.sql.dml import ReturningInsert

from pagetide.server.stores.tables import (
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
    turns,
)

_limit = bindparam("limit", type_=jobs.c.version.type)
_now = bindparam("now", type_=tasks.c.due.type)
_job_id: ColumnElement[str] = bindparam("job_id")
_in_pool = tasks.c.pool == bindparam("pool")
_used = (owners.c.active_pages, owners.c.day, owners.c.day_pages)
_in_turn = (tasks.c.turn, tasks.c.due, tasks.c.id)
# The sum keeps SQLite from the index by `due`: it would sort all that waits at every claim.
_is_due = tasks.c.due + literal_column("0") <= _now


@dataclass(frozen=True)
class Upserts:
    """Statements that insert what may be there: each database has words of its own for it."""

    new_job: Insert
    add_active: Insert
    add_pages: ReturningInsert[Any]
    put_tasks: Insert
    put_end: Insert
    put_key: Insert
    propose_secret: Insert
    put_secret: Insert


def upserts(insert: Callable[[Table], Any], *, many_in_one: bool = False) -> Upserts:
    """The statements for a database.

    Args:
        insert: Its SQLAlchemy dialect's.
        many_in_one: All tasks go in one statement's `rows`, as JSON, not one by one.
    """
    active = insert(owners)
    named = [jobs.c.owner, jobs.c.idempotency_key]
    new_job = insert(jobs).on_conflict_do_nothing(index_elements=named, index_where=NAMED)
    new_tasks = insert(tasks)
    return Upserts(
        # Of an insert SQLAlchemy keeps no count of rows unless asked to.
        new_job=new_job.execution_options(preserve_rowcount=True),
        add_active=active.on_conflict_do_update(
            index_elements=[owners.c.id],
            set_={"active": owners.c.active + active.excluded.active},
        ),
        add_pages=_added_pages(insert(owners)),
        put_tasks=_upsert(_from_json(new_tasks) if many_in_one else new_tasks),
        put_end=_upsert(insert(turns)),
        put_key=_upsert(insert(keys)),
        propose_secret=insert(secrets).on_conflict_do_nothing(index_elements=[secrets.c.name]),
        put_secret=_upsert(insert(secrets)),
    )


def _upsert(statement: Any) -> Any:
    table = statement.table
    new = {column.name: statement.excluded[column.name] for column in table.columns}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=new)


def _added_pages(more: Any) -> Any:
    """Add to what an owner has used; a day that is over counts no more."""
    new, had = more.excluded, owners.c
    day_is_over = new.day > had.day
    day_pages = case((day_is_over, new.day_pages), else_=had.day_pages + new.day_pages)
    return more.on_conflict_do_update(
        index_elements=[had.id],
        set_={
            "active": had.active + new.active,  # a statement less than with `add_active`
            "active_pages": had.active_pages + new.active_pages,
            "day": case((day_is_over, new.day), else_=had.day),
            "day_pages": day_pages,
        },
    ).returning(*_used)


def _from_json(statement: Any) -> Any:
    columns = [column(each.name, each.type) for each in statement.table.columns]
    given = func.json_to_recordset(cast(bindparam("rows", type_=Text), JSON))
    rows = given.table_valued(*columns).render_derived("given", with_types=True)
    return statement.from_select([each.name for each in columns], select(*rows.c))


def _count(of: Table, *cases: ColumnElement[bool]) -> Select[Any]:
    """How many rows are in one of the cases, which have none in common; up to `limit`."""
    each: list[Select[Any]] = [
        select(literal_column("1")).select_from(of).where(case) for case in cases
    ]
    return select(func.count()).select_from(union_all(*each).limit(_limit).subquery())


def _drop(*only: ColumnElement[bool]) -> Delete:
    free = select(tasks.c.id).where(tasks.c.job_id == _job_id, *only)
    return delete(tasks).where(
        tasks.c.job_id == _job_id, tasks.c.id.in_(free.with_for_update(skip_locked=True))
    )


def _leased_in_pool() -> Any:
    return select(func.count()).where(LEASED, _in_pool).correlate(None).scalar_subquery()


JOB = select(jobs.c.body).where(jobs.c.id == _job_id)
LOCKED_JOB = JOB.with_for_update()
VERSIONS = select(jobs.c.id, jobs.c.version).where(
    jobs.c.id.in_(bindparam("job_ids", expanding=True))
)
JOB_NAMED = select(jobs.c.body).where(
    NAMED,
    jobs.c.owner == bindparam("owner"),
    jobs.c.idempotency_key == bindparam("idempotency_key"),
)
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
USAGE = select(*_used).where(owners.c.id == bindparam("owner"))
COUNT_ACTIVE_OF = select(owners.c.active).where(owners.c.id == bindparam("owner"))
EXPIRED = (
    select(jobs.c.body)
    .where(KEPT, jobs.c.expires_at <= _now)
    .order_by(jobs.c.expires_at)
    .limit(_limit)
)
FORGOTTEN = (
    select(jobs.c.id)
    .where(ERASED, jobs.c.expires_at < bindparam("before", type_=jobs.c.expires_at.type))
    .limit(_limit)
    .with_for_update(skip_locked=True)
)
FORGET_TASKS = delete(tasks).where(tasks.c.job_id.in_(bindparam("ids", expanding=True)))
FORGET = delete(jobs).where(jobs.c.id.in_(bindparam("ids", expanding=True)))

TASK = select(tasks.c.body).where(tasks.c.job_id == _job_id, tasks.c.id == bindparam("task_id"))
LOCKED_TASK = TASK.with_for_update()
TASKS_OF_JOB = select(tasks.c.body).where(tasks.c.job_id == _job_id).order_by(tasks.c.id)
DROP = {"all": _drop(), "read": _drop(tasks.c.kind == "read")}
DROP_TASK = delete(tasks).where(tasks.c.job_id == _job_id, tasks.c.id == bindparam("task_id"))
FIRST = (
    select(tasks.c.body)
    .where(WAITING, _in_pool, _is_due)
    .order_by(*_in_turn)
    .limit(1)
    .with_for_update(skip_locked=True)
)
HEAD = (
    select(tasks.c.turn, tasks.c.rank)
    .where(WAITING, _in_pool, _is_due)
    .order_by(*_in_turn)
    .limit(1)
)
END = select(turns.c.ends).where(
    turns.c.owner == bindparam("owner"),
    turns.c.pool == bindparam("pool"),
    turns.c.rank == bindparam("rank"),
)
NEXT_DUE = select(func.min(tasks.c.due)).where(WAITING, _in_pool)
BACKLOG = select(
    func.count().label("waiting"),
    func.min(tasks.c.due).label("oldest"),
    _leased_in_pool().label("leased"),
).where(WAITING, _in_pool, tasks.c.due <= _now)
DUE = select(tasks.c.body).where(WAITING, _in_pool, _is_due).order_by(*_in_turn).limit(_limit)
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
    WAITING
    & _in_pool
    & (tuple_(*_in_turn) < tuple_(bindparam("turn"), bindparam("due"), bindparam("task_id"))),
)

KEYS = select(keys.c.body).order_by(keys.c.created_at, keys.c.id)
SECRET = select(secrets.c.value).where(secrets.c.name == bindparam("name"))
