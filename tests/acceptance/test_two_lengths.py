"""A request that says its length twice is refused, and its connection closed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.served import Served, serving

SMUGGLED = b"0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), keys=1) as server:
        yield server


@pytest.mark.parametrize(
    "lengths",
    [
        [b"Content-Length: 5", b"Transfer-Encoding: chunked"],
        [b"Transfer-Encoding: chunked", b"Content-Length: 5"],
        [b"Content-Length: 5", b"Content-Length: 6"],
    ],
)
def test_it_is_refused(served: Served, lengths: list[bytes]) -> None:
    place = urlsplit(served.url)
    assert place.hostname and place.port
    head = [b"POST /v1/jobs HTTP/1.1", b"Host: localhost", *lengths]
    with socket.create_connection((place.hostname, place.port), timeout=60) as wire:
        wire.sendall(b"\r\n".join(head) + b"\r\n\r\n" + SMUGGLED)
        answer = b""
        while part := wire.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
