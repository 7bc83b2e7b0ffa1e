"""What a process without an API answers to those who watch it: alive, ready, its metrics."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pagetide.errors import BadOption
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)


class Health:
    """An HTTP server in a thread: `/health/live`, `/health/ready`, `/metrics`.

    It is alive as long as `beat` is called often enough, and ready once `ready` was set.

    Attributes:
        port: Where it listens.
        ready: Whether it takes work: its models are loaded, and nobody has stopped it.
    """

    def __init__(
        self, port: int, silence_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin to answer, on all addresses.

        Args:
            port: Where; 0 means any free port.
            silence_s: Without a beat for so long it is no longer alive.
            clock: Seconds.

        Raises:
            BadOption: The port cannot be had.
        """
        self._silence_s, self._clock = silence_s, clock
        self._beaten = clock()
        self.ready = False
        try:
            self._server = _Listening(("", port), self._answers())
        except OSError:
            raise BadOption(f"The port {port} for health probes cannot be opened.") from None
        self.port = self._server.server_port
        threading.Thread(
            target=self._server.serve_forever, name="pagetide-health", daemon=True
        ).start()

    def beat(self) -> None:
        """The process goes on."""
        self._beaten = self._clock()

    def unready(self) -> None:
        """No work is taken any more."""
        self.ready = False

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Status, media type and body for a path."""
        alive = self._clock() - self._beaten < self._silence_s
        if path == "/health/live":
            return _answer(alive, "live", "silent for too long")
        if path == "/health/ready":
            return _answer(alive and self.ready, "ready", "not ready")
        if path == "/metrics":
            return 200, metrics.MEDIA_TYPE, metrics.render()
        return 404, "text/plain", b"There is nothing at this path.\n"

    def _answers(self) -> type[BaseHTTPRequestHandler]:
        answer = self.answer

        class Answers(BaseHTTPRequestHandler):
            timeout = 10  # who opens a connection and says nothing holds a thread no longer

            def do_GET(self) -> None:
                status, media_type, body = answer(self.path.partition("?")[0])
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """They ask every few seconds."""

        return Answers


class _Listening(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that has gone before the answer."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            log.exception("probe not answered")


def _answer(good: bool, well: str, otherwise: str) -> tuple[int, str, bytes]:
    body = json.dumps({"status": well if good else otherwise}).encode()
    return 200 if good else 503, "application/json", body
