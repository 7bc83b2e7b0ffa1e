"""A server before others: it passes requests on, and tells of each and its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

_HOP = {"connection", "keep-alive", "transfer-encoding"}


class Request(NamedTuple):
    """A request, and the status that it was answered with."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    status: int


class Passing:
    """That server.

    Args:
        port: Where a request is sent on to, on 127.0.0.1; it has no status yet.
        note: Is told of each.
        hop: Headers that are not passed on, in small letters.
    """

    def __init__(
        self,
        port: Callable[[Request], int],
        note: Callable[[Request], None],
        hop: frozenset[str] = frozenset(),
    ) -> None:
        self._port, self._note, self._hop = port, note, _HOP | hop
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._answering())
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    @contextmanager
    def running(self) -> Iterator[None]:
        """Answer meanwhile."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _answering(self) -> type[BaseHTTPRequestHandler]:
        passing = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                lower = {name.lower(): value for name, value in self.headers.items()}
                asked = Request(self.command, self.path, lower, body, 0)
                upstream = HTTPConnection("127.0.0.1", passing._port(asked))
                sent = {k: v for k, v in self.headers.items() if k.lower() not in passing._hop}
                upstream.request(self.command, self.path, body, sent)
                answer = upstream.getresponse()
                content = answer.read()
                upstream.close()
                passing._note(asked._replace(status=answer.status))
                with suppress(ConnectionError):
                    self._answer(answer.status, answer.getheaders(), content)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

            def _answer(
                self, status: int, headers: list[tuple[str, str]], content: bytes
            ) -> None:
                self.send_response_only(status)
                kept = {k: v for k, v in headers if k.lower() not in _HOP}
                if self.command != "HEAD":
                    kept = {k: v for k, v in kept.items() if k.lower() != "content-length"}
                    kept["Content-Length"] = str(len(content))
                for name, value in kept.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None: ...

        return Answering
