"""Callers, errors and streamed answers of facades that have no form of their own for them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from typing import Annotated

import anyio.to_thread
import msgspec
from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import PagetideError
from pagetide.server.api import problems
from pagetide.server.api.answers.streamed import InThread, Streamed, in_threads
from pagetide.server.api.callers.auth import Asker, Caller
from pagetide.server.compat.dialect import header

JSON = "application/json"
PART_BYTES = 64 << 10
_KEY = (header("X-Api-Key"),)
Reading = Annotated[Caller, Depends(Asker("read", ways=_KEY))]
Submitting = Annotated[Caller, Depends(Asker("submit", ways=_KEY))]
SubmittingAndReading = Annotated[Caller, Depends(Asker("submit", "read", ways=_KEY))]
_KEPT = ("retry-after", "www-authenticate")


def error_headers(error: PagetideError) -> dict[str, str]:
    """The headers that go with an error, whatever form its body has."""
    headers = problems.of_error(error, "").headers
    return {name: headers[name] for name in _KEPT if name in headers}


def detail_response(error: PagetideError, request: Request) -> Response:
    """An error in FastAPI's own form: a `detail`; a stable `code` beside it."""
    body = msgspec.json.encode({"detail": error.message, "code": error.code})
    return Response(body, error.http_status, error_headers(error), JSON)


def joined(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in parts that are worth a thread."""
    held = bytearray()
    for part in parts:
        held += part
        if len(held) >= PART_BYTES:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def listed(items: Iterable[bytes]) -> Iterator[bytes]:
    """Items of a JSON array with commas between; empty ones are none."""
    comma = b""
    for item in items:
        if item:
            yield comma + item
            comma = b","


async def streamed_json(
    parts: Iterable[bytes],
    media_type: str = JSON,
    *,
    run: InThread = anyio.to_thread.run_sync,
) -> Response:
    """JSON in parts that are made while it is sent; see `in_threads`.

    What goes wrong before the second part is raised here; later, the answer breaks off.

    Raises:
        PagetideError: The first two parts cannot be made.
    """
    later = in_threads(joined(parts), run)
    first = await anext(later, b"")
    second = await anext(later, None)
    if second is None:
        return Response(first, media_type=media_type)
    return Streamed(_begun((first, second), later), media_type=media_type)


async def _begun(
    first: tuple[bytes, ...], later: AsyncGenerator[bytes]
) -> AsyncGenerator[bytes]:
    async with aclosing(later):
        for part in first:
            yield part
        async for part in later:
            yield part
