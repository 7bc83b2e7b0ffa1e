"""Steps carried out by a thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from functools import partial
from typing import Any, Self, TypeVar

import httpx

from pagetide.client import over_http
from pagetide.client.steps import Broken, Do, Give, Hear, Pause, Reply, Request, Steps, Stream

T = TypeVar("T")


def run(steps: Steps[T], http: httpx.Client, timeout_s: float) -> T:
    """Carry steps out; what they return."""
    carried = _carried(steps, http, timeout_s)
    while True:
        try:
            next(carried)
        except StopIteration as end:
            returned: T = end.value
            return returned


def each(steps: Stream[T], http: httpx.Client, timeout_s: float) -> Iterator[T]:
    """Carry steps out; what they give, one by one."""
    yield from _carried(steps, http, timeout_s)


def _carried(
    steps: Steps[Any] | Stream[Any], http: httpx.Client, timeout_s: float
) -> Generator[Any, None, Any]:
    with closing(steps), _Line(http, timeout_s) as line:
        resume: Callable[[], Any] = partial(next, steps)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                return end.value
            if isinstance(step, Give):
                yield step.value
                resume = partial(next, steps)
                continue
            try:
                resume = partial(steps.send, line.carry_out(step))
            except Exception as error:
                resume = partial(steps.throw, error)


class _Line:
    """Carries single steps out, and holds the reply that is listened to."""

    def __init__(self, http: httpx.Client, timeout_s: float) -> None:
        self._http = http
        self._timeout_s = timeout_s
        self._response: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())

    def carry_out(self, step: Request | Hear | Pause | Do) -> Any:
        """What comes of a step."""
        match step:
            case Request():
                return self._answer(step)
            case Hear():
                return self._chunk()
            case Pause(seconds):
                time.sleep(seconds)
            case Do(function):
                return function()

    def _answer(self, request: Request) -> Reply | Broken:
        built = over_http.built(self._http, request, self._timeout_s)
        follow = request.method == "GET"
        try:
            response = self._http.send(built, stream=True, follow_redirects=follow)
            if request.listen and response.status_code == 200:
                return self._listen(response)
            with closing(response):
                return over_http.reply_of(response, self._body(response, request))
        except httpx.RequestError as error:
            return over_http.broken(error)

    def _body(self, response: httpx.Response, request: Request) -> bytes:
        if request.into is None or response.status_code != 200:
            return response.read()
        request.into.seek(0)
        request.into.truncate()
        for chunk in response.iter_bytes():
            request.into.write(chunk)
        return b""

    def _listen(self, response: httpx.Response) -> Reply:
        self._hang_up()
        self._response, self._chunks = response, response.iter_bytes()
        return over_http.reply_of(response, b"")

    def _chunk(self) -> bytes:
        with suppress(httpx.RequestError):
            for chunk in self._chunks:
                if chunk:
                    return chunk
        self._hang_up()
        return b""

    def _hang_up(self) -> None:
        if self._response is not None:
            self._response.close()
        self._response, self._chunks = None, iter(())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()
