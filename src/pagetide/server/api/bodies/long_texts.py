"""Parses JSON bodies whose long texts are documents: these go to disk as they come in.

What is parsed afterwards is the JSON with a short mark in the place of each, so that a
document in base64 never stands in memory, whatever a protocol calls it and however deep in
the body it hides it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

import msgspec
from starlette.requests import Request

from pagetide.errors import BadInput, BadOption
from pagetide.server.api.bodies.base64_text import Base64Document
from pagetide.server.api.bodies.json_text import parsed
from pagetide.server.api.bodies.uploads import BESIDE_BYTES, FLUSH_BYTES, Upload, chunks
from pagetide.server.api.context import call

LONG = 64 << 10
MOST_REST_BYTES = 2 << 20
PIECE = 1 << 20
BEGINNING = 2048
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)  # up to a text's end, or the chunk's
_WHOLE = re.compile(rb"(?:[^\\]++|\\u[0-9A-Fa-f]{4}|\\[^u])*+", re.DOTALL)
# The first half of a letter: of its bytes in UTF-8, or of its pair of escapes.
_HALF_LETTER = re.compile(rb"(?:[\xc0-\xff][\x80-\xbf]{0,2}|\\u[dD][89abAB][0-9A-Fa-f]{2})\Z")
_DATA = "data:"


class LongTexts:
    """The body of one request.

    Attributes:
        mark: What the mark of each long text begins with. Nobody can guess it, and it is so
            long that a mark is refused where a text has a bound.
    """

    def __init__(self, spill: Upload, most_rest: int = MOST_REST_BYTES) -> None:
        self.mark = f"long-{secrets.token_hex(128)}-"
        self._spill, self._most_rest = spill, most_rest
        self._places: list[tuple[int, int]] = []  # first byte in the file, byte after the last
        self._rest, self._text = bytearray(), bytearray()
        self._inside = self._escaped = self._spilling = False

    def __len__(self) -> int:
        """How many long texts there are."""
        return len(self._places)

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
        held = bytearray()
        async for chunk in chunks(request, in_base64(most)):
            held += chunk
            if len(held) >= FLUSH_BYTES:
                await call(self._feed, bytes(held))
                held.clear()
                await self._spill.ease()
        await call(self._feed, bytes(held))
        await self._spill.ease(all_of_it=True)
        return await call(parsed, bytes(self._rest))

    def is_long(self, text: str) -> bool:
        """Whether a text of the JSON is on disk, and this is its mark."""
        return text.startswith(self.mark)

    def pieces(self, text: str, size: int = PIECE) -> Iterator[bytes]:
        """A text of the JSON in pieces of UTF-8; a short one in one.

        Args:
            text: As `read` gave it: the text itself, or the mark of a long one.
            size: Of a piece, in bytes, before its escapes are undone.

        Raises:
            BadInput: The text is not as JSON has them.
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
                cut = _whole_letters(raw) if start < end else len(raw)
                held = raw[cut:]
                yield _plain(raw[:cut])

    def beginning(self, text: str) -> str:
        """The first letters of a text of the JSON, however long it is."""
        longest = len(b"\\u0000") * BEGINNING
        first = next(self.pieces(text, longest), b"")
        return first[:BEGINNING].decode("ascii", "replace")

    async def document(self, text: str, taken: Upload, name: str) -> None:
        """Decode a text of the JSON: a document in base64, or a `data:` URL of it.

        Raises:
            BadOption: It is not base64.
            BadInput: The text is not as JSON has them.
            TooLarge: It is larger than allowed.
            DiskFull: The disk is full.
        """
        document, pieces = Base64Document(taken, name), self.pieces(text)
        skip = _length_before_base64(self.beginning(text), name)
        while await call(_feed, document, pieces, skip):
            skip = 0
            await taken.ease()
        document.finish()
        await taken.ease(all_of_it=True)

    def _feed(self, chunk: bytes) -> None:
        place = 0
        while place < len(chunk):
            place = self._string(chunk, place) if self._inside else self._between(chunk, place)
        if len(self._rest) + len(self._text) > self._most_rest:
            raise BadInput(f"The JSON has more than {self._most_rest} bytes besides documents.")

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


def _whole_letters(raw: bytes) -> int:
    """How many bytes of a text in JSON do not end within an escape or a letter."""
    whole = _WHOLE.match(raw)
    end = whole.end() if whole else 0
    half = _HALF_LETTER.search(raw, max(0, end - 6), end)
    return half.start() if half else end


def _plain(raw: bytes) -> bytes:
    """A text without its escapes: all at once, for there may be one for each letter."""
    try:
        return msgspec.json.decode(b'"%b"' % raw, type=str).encode()
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadInput("The body is not JSON.") from None


def _feed(document: Base64Document, pieces: Iterator[bytes], skip: int) -> bool:
    """Give a document its next piece, but for the first bytes; whether there was one."""
    piece = next(pieces, b"")
    document.feed(piece[skip:])
    return bool(piece)


def _length_before_base64(text: str, name: str) -> int:
    """How long what stands before the base64 is."""
    if not text.startswith(_DATA):
        return 0
    head, comma, _ = text.partition(",")
    if not comma or not head.endswith(";base64"):
        raise BadOption(f"{name} is a data URL without base64.")
    return len(head) + 1
