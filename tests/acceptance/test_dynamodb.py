"""The store on DynamoDB: a whole service, processes that die, a server that balks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from pagetide.errors import LeaseLost, StoreFailed
from pagetide.server.ports import Backlog, JobQuery
from pagetide.server.stores.dynamodb import open_store
from pagetide.server.stores.dynamodb.opening import address_of, client_for, prepare
from pagetide.server.stores.dynamodb.requests import Table
from pagetide.server.stores.dynamodb.store import DynamoStore
from tests.contract.stores import LEASE_S, NOW, claim, make, sweep
from tests.loopback import answering, loopback
from tests.parts import forks
from tests.parts.moto import Moto
from tests.parts.moto import aws_credentials as aws_credentials
from tests.serving import Place, inspector, pdf, text_of_page
from tests.waiting import until

JOBS = 8
PAGES = 3


@pytest.fixture
def url(moto: Moto) -> str:
    return moto.table()


@pytest.fixture
def store(url: str) -> Iterator[DynamoStore]:
    with closing(open_store(url)) as opened:
        yield opened


def test_a_service_on_dynamodb_reads_a_document(store: DynamoStore, tmp_path: Path) -> None:
    with closing(inspector()) as inspecting:
        place = Place(tmp_path, inspecting, store=store, task_pages=2)
        job, again = (
            place.submit(pdf(5), idempotency_key="one", webhook_url="https://example.org/")
            for _ in range(2)
        )
        assert again.id == job.id
        place.work()
        assert place.job(job).status == "succeeded"
        assert place.texts(job) == [text_of_page(number) for number in range(1, 6)]
        assert [task.kind for task in store.tasks(job.id)] == ["deliver", "finish"]
        reused = place.submit(pdf(5))
        assert (reused.status, reused.cached_from) == ("succeeded", job.id)
        place.service.erase(job.id, "")
        assert place.job(job).erased
        assert store.count_active(None, 9) == 0


def test_workers_that_are_killed_lose_nothing_and_double_nothing(
    store: DynamoStore, url: str
) -> None:
    for n in range(JOBS):
        store.submit(*make(f"job-{n:02}", *((page,) for page in range(1, PAGES + 1))))
    workers = [start(url, f"worker-{n}") for n in range(3)]
    until(lambda: _done(store) > PAGES, 60, "the workers do not work")
    os.kill(workers[0].pid, signal.SIGKILL)
    said = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [-signal.SIGKILL, 0, 0]
    sweep(store, NOW + LEASE_S)
    later = NOW + LEASE_S + 60  # what was being finished when its worker died waits a little
    while mine := claim(store, now=later):
        mine.finish() if mine.task.kind == "finish" else mine.read()
    jobs = store.jobs(JobQuery())
    assert [job.status for job in jobs] == ["succeeded"] * JOBS
    assert [job.pages_done for job in jobs] == [PAGES] * JOBS
    assert store.count_active(None, 9) == 0
    assert store.backlog("cpu", NOW * 2) == Backlog()
    ended = Counter(word for words in said for word in words)
    assert max(ended.values()) == 1  # nobody was told twice that a job ended


def _done(store: DynamoStore) -> int:
    return sum(job.pages_done for job in store.jobs(JobQuery()))


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (400, "ProvisionedThroughputExceededException", "accepts no more requests"),
        (400, "ThrottlingException", "accepts no more requests"),
        (500, "InternalServerError", "failed"),
        (503, "", "failed"),
    ],
)
@pytest.mark.usefixtures("aws_credentials")
def test_a_server_that_balks_is_asked_again_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch, status: int, kind: str, said: str
) -> None:
    paused: list[float] = []  # all that time passes by, so that no machine is too slow
    clock = SimpleNamespace(monotonic=lambda: sum(paused))
    monkeypatch.setattr("pagetide.server.stores.dynamodb.requests.time", clock)
    told = {"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": "arn:geheim"}
    with loopback() as server:
        server.answers["/"] = answering(json.dumps(told).encode(), status)
        address = address_of(
            f"dynamodb://eu-west-1/jobs?endpoint=http://127.0.0.1:{server.port}"
        )
        table = Table(client_for(address), "jobs", patience_s=0.3, pause=paused.append)
        with closing(table), pytest.raises(StoreFailed, match=said) as failed:
            prepare(table, create=True)
        assert len(server.received) > 2
        assert "geheim" not in failed.value.message
        assert failed.value.retryable


def test_a_table_that_is_gone_is_said_to_be(url: str, store: DynamoStore) -> None:
    store.submit(*make())
    address = address_of(url)
    with closing(client_for(address)) as client:
        client.delete_table(TableName=address.table)
    with pytest.raises(StoreFailed, match="table no longer exists"):
        store.job("job")


def start(url: str, name: str) -> subprocess.Popen[str]:
    """A process that does all there is to do."""
    command = [sys.executable, "-m", __name__, url, name]
    return forks.Popen(command, stdout=subprocess.PIPE, text=True)


def _work(store: DynamoStore, name: str) -> None:
    while mine := claim(store, name):
        with suppress(LeaseLost):
            if mine.task.kind == "finish":
                mine.finish()
                print(mine.job.id, flush=True)  # noqa: T201
            else:
                mine.read()


if __name__ == "__main__":
    _work(open_store(sys.argv[1]), sys.argv[2])
