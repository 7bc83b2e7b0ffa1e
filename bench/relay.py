"""A relay before a server: it can lead to another one, answer for it, or pass nothing on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self

CHUNK = 1 << 16
UNAVAILABLE = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class Relay:
    """Forwards a port of 127.0.0.1, in a thread of its own.

    It runs as a context manager.

    Attributes:
        port: Its listening port.
        target: The port that new connections are led to.
    """

    def __init__(self, target: int) -> None:
        self.port, self.target = 0, target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._going = asyncio.Event()
        self._failing = False
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Connections are cut, and every request of a new one is answered with 503."""
        self._failing = True
        self._do(self._cut())
        try:
            yield
        finally:
            self._failing = False

    @contextmanager
    def stalling(self) -> Iterator[None]:
        """Nothing is forwarded, in either direction; then all of it."""
        self._loop.call_soon_threadsafe(self._going.clear)
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._going.set)

    def _do(self, coroutine: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _start(self) -> None:
        self._going.set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _cut(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def _end(self) -> None:
        assert self._server
        self._server.close()
        await self._cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await (self._refuse if self._failing else self._pass_on)(reader, writer)
        finally:
            self._open.discard(writer)
            writer.close()

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(UNAVAILABLE)
        await writer.drain()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        there, beyond = await asyncio.open_connection("127.0.0.1", self.target)
        self._open.add(beyond)
        try:
            await asyncio.gather(self._pump(reader, beyond), self._pump(there, writer))
        finally:
            self._open.discard(beyond)
            beyond.close()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while chunk := await source.read(CHUNK):
            await self._going.wait()
            sink.write(chunk)
            await sink.drain()
        sink.close()  # neither side here continues once the other has finished
