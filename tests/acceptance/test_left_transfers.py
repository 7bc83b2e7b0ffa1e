"""A transfer whose client has gone away ends, and its place is another's."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from pagetide.server.api.callers.fetches import OF_A_KEY
from tests.loopback import answering, loopback
from tests.served import Served, serving
from tests.serving import pdf
from tests.waiting import until

PATIENCE_S = 60.0
FOR_EVER_S = 3600
BATCHES = "/documentintelligence/documentModels/prebuilt-read:analyzeBatch"
BATCH = f"{BATCHES}?api-version=2024-11-30"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(
        folder, keys=1, allow_hosts="127.0.0.1", download_timeout_s=FOR_EVER_S
    ) as running:
        yield running


def _ask(served: Served, path: str, body: object) -> socket.socket:
    """Send a request, and do not wait for its answer."""
    place, sent = urlsplit(served.url), json.dumps(body).encode()
    wire = socket.create_connection((place.hostname or "", place.port or 0), PATIENCE_S)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {served.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
    )
    wire.sendall(head.encode() + sent)
    return wire


def _asking(path: str, away: str) -> dict[str, Any]:
    if path == BATCH:
        source = {"containerUrl": f"{away}/box"}
        return {"azureBlobSource": source, "resultContainerUrl": f"{away}/out"}
    return {"model": "fake", "file_url": f"{away}/a.pdf"}


def _hung_up(wire: socket.socket) -> bool:
    """Whether the other side has gone; one that has not gets a little more to wait for."""
    try:
        wire.send(b"x")
        return not wire.recv(10_000)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("path", ["/v1/jobs", BATCH])
def test_who_leaves_gives_up_his_place(served: Served, path: str) -> None:
    with (
        ExitStack() as stack,
        socket.create_server(("127.0.0.1", 0), backlog=64) as silent,
        loopback() as quick,
        httpx.Client(base_url=served.url, timeout=PATIENCE_S, trust_env=False) as client,
    ):
        silent.settimeout(PATIENCE_S)
        quick.answers["/a.pdf"] = answering(pdf(1))
        away = f"http://127.0.0.1:{silent.getsockname()[1]}"
        clients = [_ask(served, path, _asking(path, away)) for _ in range(OF_A_KEY)]
        fetching = [stack.enter_context(silent.accept()[0]) for _ in clients]
        later = _ask(served, path, _asking(path, away))  # which waits for a place
        for each in (later, *clients):
            each.close()
        for wire in fetching:
            wire.setblocking(False)
            wire.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        until(lambda: all([_hung_up(wire) for wire in fetching]), PATIENCE_S)
        answer = client.post(
            "/v1/jobs",
            json={"model": "fake", "file_url": f"http://127.0.0.1:{quick.port}/a.pdf"},
            headers={"Authorization": f"Bearer {served.key}"},
        )
        assert answer.status_code == 202, answer.text


def test_a_batch_whose_client_left_has_no_jobs(served: Served) -> None:
    asked = threading.Event()
    listed = b"<Blobs><Blob><Name>a.pdf</Name></Blob><Blob><Name>b.pdf</Name></Blob></Blobs>"
    headers = {"Authorization": f"Bearer {served.key}"}
    with (
        loopback() as storage,
        httpx.Client(
            base_url=served.url, timeout=PATIENCE_S, trust_env=False, headers=headers
        ) as client,
    ):

        def hanging(_: object) -> None:
            asked.set()
            storage.closing.wait(PATIENCE_S)

        storage.answers["/box"] = answering(listed)
        storage.answers["/box/a.pdf"] = answering(pdf(2))
        storage.answers["/box/b.pdf"] = hanging
        before = {job["id"] for job in client.get("/v1/jobs").json()["jobs"]}
        wire = _ask(served, BATCH, _asking(BATCH, f"http://127.0.0.1:{storage.port}"))
        assert asked.wait(PATIENCE_S)
        (made,) = {job["id"] for job in client.get("/v1/jobs").json()["jobs"]} - before
        wire.close()
        until(lambda: client.get(f"/v1/jobs/{made}").status_code == 410)


def test_what_was_being_fetched_leaves_nothing(served: Served) -> None:
    assert list(Path(served.folder, "uploads").iterdir()) == []
