"""The job store on a SQL database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, Select, select

from pagetide import moves
from pagetide.errors import BadOption, JobUnknown
from pagetide.job import Job, Task
from pagetide.keys import ApiKey
from pagetide.moves import Moved
from pagetide.ports import Backlog, JobQuery, Move
from pagetide.stores import RANKS, statements
from pagetide.stores.sqlite import Database
from pagetide.stores.tables import (
    job_of,
    job_row,
    jobs,
    key_of,
    key_row,
    task_of,
    task_row,
)


def open_store(url: str) -> SqlStore:
    """The store in a SQLite file; close it when done.

    Args:
        url: `sqlite:///PATH`; a path from the root has a fourth slash.

    Raises:
        BadOption: The URL names no file.
        StoreFailed: The file cannot be opened, or is of a newer program.
        DiskFull: There is no room for it.
    """
    scheme, _, path = url.partition(":///")
    if scheme != "sqlite" or path in ("", ":memory:"):
        raise BadOption("The store's URL names no file: write sqlite:///PATH, or memory:.")
    return SqlStore(Database(Path(path).absolute()))


class SqlStore:
    """A `ports.Store` that any number of processes share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def submit(self, job: Job, tasks: Iterable[Task]) -> Job:
        """See `ports.Store`."""
        with self._database.writing(durable=True) as connection:
            if job.idempotency_key is not None:
                known = {"owner": job.owner, "idempotency_key": job.idempotency_key}
                earlier = connection.execute(statements.JOB_NAMED, known).scalar()
                if earlier is not None:
                    return job_of(earlier)
            connection.execute(statements.NEW_JOB, job_row(job))
            _count_active(connection, job.owner, not job.ended)
            _write_tasks(connection, tasks)
        return job

    def job(self, job_id: str) -> Job | None:
        """See `ports.Store`."""
        with self._database.reading() as connection:
            return _job(connection, job_id)

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """See `ports.Store`."""
        wanted = select(jobs.c.body).order_by(jobs.c.id.desc()).limit(query.limit)
        if query.owner is not None:
            wanted = wanted.where(jobs.c.owner == query.owner)
        if query.status is not None:
            wanted = wanted.where(jobs.c.status == query.status)
        if query.before is not None:
            wanted = wanted.where(jobs.c.id < query.before)
        return tuple(map(job_of, self._column(wanted)))

    def same_job(self, owner: str, fingerprint: str) -> Job | None:
        """See `ports.Store`."""
        found = self._column(statements.SAME_JOB, owner=owner, fingerprint=fingerprint)
        return job_of(found[0]) if found else None

    def count_active(self, owner: str | None, limit: int) -> int:
        """See `ports.Store`."""
        if owner is None:
            found = self._column(statements.COUNT_ACTIVE)
        else:
            found = self._column(statements.COUNT_ACTIVE_OF, owner=owner)
        return min(limit, found[0] or 0) if found else 0

    def tasks(self, job_id: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return tuple(map(task_of, self._column(statements.TASKS_OF_JOB, job_id=job_id)))

    def claim(
        self, pool: str, worker: str, *, now: float, until: float, token: str, beside: bool
    ) -> tuple[Job, Task] | None:
        """See `ports.Store`."""
        due = self.next_due(pool)
        if due is None or due > now:  # who finds nothing has not kept anybody from writing
            return None
        with self._database.writing() as connection:
            task = _first(connection, pool, now, beside)
            if task is None:
                return None
            job = _job(connection, task.job_id)
            if job is None:
                raise AssertionError(f"{task.id} has no job")
            moved = _write(connection, job, moves.lease(job, task, worker, token, until, now))
        return moved.job, moved.tasks[0]

    def change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """See `ports.Store`."""
        with self._database.writing(durable=durable) as connection:
            job = _job(connection, job_id)
            if job is None:
                raise JobUnknown
            task = None if task_id is None else _task(connection, job_id, task_id)
            return _write(connection, job, move(job, task))

    def overdue(self, now: float, limit: int = 100) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return tuple(map(task_of, self._column(statements.OVERDUE, now=now, limit=limit)))

    def leased_to(self, worker: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return tuple(map(task_of, self._column(statements.LEASED_TO, worker=worker)))

    def expired(self, now: float, limit: int = 100) -> tuple[Job, ...]:
        """See `ports.Store`."""
        return tuple(map(job_of, self._column(statements.EXPIRED, now=now, limit=limit)))

    def forget(self, before: float, limit: int = 1000) -> int:
        """See `ports.Store`."""
        with self._database.writing() as connection:
            return connection.execute(
                statements.FORGET, {"before": before, "limit": limit}
            ).rowcount

    def backlog(self, pool: str, now: float) -> Backlog:
        """See `ports.Store`."""
        with self._database.reading() as connection:
            row = connection.execute(statements.BACKLOG, {"pool": pool, "now": now}).one()
        oldest_s = 0.0 if row.oldest is None else now - row.oldest
        return Backlog(waiting=row.waiting, leased=row.leased, oldest_s=oldest_s)

    def next_due(self, pool: str) -> float | None:
        """See `ports.Store`."""
        with self._database.reading() as connection:
            dues = connection.execute(statements.NEXT_DUES, {"pool": pool}).one()
        return min((due for due in dues if due is not None), default=None)

    def ahead(self, task: Task, limit: int) -> int:
        """See `ports.Store`."""
        place = {"pool": task.pool, "rank": RANKS[task.priority]}
        place |= {"due": task.due, "task_id": task.id, "limit": limit}
        return int(self._column(statements.AHEAD, **place)[0])

    def keys(self) -> tuple[ApiKey, ...]:
        """See `ports.Store`."""
        return tuple(map(key_of, self._column(statements.KEYS)))

    def put_key(self, key: ApiKey) -> None:
        """See `ports.Store`."""
        with self._database.writing(durable=True) as connection:
            connection.execute(statements.PUT_KEY, key_row(key))

    def secret(self, name: str, proposed: bytes) -> bytes:
        """See `ports.Store`."""
        found = self._column(statements.SECRET, name=name)
        if found:
            return bytes(found[0])
        with self._database.writing(durable=True) as connection:
            connection.execute(statements.PROPOSE_SECRET, {"name": name, "value": proposed})
            return bytes(connection.execute(statements.SECRET, {"name": name}).scalar_one())

    def put_secret(self, name: str, value: bytes) -> None:
        """See `ports.Store`."""
        with self._database.writing(durable=True) as connection:
            connection.execute(statements.PUT_SECRET, {"name": name, "value": value})

    def close(self) -> None:
        """See `ports.Store`."""
        self._database.close()

    def _column(self, statement: Select[Any], **values: object) -> list[Any]:
        """The first column of what a query finds."""
        with self._database.reading() as connection:
            return list(connection.execute(statement, values).scalars())


def _job(connection: Connection, job_id: str) -> Job | None:
    body = connection.execute(statements.JOB, {"job_id": job_id}).scalar()
    return None if body is None else job_of(body)


def _task(connection: Connection, job_id: str, task_id: str) -> Task | None:
    named = {"job_id": job_id, "task_id": task_id}
    body = connection.execute(statements.TASK, named).scalar()
    return None if body is None else task_of(body)


def _first(connection: Connection, pool: str, now: float, beside: bool) -> Task | None:
    """The task to claim next: a search of its own for each priority finds it at once."""
    for rank in RANKS.values():
        place = {"pool": pool, "rank": rank, "now": now}
        body: str | None = connection.execute(statements.FIRST[beside], place).scalar()
        if body is not None:
            return task_of(body)
    return None


def _write(connection: Connection, old: Job, moved: Moved) -> Moved:
    job = replace(moved.job, version=old.version + 1)
    row = job_row(job)
    row["job_id"] = row.pop("id")
    connection.execute(statements.SET_JOB, row)
    _count_active(connection, job.owner, old.ended - job.ended)
    if moved.drop != "none":
        connection.execute(statements.DROP[moved.drop], {"job_id": job.id})
    _write_tasks(connection, moved.tasks)
    return replace(moved, job=job)


def _count_active(connection: Connection, owner: str, more: int) -> None:
    if more:
        connection.execute(statements.ADD_ACTIVE, {"id": owner, "active": more})


def _write_tasks(connection: Connection, tasks: Iterable[Task]) -> None:
    rows = [task_row(task) for task in tasks]
    if rows:
        connection.execute(statements.PUT_TASK, rows)
