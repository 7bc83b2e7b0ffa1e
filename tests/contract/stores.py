"""The stores under contract, jobs to put into them, and processes that use them.

`python -m tests.contract.stores ROLE STORE PLACE NAME` is such a process: it opens a store
that lasts and prints what it did, a line at a time.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from pagetide.document import Failure, SourceInfo
from pagetide.server.jobs import losses
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, JobOptions, Priority, Result, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Store
from pagetide.server.stores import dynamodb, memory, postgres, sql
from tests.parts import forks

# How each store is opened: by a place that one test has to itself, which `new_place` gives.
STORES: dict[str, Callable[[str], Store]] = {
    "memory": lambda _: memory.open_store("memory:"),
    "sqlite": lambda place: sql.open_store(f"sqlite:///{place}/jobs.db"),
    "postgresql": postgres.open_store,
    "dynamodb": dynamodb.open_store,
}
# The server that a store needs, a fixture of `tests.parts.fixtures`, and how a place of one
# test's own is made on it. Other stores are given an empty folder.
SERVERS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "postgresql": ("postgres", lambda server: server.database()),
    "dynamodb": ("moto", lambda server: server.table()),
}
# Those that other processes share and that outlive one.
LASTING = ("sqlite", "postgresql", "dynamodb")

Places = Callable[[str], str]


def new_place(name: str, request: pytest.FixtureRequest) -> str:
    """An empty place for a store of a kind, another one at every call."""
    if name not in SERVERS:
        return tempfile.mkdtemp(dir=str(request.getfixturevalue("tmp_path")))
    fixture, make_place = SERVERS[name]
    place: str = make_place(request.getfixturevalue(fixture))
    return place


NOW = 1_800_000_000.0
LEASE_S = 30.0
DIED = Failure(code="worker_lost", message="The worker died.")
RESULT = Result(key="k", media_type="application/json", bytes=2, sha256="0" * 64)

_tokens = (f"token-{n}" for n in itertools.count())


def make(
    job_id: str = "job",
    *ranges: tuple[int, ...],
    owner: str = "ada",
    priority: Priority = "interactive",
    due: float = NOW,
    pool: str = "cpu",
    **details: Any,
) -> tuple[Job, tuple[Task, ...]]:
    """A job and its `read` tasks, one for each range of pages; one page if there is none."""
    ranges = ranges or ((1,),)
    pages = sum(map(len, ranges))
    job = Job(
        id=job_id,
        owner=owner,
        status="queued",
        created_at=due,
        expires_at=due + 3600,
        ttl_s=3600,
        pool=pool,
        priority=priority,
        options=JobOptions(model="fake"),
        source=SourceInfo(
            name="a.pdf",
            sha256="0" * 64,
            bytes=9,
            media_type="application/pdf",
            page_count=pages,
        ),
        input=f"jobs/{job_id}/input",
        page_count=pages,
        tasks_open=len(ranges),
        **details,
    )
    return job, tuple(
        Task(
            id=f"{job_id}.{n}",
            job_id=job_id,
            kind="read",
            pool=pool,
            priority=priority,
            due=due,
            pages=numbers,
        )
        for n, numbers in enumerate(ranges)
    )


@dataclass(frozen=True)
class Held:
    """A task that a worker has claimed, and what the worker can do with it."""

    store: Store
    job: Job
    task: Task
    token: str

    def renew(self, until: float = NOW + LEASE_S) -> Moved:
        return self._change(lambda job, task: moves.renew(job, task, self.token, until))

    def record(self, *pages: int, read: bool = True, now: float = NOW) -> Moved:
        done = dict.fromkeys(pages, read)
        until = now + LEASE_S
        return self._change(lambda job, task: moves.record(job, task, self.token, done, until))

    def complete(self, now: float = NOW) -> Moved:
        return self._change(lambda job, task: moves.complete_read(job, task, self.token, now))

    def go_on(self, *pages: int, until: float = NOW + LEASE_S) -> Held:
        """Record the last pages and hold the `finish` task instead."""
        moved = self._change(
            lambda job, task: moves.record_last(
                job, task, self.token, dict.fromkeys(pages, True), until, now=NOW, goes_on=True
            )
        )
        return Held(self.store, moved.job, moved.tasks[-1], self.token)

    def read(self) -> Moved:
        """Read all that is left and complete the task."""
        self.record(*self.task.pages_left)
        return self.complete()

    def finish(self, now: float = NOW) -> Moved:
        results = {"json": RESULT}
        return self._change(
            lambda job, task: moves.complete_finish(job, task, self.token, results, now)
        )

    def give_back(self, due: float = NOW) -> Moved:
        return self._change(lambda job, task: moves.give_back(job, task, self.token, due))

    def lose(self, now: float = NOW) -> Moved:
        return lose(self.store, self.task, self.token, now)

    def _change(self, move: Callable[[Job, Task | None], Moved]) -> Moved:
        return self.store.change(self.job.id, self.task.id, move)


def claim(
    store: Store,
    worker: str = "worker",
    *,
    pool: str = "cpu",
    now: float = NOW,
    beside: bool = False,
) -> Held | None:
    """Claim a task under a new token."""
    token = next(_tokens)
    claimed = store.claim(
        pool, worker, now=now, until=now + LEASE_S, token=token, beside=beside
    )
    return Held(store, *claimed, token) if claimed else None


def held(store: Store, worker: str = "worker", *, now: float = NOW) -> Held:
    """Claim a task that must be there."""
    claimed = claim(store, worker, now=now)
    assert claimed is not None
    return claimed


def lose(store: Store, task: Task, token: str, now: float) -> Moved:
    """Say that a task's holder is gone, in the middle of its work."""
    return store.change(
        task.job_id, task.id, lambda job, task: died(job, task, token, now, DIED)
    )


def died(job: Job, task: Task | None, token: str, now: float, failure: Failure) -> Moved:
    """What a holder's death in the middle of its work changes."""
    if task and task.lease and task.lease.token == token:
        [task] = moves.begin(job, task, token).tasks
    return losses.lose(job, task, token, now, failure)


def sweep(store: Store, now: float) -> int:
    """Take the tasks whose lease has run out from their holders; how many."""
    overdue = store.overdue(now)
    for task in overdue:
        assert task.lease is not None
        lose(store, task, task.lease.token, now)
    return len(overdue)


def start(role: str, store: str, place: str, name: str = "") -> subprocess.Popen[str]:
    """Start a process that uses a store."""
    command = [sys.executable, "-m", __name__, role, store, place, name]
    return forks.Popen(command, stdout=subprocess.PIPE, text=True)


def _claim_all(store: Store, name: str) -> None:
    while claimed := claim(store, name):
        print(claimed.task.id, flush=True)  # noqa: T201
        claimed.read()


def _submit_for_ever(store: Store, name: str) -> None:
    for n in itertools.count():
        job, tasks = make(f"{name}-{n:06}")
        store.submit(job, tasks)
        print(job.id, flush=True)  # noqa: T201


if __name__ == "__main__":
    role, store, place, name = sys.argv[1:]
    roles = {"claim": _claim_all, "submit": _submit_for_ever}
    roles[role](STORES[store](place), name)
