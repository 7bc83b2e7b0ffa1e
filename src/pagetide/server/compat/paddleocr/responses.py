"""Responses of PaddleOCR's job API: success and errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import BadInput, PagetideError
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.context import context_of
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.plain import JSON, error_headers

# Their clients give a job up at the first failure to look at it; what passes is outlasted.
PATIENCE_S, PAUSE_S = 15.0, 0.5
_AWAY = 503


def success(data: object) -> Response:
    """An answer that is no error."""
    return as_json({"code": 0, "msg": "Success", "data": data})


def error_response(error: PagetideError, request: Request) -> Response:
    """An error: whatever is wrong with a request is a 400 to their clients."""
    status = 400 if isinstance(error, BadInput) else error.http_status
    body = {"code": status, "msg": error.message, "error": error.code}
    return Response(msgspec.json.encode(body), status, error_headers(error), JSON)


class Patient(answering_errors(error_response)):  # type: ignore[misc]
    """A route that asks a store which cannot be reached again for a while.

    A server that ends has no such patience.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route as a function."""
        answer = super().get_route_handler()

        async def answered(request: Request) -> Response:
            ends = time.monotonic() + PATIENCE_S
            response: Response = await answer(request)
            hub = context_of(request).hub
            while _again(request, response) and time.monotonic() < ends and not hub.stopping:
                await asyncio.sleep(PAUSE_S)
                response = await answer(request)
            return response

        return answered


def _again(request: Request, response: Response) -> bool:
    return request.method in ("GET", "HEAD") and response.status_code == _AWAY
