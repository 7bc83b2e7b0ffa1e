"""Middleware for every request: the log, security headers, HEAD, and unexpected errors."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagetide.server.api import problems
from pagetide.server.api.answers import quotas
from pagetide.server.service.submitting.submission import is_job_id
from pagetide.telemetry import metrics

HEAD = "pagetide.head"  # in the scope of a request that wants no body
CLIENT_LEFT = 499  # nobody is there to be answered; for the log alone
AMBIGUOUS = "A request must have either one Content-Length or a Transfer-Encoding."
CLOSE = {"Connection": "close"}
LINGER_S = 3.0
LINGER_BYTES = 32 << 20

SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Cache-Control": "no-store",
}
_log = logging.getLogger("pagetide.access")


class Edge:
    """The outermost layer of the API."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and see to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, began = scope["method"], time.perf_counter()
        if method == "HEAD":
            scope = {**scope, "method": "GET", HEAD: True}
        exchange = _Exchange(scope, receive, send)
        try:
            if _is_ambiguous(scope):
                answer = problems.of_status(400, AMBIGUOUS, scope["path"], CLOSE)
                await answer(scope, exchange.receive, exchange.send)
                return
            await self._app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            exchange.status = CLIENT_LEFT
        except Exception:
            await _failed(exchange, scope)
        finally:
            _note(scope, method, exchange.status, time.perf_counter() - began)


class _Exchange:
    """One request and its answer.

    An answer that is given before the whole body came, such as 413, would be lost if the
    connection were closed at once on a client that still sends: closing with unread data
    resets it. So what is still sent is read and thrown away for a moment.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        headers = Headers(scope=scope)
        has_body = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
        self._sending = has_body and "expect" not in headers
        self._head = HEAD in scope
        self.started = False
        self.status = CLIENT_LEFT

    async def receive(self) -> Message:
        message = await self._receive()
        # A client that waits for `100 Continue` gets it now, and sends.
        self._sending = bool(message.get("more_body", False))
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started, self.status = True, message["status"]
            headers = MutableHeaders(scope=message)
            headers.update(quotas.headers(self._scope))
            for name, value in SECURITY.items():
                headers.setdefault(name, value)
            await self._send(message)
            return
        if self._head:
            message = {**message, "body": b""}
        if self._sending and not message.get("more_body"):
            await self._send({**message, "more_body": True})
            await self._linger()
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def _linger(self) -> None:
        left = LINGER_BYTES
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while self._sending and left > 0:
                    left -= len((await self.receive()).get("body", b""))


def _is_ambiguous(scope: Scope) -> bool:
    """Whether a request says twice how long it is: a proxy before us may see another end."""
    headers = Headers(scope=scope)
    lengths = headers.getlist("content-length")
    return bool(lengths) and ("transfer-encoding" in headers or len(lengths) > 1)


async def _failed(exchange: _Exchange, scope: Scope) -> None:
    logging.getLogger("pagetide.server.api").exception("a request failed", extra=_fields(scope))
    if exchange.started:
        raise _Broken from None
    detail = "Something went wrong in the server; see its log."
    answer = problems.of_status(500, detail, scope["path"])
    await answer(scope, exchange.receive, exchange.send)


class _Broken(Exception):
    """An answer broke off; the server closes the connection, so that its reader notices."""


def _note(scope: Scope, method: str, status: int, seconds: float) -> None:
    path = template(scope)
    known = method if method in {"GET", "HEAD", "POST", "DELETE"} else "other"
    metrics.request_answered(method=known, path=path, status=status, seconds=seconds)
    fields = _fields(scope) | {
        "method": method,
        "path": path,
        "status": status,
        "ms": round(seconds * 1000, 1),
    }
    _log.info("answered", extra=fields)


def _fields(scope: Scope) -> dict[str, object]:
    """The job that was asked for; what else stands in its place may be anything."""
    job_id = str(scope.get("path_params", {}).get("job_id", ""))
    return {"job": job_id} if is_job_id(job_id) else {}


def template(scope: Scope) -> str:
    """The path of the route that answered, such as `/v1/jobs/{job_id}`."""
    return str(getattr(scope.get("route"), "path", "unknown"))
