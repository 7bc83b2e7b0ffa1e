"""Streamed answers, given up when the client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pagetide.server.api.context import call
from pagetide.server.api.edge import HEAD
from pagetide.system import cancellation

STALLED_S = 120.0

T = TypeVar("T")
InThread = Callable[[Callable[[], bytes | None]], Awaitable[bytes | None]]


class Streamed(Response):
    """An answer in parts; the generator is closed at once when the client leaves."""

    def __init__(
        self,
        parts: AsyncGenerator[bytes],
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
    ) -> None:
        self._parts = parts
        self.status_code = status_code
        self.media_type = media_type
        self.background = None
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts."""
        leaving = anyio.CancelScope()
        watch = asyncio.create_task(_cancel_when_left(receive, leaving))
        try:
            with leaving:
                async with aclosing(self._parts) as parts:
                    await self._send(scope, send, parts)
        finally:
            watch.cancel()

    async def _send(self, scope: Scope, send: Send, parts: AsyncGenerator[bytes]) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        if HEAD not in scope:
            async for part in parts:
                await _soon(
                    send({"type": "http.response.body", "body": part, "more_body": True})
                )
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _soon(sending: Awaitable[None]) -> None:
    """Send, unless the client takes nothing for so long that it must be taken for gone."""
    try:
        async with asyncio.timeout(STALLED_S):
            await sending
    except TimeoutError:
        raise ClientDisconnect from None


async def left(receive: Receive) -> None:
    """Until the client leaves."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def unless_left(receive: Receive, work: Awaitable[T]) -> T:
    """The result of some work, which is given up where the client leaves.

    Work that a thread has is cancelled, and ends where it waits; see `cancellation`.

    Raises:
        ClientDisconnect: The client left.
    """
    leaving = anyio.CancelScope()
    with cancellation.work() as mark:
        watch = asyncio.create_task(_cancel_when_left(receive, leaving, mark))
        try:
            with leaving, suppress(cancellation.Cancelled):
                return await work
        finally:
            watch.cancel()
    raise ClientDisconnect


async def _cancel_when_left(
    receive: Receive, scope: anyio.CancelScope, mark: cancellation.Cancellation | None = None
) -> None:
    await left(receive)
    scope.cancel()
    if mark:
        mark.cancel()


async def in_threads(
    parts: Iterator[bytes], run: InThread = anyio.to_thread.run_sync
) -> AsyncGenerator[bytes]:
    """The parts of an iterator that may block, each asked for in a thread.

    Args:
        parts: Made when they are asked for.
        run: Gives the thread; take one of `Context.documents` where a part opens a document.
    """
    following: Callable[[], bytes | None] = partial(next, parts, None)
    try:
        while (part := await run(following)) is not None:
            yield part
    finally:
        close: Callable[[], object] = getattr(parts, "close", lambda: None)
        with anyio.CancelScope(shield=True):
            await call(close)
