"""Documents fetched from a user's URL."""

from __future__ import annotations

import errno
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from pagetide.errors import CannotWrite, DiskFull, DownloadFailed, TooLarge
from pagetide.net.network import OUTSIDE, Outside
from pagetide.net.vetted import Answer, exchange

_REDIRECTS = 5
_LONGEST_NAME = 200
# A parameter of Content-Disposition: a token, `=`, and a quoted string or a token.
_PARAMETER = re.compile(r';\s*([\w!#$&+.^`|~*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"]*)')


@dataclass(frozen=True, kw_only=True)
class Downloaded:
    """A document that was fetched: what it is called, fit for a file name, and its size."""

    name: str
    bytes: int


def download(
    url: str,
    into: Path,
    *,
    max_bytes: int,
    timeout_s: float,
    allowed_hosts: frozenset[str] = frozenset(),
    outside: Outside = OUTSIDE,
) -> Downloaded:
    """Fetch a document into a file; on failure the file is gone.

    Args:
        url: Where from.
        into: Written over where it exists.
        max_bytes: Largest document.
        timeout_s: For all of it.
        allowed_hosts: Hosts, in small letters, that may have any address.
        outside: See `network.Outside`.

    Raises:
        AddressRefused: The URL, or a redirect, leads where this server does not go.
        DownloadFailed: The document did not come, or not whole, or not in time.
        TooLarge: It has more bytes than the limit.
        DiskFull: There is no room for it.
        CannotWrite: The file cannot be written.
    """
    try:
        with exchange(
            "GET",
            url,
            timeout_s=timeout_s,
            redirects=_REDIRECTS,
            allowed_hosts=allowed_hosts,
            outside=outside,
        ) as answer:
            _check(answer, max_bytes)
            size = _write(_bounded(answer.chunks, max_bytes), into)
    except BaseException:
        into.unlink(missing_ok=True)
        raise
    return Downloaded(name=_name(answer), bytes=size)


def safe_name(name: str) -> str:
    """A name given by a stranger, made safe for a file name, a header and a page.

    Folders, control characters and marks that turn the direction of writing are left out.
    """
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFC", last)
        if unicodedata.category(letter)[0] != "C"
    )
    plain = plain.strip(" .")
    if len(plain) > _LONGEST_NAME:
        stem, dot, ending = plain.rpartition(".")
        keep = _LONGEST_NAME - len(dot + ending)
        plain = stem[:keep] + dot + ending if keep > 0 else plain[:_LONGEST_NAME]
    return plain or "document"


def _check(answer: Answer, max_bytes: int) -> None:
    if not 200 <= answer.status < 300:
        raise DownloadFailed(f"The server answered with status {answer.status}.")
    coding = answer.headers.get("content-encoding", "identity").lower()
    if coding != "identity":  # undone, a few bytes may become a disk full of them
        raise DownloadFailed("The server sent the document compressed, although asked not to.")
    length = answer.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes:
        raise _too_large(max_bytes)


def _bounded(chunks: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise _too_large(max_bytes)
        yield chunk


def _too_large(max_bytes: int) -> TooLarge:
    return TooLarge(
        f"The document at the URL has more than {max_bytes} bytes, which is the limit."
    )


def _write(chunks: Iterator[bytes], into: Path) -> int:
    try:
        with into.open("wb") as file:
            file.writelines(chunks)
            return file.tell()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        reason = os.strerror(error.errno or errno.EIO)
        raise CannotWrite(f"The download cannot be written: {reason}.") from None


def _name(answer: Answer) -> str:
    named = _header_name(answer.headers.get("content-disposition", ""))
    return safe_name(named or unquote(answer.url.path.rsplit("/", 1)[-1]))


def _header_name(disposition: str) -> str:
    """The file name in a Content-Disposition (RFC 6266), or nothing."""
    found: dict[str, str] = {
        name.lower(): value.strip() for name, value in _PARAMETER.findall(disposition)
    }
    extended = found.get("filename*", "").split("'", 2)  # charset'language'percent-encoded
    if len(extended) == 3 and extended[0].lower() in ("utf-8", "iso-8859-1"):
        return unquote_to_bytes(extended[2]).decode(extended[0], "replace")
    plain = found.get("filename", "")
    if plain.startswith('"'):
        plain = re.sub(r"\\(.)", r"\1", plain[1:-1])
    # Header values are Latin-1 here; many servers write UTF-8 all the same.
    try:
        return plain.encode("latin-1").decode()
    except UnicodeDecodeError:
        return plain
