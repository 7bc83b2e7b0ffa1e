"""How a facade differs from our API: where callers put their keys, and the form of errors."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from pagetide.errors import BadInput, PagetideError
from pagetide.server.api import problems
from pagetide.server.api.callers.auth import Naming

ErrorResponse = Callable[[PagetideError, Request], Response]
_log = logging.getLogger("pagetide.server.api")


class Unfinished(BadInput):
    """The request's body stopped arriving."""

    code = "request_timeout"
    http_status = 408


def answering_errors(error_response: ErrorResponse) -> type[APIRoute]:
    """A class of routes whose errors are answered in a protocol's own form.

    Give it to a router as `route_class`. Even unexpected errors are answered so, without a word
    from inside; the log has it whole.
    """

    class Route(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def answered(request: Request) -> Response:
                try:
                    return await answer(request)
                except RequestValidationError as error:
                    return error_response(problems.invalid_parameters(error), request)
                except PagetideError as error:
                    return error_response(error, request)
                except ClientDisconnect:
                    raise  # nobody is there to answer
                except Exception as error:
                    return error_response(_unexpected(error), request)

            return answered

    return Route


def _unexpected(error: Exception) -> PagetideError:
    if isinstance(error, HTTPException) and error.status_code == Unfinished.http_status:
        return Unfinished(error.detail)
    _log.error("a request failed", exc_info=error)
    return PagetideError("Something went wrong in the server; see its log.")


def header(name: str) -> Naming:
    """The way of a header that holds the key alone."""
    return lambda request: request.headers.get(name, "").strip()
