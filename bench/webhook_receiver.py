"""Receives the webhooks for ends of jobs, and occasionally refuses one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bench.history import Called, History

REFUSED = 7  # one first call in this many is answered with 503


class Receiver(ThreadingHTTPServer):
    """Records each notification that it receives in a history.

    Attributes:
        refused: Number of refused ones.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, history: History) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.history, self.refused = history, 0
        self._known: set[str] = set()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The prefix of a webhook's URL."""
        return f"http://127.0.0.1:{self.server_port}"

    def take(self, note: dict[str, Any], at: float) -> bool:
        """Whether a notification is accepted."""
        told = note["data"]
        with self._lock:
            first = told["id"] not in self._known
            self._known.add(told["id"])
            if first and len(self._known) % REFUSED == 0:
                self.refused += 1
                return False
        self.history.add(Called(job=told["id"], status=told["status"], at=at))
        return True


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """A notification."""
        at = time.monotonic()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204 if self.server.take(json.loads(body), at) else 503)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def receiving(history: History) -> Iterator[Receiver]:
    """Such a receiver."""
    with Receiver(history) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
