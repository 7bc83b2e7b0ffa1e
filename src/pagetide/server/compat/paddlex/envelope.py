"""The envelope of every answer: a log id, an error code, a message, a result."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import PagetideError
from pagetide.server.compat.paddlex.request import LONGEST_LOG_ID
from pagetide.server.compat.plain import JSON, error_headers

_LOG_ID = "paddlex_log_id"


def log_as(request: Request, log_id: object) -> None:
    """Remember the client's own log id, if it is one, for an error."""
    if isinstance(log_id, str) and len(log_id) <= LONGEST_LOG_ID:
        setattr(request.state, _LOG_ID, log_id)


def error_response(error: PagetideError, request: Request) -> Response:
    """An error: its code is the HTTP status."""
    log_id = getattr(request.state, _LOG_ID, "")
    body = without_result(log_id, error.http_status, error.message)
    return Response(body, error.http_status, error_headers(error), JSON)


def without_result(log_id: str, code: int, message: str) -> bytes:
    """An answer that has no result."""
    body = {
        "logId": log_id or secrets.token_hex(16),
        "errorCode": code,
        "errorMsg": message,
    }
    return msgspec.json.encode(body)


def with_result(log_id: str, result: Iterator[bytes]) -> Iterator[bytes]:
    """An answer with a result, which is JSON in parts."""
    yield without_result(log_id, 0, "Success")[:-1] + b',"result":'
    yield from result
    yield b"}"
