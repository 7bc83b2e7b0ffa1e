"""Server-sent events out of the bytes they come in.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, without `id` and
`retry`, which Pagetide does not send.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from pagetide.client.answers import Event
from pagetide.errors import ServerError

_LINE_END = re.compile(rb"\r\n|\n|\r")
MAX_LINE_BYTES = 4_000_000


class EventLines:
    """Takes bytes as they come, and gives the events that are complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that end in this chunk.

        Raises:
            ServerError: A line is longer than any that Pagetide sends, or is not JSON.
        """
        received = self._rest + chunk
        lines = _LINE_END.split(received)
        # A CR at the end may be the first half of CR LF, so it waits for what follows.
        if received.endswith(b"\r"):
            lines[-2:] = [lines[-2] + b"\r"]
        self._rest = lines.pop()
        if len(self._rest) > MAX_LINE_BYTES:
            raise ServerError("The server sent an event that is too long.", 200)
        for line in lines:
            yield from self._line(line)

    def _line(self, line: bytes) -> Iterator[Event]:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._name = value.decode(errors="replace")
        elif name == b"data":
            self._data.append(value)
        elif not line:
            if self._data:
                yield Event(name=self._name or "message", fields=_fields(self._data))
            self._name, self._data = "", []


def _fields(data: list[bytes]) -> dict[str, Any]:
    try:
        return msgspec.json.decode(b"\n".join(data), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ServerError("The server sent an event that is not JSON.", 200) from None
