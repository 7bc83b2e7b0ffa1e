"""A busy worker says so at its pod, and nothing that goes wrong there disturbs it."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from pagetide.server.worker import deletion_cost
from pagetide.server.worker.deletion_cost import ANNOTATION, BUSY, IDLE, Cost, reporting_cost
from tests.waiting import until

POD, TOKEN = "pagetide-worker-6b7-x2x4q", "a.token"


@dataclass
class Kubernetes:
    """The one route of Kubernetes' API that is needed, as it behaves."""

    account: Path
    url: str = ""
    token: str = TOKEN
    status: int = 200
    costs: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def mount(self, token: str) -> None:
        (self.account / "token").write_text(token)

    def patched(self, path: str, headers: dict[str, str], body: bytes) -> int:
        self.asked.append(path)
        if path != f"/api/v1/namespaces/documents/pods/{POD}":
            return 404
        if headers.get("Authorization") != f"Bearer {self.token}":
            return 401
        if headers.get("Content-Type") != "application/merge-patch+json":
            return 415
        if self.status == 200:
            told = json.loads(body)
            assert list(told) == ["metadata"] and list(told["metadata"]) == ["annotations"]
            assert list(told["metadata"]["annotations"]) == [ANNOTATION]
            self.costs.append(told["metadata"]["annotations"][ANNOTATION])
        return self.status


@contextmanager
def kubernetes(account: Path) -> Iterator[Kubernetes]:
    """It speaks TLS with a certificate of its own authority, which the account knows."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(account / "ca.crt"))
    (account / "namespace").write_text("documents\n")
    state = Kubernetes(account)
    state.mount(TOKEN)

    class Answers(BaseHTTPRequestHandler):
        def do_PATCH(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(state.patched(self.path, dict(self.headers), body))
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a client that does not trust us breaks off

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with Server(("127.0.0.1", 0), Answers) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        state.url = f"https://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kubernetes]:
    monkeypatch.setattr(deletion_cost, "TIMEOUT_S", 60.0)
    with kubernetes(tmp_path) as running:
        yield running


@dataclass
class Work:
    """Tasks held, and a clock that stands unless it is moved."""

    held: int = 0
    now: float = 1000.0

    def __call__(self) -> int:
        return self.held

    def clock(self) -> float:
        return self.now

    def later(self) -> float:
        self.now += 1
        return self.now


@contextmanager
def told(cluster: Kubernetes, work: Work, pod: str = POD) -> Iterator[None]:
    with reporting_cost(
        pod, work, api=cluster.url, account=cluster.account, look_s=0.002, clock=work.clock
    ):
        yield


def test_a_busy_pod_costs_more_until_it_has_been_calm(cluster: Kubernetes) -> None:
    work = Work(held=3)
    with told(cluster, work):
        until(lambda: cluster.costs == [str(BUSY)])
        work.held = 0
        until(lambda: work.later() and cluster.costs == [str(BUSY), str(IDLE)])


def test_what_an_earlier_process_of_the_pod_said_is_put_right(cluster: Kubernetes) -> None:
    """It was recycled or killed while busy, and the container was started again."""
    with told(cluster, Work()):
        until(lambda: cluster.costs == [str(IDLE)])


def test_the_token_is_read_anew(cluster: Kubernetes) -> None:
    work = Work(held=1)
    with told(cluster, work):
        until(lambda: cluster.costs)
        cluster.token = TOKEN[::-1]
        cluster.mount(TOKEN[::-1])
        work.held = 0
        until(lambda: work.later() and len(cluster.costs) == 2)


def test_what_is_refused_is_told_once_and_tried_again(
    cluster: Kubernetes, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.status = 403
    work = Work(held=1)
    with told(cluster, work):
        until(lambda: work.later() and len(cluster.asked) > 2)
        cluster.status = 200
        until(lambda: work.later() and cluster.costs)
    warned = [r.getMessage() for r in caplog.records if r.name == deletion_cost.__name__]
    assert warned == ["the pod's deletion cost is not told: Kubernetes answers 403"]
    assert TOKEN not in caplog.text


def test_a_server_that_is_not_the_clusters_gets_no_token(
    cluster: Kubernetes, caplog: pytest.LogCaptureFixture
) -> None:
    trustme.CA().cert_pem.write_to_path(str(cluster.account / "ca.crt"))
    with told(cluster, Work(held=1)):
        until(lambda: caplog.records)
    assert not cluster.asked


def test_without_an_account_the_work_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    looks: list[int] = []

    def held() -> int:
        looks.append(1)
        return 1

    with reporting_cost(POD, held, account=tmp_path / "none", look_s=0.002):
        until(lambda: len(looks) > 5 and caplog.records)
    assert len(caplog.records) == 1


def test_outside_a_pod_there_is_no_thread(cluster: Kubernetes) -> None:
    before = set(threading.enumerate())
    with told(cluster, Work(held=1), pod=""):
        assert set(threading.enumerate()) <= before


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 60)), max_size=60))
def test_a_pod_that_holds_a_task_is_never_known_as_idle(looks: list[tuple[int, float]]) -> None:
    cost, now = Cost(), 0.0
    for held, later in looks:
        now += later
        cost = cost.seen(held, now)
        if (due := cost.due(now)) is not None:
            assert due != cost.noted
            cost = cost.reported(due)
        assert not held or cost.noted == BUSY


@given(st.integers(1, 200))
def test_failures_make_the_waits_longer_up_to_a_limit(failures: int) -> None:
    cost, now, waits = Cost().seen(1, 0.0), 0.0, []
    for _ in range(failures):
        cost = cost.failed(now)
        waits.append(cost.retry_at - now)
        assert cost.seen(1, now).due(now + waits[-1] / 2) is None
        now = cost.retry_at
    assert waits == sorted(waits)
    assert deletion_cost.RETRY_S <= waits[0] <= waits[-1] <= deletion_cost.LONGEST_RETRY_S
