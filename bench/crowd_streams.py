"""The part of a crowd that only listens: event streams, and slow readers of a large result."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Self

from bench.raw_http import Wire

DRIP, DRIP_S = 512, 0.5  # bytes at a time, and the pause between
OPENED_AT_ONCE = 50


class Streams:
    """Open answers of a server; as an async context manager they are closed at the end.

    Args:
        url: The server's.

    Attributes:
        ended: How many event streams the server has cut off.
        cut: How many slow readers.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._tasks: list[asyncio.Task[None]] = []
        self._wires: list[Wire] = []
        self.ended = self.cut = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for wire in self._wires:
            wire.close()

    async def watch(self, jobs: Sequence[str]) -> None:
        """Open an event stream for each job; returns when all are open."""
        turns = asyncio.Semaphore(OPENED_AT_ONCE)

        async def one(job: str) -> None:
            async with turns:
                reader = await self._wire().stream(f"/v1/jobs/{job}/events")
            self._tasks.append(asyncio.create_task(self._listen(reader)))

        await asyncio.gather(*map(one, jobs))

    async def read_slowly(self, path: str, count: int) -> None:
        """Have this many read a result, some bytes at a time."""
        for _ in range(count):
            reader = await self._wire().stream(path)
            self._tasks.append(asyncio.create_task(self._drip(reader)))

    def _wire(self) -> Wire:
        self._wires.append(Wire(self._url))
        return self._wires[-1]

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            last = b""
            while chunk := await reader.read(1 << 14):
                last = (last + chunk)[-1000:]
            self.ended += b'"status":"succeeded"' not in last
        except OSError:
            self.ended += 1

    async def _drip(self, reader: asyncio.StreamReader) -> None:
        try:
            while await reader.read(DRIP):
                await asyncio.sleep(DRIP_S)
        except OSError:
            self.cut += 1
