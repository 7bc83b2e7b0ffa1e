"""No test reaches beyond this machine."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8"])
def test_a_connection_that_leaves_this_machine_is_refused(address: str) -> None:
    with socket.socket() as outward, pytest.raises(AssertionError, match=address):
        outward.connect((address, 80))


def test_loopback_is_not_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        socket.create_connection(listening.getsockname()).close()
