"""Questions on their way to the server: a bounded number at once, each picture asked once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pagetide.engines.vl.server.answers_kept import KeptAnswers
from pagetide.engines.vl.server.client import Answer, Asking, BlockUnread
from pagetide.engines.vl.server.fair_queue import FairQueue
from pagetide.errors import EngineFailed, PagetideError

log = logging.getLogger(__name__)

Outcome = Answer | BlockUnread | PagetideError


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be asked.

    Attributes:
        key: The same for the same picture, prompt, model and pixels.
        body: Writes the request, when its turn has come.
        on_outcome: Called once with the answer, or with why there is none, in the event loop.
        wanted: Asked when its turn has come; if it says no, nothing more happens.
    """

    key: bytes
    body: Callable[[], bytes]
    on_outcome: Callable[[Outcome], None]
    wanted: Callable[[], bool] = lambda: True


class _Flight:
    """A question on its way, and who waits for its answer."""

    task: asyncio.Task[None]

    def __init__(self, caller: Hashable, question: Question) -> None:
        self.waiting = [(caller, question)]


class InFlight:
    """All that is asked of one server. Every method is called in the event loop.

    As long as questions wait, `most` are on their way. Who asks what is already on its way
    waits for the same answer.
    """

    def __init__(self, server: Asking, *, most: int, kept: KeptAnswers) -> None:
        self._server = server
        self._most = most
        self._kept = kept
        self._waiting: FairQueue[Question] = FairQueue()
        self._flying: dict[bytes, _Flight] = {}

    def put(self, caller: Hashable, questions: list[Question]) -> None:
        """Let questions wait for their turn."""
        for question in questions:
            self._waiting.put(caller, question)
        self._fill()

    def drop(self, caller: Hashable) -> None:
        """Forget a caller; what nobody else waits for is broken off."""
        self._waiting.drop(caller)
        for key, flight in list(self._flying.items()):
            flight.waiting = [each for each in flight.waiting if each[0] != caller]
            if not flight.waiting:
                del self._flying[key]
                flight.task.cancel()
        self._fill()

    async def close(self) -> None:
        """Break everything off, and let go of the server."""
        self._waiting = FairQueue()
        tasks = [flight.task for flight in self._flying.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.close()

    def _fill(self) -> None:
        while len(self._flying) < self._most and (turn := self._waiting.take()):
            caller, question = turn
            if not question.wanted():
                continue
            if (known := self._kept.get(question.key)) is not None:
                question.on_outcome(known)
            elif flight := self._flying.get(question.key):
                flight.waiting.append((caller, question))
            else:
                self._flying[question.key] = flight = _Flight(caller, question)
                flight.task = asyncio.get_running_loop().create_task(self._fly(flight))

    async def _fly(self, flight: _Flight) -> None:
        _, question = flight.waiting[0]
        outcome = await self._outcome(question)
        if self._flying.get(question.key) is flight:
            del self._flying[question.key]
        self._fill()  # first, so that the server does not wait for what is done here
        for _, waiting in flight.waiting:
            waiting.on_outcome(outcome)

    async def _outcome(self, question: Question) -> Outcome:
        try:
            answer = await self._server.ask(question.body())
        except (BlockUnread, PagetideError) as error:
            return error
        except Exception:
            log.exception("The client of PaddleOCR-VL failed.")
            return EngineFailed("The client of the PaddleOCR-VL server failed.")
        self._kept.put(question.key, answer)
        return answer
