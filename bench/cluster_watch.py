"""How long it took until the work of a killed or stopped worker was resumed.

The store is asked which tasks a worker held right after it was hit, and then, ten times a
second, whether they are under another lease.
"""

from __future__ import annotations

import statistics
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.cluster_processes import Cluster
from bench.cluster_rows import Line
from pagetide.errors import StoreFailed
from pagetide.server.jobs.job import Task
from pagetide.server.ports import JobQuery, Store
from pagetide.server.wiring import open_store
from pagetide.settings import Settings

LOOK_S = 0.1
SEEN_WITHIN_S = 2.5  # before any lease of the dead expires
PATIENCE_S = 60.0


@dataclass
class Orphan:
    """A task whose holder was hit.

    Attributes:
        since: When it was hit, or when the wake-up carrier was back, if that was later.
        hindered: The wake-up carrier was down, or lost them, in between.
        taken: When it was under another lease, or done.
    """

    task: Task
    since: float
    hindered: bool = False
    taken: float | None = None

    @property
    def seconds(self) -> float:
        """From the hit to another lease; the time watched if there was none."""
        return (self.taken or time.monotonic()) - self.since


class Recoveries:
    """Watches tasks whose holders were hit."""

    def __init__(self, running: Cluster) -> None:
        self._running = running
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._orphans: list[Orphan] = []
        self._away, self._returned = False, 0.0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        self._unseen = 0

    def hit(self, pid: int) -> None:
        """A worker has just been killed or stopped: watch its tasks."""
        since = time.monotonic()
        held = self._seen(pid, since + SEEN_WITHIN_S)
        with self._lock:
            late = self._returned > since
            self._orphans += [
                Orphan(
                    task,
                    self._returned if late else since,
                    hindered=late or self._away,
                )
                for task in held
            ]

    def _seen(self, pid: int, deadline: float) -> list[Task]:
        """The tasks of a worker; visible as long as its leases last."""
        while time.monotonic() < deadline:
            with suppress(StoreFailed), closing(opened_store(self._running)) as store:
                return _held_by(store, pid)
            time.sleep(LOOK_S)
        self._unseen += 1
        return []

    def broker_away(self, away: bool) -> None:
        """The wake-up carrier is gone, or is back (perhaps without its messages)."""
        with self._lock:
            self._away = away
            self._returned = time.monotonic()
            for orphan in self._orphans:
                if orphan.taken is None:
                    orphan.hindered = True
                    orphan.since = time.monotonic()

    def finish(self) -> None:
        """Stop watching once all are resumed; call when nothing is hit any longer."""
        deadline = time.monotonic() + PATIENCE_S
        while self._open() and time.monotonic() < deadline:
            time.sleep(LOOK_S)
        self._ending.set()
        self._thread.join()

    def lines(self, most: float) -> list[Line]:
        """The lines of a table; no task may wait for longer than `most` seconds."""
        lines = []
        for orphan in self._orphans:
            if orphan.seconds > most:
                self._explain(orphan)
        for hindered in (False, True):
            found = [o.seconds for o in self._orphans if o.hindered is hindered]
            what = ", from the broker's return" if hindered else ""
            lines.append(
                Line(
                    measure=f"recovered after: a hit worker's {len(found)} tasks{what}",
                    figure=(
                        f"median {statistics.median(found):.1f} s, longest {max(found):.1f} s"
                        if found
                        else "none"
                    ),
                    bar=f"≤ {most:g} s",
                    holds=max(found, default=0.0) <= most,
                )
            )
        if self._unseen:
            lines.append(
                Line(measure="hits whose tasks could not be seen", figure=f"{self._unseen}")
            )
        return lines

    def _explain(self, orphan: Orphan) -> None:
        """Print the log entries about a task that was resumed late."""
        moments = (
            time.time() - time.monotonic() + at for at in (orphan.since, orphan.taken or 0)
        )
        hit, taken = (datetime.fromtimestamp(at, UTC).time() for at in moments)
        print(f"late: {orphan.task.id}, hit at {hit}, resumed at {taken}")
        for line in self._running.logged(orphan.task.id):
            print("   ", line)

    def _open(self) -> list[Orphan]:
        with self._lock:
            return [orphan for orphan in self._orphans if orphan.taken is None]

    def _watch(self) -> None:
        with closing(opened_store(self._running)) as store:
            while not self._ending.wait(LOOK_S):
                for orphan in self._open():
                    with suppress(StoreFailed):
                        if _taken(store, orphan.task):
                            orphan.taken = time.monotonic()


def opened_store(running: Cluster) -> Store:
    """The cluster's store; close it when done."""
    return open_store(settings_of(running))


def settings_of(running: Cluster) -> Settings:
    """The settings of the cluster's processes."""
    environment = running.environment()
    ours = {k: v for k, v in environment.items() if k.startswith("PAGETIDE_")}
    return Settings.from_environment(ours)


def _held_by(store: Store, pid: int) -> list[Task]:
    """The tasks that a process holds: its id is part of its name."""
    running = store.jobs(JobQuery(status="running", limit=200))
    return [
        task
        for job in running
        for task in store.tasks(job.id)
        if task.lease and f"-{pid}-" in task.lease.worker
    ]


def _taken(store: Store, orphan: Task) -> bool:
    """Whether a task, or a part of it, is held under another lease, or all of it is done."""
    assert orphan.lease
    parts = [
        task
        for task in store.tasks(orphan.job_id)
        if task.id == orphan.id or task.id.startswith(f"{orphan.id}.")
    ]
    return all(task.state == "done" for task in parts) or any(
        task.lease and task.lease.token != orphan.lease.token for task in parts
    )
