"""Steps carried out on an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from functools import partial
from typing import Any, Self, TypeVar

import anyio
import anyio.to_thread
import httpx

from pagetide.client import over_http
from pagetide.client.steps import Broken, Do, Give, Hear, Pause, Reply, Request, Steps, Stream

T = TypeVar("T")


async def run(steps: Steps[T], http: httpx.AsyncClient, timeout_s: float) -> T:
    """Carry steps out; what they return."""
    with closing(steps):
        async with _Line(http, timeout_s) as line:
            resume: Callable[[], Any] = partial(next, steps)
            while True:
                try:
                    step = resume()
                except StopIteration as end:
                    returned: T = end.value
                    return returned
                resume = await line.resumed(steps, step)


async def each(steps: Stream[T], http: httpx.AsyncClient, timeout_s: float) -> AsyncIterator[T]:
    """Carry steps out; what they give, one by one."""
    with closing(steps):
        async with _Line(http, timeout_s) as line:
            resume: Callable[[], Any] = partial(next, steps)
            while True:
                try:
                    step = resume()
                except StopIteration:
                    return
                if isinstance(step, Give):
                    yield step.value
                    resume = partial(next, steps)
                else:
                    resume = await line.resumed(steps, step)


class _Line:
    """Carries single steps out, and holds the reply that is listened to."""

    def __init__(self, http: httpx.AsyncClient, timeout_s: float) -> None:
        self._http = http
        self._timeout_s = timeout_s
        self._response: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None

    async def resumed(self, steps: Any, step: Request | Hear | Pause | Do) -> Callable[[], Any]:
        """Carry a step out; calling what comes back tells the steps what came of it."""
        try:
            return partial(steps.send, await self._carry_out(step))
        except Exception as error:
            return partial(steps.throw, error)

    async def _carry_out(self, step: Request | Hear | Pause | Do) -> Any:
        match step:
            case Request():
                return await self._answer(step)
            case Hear():
                return await self._chunk()
            case Pause(seconds):
                await anyio.sleep(seconds)
            case Do(function):
                return await anyio.to_thread.run_sync(function)

    async def _answer(self, request: Request) -> Reply | Broken:
        built = over_http.built(self._http, request, self._timeout_s)
        follow = request.method == "GET"
        try:
            response = await self._http.send(built, stream=True, follow_redirects=follow)
            if request.listen and response.status_code == 200:
                return await self._listen(response)
            try:
                return over_http.reply_of(response, await self._body(response, request))
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            return over_http.broken(error)

    async def _body(self, response: httpx.Response, request: Request) -> bytes:
        if request.into is None or response.status_code != 200:
            return await response.aread()
        request.into.seek(0)
        request.into.truncate()
        async for chunk in response.aiter_bytes():
            await anyio.to_thread.run_sync(request.into.write, chunk)
        return b""

    async def _listen(self, response: httpx.Response) -> Reply:
        await self._hang_up()
        self._response, self._chunks = response, response.aiter_bytes()
        return over_http.reply_of(response, b"")

    async def _chunk(self) -> bytes:
        if self._chunks is not None:
            with suppress(httpx.RequestError):
                async for chunk in self._chunks:
                    if chunk:
                        return chunk
        await self._hang_up()
        return b""

    async def _hang_up(self) -> None:
        if self._response is not None:
            await self._response.aclose()
        self._response = self._chunks = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._hang_up()
