"""The autoscaler with an API and workers that are real processes: from nothing to nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.autoscaled import Scaling
from bench.cluster_processes import Cluster, cluster
from tests.container_tool import Tool
from tests.serving import pdf
from tests.waiting import until

SETTINGS = {"warm_models": "fake", "task_pages": 1, "lease_s": 2.0, "log_format": "json"}


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster("sqlite", "store", workers=0, settings=SETTINGS) as made:
        yield made


@contextmanager
def scaling(running: Cluster, folder: Path, *options: str) -> Iterator[Scaling]:
    made = Scaling(running, folder, *options)
    made.place.start()
    try:
        until(made.place.ready, why="the autoscaler is not ready")
        yield made
        assert made.place.stop() == 0
    finally:
        if made.place.runs():
            made.place.kill()
            made.place.ended()


def test_from_none_to_some_to_none_though_one_is_killed(
    running: Cluster, tmp_path: Path
) -> None:
    with scaling(running, tmp_path, "--pool", "cpu=0..2", "--idle-exit", "1") as made:
        assert (made.told("worker started"), made.exits()) == ([], [])
        ids = [_submit(running, f"wave-{n}", pages=20) for n in range(2)]
        until(lambda: len(made.told("worker is ready")) == 2)
        assert made.metric("pagetide_workers") == 'pagetide_workers{pool="cpu"} 2.0'
        os.kill(_workers(made)[0], signal.SIGKILL)
        until(lambda: len(made.told("worker started")) == 3)
        for job_id in ids:
            status = running.client.ended(job_id)
            assert (status["status"], status["pages_done"]) == ("succeeded", 20)
        until(lambda: len(made.exits()) == 3, why="workers do not leave")
        assert sorted(map(str, made.exits())) == ["-9", "0", "0"]
        until(lambda: made.told("scaled")[-1]["replicas"] == 0)
        assert made.told("scaled")[0]["reason"] == "there is work"


def test_at_the_end_busy_workers_finish_and_nothing_is_lost(
    running: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "later").mkdir()
    with scaling(running, tmp_path, "--pool", "cpu=0..1") as made:
        job_id = _submit(running, "end", pages=24)
        until(lambda: running.client.status(job_id)["pages_done"] > 0)
    assert made.exits() == [0]
    assert [line["reason"] for line in made.told("worker ended")] == ["told to go"]
    status = running.client.status(job_id)
    assert 0 < status["pages_done"] < 24
    with scaling(running, tmp_path / "later", "--pool", "cpu=0..1"):
        assert running.client.ended(job_id)["status"] == "succeeded"


def test_containers_are_left_and_taken_over(running: Cluster, tmp_path: Path) -> None:
    tool = Tool(tmp_path)
    options = ["--image=worker", f"--tool={tool.path}", "--pool=cpu=1..1", "--leave"]
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with scaling(running, folder, *options) as made:
            message = "worker taken over" if number else "worker is ready"
            until(lambda made=made, message=message: made.told(message))  # type: ignore[misc]
    assert list(tool.states.values()) == ["running"]
    assert len(tool.called("run")) == 1


def _submit(running: Cluster, key: str, pages: int) -> str:
    return running.client.submit(pdf(pages), key, model="fake?slow=0.3")


def _workers(made: Scaling) -> list[int]:
    """The processes that the autoscaler has started and that run."""
    pid = made.place.pid
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in listed.split()]
