"""`podman stop` while work is in hand: it is finished, and the process ends with 0."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from pagetide import Client
from tests.containers.podman import CHECKOUT, LOCKED_UP, RUN_S, Podman
from tests.parts.server import free_port
from tests.waiting import until

RECEIPT = CHECKOUT / "samples" / "receipt.jpg"
POOLS = 'PAGETIDE_POOLS={cpu = "fake,structure-lite"}'
SECONDS = 3  # that a page of the slow model takes


@pytest.fixture
def place(podman: Podman) -> Iterator[tuple[str, ...]]:
    """What containers of one test share: who they are, and where their jobs are."""
    name = podman.told("volume", "create")
    env = (f"--env={POOLS}", "--env=PAGETIDE_AUTH=off", "--env=PAGETIDE_TEST_MODELS=yes")
    yield "--user=12345", *LOCKED_UP, *env, f"--volume={name}:/var/lib/pagetide"
    podman.run("volume", "rm", "--force", name, check=False)


@pytest.fixture
def served(podman: Podman, api: str, place: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """An API's container, and its port here."""
    port = free_port()
    with podman.running(*place, f"--publish=127.0.0.1:{port}:8000", api) as container:
        podman.until_ready(container)
        yield container, port


class Stopping(threading.Thread):
    """`podman stop`, beside the test."""

    def __init__(self, podman: Podman, container: str) -> None:
        super().__init__()
        self._podman, self._container = podman, container
        self.start()

    def run(self) -> None:
        self._podman.run("stop", "--time=60", self._container)

    def ended(self) -> int:
        """The container's exit code, once it has ended."""
        self.join(RUN_S)
        code: int = self._podman.state(self._container)["ExitCode"]
        return code


def test_a_request_in_flight_is_answered(podman: Podman, served: tuple[str, int]) -> None:
    container, port = served
    name = b'Content-Disposition: form-data; name="file"; filename="receipt.jpg"'
    body = b"--x\r\n" + name + b"\r\n\r\n" + RECEIPT.read_bytes() + b"\r\n--x--\r\n"
    head = (
        f"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(body)}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=30) as asking:
        asking.sendall(head.encode())
        assert asking.recv(1000).startswith(b"HTTP/1.1 100"), "it has not begun"
        asking.sendall(body[: len(body) // 2])
        stopping = Stopping(podman, container)
        until(lambda: "Shutting down" in podman.log(container), 20)
        asking.sendall(body[len(body) // 2 :])
        answer = b"".join(iter(lambda: asking.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 202"), answer[:300]
    assert stopping.ended() == 0, podman.log(container)


def test_a_page_in_hand_is_read_to_its_end(
    podman: Podman, served: tuple[str, int], worker: str, place: tuple[str, ...]
) -> None:
    _, port = served
    with (
        Client(f"http://127.0.0.1:{port}") as client,
        podman.running(*place, worker, "worker", "--models", "fake") as container,
    ):
        podman.until_ready(container, [8001])
        job = client.submit(RECEIPT, model=f"fake?slow={SECONDS}")
        until(lambda: client.job(job).status == "running", 20)
        assert Stopping(podman, container).ended() == 0, podman.log(container)
        assert "The worker stops: stopped." in podman.log(container)
        # The page was read; what makes a result of it is another task, of the next worker.
        assert client.job(job).pages_done == 1
        with podman.running(*place, worker, "worker", "--models", "fake") as other:
            until(lambda: client.job(job).status == "succeeded", 60, podman.log(other))


def test_who_is_killed_is_seen(podman: Podman, worker: str, place: tuple[str, ...]) -> None:
    """The checks above can fail: a process that does not end gets 137."""
    with podman.running(*place, "--entrypoint=python", worker, "-c", STUBBORN) as container:
        until(lambda: "deaf" in podman.log(container), 20)
        podman.run("stop", "--time=1", container)
        assert podman.state(container)["ExitCode"] == 137


STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(600)
"""
