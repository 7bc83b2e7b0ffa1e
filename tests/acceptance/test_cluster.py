"""A cluster of separate processes on real parts: what dies or is told to leave harms no job.

The long version, at random and with more faults, is `python -m bench.chaos --all`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import Any

import httpx
import pytest

from bench.cluster_parts import COMBINATIONS, S, Servers
from bench.cluster_places import Place
from bench.cluster_processes import Cluster, cluster
from bench.cluster_watch import opened_store
from pagetide.server.jobs.job import Task
from tests.parts.azurite import Azurite
from tests.parts.moto import Moto
from tests.parts.postgres import Postgres
from tests.parts.rabbitmq import RabbitMQ
from tests.parts.redis import Redis
from tests.parts.server import Server
from tests.serving import pdf, text_of_page
from tests.waiting import until

LEASE_S = 1.5
SETTINGS: Mapping[str, object] = {
    "lease_s": LEASE_S,
    "task_pages": 2,
    "warm_models": "fake",
    "drain_s": 10,
}
FIXTURES: Mapping[type[Server], str] = {
    Azurite: "own_azurite",
    Moto: "moto",
    Postgres: "postgres",
    RabbitMQ: "own_rabbitmq",
    Redis: "own_redis",
}


@pytest.fixture
def servers(request: pytest.FixtureRequest) -> Iterator[Servers]:
    """Stores that all tests share, and brokers that may be killed; Moto forgets when it is."""
    with ExitStack() as ends:
        given: set[type[Server]] = set()

        def give(kind: type[S]) -> S:
            server: S = request.getfixturevalue(FIXTURES[kind])
            if kind is Moto and kind in given:
                server = kind()
                ends.enter_context(server)
            given.add(kind)
            return server

        yield give


@contextmanager
def running(store: str, queue: str, servers: Servers, **more: Any) -> Iterator[Cluster]:
    settings = {**SETTINGS, **more.pop("settings", {})}
    with cluster(store, queue, servers=servers, settings=settings, **more) as started:
        yield started


def first_width(number: int) -> int:
    """How wide a job's first page is: each job's pages are told apart by it."""
    return 200 + 40 * number


def submit(cluster: Cluster, number: int, pages: int, model: str = "fake?slow=0.1") -> str:
    return cluster.client.submit(
        pdf(pages, first=first_width(number)), f"job-{number}", model=model
    )


def assert_whole(cluster: Cluster, job_id: str, number: int, pages: int) -> None:
    """It has succeeded, and every page is there once, with its own text."""
    status = cluster.client.ended(job_id)
    assert (status["status"], status["pages_done"]) == ("succeeded", pages)
    expected = [(n, text_of_page(n, first=first_width(number))) for n in range(1, pages + 1)]
    assert cluster.client.texts(job_id) == expected


def holder(cluster: Cluster, ids: list[str]) -> tuple[Place, Task] | None:
    """A worker that holds a task of these jobs, and the task."""
    with closing(opened_store(cluster)) as store:
        for task in (task for job_id in ids for task in store.tasks(job_id)):
            for worker in cluster.workers:
                if task.lease and f"-{worker.pid}-" in task.lease.worker:
                    return worker, task
    return None


def assert_ends_well(cluster: Cluster) -> None:
    """Everybody ends with 0 when asked, says why, and leaves nobody behind."""
    assert set(cluster.stop().values()) == {0}
    for worker in cluster.workers:
        assert "worker leaves" in worker.log.read_text()
    assert cluster.left_over(60) == []


# One with the store as the queue, one with a broker; the others are the same test again.
OFTEN = (("sqlite", "store"), ("postgres", "amqp"))
AGAIN = pytest.mark.slow("kills a worker and a broker, on yet another combination")


@pytest.mark.parametrize(
    ("store", "queue"),
    [pytest.param(*pair, marks=() if pair in OFTEN else AGAIN) for pair in COMBINATIONS],
    ids=map("+".join, COMBINATIONS),
)
def test_a_worker_and_the_broker_are_killed(store: str, queue: str, servers: Servers) -> None:
    sizes = (5, 1, 3, 2, 4, 6)
    with running(store, queue, servers, workers=2) as cluster:
        ids = [submit(cluster, number, pages) for number, pages in enumerate(sizes[:-1])]
        ids.append(submit(cluster, 5, 6, "fake?slow=0.8"))  # the others may be done by now
        victim, _ = until(lambda: holder(cluster, ids))
        dead = victim.pid
        victim.kill()
        if queue != "store":
            assert cluster.parts.broker
            cluster.parts.broker.kill()
            cluster.parts.broker.start()
        for number, (job_id, pages) in enumerate(zip(ids, sizes, strict=True)):
            assert_whole(cluster, job_id, number, pages)
        assert sorted(cluster.client.listed()) == sorted(ids)
        until(lambda: victim.pid != dead and victim.ready())  # it was started again
        until(lambda: cluster.parts.left() == 0, why="a message is left")
        assert cluster.client.ask("GET", "/v1/backlog/cpu").json()["size"] == 0
        assert_ends_well(cluster)


def test_sigterm_drains(servers: Servers) -> None:
    patient = {"lease_s": 60.0, "drain_s": 60.0}
    with running("sqlite", "store", servers, workers=1, settings=patient) as cluster:
        job_id = submit(cluster, 0, 12, "fake?slow=0.4")
        leaving, held = until(lambda: holder(cluster, [job_id]))
        assert leaving.stop() == 0
        assert "worker leaves pool=cpu reason=stopped" in leaving.log.read_text()
        assert "The worker stops: stopped." in leaving.log.read_text()
        with closing(opened_store(cluster)) as store:
            found = {task.id: task for task in store.tasks(job_id)}
        # Its task was read to the end, and nobody had to take anything from it.
        assert found[held.id].state == "done"
        assert all(task.attempts == 0 for task in found.values())
        assert not any(task.lease for task in found.values())
        cluster.new_worker()  # only now, for the tasks go with the end of their job
        assert_whole(cluster, job_id, 0, 12)
        assert_ends_well(cluster)


def test_ready_only_once_the_model_is_loaded(servers: Servers) -> None:
    slow = {"warm_models": "fake?slow=5"}
    with running("sqlite", "store", servers, workers=0, settings=slow) as cluster:
        worker = cluster.new_worker()
        url = f"http://127.0.0.1:{worker.port}/health"
        with httpx.Client(trust_env=False, timeout=60) as http:

            def ready() -> int:
                try:
                    return http.get(f"{url}/ready").status_code
                except httpx.TransportError:
                    return 0

            assert until(ready) == 503
            assert http.get(f"{url}/live").status_code == 200
            assert "model is warm" not in worker.log.read_text()
            until(lambda: ready() == 200)
            assert "model is warm" in worker.log.read_text()
            worker.send(signal.SIGTERM)
            assert worker.ended() == 0


@pytest.mark.parametrize(
    ("store", "queue"), COMBINATIONS[:2], ids=map("+".join, COMBINATIONS[:2])
)
def test_two_apis_serve_the_same_job(store: str, queue: str, servers: Servers) -> None:
    with running(store, queue, servers, apis=2, workers=1) as cluster:
        one, other = (f"http://127.0.0.1:{api.port}/v1/jobs" for api in cluster.apis)
        with httpx.Client(trust_env=False, timeout=60) as http:

            def post(url: str) -> httpx.Response:
                return http.post(
                    url,
                    files={"file": ("scan.pdf", pdf(4))},
                    data={"model": "fake?slow=0.2"},
                    headers={"Idempotency-Key": "same"},
                )

            def ended(url: str) -> dict[str, Any] | None:
                job: dict[str, Any]
                job = http.get(f"{url}/{job_id}", params={"wait": "20"}).json()
                return job if job["finished_at"] else None

            answer = post(one)
            job_id = answer.json()["id"]
            assert answer.status_code == 202
            assert post(other).json()["id"] == job_id
            for url in (other, one):
                status = until(partial(ended, url))
                assert (status["status"], status["pages_done"]) == ("succeeded", 4)
                document = http.get(f"{url}/{job_id}/result").json()
                texts = [page["lines"][0]["text"] for page in document["pages"]]
                assert texts == [text_of_page(n) for n in range(1, 5)]
                listed = http.get(url).json()["jobs"]
                assert [job["id"] for job in listed] == [job_id]
            assert cluster.apis[0].stop() == 0
            assert http.get(f"{other}/{job_id}").json()["status"] == "succeeded"
        assert_ends_well(cluster)
