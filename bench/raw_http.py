"""HTTP/1.1 by hand, for hundreds of clients in one process that leave the server its cores."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

BOUNDARY = "a-line-that-no-document-has"


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its headers in lower case, its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The content of its body."""
        return json.loads(self.body)


class Wire:
    """One connection to a server, reopened if the server has closed it.

    Args:
        url: The server's.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._place = (parts.hostname or "", parts.port or 80)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, body: bytes = b"", kind: str = "", **headers: str
    ) -> Answer:
        """The answer to a request.

        Raises:
            OSError: There is none.
            asyncio.IncompleteReadError: It is cut short.
        """
        for fresh in (self._streams is None, True):
            reader, writer = await self._opened()
            try:
                writer.write(_head(method, path, body, kind, headers) + body)
                await writer.drain()
                return await self._answer(reader)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                if fresh:
                    raise
        raise AssertionError("the second try is fresh")

    async def stream(self, path: str) -> asyncio.StreamReader:
        """What comes after the head of an endless answer."""
        reader, writer = await self._opened()
        writer.write(_head("GET", path, b"", "", {}))
        await writer.drain()
        status, _ = await _read_head(reader)
        if status != 200:
            raise OSError(f"answered with {status}")
        return reader

    def close(self) -> None:
        """Close the connection."""
        if self._streams:
            self._streams[1].close()
        self._streams = None

    async def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._place, limit=1 << 16)
        return self._streams

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        status, headers = await _read_head(reader)
        if "chunked" in headers.get("transfer-encoding", ""):
            body = await _chunks(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return Answer(status, headers, body)


def form(document: bytes, fields: Mapping[str, str]) -> tuple[bytes, str]:
    """A form with a file and fields, and its media type."""
    texts = {f'name="{name}"': text.encode() for name, text in fields.items()}
    parts = {'name="file"; filename="scan.pdf"': document, **texts}
    body = b"".join(
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; {name}\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, content in parts.items()
    )
    return body + f"--{BOUNDARY}--\r\n".encode(), f"multipart/form-data; boundary={BOUNDARY}"


def _head(method: str, path: str, body: bytes, kind: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    if body:
        lines += [f"Content-Length: {len(body)}", f"Content-Type: {kind}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    return int(first.split()[1]), {name.lower(): text.strip() for name, _, text in pairs}


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    found = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        found += (await reader.readexactly(size + 2))[:-2]
    with suppress(asyncio.IncompleteReadError):
        await reader.readuntil(b"\r\n")
    return found
