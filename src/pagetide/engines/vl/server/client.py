"""One OpenAI-compatible server, asked about one picture at a time, again where it may help."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import httpx
import msgspec
from msgspec import Raw, Struct

from pagetide.errors import EngineFailed, ModelUnavailable
from pagetide.system.ready_types import ready

ATTEMPTS = 4
TIMEOUT_ATTEMPTS = 2  # a block that takes too long mostly does so again
FIRST_PAUSE_S = 0.5  # doubled after each attempt
LONGEST_PAUSE_S = 30.0  # whatever `Retry-After` says
CONNECT_S = 10.0
MOST_BYTES = 4 << 20  # of an answer; 16,384 tokens are far less


class Answer(Struct, frozen=True, gc=False):
    """What a server said of a picture, untouched.

    Attributes:
        text: The message's content.
        finish_reason: `stop`, `length`, or what else the server says.
        usage: The server's own count of tokens, as JSON.
    """

    text: str
    finish_reason: str
    usage: Raw = Raw(b"null")


class BlockUnread(Exception):
    """A block cannot be read; the message says why, for a caller's eyes."""


class Refused(BlockUnread):
    """The server does not take the question as it is."""


@dataclass(frozen=True, kw_only=True)
class Named:
    """What messages call a server, and what its settings begin with."""

    server: str = "PaddleOCR-VL"
    settings: str = "PAGETIDE_VL"


PADDLEOCR_VL = Named()


class Asking(Protocol):
    """Whoever answers questions."""

    async def ask(self, body: bytes) -> Answer:
        """The answer to a question of `dialects.question`.

        Raises:
            BlockUnread: This question has no answer.
            EngineFailed: The server is gone.
            ModelUnavailable: It does not serve this model, or not to this key.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, kw_only=True)
class Clock:
    """How retries wait, and the chance in it: 0 up to 1."""

    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)
    chance: Callable[[], float] = field(default=random.random)


class _Message(Struct):
    content: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_Choice]
    usage: Raw = Raw(b"null")


class _Again(Exception):
    """An attempt failed in a way that another may not.

    Attributes:
        error: What is raised once no attempt is left.
        attempts: So many in all.
        pause_s: How long the server asks to be left alone; None where it does not say.
    """

    def __init__(
        self, error: Exception, attempts: int = ATTEMPTS, pause_s: float | None = None
    ) -> None:
        super().__init__()
        self.error = error
        self.attempts = attempts
        self.pause_s = pause_s


class VlServer:
    """An OpenAI-compatible server; see `Asking`. Make it and use it in one event loop.

    The proxies and certificates that the environment may name are not used: the URL is the
    operator's.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str,
        timeout_s: float,
        clock: Clock,
        named: Named = PADDLEOCR_VL,
    ) -> None:
        """Make the client; nothing is asked yet.

        Args:
            url: Base URL, such as `http://127.0.0.1:8118/v1`.
            key: Sent as a bearer token, unless empty.
            timeout_s: Longest that one attempt may take.
            clock: How retries wait.
            named: What messages call it.
        """
        self._named = named
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._timeout_s = timeout_s
        self._clock = clock
        self._gone = False
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        self._open = partial(
            httpx.AsyncClient,
            headers={"Content-Type": "application/json", **bearer},
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
            limits=httpx.Limits(max_connections=1),
            trust_env=False,
            verify=httpx.create_ssl_context(trust_env=False),
        )
        # A client for each request under way, the one used last first. One client for all
        # would look at each of its connections for each request: 7.8 ms of a core where 64
        # requests are under way, instead of 1.2.
        self._idle: list[httpx.AsyncClient] = []

    async def ask(self, body: bytes) -> Answer:
        """See `Asking`.

        While the server is known to be gone, each question is one attempt: the first that
        is answered makes it present again.
        """
        attempt = 1
        while True:
            try:
                answer = await self._attempt(body)
            except _Again as again:
                lost = isinstance(again.error, EngineFailed)
                if attempt >= again.attempts or (lost and self._gone):
                    self._gone = lost
                    raise again.error from None
                await self._clock.sleep(self._pause(attempt, again.pause_s))
                attempt += 1
            else:
                self._gone = False
                return answer

    async def close(self) -> None:
        """See `Asking`."""
        while self._idle:
            await self._idle.pop().aclose()

    def _pause(self, attempt: int, wanted_s: float | None) -> float:
        """Half of the pause is certain; the rest is chance, so that not all come at once."""
        pause: float = FIRST_PAUSE_S * 2 ** (attempt - 1) * (0.5 + 0.5 * self._clock.chance())
        return min(max(pause, wanted_s or 0.0), LONGEST_PAUSE_S)

    async def _attempt(self, body: bytes) -> Answer:
        late = BlockUnread(f"The server took longer than {self._timeout_s:g} s.")
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._posted(body)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            gone = EngineFailed(f"The {self._named.server} server cannot be reached.")
            raise _Again(gone) from None
        except (TimeoutError, httpx.TimeoutException):
            raise _Again(late, TIMEOUT_ATTEMPTS) from None
        except httpx.TransportError:
            raise _Again(BlockUnread("The server closed the connection.")) from None

    async def _posted(self, body: bytes) -> Answer:
        client = self._idle.pop() if self._idle else self._open()
        try:
            return await self._posted_by(client, body)
        finally:
            self._idle.append(client)

    async def _posted_by(self, client: httpx.AsyncClient, body: bytes) -> Answer:
        async with client.stream("POST", self._url, content=body) as response:
            if response.status_code != 200:
                raise _refusal(response, self._named)
            parts, size = [], 0
            async for part in response.aiter_bytes():
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise BlockUnread(f"The server's answer is longer than {MOST_BYTES} bytes.")
        return _answer(b"".join(parts))


def _refusal(response: httpx.Response, named: Named) -> Exception:
    status = response.status_code
    if status == 429 or status >= 500:
        unread = BlockUnread(f"The server answered with HTTP {status}.")
        return _Again(unread, pause_s=_seconds(response.headers.get("Retry-After", "")))
    if status in (401, 403, 404):
        setting = f"{named.settings}_{'SERVED_NAME' if status == 404 else 'KEY'}"
        return ModelUnavailable(
            f"The {named.server} server answered with HTTP {status}: set {setting} to"
            " the value it expects."
        )
    return Refused(f"The server refused the request with HTTP {status}.")


def _seconds(text: str) -> float | None:
    """`Retry-After` in seconds; a date is left unread, as the pauses are short anyway."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _answer(body: bytes) -> Answer:
    try:
        completion = msgspec.json.decode(body, type=ready(_Completion))
        choice = completion.choices[0]
    except (msgspec.DecodeError, UnicodeDecodeError, IndexError):
        raise BlockUnread("The server's answer is not a chat completion.") from None
    usage = completion.usage.copy()  # not a part of the whole body any more
    return Answer(choice.message.content or "", choice.finish_reason or "", usage)
