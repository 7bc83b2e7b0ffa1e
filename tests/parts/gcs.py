"""A stand-in for Google Cloud Storage: its XML interface, spoken to Moto's S3.

The two differ by the names of headers, by what removing nothing answers, and by how links
are signed: a link's key is not looked at here, but its end is.
"""

from __future__ import annotations

import functools
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

_DROPPED = {"host", "authorization", "connection", "transfer-encoding", "x-goog-copy-source"}
# Whoever names no key sees public objects alone; any other key will do.
_SHOWN = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, "
_SHOWN += "SignedHeaders=host, Signature=0"
_ENDED = b"<Error><Code>ExpiredToken</Code><Message>Invalid argument.</Message></Error>"


@functools.cache
def service_account() -> str:
    """What a service account is known by, with a new key, as JSON."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    told = {
        "type": "service_account",
        "client_email": "me@test.iam",
        "private_key": private.decode(),
        "private_key_id": "1",
    }
    return json.dumps(told)


@contextmanager
def google_before(moto_port: int) -> Iterator[str]:
    """The endpoint of the stand-in, before a Moto at this port."""

    class Answers(_Answers):
        moto = moto_port

    with _Server(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 64


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    moto: int

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with suppress(OSError):  # the client had enough
            self._say(*self._asked(body))

    def _asked(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        address = urlsplit(self.path)
        path, query = quote(unquote(address.path)), parse_qsl(address.query, True)
        if _is_over(dict(query)):
            return 400, {}, _ENDED
        if self.command == "DELETE" and "uploadId" not in dict(query):
            found = _moto(self.moto, "GET", path, {}, b"")
            if found[0] == 404:
                return found
        kept = [(name, value) for name, value in query if not name.startswith("X-Goog-")]
        target = f"{path}?{urlencode(kept)}" if kept else path
        return _moto(self.moto, self.command, target, self._headers(), body)

    def _headers(self) -> dict[str, str]:
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _DROPPED}
        if source := self.headers.get("x-goog-copy-source"):
            headers["x-amz-copy-source"] = quote(unquote(source))
        return headers

    def _say(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in {"content-length", "connection", "server", "date"}:
                self.send_header(name, value)
        length = headers.get("Content-Length") if self.command == "HEAD" else None
        self.send_header("Content-Length", length or str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

    def log_message(self, *_: object) -> None:
        pass


def _moto(
    port: int, method: str, target: str, headers: dict[str, str], body: bytes
) -> tuple[int, Mapping[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, target, body, {**headers, "Authorization": _SHOWN})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def _is_over(query: Mapping[str, str]) -> bool:
    if "X-Goog-Date" not in query:
        return False
    begun = datetime.strptime(query["X-Goog-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return datetime.now(UTC) > begun + timedelta(seconds=int(query["X-Goog-Expires"]))
