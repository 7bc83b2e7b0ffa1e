"""What lies beside the results: that a file was read, or why it was not."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from pagetide.errors import BlobMissing
from pagetide.server.ports import Place
from pagetide.system.ready_types import ready

READ, FAILED = ".pagetide.json", ".error.json"
_UNFINISHED = (".part", ".tmp", ".partial", ".crdownload")
# With the ending of a format behind it, a result of such a file would be a note, or the result
# of another file.
_OURS = (".pagetide", ".error", ".raw")


class Read(Struct, frozen=True, kw_only=True):
    """The marker: a file was read.

    Attributes:
        sha256: Of what was read.
        etag: Shows whether the file has changed without reading it.
        status: The job's: `succeeded`, or `partial` where some pages could not be read.
        files: The results, by their names in this place.
    """

    source: str
    sha256: str
    etag: str
    model: str
    job: str
    status: str
    files: tuple[str, ...]
    read_at: datetime


class Failed(Struct, frozen=True, kw_only=True):
    """Why a file was not read.

    Attributes:
        retryable: Whether it is tried again, not before `retry_at`.
        tries: How often it was tried since it was changed.
        spent: How many jobs of it have ended without a result.
    """

    code: str
    message: str
    retryable: bool
    source: str
    sha256: str
    etag: str
    job: str | None
    tries: int
    spent: int
    retry_at: datetime | None


Note = Read | Failed
Kind = TypeVar("Kind", bound=Note)


class Notes:
    """The notes in a place; those that have not changed since the last look are kept."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._known: dict[str, tuple[str, Note | None]] = {}

    def look(self) -> None:
        """See what has changed.

        Raises:
            StoreFailed: The place cannot be reached.
        """
        known: dict[str, tuple[str, Note | None]] = {}
        for file in self._place.files():
            kind = _kind(file.name)
            if kind:
                stamp, note = self._known.get(file.name, ("", None))
                if stamp != file.stamp:
                    note = self._read(file.name, kind)
                known[file.name] = (file.stamp, note)
        self._known = known

    def known(self, name: str) -> tuple[Read | None, Failed | None]:
        """The notes of a file, as they were at the last look."""
        read, failed = (self._known.get(name + ending) for ending in (READ, FAILED))
        return (
            read[1] if read and isinstance(read[1], Read) else None,
            failed[1] if failed and isinstance(failed[1], Failed) else None,
        )

    def now(self, name: str) -> tuple[Read | None, Failed | None]:
        """The notes of a file, as they are.

        Raises:
            StoreFailed: The place cannot be reached.
        """
        return self._read(name + READ, Read), self._read(name + FAILED, Failed)

    def _read(self, name: str, kind: type[Kind]) -> Kind | None:
        """A note; None where there is none, or where somebody has spoilt it."""
        try:
            return msgspec.json.decode(self._place.read(name), type=ready(kind))
        except (BlobMissing, msgspec.MsgspecError, UnicodeDecodeError):
            return None


def written(note: Note) -> bytes:
    """A note as it lies in the place."""
    return msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n"


def legible(name: str) -> str:
    """A file's name for notes, keys and people: a folder's may hold bytes that are no text."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def may_be_read(name: str) -> bool:
    """Whether a file is one to read, by its name: not hidden, not unfinished, not a note."""
    last = name.lower()
    hidden = any(part.startswith((".", "~$")) for part in last.split("/"))
    return not hidden and not last.endswith((READ, FAILED, *_UNFINISHED, *_OURS))


def _kind(name: str) -> type[Note] | None:
    if name.endswith(READ):
        return Read
    return Failed if name.endswith(FAILED) else None
