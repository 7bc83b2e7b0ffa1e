"""Questions to a model server: so many at once, and again where an answer is of no use."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

import msgspec

from pagetide.document.extraction import Usage
from pagetide.engines.vl.answers_kept import KeptAnswers
from pagetide.engines.vl.in_flight import InFlight, Outcome, Question
from pagetide.engines.vl.server import Answer, BlockUnread, Clock, Named, Refused, VlServer
from pagetide.errors import (
    AnswerUnusable,
    BadOption,
    EngineFailed,
    ModelUnavailable,
    PagetideError,
)
from pagetide.reading.extraction.answers_read import ReadAnswer, Wrong
from pagetide.reading.extraction.prompts import Prompt
from pagetide.reading.extraction.schema import RecordForm
from pagetide.settings import Settings

MODEL_SERVER = Named(server="model", settings="PAGETIDE_EXTRACT")


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """An OpenAI-compatible server, and how much is asked of it.

    Attributes:
        url: Base URL, such as `http://127.0.0.1:8000/v1`.
        key: Sent as a bearer token, unless empty.
        served_name: The name it serves its model under; empty means that none is named.
        concurrency: Most requests of one extraction at once.
        timeout_s: Longest that one attempt may take.
        deadline_s: Longest that one extraction may take.
        letters: Most letters of a document in one request.
        parts_max: Most parts of a long document that are asked.
        clock: How retries wait; for tests.
    """

    url: str = field(repr=False)
    key: str = field(default="", repr=False)
    served_name: str = ""
    concurrency: int = 8
    timeout_s: float = 60.0
    deadline_s: float = 300.0
    letters: int = 24_000
    parts_max: int = 8
    clock: Clock = field(default_factory=Clock, repr=False)

    def __post_init__(self) -> None:
        """Check the URL.

        Raises:
            BadOption: It is none; the message does not hold it, for it may hold a password.
        """
        try:
            parts = urlsplit(self.url)
            is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_url = False
        if not is_url:
            raise BadOption("The model server must be an http or https URL.")

    @classmethod
    def of(cls, settings: Settings, url: str = "") -> ModelServer:
        """The server that the settings name, or another in its place.

        Raises:
            ModelUnavailable: There is none.
        """
        if not (url or settings.extract_url):
            raise ModelUnavailable(
                "Extracting needs a model server: set PAGETIDE_EXTRACT_URL to its address,"
                " such as http://127.0.0.1:8000/v1."
            )
        own = url in ("", settings.extract_url)
        return cls(
            url=url or settings.extract_url,
            key=settings.extract_key if own else "",  # a key goes to nobody else
            served_name=settings.extract_served_name,
            concurrency=settings.extract_concurrency,
            timeout_s=settings.extract_timeout_s,
            deadline_s=settings.extract_deadline_s,
            letters=settings.extract_letters,
            parts_max=settings.extract_parts_max,
        )


Told = ReadAnswer | PagetideError


def answers_to(
    server: ModelServer, form: RecordForm, prompts: Sequence[Prompt]
) -> tuple[list[Told], Usage]:
    """What a server answers to each prompt, or why there is no answer; and what it took.

    Raises:
        AnswerUnusable: All of it takes too long.
    """
    asking = _Asking(server, form)
    with ThreadPoolExecutor(1) as thread:  # the caller's may have an event loop already
        told = thread.submit(asyncio.run, asking.ask_all(prompts)).result()
    return told, asking.usage


class _Asking:
    def __init__(self, server: ModelServer, form: RecordForm) -> None:
        self._server, self._form, self._held = server, form, True
        self.usage = Usage()

    async def ask_all(self, prompts: Sequence[Prompt]) -> list[Told]:
        server = self._server
        asked = VlServer(
            server.url,
            key=server.key,
            timeout_s=server.timeout_s,
            clock=server.clock,
            named=MODEL_SERVER,
        )
        flights = InFlight(asked, most=server.concurrency, kept=KeptAnswers(0))
        try:
            async with asyncio.timeout(server.deadline_s):
                return await asyncio.gather(*(self._told(flights, each) for each in prompts))
        except TimeoutError:
            raise AnswerUnusable(
                f"The model server took longer than {server.deadline_s:g} s in all."
            ) from None
        finally:
            await flights.close()

    async def _told(self, flights: InFlight, prompt: Prompt) -> Told:
        try:
            return await self._read(flights, prompt)
        except (BlockUnread, EngineFailed) as error:
            return AnswerUnusable(str(error))
        except Wrong as error:
            return AnswerUnusable(f"The model server's answer cannot be used: {error}")
        except PagetideError as error:
            return error

    async def _read(self, flights: InFlight, prompt: Prompt) -> ReadAnswer:
        """An answer of the schema; one that is not is asked for once more."""
        answer = await self._answer(flights, prompt, None)
        try:
            read = ReadAnswer(self._form, answer.text)
            why = " ".join(read.misfits[:10])
        except Wrong as wrong:
            read, why = None, str(wrong)
        if read is not None and not why:
            return read
        again = await self._answer(flights, prompt, (answer.text, why))
        return ReadAnswer(self._form, again.text)

    async def _answer(
        self, flights: InFlight, prompt: Prompt, wrong: tuple[str, str] | None
    ) -> Answer:
        body = partial(prompt.body, self._server.served_name, wrong=wrong)
        if self._held:
            try:
                return await self._asked(flights, body(held=True))
            except Refused:
                self._held = False  # it does not take a schema, or a temperature
        return await self._asked(flights, body(held=False))

    async def _asked(self, flights: InFlight, body: bytes) -> Answer:
        waiting = asyncio.get_running_loop().create_future()
        key = hashlib.sha256(body).digest()
        question = Question(key=key, body=lambda: body, on_outcome=_settle(waiting))
        flights.put(self, [question])
        outcome: Outcome = await waiting
        if isinstance(outcome, Answer):
            self._count(outcome)
            return outcome
        self._count(None)
        raise outcome

    def _count(self, answer: Answer | None) -> None:
        self.usage = Usage(
            calls=self.usage.calls + 1,
            prompt_tokens=self.usage.prompt_tokens + _tokens(answer, "prompt_tokens"),
            completion_tokens=self.usage.completion_tokens
            + _tokens(answer, "completion_tokens"),
        )


def _tokens(answer: Answer | None, name: str) -> int:
    """What the server counts; 0 where it does not count."""
    counted = msgspec.json.decode(answer.usage) if answer else None
    tokens = counted.get(name) if isinstance(counted, dict) else None
    return tokens if isinstance(tokens, int) else 0


def _settle(waiting: asyncio.Future[Outcome]) -> Callable[[Outcome], None]:
    def settle(outcome: Outcome) -> None:
        if not waiting.done():
            waiting.set_result(outcome)

    return settle
