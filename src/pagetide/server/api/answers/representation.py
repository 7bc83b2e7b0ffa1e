"""Bytes as an HTTP answer: entity tags, conditions, single ranges, safe file names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from pagetide.net.download import safe_name
from pagetide.server.api import problems
from pagetide.server.api.answers.negotiation import prefers_gzip
from pagetide.server.api.answers.streamed import Streamed, in_threads
from pagetide.server.api.context import call
from pagetide.server.api.edge import HEAD

_RANGE = re.compile(r"bytes=\s*([0-9]{0,18})-([0-9]{0,18})\s*", re.ASCII)
# What these names mean to a file system or a shell is no business of a document's sender.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f"\\/:*?<>|%;]')


@dataclass(frozen=True, kw_only=True)
class Representation:
    """Bytes that can be asked for.

    Attributes:
        etag: Names these very bytes; letters and digits.
        name: What a user's file would be called; taken from a document's sender.
        open: Gives the bytes from the first number up to the second; may block.
        inline: Whether a browser may show it, rather than keep it as a file.
        encoding: How the bytes are packed, where the client takes them so.
    """

    etag: str
    media_type: str
    size: int
    name: str
    open: Callable[[int, int], Iterator[bytes]]
    inline: bool = False
    encoding: str | None = None


async def answer(request: Request, what: Representation) -> Response:
    """The bytes, the part asked for, or that they are what the client has already."""
    tag = f'"{what.etag}"'
    headers = {
        "ETag": tag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": disposition(what.name, inline=what.inline),
    }
    if what.encoding:
        headers["Content-Encoding"] = what.encoding
    if has_it(request, what.etag):
        return Response(status_code=304, headers=headers)
    start, end, status = 0, what.size, 200
    if wanted := _range(request, tag):
        part = _part(wanted, what.size)
        if part is None:
            return _not_there(request, what.size)
        start, end, status = *part, 206
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{what.size}"
    headers["Content-Length"] = str(end - start)
    if HEAD in request.scope:
        return Response(status_code=status, headers=headers, media_type=what.media_type)
    parts = in_threads(await call(what.open, start, end))
    return Streamed(parts, status, headers, what.media_type)


def of_bytes(
    data: bytes,
    *,
    etag: str,
    media_type: str,
    name: str,
    inline: bool = True,
    encoding: str | None = None,
) -> Representation:
    """Bytes that are in memory."""
    return Representation(
        etag=etag,
        media_type=media_type,
        size=len(data),
        name=name,
        open=lambda start, end: iter((data[start:end],)),
        inline=inline,
        encoding=encoding,
    )


def disposition(name: str, *, inline: bool = False) -> str:
    """A Content-Disposition (RFC 6266) that carries the name and nothing else.

    The plain name has letters that every client takes; where that loses something, the name
    follows in full (RFC 8187).
    """
    kind = "inline" if inline else "attachment"
    safe = _UNSAFE.sub("_", safe_name(name))
    plain = unicodedata.normalize("NFKD", safe).encode("ascii", "ignore").decode().strip(". ")
    plain = plain if plain.strip("_-. ") else "document"
    header = f'{kind}; filename="{plain}"'
    if plain != safe:
        header += f"; filename*=UTF-8''{quote(safe, safe='')}"
    return header


def takes_gzip(request: Request) -> bool:
    """Whether a whole answer may be packed; a part is one of the plain bytes."""
    taken = prefers_gzip(request.headers.get("accept-encoding", ""))
    return taken and "range" not in request.headers


def has_it(request: Request, etag: str) -> bool:
    """Whether the client says that it has this already."""
    condition = request.headers.get("if-none-match")
    if request.method != "GET" or condition is None:
        return False
    known = {part.strip().removeprefix("W/") for part in condition.split(",")}
    return "*" in known or f'"{etag}"' in known


def _range(request: Request, tag: str) -> str | None:
    """The Range header, where it is to be heeded: for GET, and of these very bytes."""
    unless = request.headers.get("if-range")
    if request.method != "GET" or HEAD in request.scope:
        return None
    if unless is not None and unless.strip() != tag:
        return None
    text = request.headers.get("range")
    # Several ranges, or units that nobody knows, may be answered with the whole.
    match = _RANGE.fullmatch(text or "")
    backwards = match and match[1] and match[2] and int(match[1]) > int(match[2])
    return text if match and (match[1] or match[2]) and not backwards else None


def _part(text: str, size: int) -> tuple[int, int] | None:
    """First byte and the byte after the last; None where no such bytes are."""
    match = _RANGE.fullmatch(text)
    assert match  # noqa: S101 - `_range` saw to it
    first, last = match[1], match[2]
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1 if last else size)
    return (start, end) if start < end else None


def _not_there(request: Request, size: int) -> Response:
    detail = f"There are {size} bytes; the requested range is outside."
    headers = {"Content-Range": f"bytes */{size}"}
    return problems.of_status(416, detail, request.url.path, headers)
