"""Sends requests to the application and says what was wrong with the answers."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import unquote

from tests.fuzz import dialects
from tests.fuzz.asked import Asked
from tests.fuzz.seeds import Seed
from tests.fuzz.twisting import twisted
from tests.fuzz.world import World

PATIENCE_S = 60.0
AT_ONCE = 8


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        route: The template of the path that answered; empty where none did.
        status: 0 where nothing came in a minute.
    """

    route: str
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Fault:
    """A wrong answer, with what is needed to ask again."""

    seed: str
    number: int
    what: str
    asked: Asked

    def __str__(self) -> str:
        body = self.asked.body()
        shown = body[:400] + (b"..." if len(body) > 400 else b"")
        return (
            f"{self.what}\n  seed {self.seed!r}, case {self.number}:"
            f" {self.asked.method} {self.asked.target[:300]}\n"
            f"  {self.asked.headers!r:.600}\n  {shown!r}"
        )


@dataclass
class Played:
    """What became of the cases."""

    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """How many there were."""
        return self.statuses.total()


async def play(world: World, seeds: Sequence[Seed], cases: int, seed: int) -> Played:
    """So many cases, the same number for each seed; the same ones for the same `seed`."""
    found, each = Played(), -(-cases // len(seeds))
    turns = asyncio.Semaphore(AT_ONCE)

    async def of_one(which: Seed) -> None:
        asked = await asyncio.to_thread(which.made)
        for number in range(min(each, cases)):
            random = Random(f"{seed} {which.name} {number}")  # noqa: S311
            twist = twisted(random, asked)
            async with turns:
                answer = await exchange(world, twist)
            found.statuses[answer.status] += 1
            if what := wrong(which, answer):
                found.faults.append(Fault(which.name, number, what, twist))
            if which.uses_up and answer.status < 300:
                asked = await asyncio.to_thread(which.made)

    async with world.app.router.lifespan_context(world.app):
        await asyncio.gather(*map(of_one, seeds))
    return found


def wrong(seed: Seed, answer: Answer) -> str:
    """What is wrong with an answer; empty where nothing is."""
    if answer.status == 0:
        return "no answer in time"
    if answer.status < 400:
        return ""
    own = answer.route == seed.path and answer.status != 405
    spoken = seed.dialect if own else dialects.any_of_them
    try:
        told = spoken(answer.status, answer.headers, answer.body)
        known = answer.status < 500 or (answer.status == 503 and dialects.code_of(answer.body))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        return f"{answer.status} in no dialect: {answer.body[:300]!r} ({error!r})"
    if not known:
        return f"{answer.status}: {answer.body[:300]!r}"
    return "" if told else f"{answer.status} in another dialect: {answer.body[:300]!r}"


async def exchange(world: World, asked: Asked) -> Answer:
    """Ask as a server would that speaks HTTP, and take the whole answer."""
    path, _, query = asked.target.partition("?")
    body = asked.body()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(n.encode(), v.encode("latin-1", "replace")) for n, v in asked.headers],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    got: dict[str, Any] = {"status": 0, "headers": {}, "body": bytearray()}
    sent, ended = False, asyncio.Event()

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            got["status"] = message["status"]
            got["headers"] = {k.decode(): v.decode("latin-1") for k, v in message["headers"]}
            return
        got["body"] += message.get("body", b"")
        if not message.get("more_body"):
            ended.set()

    try:
        async with asyncio.timeout(PATIENCE_S):
            await world.app(scope, receive, send)
    except TimeoutError:
        got["status"] = 0
    except Exception as error:
        logging.getLogger("fuzz").error("the application raised", exc_info=error)
        got["status"], got["body"] = 500, repr(error).encode()
    route = str(getattr(scope.get("route"), "path", ""))
    return Answer(route, got["status"], got["headers"], bytes(got["body"]))
