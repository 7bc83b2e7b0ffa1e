"""The HTTP server in an endpoint's container: `GET /ping` and `POST /invocations`.

200 {"status": "done"}          nobody need hear it again
400                             no wake text of ours; nobody need send it again
503 {"status": "released"}      let go, or this container ends: it should come again
503 {"status": "busy"}          more at once than the worker holds
"""

from __future__ import annotations

import json
import logging
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Protocol

from pagetide.server.queues import wake_text
from pagetide.server.queues.wake_text import WakeText

log = logging.getLogger(__name__)

QUIET_S = 75.0  # a connection that says nothing for so long is closed
URGENCY = "X-Amzn-SageMaker-Custom-Attributes"  # says how urgent the task is
MOST_CHUNK_LINE = 18


class Inbox(Protocol):
    """Takes what the server is asked to do."""

    @property
    def ready(self) -> bool:
        """Whether anybody does anything."""
        ...

    def take_up(self, text: WakeText, urgency: str) -> bool | None:
        """Hand a message to a receiver, and wait for its end; whether it was done.

        Returns:
            None where there are enough of them already.
        """
        ...


class Listening(ThreadingHTTPServer):
    """The HTTP server; each connection has a thread, which ends when the server does."""

    request_queue_size = 64
    daemon_threads = False  # so that closing waits for them

    def __init__(self, inbox: Inbox, port: int) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("", port), type("Asked", (InvocationAnswer,), {"inbox": inbox}))

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer what comes by a connection, until it is closed."""
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close the connection."""
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def end(self) -> None:
        """Answer what has been asked, and nothing more."""
        self.shutdown()
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RD)  # what waits for a request ends
                except OSError:
                    continue  # it has been closed from the other end
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Somebody has gone before the answer: nothing is lost by that."""


class InvocationAnswer(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pagetide", ""
    timeout = QUIET_S
    disable_nagle_algorithm = True
    inbox: ClassVar[Inbox]

    def do_GET(self) -> None:
        """Say whether messages are received."""
        if self.path.partition("?")[0] != "/ping":
            self._answer(404, "unknown")
        elif self.inbox.ready:
            self._answer(200, "ready")
        else:
            self._answer(503, "not ready")

    def do_POST(self) -> None:
        """Hand a message over, and answer when it is done with."""
        if self.path.partition("?")[0] != "/invocations":
            self._refuse(404, "unknown")
            return
        body = self._body()
        text = None if body is None else wake_text.parse(body)
        if text is None:
            log.warning("wake-up put away", extra={"reason": "not ours"})
            self._refuse(400, "not ours")
            return
        done = self.inbox.take_up(text, self.headers.get(URGENCY, ""))
        if done is None:
            self._answer(503, "busy")
        elif done:
            self._answer(200, "done")
        else:
            self._answer(503, "released")

    def _body(self) -> bytes | None:
        """The request's body; None where it is too long, or not as long as announced."""
        try:
            if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                return self._chunks()
            length = int(self.headers.get("Content-Length", ""))
            if not 0 <= length <= wake_text.MOST_BYTES:
                return None
            body = self.rfile.read(length)
        except (OSError, ValueError):
            return None
        return body if len(body) == length else None

    def _chunks(self) -> bytes | None:
        body = b""
        while size := int(self.rfile.readline(MOST_CHUNK_LINE), 16):
            if not 0 < size <= wake_text.MOST_BYTES - len(body):
                return None
            body += self.rfile.read(size)
            if self.rfile.read(2) != b"\r\n":
                return None
        return body if self.rfile.readline(3) == b"\r\n" else None

    def _refuse(self, status: int, status_text: str) -> None:
        """Answer, and read nothing more: what was sent may not have been read to its end."""
        self.close_connection = True
        self._answer(status, status_text)

    def _answer(self, status: int, status_text: str) -> None:
        body = json.dumps({"status": status_text}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """SageMaker asks every few seconds."""
