"""Connections that ask for nothing, or for half, keep nobody from being answered."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.parts import forks
from tests.served import PAGETIDE
from tests.waiting import until

DESCRIPTORS = 256
HALVES = [b"", b"GET /v1/jobs HTTP/1.1\r\nHost: localh", b"POST /v1/jobs HTTP/1.1\r\n"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that may have few descriptors."""
    folder = tmp_path_factory.mktemp("served")
    log = folder / "log"
    with log.open("wb") as said:
        server = forks.Popen(
            [
                "prlimit",
                f"--nofile={DESCRIPTORS}:{DESCRIPTORS}",
                *PAGETIDE,
                "serve",
                "--port",
                "0",
            ],
            env={**os.environ, "PAGETIDE_DATA_DIR": str(folder)},
            stderr=said,
        )
    try:
        yield until(partial(_answers_at, log, server))
    finally:
        server.terminate()
        server.wait(120)


def _answers_at(log: Path, server: subprocess.Popen[bytes]) -> str | None:
    said = log.read_text(errors="replace")
    assert server.poll() is None, said
    found = re.search(r"answers at (\S+?)/?[;\s]", said)
    return found and found[1]


def _half(stack: ExitStack, url: str, sent: bytes) -> socket.socket:
    place = urlsplit(url)
    wire = socket.create_connection((place.hostname or "", place.port or 0), timeout=60)
    stack.callback(wire.close)
    wire.sendall(sent)
    return wire


def test_others_are_answered(url: str) -> None:
    with ExitStack() as stack:
        for n in range(3 * DESCRIPTORS):
            _half(stack, url, HALVES[n % len(HALVES)])
        with httpx.Client(timeout=60, trust_env=False) as client:
            for path in ("/health/live", "/v1/models", "/v1/jobs"):
                assert client.get(f"{url}{path}").status_code == 200
            # It says 503 where its disk takes 5 s to answer, as on a machine busy with others.
            until(lambda: client.get(f"{url}/health/ready").status_code == 200)


def test_one_that_waits_long_makes_way(url: str) -> None:
    with ExitStack() as stack:
        first = _half(stack, url, HALVES[1])
        for n in range(DESCRIPTORS):
            _half(stack, url, HALVES[n % len(HALVES)])
        first.settimeout(60)
        with suppress(ConnectionResetError):
            assert first.recv(1) == b""
