"""The job store on a SQL database."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace
from sqlalchemy import Connection, Insert, Select, select

from pagetide.errors import BadOption, JobUnknown
from pagetide.server.jobs import endings, fair_queueing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.allowances import UNLIMITED, Allowance, Usage
from pagetide.server.jobs.fair_queueing import Head
from pagetide.server.jobs.job import Job, Task, job_from_json, task_from_json
from pagetide.server.jobs.keys import ApiKey, key_from_json
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Backlog, JobQuery, Move
from pagetide.server.stores import PRIORITIES, RANKS, Again, counting, sqlite, statements
from pagetide.server.stores.database import Database
from pagetide.server.stores.tables import (
    job_row,
    jobs,
    key_row,
    task_row,
)

T = TypeVar("T")

AT_ONCE = 500  # jobs that one query asks for


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
        raise BadOption("The store's URL has no file: write sqlite:///PATH, or memory:.")
    return SqlStore(sqlite.Database(Path(path).absolute()))


class SqlStore:
    """A `ports.Store` that any number of processes share.

    Attributes:
        migrated: The schema the database had when it was opened, and the one it has since.
    """

    def __init__(self, database: Database) -> None:
        self.migrated = database.migrated
        self._database = database
        self._upserts = database.upserts

    def submit(self, job: Job, tasks: Iterable[Task], allowance: Allowance = UNLIMITED) -> Job:
        """See `ports.Store`."""
        new = tuple(tasks)

        def work(connection: Connection) -> Job:
            if not connection.execute(self._upserts.new_job, job_row(job)).rowcount:
                return _named(connection, job)
            if not job.ended:
                counting.add(connection, self._upserts, job, allowance)
            self._put_tasks(connection, job, new)
            return job

        return self._database.write(work, durable=True)

    def usage(self, owner: str) -> Usage:
        """See `ports.Store`."""
        with self._database.reading() as connection:
            return counting.used(connection, owner)

    def job(self, job_id: str) -> Job | None:
        """See `ports.Store`."""
        with self._database.reading() as connection:
            return _job(connection, job_id)

    def versions(self, job_ids: Collection[str]) -> dict[str, int]:
        """See `ports.Store`."""
        found, left = dict[str, int](), list(job_ids)
        while left:
            with self._database.reading() as connection:
                asked = {"job_ids": left[:AT_ONCE]}
                found.update(map(tuple, connection.execute(statements.VERSIONS, asked)))
            left = left[AT_ONCE:]
        return found

    def named(self, owner: str, idempotency_key: str) -> Job | None:
        """See `ports.Store`."""
        wanted = {"owner": owner, "idempotency_key": idempotency_key}
        return next(map(job_from_json, self._column(statements.JOB_NAMED, **wanted)), None)

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """See `ports.Store`."""
        wanted = select(jobs.c.body).order_by(jobs.c.id.desc()).limit(query.limit)
        if query.owner is not None:
            wanted = wanted.where(jobs.c.owner == query.owner)
        if query.status is not None:
            wanted = wanted.where(jobs.c.status == query.status)
        if query.before is not None:
            wanted = wanted.where(jobs.c.id < query.before)
        return tuple(map(job_from_json, self._column(wanted)))

    def same_job(self, owner: str, fingerprint: str) -> Job | None:
        """See `ports.Store`."""
        found = self._column(statements.SAME_JOB, owner=owner, fingerprint=fingerprint)
        return job_from_json(found[0]) if found else None

    def count_active(self, owner: str | None, limit: int) -> int:
        """See `ports.Store`."""
        if owner is None:
            found = self._column(statements.COUNT_ACTIVE)
        else:
            found = self._column(statements.COUNT_ACTIVE_OF, owner=owner)
        return min(limit, found[0] or 0) if found else 0

    def tasks(self, job_id: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return tuple(map(task_from_json, self._column(statements.TASKS_OF_JOB, job_id=job_id)))

    def claim(
        self, pool: str, worker: str, *, now: float, until: float, token: str, beside: bool
    ) -> tuple[Job, Task] | None:
        """See `ports.Store`."""
        if self._database.one_writer:
            due = self.next_due(pool)
            if due is None or due > now:  # who finds nothing has kept nobody from writing
                return None

        def work(connection: Connection) -> tuple[Job, Task] | Task | None:
            task = _first(connection, pool, now)
            if task is None or (beside and task.alone):
                return None
            job = _job(connection, task.job_id, lock=True)
            if job is None or endings.gone(job, task):
                _drop(connection, task)
                return task
            leased = moves.lease(job, task, worker, token, until, now)
            moved = self._write(connection, job, leased)
            return moved.job, moved.tasks[0]

        while isinstance(claimed := self._database.write(work), Task):
            continue  # with no lock held
        return claimed

    def change(
        self, job_id: str, task_id: str | None, move: Move, *, durable: bool = False
    ) -> Moved:
        """See `ports.Store`."""
        forgets = False

        def work(connection: Connection) -> Moved | None:
            nonlocal forgets
            task = _task(connection, job_id, task_id, lock=True)
            job = _job(connection, job_id, lock=True)
            if job is None:
                raise JobUnknown
            if task is None and _task(connection, job_id, task_id):
                raise Again  # it came while the job was waited for: lock it first
            if task and endings.gone(job, task):
                _drop(connection, task)
                return None  # kept, even if the move then raises
            moved = move(job, task)
            forgets = _forgets(job, moved.job)
            return self._write(connection, job, moved)

        while not (moved := self._database.write(work, durable=durable)):
            continue
        if forgets:
            self._database.scrub()
        return moved

    def overdue(self, now: float, limit: int = 100) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return tuple(
            map(task_from_json, self._column(statements.OVERDUE, now=now, limit=limit))
        )

    def leased_to(self, worker: str) -> tuple[Task, ...]:
        """See `ports.Store`."""
        return tuple(map(task_from_json, self._column(statements.LEASED_TO, worker=worker)))

    def expired(self, now: float, limit: int = 100) -> tuple[Job, ...]:
        """See `ports.Store`."""
        return tuple(map(job_from_json, self._column(statements.EXPIRED, now=now, limit=limit)))

    def forget(self, before: float, limit: int = 1000) -> int:
        """See `ports.Store`."""

        def work(connection: Connection) -> int:
            past = {"before": before, "limit": limit}
            ids = list(connection.execute(statements.FORGOTTEN, past).scalars())
            if ids:
                connection.execute(statements.FORGET_TASKS, {"ids": ids})
                connection.execute(statements.FORGET, {"ids": ids})
            return len(ids)

        forgotten = self._database.write(work)
        self._database.scrub()  # where somebody who read kept it from being done at once
        return forgotten

    def backlog(self, pool: str, now: float) -> Backlog:
        """See `ports.Store`."""
        with self._database.reading() as connection:
            row = connection.execute(statements.BACKLOG, {"pool": pool, "now": now}).one()
        oldest_s = 0.0 if row.oldest is None else now - row.oldest
        return Backlog(waiting=row.waiting, leased=row.leased, oldest_s=oldest_s)

    def next_due(self, pool: str) -> float | None:
        """See `ports.Store`."""
        due: float | None = self._column(statements.NEXT_DUE, pool=pool)[0]
        return due

    def waiting(self, pool: str, now: float, limit: int) -> tuple[Task, ...]:
        """See `ports.Store`."""
        found = self._column(statements.DUE, pool=pool, now=now, limit=limit)
        return tuple(map(task_from_json, found))

    def ahead(self, task: Task, limit: int) -> int:
        """See `ports.Store`."""
        turn, due, task_id = fair_queueing.place(task)
        wanted = {"pool": task.pool, "turn": turn, "due": due, "task_id": task_id}
        return int(self._column(statements.AHEAD, **wanted, limit=limit)[0])

    def keys(self) -> tuple[ApiKey, ...]:
        """See `ports.Store`."""
        return tuple(map(key_from_json, self._column(statements.KEYS)))

    def put_key(self, key: ApiKey) -> None:
        """See `ports.Store`."""
        self._put(self._upserts.put_key, key_row(key))

    def value(self, name: str, proposed: bytes) -> bytes:
        """See `ports.Store`."""
        found = self._column(statements.SECRET, name=name)
        if found:
            return bytes(found[0])
        self._put(self._upserts.propose_secret, {"name": name, "value": proposed})
        return bytes(self._column(statements.SECRET, name=name)[0])

    def put_value(self, name: str, value: bytes) -> None:
        """See `ports.Store`."""
        self._put(self._upserts.put_secret, {"name": name, "value": value})

    def check_writable(self) -> None:
        """See `ports.Store`."""
        self._database.check_writable()

    def clock(self) -> float:
        """See `ports.Store`: this computer's, on which the file is."""
        return time.time()

    def close(self) -> None:
        """See `ports.Store`."""
        self._database.close()

    def _column(self, statement: Select[Any], **values: object) -> list[Any]:
        """The first column of what a query finds."""
        with self._database.reading() as connection:
            return list(connection.execute(statement, values).scalars())

    def _put(self, statement: Insert, row: dict[str, Any]) -> None:
        self._database.write(lambda c: c.execute(statement, row), durable=True)

    def _write(self, connection: Connection, old: Job, moved: Moved) -> Moved:
        job = replace(moved.job, version=old.version + 1)
        row = job_row(job)
        row["job_id"] = row.pop("id")
        connection.execute(statements.SET_JOB, row)
        if job.ended and not old.ended:
            counting.give_back(connection, self._upserts, old)
        if moved.drop != "none":
            connection.execute(statements.DROP[moved.drop], {"job_id": job.id})
        moved = replace(moved, tasks=self._put_tasks(connection, job, moved.tasks))
        return replace(moved, job=job)

    def _put_tasks(
        self, connection: Connection, job: Job, tasks: tuple[Task, ...]
    ) -> tuple[Task, ...]:
        """Write tasks; returns them, each with its turn."""
        tasks = self._placed(connection, job, tasks)
        if tasks:
            self._put_rows(connection, [task_row(task) for task in tasks])
        return tasks

    def _put_rows(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        connection.execute(self._upserts.put_tasks, rows)

    def _placed(
        self, connection: Connection, job: Job, tasks: tuple[Task, ...]
    ) -> tuple[Task, ...]:
        flow = fair_queueing.flow_of(job, tasks)
        if flow is None:
            return tasks
        row = {"owner": flow.owner, "pool": flow.pool, "rank": RANKS[flow.priority]}
        now = {"pool": flow.pool, "now": tasks[-1].due}
        first = connection.execute(statements.HEAD, now).first()
        tasks, end = fair_queueing.placed(
            job,
            tasks,
            head=first and Head(first.turn, PRIORITIES[first.rank]),
            last=lambda: connection.execute(statements.END, row).scalar(),
        )
        connection.execute(self._upserts.put_end, row | {"ends": end})
        return tasks


def _forgets(old: Job, new: Job) -> bool:
    """Whether what a record had is to be found nowhere any more: a password, or all of it."""
    return bool(old.password and not new.password) or (new.erased and not old.erased)


def _named(connection: Connection, job: Job) -> Job:
    """The earlier job that has this one's idempotency key."""
    known = {"owner": job.owner, "idempotency_key": job.idempotency_key}
    earlier = connection.execute(statements.JOB_NAMED, known).scalar()
    if earlier is None:
        raise Again  # it was erased meanwhile
    return job_from_json(earlier)


def _job(connection: Connection, job_id: str, *, lock: bool = False) -> Job | None:
    statement = statements.LOCKED_JOB if lock else statements.JOB
    body = connection.execute(statement, {"job_id": job_id}).scalar()
    return None if body is None else job_from_json(body)


def _task(
    connection: Connection, job_id: str, task_id: str | None, *, lock: bool = False
) -> Task | None:
    if task_id is None:
        return None
    statement = statements.LOCKED_TASK if lock else statements.TASK
    body = connection.execute(statement, {"job_id": job_id, "task_id": task_id}).scalar()
    return None if body is None else task_from_json(body)


def _drop(connection: Connection, task: Task) -> None:
    named = {"job_id": task.job_id, "task_id": task.id}
    connection.execute(statements.DROP_TASK, named)


def _first(connection: Connection, pool: str, now: float) -> Task | None:
    body: str | None = connection.execute(statements.FIRST, {"pool": pool, "now": now}).scalar()
    return None if body is None else task_from_json(body)
