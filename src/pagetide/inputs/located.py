"""Finds, measures, hashes and sniffs an input's bytes, without opening it."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pagetide.errors import Damaged, NotFound, TooLarge, UnsupportedType
from pagetide.inputs.sniff import HEAD_BYTES, MediaType, sniff
from pagetide.inputs.unread import unread
from pagetide.system.file_names import written_name

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]

# Larger ones reach the child as a private file: in its memory they would leave no space.
_MOST_SENT_BYTES = 64 << 20
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Located:
    """An input's bytes, and what is known without opening them.

    Attributes:
        place: The file's absolute path, or the bytes themselves.
        spooled: The temporary file that holds them, if there is one.
    """

    place: str | bytes
    name: str
    size: int
    sha256: str
    media_type: MediaType
    spooled: IO[bytes] | None = None

    def close(self) -> None:
        """Remove the temporary file."""
        if self.spooled:
            self.spooled.close()


def locate(source: Source, max_bytes: int, name: str | None = None) -> Located:
    """Find an input's bytes, hash them and determine their type.

    Args:
        source: A path, bytes, or a binary file, which is read to its end.
        max_bytes: The limit.
        name: Its name; by default the path's last part, or nothing.

    Raises:
        NotFound: There is no such file, or it may not be read.
        UnsupportedType: It is not of a known type.
        Damaged: It is empty.
        TooLarge: It has more bytes than the limit.
    """
    name = name and written_name(name)
    if isinstance(source, bytes | bytearray | memoryview):
        return _located_bytes([bytes(source)], max_bytes, name or "")
    if isinstance(source, str | os.PathLike):
        return _located_file(Path(source), max_bytes, name)
    chunks = iter(lambda: source.read(_CHUNK_BYTES), b"")
    return _located_bytes(chunks, max_bytes, name or "")


def _located_file(path: Path, max_bytes: int, name: str | None) -> Located:
    name = name or written_name(path.name)
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                chunks = iter(lambda: file.read(_CHUNK_BYTES), b"")
                return _located_bytes(chunks, max_bytes, name)
            size = os.fstat(file.fileno()).st_size
            media_type = _checked(file.read(HEAD_BYTES), size, max_bytes, name)
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except IsADirectoryError:
        raise UnsupportedType(f"{path} is a folder, not a file.") from None
    except PermissionError:
        raise NotFound(f"{path} cannot be read: permission denied.") from None
    except (OSError, ValueError):
        raise NotFound(f"{path} does not exist.") from None
    return Located(
        place=str(path.absolute()),
        name=name,
        size=size,
        sha256=sha256,
        media_type=media_type,
    )


def _located_bytes(chunks: Iterable[bytes], max_bytes: int, name: str) -> Located:
    digest, size, head = hashlib.sha256(), 0, b""
    held, spooled = bytearray(), None
    try:
        for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
            held += chunk
            head = head if len(head) >= HEAD_BYTES or spooled else bytes(held[:HEAD_BYTES])
            if size > max_bytes:
                break
            if len(held) > _MOST_SENT_BYTES:
                spooled = spooled or tempfile.NamedTemporaryFile()  # noqa: SIM115  # kept open
                spooled.write(held)
                held.clear()
        media_type = _checked(head, size, max_bytes, name)
        if spooled:
            spooled.write(held)
            spooled.flush()
    except BaseException:
        if spooled:
            spooled.close()
        raise
    return Located(
        place=spooled.name if spooled else bytes(held),
        name=name,
        size=size,
        sha256=digest.hexdigest(),
        media_type=media_type,
        spooled=spooled,
    )


def _checked(head: bytes, size: int, max_bytes: int, name: str) -> MediaType:
    if not size:
        raise Damaged("The input is empty.")
    if size > max_bytes:
        raise TooLarge(f"The input has more bytes than the limit of {max_bytes}.")
    media_type = sniff(head)
    if media_type is None:
        raise unread(head, name)
    return media_type
