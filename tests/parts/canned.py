"""A cloud whose every answer a test gives; it remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, str]
STALL: Answer = (0, "")  # no answer at all, until the end


@dataclass
class Canned:
    """The server, while it runs.

    Attributes:
        answer: Status and body for a method and a path with its query.
        asked: Methods and paths so far.
        bodies: What came with them.
        closing: Set when the server ends.
    """

    answer: Callable[[str, str], Answer]
    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def canned(answer: Callable[[str, str], Answer]) -> Iterator[Canned]:
    """A server at a free port of 127.0.0.1."""
    state = Canned(answer)

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            state.asked.append((self.command, self.path))
            state.bodies.append(body)
            status, text = state.answer(self.command, self.path)
            if not status:
                state.closing.wait()
                self.close_connection = True
                return
            said = b"" if self.command == "HEAD" else text.encode()
            with suppress(OSError):  # the client had enough
                self.send_response(status)
                self.send_header("Content-Length", str(len(said)))
                self.send_header("ETag", '"e"')
                self.send_header("Last-Modified", "Sat, 21 Nov 2026 15:00:00 GMT")
                self.end_headers()
                self.wfile.write(said)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 64

    with Server(("127.0.0.1", 0), Answers) as server:
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            state.closing.set()
            server.shutdown()
            thread.join()
