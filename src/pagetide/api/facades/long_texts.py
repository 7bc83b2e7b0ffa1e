"""JSON bodies whose long texts go to disk while they come in, for they are documents.

What is parsed afterwards is the JSON with a short mark in the place of each, so that a
document in base64 never stands in memory, whatever a protocol calls it and however deep in
the body it hides it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

from starlette.requests import Request

from pagetide.api.json_text import parsed
from pagetide.api.uploads import BESIDE_BYTES, Upload, chunks
from pagetide.errors import BadInput

LONG = 64 << 10
MOST_REST_BYTES = 2 << 20
PIECE = 1 << 20
BEGINNING = 2048
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)  # up to a text's end, or the chunk's
_ESCAPE = re.compile(rb"\\(u[0-9A-Fa-f]{4}|[^u])")
_HALF_ESCAPE = re.compile(rb"\\(u[0-9A-Fa-f]{0,3})?\Z")
_PLAIN = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class LongTexts:
    """The body of one request.

    Attributes:
        mark: What the mark of each long text begins with. Nobody can guess it, and it is so
            long that a mark is refused where a text has a bound.
    """

    def __init__(self, spill: Upload) -> None:
        self.mark = f"long-{secrets.token_hex(128)}-"
        self._spill = spill
        self._places: list[tuple[int, int]] = []  # first byte in the file, byte after the last
        self._rest, self._text = bytearray(), bytearray()
        self._inside = self._escaped = self._spilling = False

    async def read(self, request: Request, most: int) -> object:
        """The JSON of a request's body, marks for its long texts.

        Args:
            request: Its body may be so large as its document in base64.
            most: Bytes that the document may have.

        Raises:
            BadInput: It is not JSON, is nested too deep, or has too much beside its documents.
            TooLarge: It is larger than allowed.
            DiskFull: The disk is full.
            ClientDisconnect: The client went away.
        """
        async for chunk in chunks(request, in_base64(most)):
            self._feed(chunk)
            await self._spill.ease()
        await self._spill.ease(all_of_it=True)
        return parsed(bytes(self._rest))

    def is_long(self, text: str) -> bool:
        """Whether a text of the JSON is on disk, and this is its mark."""
        return text.startswith(self.mark)

    def pieces(self, text: str, size: int = PIECE) -> Iterator[bytes]:
        """A text of the JSON in pieces, without its escapes; a short one in one.

        Args:
            text: As `read` gave it: the text itself, or the mark of a long one.
            size: Of a piece, in bytes, before its escapes are undone.
        """
        if not self.is_long(text):
            yield text.encode()
            return
        start, end = self._places[int(text.removeprefix(self.mark))]
        held = b""
        with self._spill.path.open("rb") as file:
            file.seek(start)
            while start < end:
                raw = held + file.read(min(size, end - start))
                start = file.tell()
                half = _HALF_ESCAPE.search(raw[-6:])
                cut = len(raw) - len(half[0]) if half and start < end else len(raw)
                held = raw[cut:]
                yield _ESCAPE.sub(_unescaped, raw[:cut])

    def beginning(self, text: str) -> str:
        """The first letters of a text of the JSON, however long it is."""
        longest = len(b"\\u0000") * BEGINNING
        first = next(self.pieces(text, longest), b"")
        return first[:BEGINNING].decode("ascii", "replace")

    def _feed(self, chunk: bytes) -> None:
        place = 0
        while place < len(chunk):
            place = self._string(chunk, place) if self._inside else self._between(chunk, place)
        if len(self._rest) + len(self._text) > MOST_REST_BYTES:
            raise BadInput(
                f"The JSON holds more than {MOST_REST_BYTES} bytes beside documents."
            )

    def _between(self, chunk: bytes, place: int) -> int:
        found = chunk.find(b'"', place)
        end = found + 1 if found >= 0 else len(chunk)
        self._rest += chunk[place:end]
        self._inside = found >= 0
        return end

    def _string(self, chunk: bytes, place: int) -> int:
        # The byte after a backslash means nothing.
        inside = _INSIDE.match(chunk, place + self._escaped)
        end = inside.end() if inside else len(chunk)
        stop = chunk[end : end + 1]
        self._escaped = stop == b"\\"
        self._keep(chunk[place : end + self._escaped])
        if stop == b'"':
            self._close()
        return end + len(stop)

    def _keep(self, part: bytes) -> None:
        if self._spilling:
            self._spill.hold(part)
            return
        self._text += part
        if len(self._text) > LONG:
            self._places.append((self._spill.bytes, 0))
            self._spill.hold(bytes(self._text))
            self._text, self._spilling = bytearray(), True

    def _close(self) -> None:
        if self._spilling:
            last = len(self._places) - 1
            self._places[last] = (self._places[last][0], self._spill.bytes)
            self._text += f"{self.mark}{last}".encode()
        self._rest += self._text + b'"'
        self._text, self._spilling, self._inside = bytearray(), False, False


def in_base64(most: int) -> int:
    """Bytes of a body whose document, in base64, has so many at most.

    Some libraries write an escape for each `+` and `/`.
    """
    return most * 3 // 2 + BESIDE_BYTES


def _unescaped(match: re.Match[bytes]) -> bytes:
    kind = match[1]
    if kind.startswith(b"u"):
        return chr(int(kind[1:], 16)).encode("utf-8", "replace")
    return _PLAIN.get(kind, kind)
