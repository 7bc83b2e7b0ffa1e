"""A PaddleOCR-VL server that reads nothing: OpenAI's protocol, and the time that answers take.

It batches as the real ones do: a number of slots, each busy with one request for as long as
its tokens take; requests that come while all are busy queue. The picture's size and the
prompt decide how many tokens an answer has, so every client that sends the same areas gets
the same work.

`python -m bench.fake_vl_server --slots 32` prints its port and serves until it is ended.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import json
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from PIL import Image

OTSL = (
    "<fcel>Region<lcel><fcel>Sales<nl><ucel><xcel><fcel>2026<nl><fcel>North<ecel><fcel>1&2<nl>"
)
SAYS = {
    "Table Recognition:": OTSL,
    "Formula Recognition:": "\\[E=mc^2\\]",
    "Chart Recognition:": "year | sales\n2025 | 1\n2026 | 2",
    "Seal Recognition:": "SEALED",
}
PREFILL_S = 0.03
TOKEN_S = 0.0025
PIXELS_A_TOKEN = {"OCR:": 700, "Table Recognition:": 350}


@dataclass(frozen=True)
class Asked:
    """A request as received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @cached_property
    def prompt(self) -> str:
        """The words."""
        return str(self.body["messages"][0]["content"][1]["text"])

    @cached_property
    def picture(self) -> Image.Image:
        """The picture."""
        url = self.body["messages"][0]["content"][0]["image_url"]["url"]
        return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer.

    Attributes:
        text: The completion's.
        body: Replaces it, if given.
        breaks: The connection is closed instead.
        seconds: How long a slot is busy.
    """

    text: str = ""
    finish: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    breaks: bool = False
    seconds: float = 0.0


Answering = Callable[[Asked], Reply | Awaitable[Reply]]


def realistic(asked: Asked) -> Reply:
    """The answer to the prompt, after the time for the picture's size."""
    width, height = asked.picture.size
    tokens = width * height / PIXELS_A_TOKEN.get(asked.prompt, 700)
    tokens *= 0.6 + (width * 31 + height * 17) % 80 / 100  # areas are not equally full
    text = SAYS.get(asked.prompt, f"text of {width} by {height}")
    return Reply(text=text, seconds=PREFILL_S + TOKEN_S * min(max(tokens, 8), 1500))


@dataclass(frozen=True)
class Served:
    """When a request came, got a slot, and was done, in seconds; and its required duration."""

    came: float
    began: float
    ended: float
    seconds: float


class Hold:
    """Holds an answer until a test releases it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._free = asyncio.Event()

    def release(self) -> None:
        """Release all that wait for it, now and later."""
        self._loop.call_soon_threadsafe(self._free.set)

    async def wait(self) -> None:
        """Wait until it is released."""
        await self._free.wait()


class FakeVlServer:
    """The server, in a thread of its own, while the context is open.

    Attributes:
        asked: All requests so far.
        served: All answered requests.
        most_at_once: Maximum number of concurrent requests.
    """

    def __init__(self, answer: Answering = realistic, *, slots: int = 1_000) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.served: list[Served] = []
        self.most_at_once = 0
        self.at_once = 0
        self.port = 0
        self._slots = asyncio.Semaphore(slots)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending = False

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def hold(self) -> Hold:
        """A gate for an answer to wait for."""
        return Hold(self._loop)

    def start(self, port: int = 0) -> None:
        """Listen, and answer in the thread."""
        self._thread.start()
        listening = asyncio.start_server(self._connected, "127.0.0.1", port, limit=1 << 26)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        self.port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Close every connection and stop listening."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._ending = True
        for listening in self._server.sockets:
            self._loop.remove_reader(listening.fileno())
        # asyncio never closes a connection whose server is closed while it is being accepted.
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        self._server.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def _connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            while not self._ending and await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if method == "GET":
            await _write(writer, 200, json.dumps(self._shown(path)).encode(), {})
            return True
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            reply, body = await self._answered(Asked(path, headers, json.loads(body)))
        finally:
            self.at_once -= 1
        if reply.breaks:
            return False
        await _write(writer, reply.status, body, reply.headers)
        return True

    async def _answered(self, asked: Asked) -> tuple[Reply, bytes]:
        came = time.perf_counter()
        self.asked.append(asked)
        said = self.answer(asked)
        reply = said if isinstance(said, Reply) else await said
        async with self._slots:
            began = time.perf_counter()
            if reply.seconds:
                await asyncio.sleep(reply.seconds)
        self.served.append(Served(came, began, time.perf_counter(), reply.seconds))
        return reply, completion(reply) if reply.body is None else reply.body

    def _shown(self, path: str) -> object:
        if path.endswith("/models"):
            return {"object": "list", "data": [{"id": "PaddleOCR-VL-1.6-0.9B"}]}
        shown = [[s.came, s.began, s.ended, s.seconds] for s in self.served]
        if path.endswith("/served?forget"):
            self.served, self.asked, self.most_at_once = [], [], 0
        return shown


def completion(reply: Reply) -> bytes:
    """The reply as a chat completion."""
    message = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    usage = {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340}
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "PaddleOCR-VL-1.6-0.9B",
            "choices": [choice],
            "usage": usage,
        }
    ).encode()


async def _write(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str]
) -> None:
    given = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    writer.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body)
    await writer.drain()


def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=32)
    server = FakeVlServer(slots=parser.parse_args().slots)
    server.start()
    print(server.port, flush=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


if __name__ == "__main__":
    main()
