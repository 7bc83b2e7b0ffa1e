"""The compose stack: it comes up, and reads a document through nginx."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest

from tests.containers.podman import CHECKOUT, Podman
from tests.containers.stack import Stack, install_compose
from tests.waiting import until

LIMIT = 50 * 1024 * 1024
SERVICES = ("postgres", "broker", "api", "sweep", "worker", "nginx", "prometheus")
RECEIPT = CHECKOUT / "samples" / "receipt.jpg"
ENDED = ("succeeded", "partial", "failed")


@pytest.fixture(scope="module")
def stack(
    tmp_path_factory: pytest.TempPathFactory,
    podman: Podman,
    api: str,
    worker: str,
    standins: str,
) -> Iterator[Stack]:
    here = tmp_path_factory.mktemp("compose")
    made = Stack(here / "stack", podman, install_compose(here / "tools"), standins, "redis")
    try:
        made.up(*SERVICES)
        until(lambda: _ready(made), 90, "the stack does not get ready")
        yield made
    finally:
        made.down()


@pytest.fixture(scope="module")
def key(stack: Stack) -> str:
    return stack.make_key()


@pytest.fixture(scope="module")
def read(stack: Stack, key: str) -> str:
    """The text of a document that the stack has read."""
    with stack.client(key) as client:
        answer = client.post("/v1/jobs", files={"file": ("receipt.jpg", RECEIPT.read_bytes())})
        assert answer.status_code == 202, answer.text
        job = answer.json()
        assert job["links"]["self"].startswith(str(client.base_url)), "PUBLIC_URL is not told"
        path = f"/v1/jobs/{job['id']}"
        until(lambda: client.get(path, params={"wait": 20}).json()["status"] in ENDED, 120)
        asked = {"format": "txt", "wait": "20"}
        made = until(lambda: _there(client.get(f"{path}/result", params=asked)), 60)
        return made.text


def test_a_document_is_read_through_nginx(read: str) -> None:
    assert "TIDEWATER" in read
    assert "38.38" in read


def test_nothing_is_answered_without_a_key(stack: Stack) -> None:
    with stack.client() as client:
        assert client.post("/v1/jobs", content=b"x").status_code == 401


def test_plain_http_is_sent_to_tls(stack: Stack) -> None:
    answer = httpx.get(f"http://127.0.0.1:{stack.http}/v1/models?x=1")
    assert answer.status_code == 308
    assert answer.headers["Location"] == "https://127.0.0.1/v1/models?x=1"


def test_a_body_of_50_mib_comes_through_and_a_byte_more_does_not(
    stack: Stack, key: str
) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    with stack.client(key) as client:
        answered = [
            client.post("/v1/jobs", content=_filled(head, size), headers=form)
            for size in (LIMIT, LIMIT + 1)
        ]
    assert [answer.status_code == 413 for answer in answered] == [False, True]
    assert answered[0].json()["code"] == "unsupported_type", "it was not the API that spoke"


def test_metrics_are_not_for_the_world(stack: Stack, key: str) -> None:
    with stack.client(key) as client:
        assert client.get("/metrics").status_code == 404


def test_prometheus_finds_everything(stack: Stack, read: str) -> None:
    def up() -> bool:
        found = stack.measured("up == 1")
        return {one["metric"]["job"] for one in found} == {"api", "sweep", "worker"}

    # Names are looked up every 15 s, and each is then asked every 15 s: 39 s have been seen.
    until(up, 150, "Prometheus does not reach all of them")


def test_every_panel_has_something_to_show(stack: Stack, read: str) -> None:
    place = CHECKOUT / "deploy" / "compose" / "grafana" / "dashboards" / "pagetide.json"
    panels = json.loads(place.read_text())["panels"]
    # Nothing has gone wrong, and no document came twice.
    spared = {"What went wrong", "Answered from earlier results"}

    def empty() -> set[str]:
        return {
            panel["title"]
            for panel in panels
            if not any(stack.measured(target["expr"]) for target in panel["targets"])
        }

    until(lambda: empty() <= spared, 150, "panels stay empty")


def test_the_worker_reaches_no_other_network(podman: Podman, stack: Stack) -> None:
    networks = podman.inspect(stack.container("worker"))["NetworkSettings"]["Networks"]
    assert list(networks) == ["pagetide_inside"]
    assert podman.inspect("pagetide_inside")["internal"]


def _there(answer: httpx.Response) -> httpx.Response | None:
    """The result, unless it is being made."""
    return None if answer.status_code == 202 else answer


def _ready(stack: Stack) -> bool:
    with suppress(httpx.TransportError), stack.client() as client:
        return client.get("/health/ready").status_code == 200
    return False


def _filled(head: bytes, size: int) -> bytes:
    """A form with a file of nothing, as long as is told."""
    end = b"\r\n--x--\r\n"
    return head + bytes(size - len(head) - len(end)) + end
