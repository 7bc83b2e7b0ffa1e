"""Replicas of Container Apps, killed before their grace has passed: nothing is lost.

The long version, with the real 60 s, is `python -m bench.container_apps_kill`.
"""

from __future__ import annotations

import subprocess
import threading
import time
from contextlib import closing
from datetime import datetime

import pytest

from bench.cluster_parts import S, Servers
from bench.cluster_places import Place
from bench.cluster_watch import opened_store
from bench.container_apps import (
    Azure,
    Readings,
    all_scaled_in,
    azure,
    followed,
    messages,
    scaled_in,
    visible,
)
from pagetide.server.jobs.job import Task
from tests.parts.azurite import Azurite
from tests.parts.postgres import Postgres
from tests.parts.server import Server
from tests.serving import pdf, text_of_page
from tests.waiting import until

WINDOW_S, LEASE_S = 2.0, 4.0  # of 60 s and 30 s
POLL_S = 0.3  # of 30 s
PAGE_S, PAGES = 0.6, 10  # of a task: longer than the window
SETTINGS = {
    "lease_s": 30.0,
    "task_pages": PAGES,
    "concurrency": 1,
    "warm_models": "fake",
}
FIXTURES: dict[type[Server], str] = {Azurite: "azurite", Postgres: "postgres"}


@pytest.fixture
def servers(request: pytest.FixtureRequest) -> Servers:
    """The session's servers."""

    def give(kind: type[S]) -> S:
        server: S = request.getfixturevalue(FIXTURES[kind])
        return server

    return give


def submit(running: Azure, number: int, pages: int, page_s: float = PAGE_S) -> str:
    document = pdf(pages, first=200 + 40 * number)
    return running.cluster.client.submit(
        document, f"kill-{number}", model=f"fake?slow={page_s}"
    )


def assert_whole(running: Azure, ids: list[str], pages: int) -> None:
    """Every job has succeeded, and every page is there once, with its own text."""
    for number, job_id in enumerate(ids):
        status = running.cluster.client.ended(job_id)
        assert (status["status"], status["pages_done"]) == ("succeeded", pages)
        expected = [(n, text_of_page(n, first=200 + 40 * number)) for n in range(1, pages + 1)]
        assert running.cluster.client.texts(job_id) == expected
    assert sorted(running.cluster.client.listed()) == sorted(ids)


def ended_at(running: Azure, ids: list[str]) -> float:
    stamps = [running.cluster.client.status(job_id)["finished_at"] for job_id in ids]
    return max(datetime.fromisoformat(stamp).timestamp() for stamp in stamps)


def holder(running: Azure, ids: list[str]) -> tuple[Place, Task] | None:
    """A replica that has read a page of a task, and the task."""
    for place in running.cluster.workers:
        for task in running.held_by(place, ids):
            if task.done:
                return place, task
    return None


@pytest.mark.slow("kills replicas in long tasks, which take their time")
@pytest.mark.parametrize("store", ["postgres", "sqlite"])
def test_replicas_are_killed_in_the_middle_of_long_tasks(store: str, servers: Servers) -> None:
    settings = {**SETTINGS, "lease_s": LEASE_S, "drain_s": 600}
    with azure(store, workers=3, settings=settings, servers=servers) as running:
        first, second, other = running.cluster.workers
        ids = [submit(running, number, PAGES) for number in range(3)]
        since, readings = time.time(), Readings(running)
        with readings.taken():
            until(lambda: all(running.held_by(each, ids) for each in (first, second, other)))
            # All is held: the strategy that we do not use sees nothing to do.
            assert (visible(running), messages(running)) == (0, 3)
            ends = all_scaled_in(running, (first, second), WINDOW_S, ids)
            # They trusted the grace, and were cut off in their work.
            assert [end.killed for end in ends] == [True, True]
            lost = [task for end in ends for task in end.held]
            assert len(lost) == 2
            assert all(0 < len(task.done) < PAGES for task in lost)
            seen = followed(running, ids, 180)
        counted = readings.between(since, ended_at(running, ids))
        assert len(counted) > 20
        assert min(counted) >= 1  # KEDA would not have taken the last one
        assert readings.failed == 0
        assert_whole(running, ids, PAGES)
        # What the killed had read stands: nobody has read it again.
        for task in lost:
            now = seen[task.id]
            assert task.done.items() <= now.done.items()
            assert now.attempts == 1
        until(lambda: messages(running) == 0, why="a message is left")
        assert other.stop() == 0
        assert running.cluster.parts.dead() == 0


@pytest.mark.slow("waits for a drain of many pages")
def test_a_drain_within_the_window_loses_no_lease(servers: Servers) -> None:
    """As the template sets it: what is not done in time is handed back before the kill."""
    pages = 3 * PAGES  # so many that the other one is seen at it
    settings = {**SETTINGS, "drain_s": 1.5, "task_pages": pages}
    with azure("sqlite", workers=2, settings=settings, servers=servers) as running:
        ids = [submit(running, 0, pages)]
        leaving, held = until(lambda: holder(running, ids))
        end = scaled_in(running, leaving, 60.0, ids)  # a slow machine is no failure
        assert (end.code, end.held) == (0, ())
        task = followed(running, ids, 180)[held.id]
        assert_whole(running, ids, pages)
        assert task.attempts == 0  # nobody died
        assert len(set(task.done.values())) == 2  # one began it, another ended it


def test_a_job_for_every_message(servers: Servers) -> None:
    """Executions come with the messages; each takes what there is, and leaves."""
    most, jobs = 3, 5
    with azure("sqlite", workers=0, settings=SETTINGS, servers=servers) as running:
        ids = [submit(running, number, 2, 0.2) for number in range(jobs)]
        started: list[subprocess.Popen[bytes]] = []
        pause = threading.Event()

        def all_done() -> bool:
            """A poll of KEDA's: as many more as there are messages, less those that run."""
            pause.wait(POLL_S)
            alive = sum(each.poll() is None for each in started)
            for _ in range(min(messages(running), most) - alive):
                started.append(running.execution(len(started), 1.0))
            with closing(opened_store(running.cluster)) as store:
                found = [store.job(job_id) for job_id in ids]
            return all(job and job.ended for job in found)

        until(all_done, 120)
        assert_whole(running, ids, 2)
        assert [each.wait(60) for each in started] == [0] * len(started)
        assert most <= len(started)
        assert messages(running) == 0
