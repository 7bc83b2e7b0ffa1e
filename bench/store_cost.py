"""The cost of a job in a full store: `python -m bench.store_cost`.

Two SQLite files get the same requests, alternating: one that holds 1,000 finished tasks, and
one that holds a million and 100,000 waiting ones. Every job has one task, which is the worst
case: there are as many jobs as tasks.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from msgspec.structs import replace
from sqlalchemy import URL, create_engine, insert

from bench.corpus import PROJECT
from bench.rows import Row, table
from pagetide.document import SourceInfo
from pagetide.server.jobs.allowances import Allowance
from pagetide.server.jobs.job import Job, JobOptions, JobStatus, Result, Task
from pagetide.server.stores import tables
from pagetide.server.stores.sql import SqlStore, open_store

OUT = PROJECT / "out"
BAR = 2.0
NOW = 1_800_000_000.0
OWNER = "a1b2c3d4"
MOST = Allowance(active_pages=1_000_000, pages_per_day=1_000_000)


@dataclass(kw_only=True)
class Filled:
    """A store with jobs in it, and the time of each request, in seconds."""

    store: SqlStore
    jobs: int
    took: dict[str, list[float]] = field(default_factory=dict)

    def time(self, name: str, request: Callable[[], object]) -> None:
        """Make a request and record its time."""
        began = time.perf_counter()
        request()
        self.took.setdefault(name, []).append(time.perf_counter() - began)


def main() -> None:
    """Fill two stores, query both, print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.store_cost", description=__doc__)
    parser.add_argument("--finished", type=int, default=1_000_000)
    parser.add_argument("--waiting", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=500)
    arguments = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(
        dir=OUT
    ) as folder:  # `/tmp` may be memory: no disk to sync
        small = filled(Path(folder, "small.db"), finished=1000, waiting=0)
        print(f"… {arguments.finished:,} finished, {arguments.waiting:,} waiting", flush=True)
        large = filled(Path(folder, "large.db"), arguments.finished, arguments.waiting)
        for _ in range(arguments.rounds):
            for each in (small, large):
                ask(each)
        print(table([row(name, small, large) for name in small.took]))
        print(f"medians of {arguments.rounds} requests; submits are synced to the disk")
        for each in (small, large):
            each.store.close()


def filled(path: Path, finished: int, waiting: int) -> Filled:
    """A new store with this many tasks, written directly."""
    open_store(f"sqlite:///{path.absolute()}").close()
    engine = create_engine(URL.create("sqlite", database=str(path)))
    new = chain(
        (make(number, "succeeded") for number in range(finished)),
        (make(number, "queued") for number in range(finished, finished + waiting)),
    )
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA synchronous=OFF")
        while chunk := list(islice(new, 20_000)):
            connection.execute(insert(tables.jobs), [tables.job_row(job) for job, _ in chunk])
            rows = [tables.task_row(task) for _, task in chunk]
            connection.execute(insert(tables.tasks), rows)
            connection.commit()
        connection.execute(insert(tables.owners).values(id=OWNER, active=waiting))
        connection.commit()
    engine.dispose()
    store = open_store(f"sqlite:///{path.absolute()}")
    return Filled(store=store, jobs=finished + waiting)


def make(number: int, status: JobStatus) -> tuple[Job, Task]:
    """A job with one task: finished, or waiting."""
    done = status == "succeeded"
    name = f"{number:026d}"
    kinds = ("json", "raw") if done else ()
    job = Job(
        id=name,
        owner=OWNER,
        status=status,
        created_at=NOW + number,
        expires_at=NOW + number + 604_800,
        pool="cpu",
        options=JobOptions(model="pp-ocrv6", languages=("en",)),
        source=SourceInfo(
            name="scan.pdf",
            sha256=f"{number:064x}",
            bytes=123_456,
            media_type="application/pdf",
            page_count=1,
        ),
        input=f"jobs/{name}/input",
        page_count=1,
        tasks_open=0 if done else 1,
        ttl_s=604_800,
        idempotency_key=f"upload-{number}",
        request_hash=f"{number:064x}",
        fingerprint=f"{number:064x}",
        results={kind: result(name, kind) for kind in kinds},
    )
    task = Task(
        id=f"{name}.finish" if done else f"{name}.0",
        job_id=name,
        kind="finish" if done else "read",
        pool="cpu",
        due=NOW + number,
        state="done" if done else "waiting",
        pages=() if done else (1,),
    )
    return job, task


def result(job_id: str, kind: str) -> Result:
    """A result of some size."""
    return Result(
        key=f"jobs/{job_id}/results/document.{kind}",
        media_type="application/json",
        bytes=54_321,
        sha256="0" * 64,
    )


def ask(filled: Filled) -> None:
    """Submit a job as the service does, and claim a task."""
    store = filled.store
    job, task = make(filled.jobs, "queued")
    filled.jobs += 1

    def check() -> None:
        store.count_active(None, 200_000)
        store.count_active(OWNER, 200_000)
        store.same_job(OWNER, job.fingerprint)

    def claim() -> None:
        now = NOW + filled.jobs
        assert store.claim("cpu", "w", now=now, until=now, token=job.id, beside=False)

    filled.time("checks before a submit", check)
    counted, its_task = make(filled.jobs, "queued")
    counted = replace(counted, pages_counted=1)
    filled.jobs += 1
    filled.time("submit", lambda: store.submit(job, [task]))
    filled.time("submit, of a key with limits", lambda: store.submit(counted, [its_task], MOST))
    filled.time("what such a key has used", lambda: store.usage(OWNER))
    filled.time("claim", claim)


def row(name: str, small: Filled, large: Filled) -> Row:
    """The row of one request."""
    few, many = (statistics.median(each.took[name]) for each in (small, large))
    return Row(
        measure=f"{name}, {large.jobs:,} tasks against {small.jobs:,}",
        ours=f"{many * 1e6:.0f} µs",
        peer=f"{few * 1e6:.0f} µs",
        value=f"{many / few:.2f}×",
        bar=f"≤ {BAR:g}×",
        holds=many / few <= BAR,
    )


if __name__ == "__main__":
    main()
