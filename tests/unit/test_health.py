"""What answers probes: to whoever asks, and to who asks and goes away."""

from __future__ import annotations

import socket
import struct
from contextlib import closing

import httpx
import pytest

from pagetide.telemetry.health import Health
from tests.waiting import until

ASKS = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


def test_who_hangs_up_leaves_no_trace(
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reset before the answer is written."""
    ended: list[object] = []
    with closing(Health(0, 60)) as health:
        server = health._server
        ending = server.shutdown_request

        def shut(one: socket.socket) -> None:
            ending(one)
            ended.append(one)

        monkeypatch.setattr(server, "shutdown_request", shut)
        answer = health.answer

        def large(path: str) -> tuple[int, str, bytes]:
            status, media_type, body = answer(path)
            return status, media_type, body + bytes(50_000_000)

        monkeypatch.setattr(health, "answer", large)
        monkeypatch.setattr(server, "RequestHandlerClass", health._answers())
        asking = socket.create_connection(("127.0.0.1", health.port))
        asking.sendall(ASKS)
        asking.recv(1)
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        asking.close()
        until(lambda: ended)
        monkeypatch.setattr(health, "answer", answer)
        monkeypatch.setattr(server, "RequestHandlerClass", health._answers())
        answered = httpx.get(f"http://127.0.0.1:{health.port}/health/live", trust_env=False)
        assert answered.status_code == 200
    assert "Traceback" not in capfd.readouterr().err
    assert caplog.records == []
