"""Hundreds of clients of a server, in a process of their own; prints the answers they got.

`python -m bench.crowd_clients URL CLIENTS SECONDS`
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from typing import Any

from bench.raw_http import Answer, Wire, form
from tests.serving import pdf

PAUSE_S = (0.2, 1.0)  # between two requests of a client
POLLS = 3
ENDED = {"succeeded", "partial", "failed", "cancelled", "expired"}
BODY, KIND = form(pdf(2), {"model": "fake"})


class Crowd:
    """The answers to clients.

    Attributes:
        seconds: By request, how long each answer took.
        codes: By request, how often each status came.
        faults: Errors that even an overloaded server must not make, with their count.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.codes: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.faults: Counter[str] = Counter()

    async def run(self, clients: int, seconds: float) -> None:
        """Run this many clients for this long."""
        until = time.monotonic() + seconds
        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(self._one(until))

    async def _one(self, until: float) -> None:
        wire = Wire(self._url)
        while time.monotonic() < until:
            await _pause()
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._errand(wire)
        wire.close()

    async def _errand(self, wire: Wire) -> None:
        submitted = await self._ask(wire, "submit", "POST", "/v1/jobs", body=BODY, kind=KIND)
        if submitted.status != 202:
            return
        job = f"/v1/jobs/{submitted.json()['id']}"
        for _ in range(POLLS):
            await _pause()
            status = await self._ask(wire, "poll", "GET", f"{job}?wait=2")
            if status.status == 200 and status.json()["status"] in ENDED:
                await self._ask(wire, "result", "GET", f"{job}/result?format=json")
                break
        await self._ask(wire, "list", "GET", "/v1/jobs?limit=20")
        await _pause()
        await self._ask(wire, "erase", "DELETE", job)

    async def _ask(self, wire: Wire, name: str, method: str, path: str, **given: Any) -> Answer:
        began = time.monotonic()
        try:
            answer = await wire.ask(method, path, **given)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.faults[f"{name}: {type(error).__name__}"] += 1
            raise
        self.seconds[name].append(time.monotonic() - began)
        self.codes[name][answer.status] += 1
        if answer.status in (429, 503) and "retry-after" not in answer.headers:
            self.faults[f"{name}: {answer.status} without Retry-After"] += 1
        if answer.status >= 500 and answer.status != 503:
            self.faults[f"{name}: {answer.status} {answer.body[:120].decode()}"] += 1
        return answer


async def _pause() -> None:
    await asyncio.sleep(random.uniform(*PAUSE_S))  # noqa: S311 - not for secrets


def main() -> None:
    """Be a crowd, and print its answers as JSON."""
    url, clients, seconds = sys.argv[1:]
    crowd = Crowd(url)
    asyncio.run(crowd.run(int(clients), float(seconds)))
    print(json.dumps({"seconds": crowd.seconds, "codes": crowd.codes, "faults": crowd.faults}))


if __name__ == "__main__":
    main()
