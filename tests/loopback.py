"""An HTTP server on loopback that answers as a test tells it, and records what it received."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answering = Callable[[BaseHTTPRequestHandler], object]


@dataclass(frozen=True)
class Received:
    """A request that arrived."""

    method: str
    path: str
    headers: Message
    body: bytes


@dataclass
class Loopback:
    """The server, while it runs.

    Attributes:
        answers: Path, without its query, to its answer; 404 elsewhere.
        received: All requests so far.
        names: The names TLS clients requested by SNI.
        closing: Set when the server ends; stalled answers wait for it.
        here: What the thread that checks here should answer, as `here.asked`.
    """

    port: int = 0
    answers: dict[str, Answering] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    here: threading.local = field(default_factory=threading.local)


def answering(
    body: bytes = b"", status: int = 200, headers: dict[str, str] | None = None
) -> Answering:
    """An answer with these headers, and `Content-Length` unless `Connection` is among them."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        given = headers or {}
        if "Connection" not in given:
            handler.send_header("Content-Length", str(len(body)))
        for name, value in given.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def redirecting(target: str, status: int = 302) -> Answering:
    """A redirect."""
    return answering(b"gone elsewhere", status, {"Location": target})


@contextmanager
def loopback(
    trust: ssl.SSLContext | None = None, address: str = "127.0.0.1"
) -> Iterator[Loopback]:
    """A server at a free port; with a TLS context it speaks HTTPS."""
    state = Loopback()

    class Answers(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length)
            state.here.asked = Received(self.command, self.path, self.headers, body)
            state.received.append(state.here.asked)
            found = state.answers.get(self.path.partition("?")[0], answering(status=404))
            with suppress(OSError):  # the client had enough
                found(self)

        do_GET = do_HEAD = do_POST = answer

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        daemon_threads = False
        request_queue_size = 64

        def handle_error(self, *_: object) -> None:
            pass  # a client that does not trust us disconnects

        def finish_request(self, request: object, client_address: object) -> None:
            assert isinstance(request, socket.socket)
            if trust:
                request = trust.wrap_socket(request, server_side=True)
            with request:
                super().finish_request(request, client_address)

    if trust:
        trust.sni_callback = lambda _, name, __: state.names.append(name)
    with Server((address, 0), Answers) as server:
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            state.closing.set()
            server.shutdown()
            thread.join()
