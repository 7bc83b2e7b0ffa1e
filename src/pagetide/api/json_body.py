"""Bodies of the type `application/json`, with the document as base64 in `file`.

The document is cut out of the JSON while it comes in, decoded and written to disk; what is
parsed afterwards is the JSON without it, which is small.
"""

from __future__ import annotations

import re

from starlette.requests import Request

from pagetide.api.base64_text import Base64Document
from pagetide.api.json_text import parsed
from pagetide.api.uploads import BESIDE_BYTES, Body, Upload, chunks
from pagetide.errors import BadInput, BadOption

FILE = b'"file"'  # the key whose value is the document
MOST_REST_BYTES = 256 << 10
_IN_STRING = re.compile(rb'["\\]')
_BETWEEN = re.compile(rb'["{}\[\],]')
_ESCAPES = {b"/": b"/", b"n": b"", b"r": b"", b"t": b""}


async def read(request: Request, upload: Upload, most: int) -> Body:
    """Read a JSON object.

    Args:
        request: Of the type `application/json`.
        upload: Takes the document.
        most: Bytes that the document may have.

    Raises:
        BadInput: It is not a JSON object of the kind that is taken here.
        TooLarge: It is larger than allowed.
        DiskFull: The disk is full.
        ClientDisconnect: The client went away.
    """
    document = Base64Document(upload, "`file`")
    cutter = _Cutter(document)
    # In base64, with an escape for each `+` and `/` as some libraries write them.
    async for chunk in chunks(request, most * 3 // 2 + BESIDE_BYTES):
        cutter.feed(chunk)
        await upload.ease()
    if cutter.cut:
        document.finish()
    await upload.ease(all_of_it=True)
    return _body(bytes(cutter.rest), cutter.cut)


def _body(rest: bytes, cut: bool) -> Body:
    fields = parsed(rest)
    if not isinstance(fields, dict):
        raise BadInput("The body is not a JSON object.")
    if fields.get("file") is not None and not cut:
        raise BadOption("`file` must be a document in base64.")
    fields.pop("file", None)
    name = fields.pop("name", None)
    if name is not None and not isinstance(name, str):
        raise BadOption("`name` must be a text.")
    return Body(fields=fields, document=cut, name=name or "")


class _Cutter:
    """Follows JSON just as far as is needed to know the outermost object's `file`.

    Attributes:
        rest: The JSON with an empty text for the document.
        cut: Whether there was one.
    """

    def __init__(self, document: Base64Document) -> None:
        self.rest, self.cut = bytearray(), False
        self._document = document
        self._depth = 0
        self._key: bytes | None = None  # the outermost object's key whose value comes
        self._string = -1  # where in `rest` the string begins that is being read
        self._escaped = self._cutting = False
        self._held = b""  # an escape that the chunk's end cut off

    def feed(self, chunk: bytes) -> None:
        place = 0
        while place < len(chunk):
            place = self._cut(chunk, place) if self._cutting else self._follow(chunk, place)
        if len(self.rest) > MOST_REST_BYTES:
            raise BadInput(f"The JSON holds more than {MOST_REST_BYTES} bytes beside `file`.")

    def _follow(self, chunk: bytes, place: int) -> int:
        """Keep what comes, up to the next byte that means something."""
        inside = self._string >= 0
        # The byte after a backslash means nothing.
        pattern, start = (_IN_STRING, place + self._escaped) if inside else (_BETWEEN, place)
        self._escaped = False
        found = pattern.search(chunk, start)
        end = found.end() if found else len(chunk)
        self.rest += chunk[place:end]
        if found and inside:
            self._in_string(found[0])
        elif found:
            self._between(found[0])
        return end

    def _in_string(self, byte: bytes) -> None:
        if byte == b"\\":
            self._escaped = True
            return
        if self._depth == 1 and self._key is None:
            self._key = bytes(self.rest[self._string :])
        self._string = -1

    def _between(self, byte: bytes) -> None:
        if byte == b'"' and self._depth == 1 and self._key == FILE:
            self._begin_cut()
        elif byte == b'"':
            self._string = len(self.rest) - 1
        elif byte in b"{[":
            self._depth += 1
        elif byte in b"}]":
            self._depth -= 1
        elif self._depth == 1:
            self._key = None

    def _begin_cut(self) -> None:
        if self.cut:
            raise BadOption("`file` is given twice; send one document a request.")
        self.cut = self._cutting = True

    def _cut(self, chunk: bytes, place: int) -> int:
        """Give the document's text on, up to where it ends or is escaped."""
        if self._held:
            return self._escape(chunk, place)
        stop = _IN_STRING.search(chunk, place)
        end = stop.start() if stop else len(chunk)
        if end > place:
            self._document.feed(chunk[place:end])
        if stop is None:
            return end
        if stop[0] == b"\\":
            self._held = b"\\"
        else:
            self.rest += b'"'
            self._cutting = False
        return end + 1

    def _escape(self, chunk: bytes, place: int) -> int:
        """Take a byte of an escape, as some libraries write for `/` and `+`."""
        self._held += chunk[place : place + 1]
        kind = self._held[1:2]
        if kind == b"u" and len(self._held) < 6:
            return place + 1
        held, self._held = self._held, b""
        try:
            plain = bytes([int(held[2:], 16)]) if kind == b"u" else _ESCAPES[kind]
        except (KeyError, ValueError):
            raise self._document.spoilt() from None
        self._document.feed(plain)
        return place + 1
