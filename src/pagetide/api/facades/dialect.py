"""How a facade speaks: who its callers say they are, and how it tells them of errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from pagetide.api import problems
from pagetide.api.auth import Caller, bearer, known
from pagetide.api.context import InContext
from pagetide.errors import PagetideError

Telling = Callable[[PagetideError, Request], Response]
Naming = Callable[[Request], str]


def telling(tell: Telling) -> type[APIRoute]:
    """The class of routes whose errors are told in a protocol's own way.

    Give it to a router as `route_class`.
    """

    class Route(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def answered(request: Request) -> Response:
                try:
                    return await answer(request)
                except RequestValidationError as error:
                    return tell(problems.invalid_parameters(error), request)
                except PagetideError as error:
                    return tell(error, request)

            return answered

    return Route


def asking(*ways: Naming) -> Callable[[Request, InContext], Awaitable[Caller]]:
    """A dependency that gives the caller, whose key stands where one of these ways finds it.

    Each way gives the key as text, or an empty text; `Authorization: Bearer` is always one.
    """

    async def caller(request: Request, context: InContext) -> Caller:
        given = next(filter(None, (way(request) for way in (*ways, bearer))), "")
        return await known(context, given)

    return caller


def header(name: str) -> Naming:
    """The way of a header that holds the key alone."""
    return lambda request: request.headers.get(name, "").strip()
