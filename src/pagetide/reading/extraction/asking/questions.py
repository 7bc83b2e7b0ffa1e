"""Calls a model server: a bounded number at once, each counted, all within a deadline."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from pagetide.document.extraction import Usage
from pagetide.engines.vl.server.answers_kept import KeptAnswers
from pagetide.engines.vl.server.client import Answer, BlockUnread, Named, VlServer
from pagetide.engines.vl.server.in_flight import InFlight, Outcome, Question
from pagetide.errors import AnswerUnusable, EngineFailed, PagetideError
from pagetide.reading.extraction.asking.model_server import ModelServer

MODEL_SERVER = Named(server="model", settings="PAGETIDE_EXTRACT")

T = TypeVar("T")


class Asking:
    """The calls of a model server for one document.

    Attributes:
        usage: Calls and tokens so far.
    """

    def __init__(self, server: ModelServer) -> None:
        """Ask nothing yet."""
        self.server = server
        self.usage = Usage()
        self._flights: InFlight | None = None

    def all_of(self, works: Sequence[Callable[[], Awaitable[T]]]) -> list[T | PagetideError]:
        """The result of each piece of work that calls `ask`, or its error.

        Raises:
            AnswerUnusable: All of it takes too long.
        """
        with ThreadPoolExecutor(1) as thread:  # the caller's may have an event loop already
            return thread.submit(asyncio.run, self._all_of(works)).result()

    async def ask(self, body: bytes) -> Answer:
        """The answer to a request.

        Raises:
            BlockUnread: It has none.
            PagetideError: The server is gone, or does not serve this model or key.
        """
        assert self._flights  # noqa: S101 - `all_of` has opened them
        waiting = asyncio.get_running_loop().create_future()
        key = hashlib.sha256(body).digest()
        question = Question(key=key, body=lambda: body, on_outcome=_settle(waiting))
        self._flights.put(self, [question])
        outcome: Outcome = await waiting
        self._count(outcome)
        if isinstance(outcome, Answer):
            return outcome
        raise outcome

    async def _all_of(
        self, works: Sequence[Callable[[], Awaitable[T]]]
    ) -> list[T | PagetideError]:
        server = self.server
        asked = VlServer(
            server.url,
            key=server.key,
            timeout_s=server.timeout_s,
            clock=server.clock,
            named=MODEL_SERVER,
        )
        self._flights = InFlight(asked, most=server.concurrency, kept=KeptAnswers(0))
        try:
            async with asyncio.timeout(server.deadline_s):
                return await asyncio.gather(*map(_told, works))
        except TimeoutError:
            raise AnswerUnusable(
                f"The model server took longer than {server.deadline_s:g} s in total."
            ) from None
        finally:
            await self._flights.close()

    def _count(self, outcome: Outcome) -> None:
        one = Usage(
            calls=1,
            prompt_tokens=_tokens(outcome, "prompt_tokens"),
            completion_tokens=_tokens(outcome, "completion_tokens"),
        )
        self.server.on_answer(one)
        self.usage += one


async def _told(work: Callable[[], Awaitable[T]]) -> T | PagetideError:
    try:
        return await work()
    except BlockUnread as error:
        return AnswerUnusable(f"The model server gave no answer: {error}")
    except EngineFailed as error:  # it is gone
        return AnswerUnusable(error.message)
    except PagetideError as error:
        return error


def _tokens(outcome: Outcome, name: str) -> int:
    """The server's count of tokens; 0 where it does not count."""
    counted = msgspec.json.decode(outcome.usage) if isinstance(outcome, Answer) else None
    tokens = counted.get(name) if isinstance(counted, dict) else None
    return tokens if isinstance(tokens, int) else 0


def _settle(waiting: asyncio.Future[Outcome]) -> Callable[[Outcome], None]:
    def settle(outcome: Outcome) -> None:
        if not waiting.done():
            waiting.set_result(outcome)

    return settle
