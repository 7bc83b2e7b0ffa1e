"""Incoming documents: streamed to a file on disk, deleted unless they become a job."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from starlette.exceptions import HTTPException
from starlette.requests import Request

from pagetide.errors import BadInput, DiskFull, TooLarge
from pagetide.server.api.context import call
from pagetide.settings import Settings
from pagetide.system.disk_room import DiskRoom

FLUSH_BYTES = 512 << 10  # a thread per chunk of 64 KiB would cost more than the writing
STALLED_S = 60.0
BESIDE_BYTES = 1 << 20  # what a body may hold beside its document
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def folder(settings: Settings) -> Path:
    """Where documents are while they come in: on the disk where they will be kept."""
    return settings.home_folder / "uploads"


def prepare(settings: Settings) -> None:
    """Make the folder, and remove what a server that was killed has left in it.

    A file in use is locked by who writes it, and stays.
    """
    place = folder(settings)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.chmod(0o700)
    for path in place.iterdir():
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


class Upload:
    """A document that comes in.

    Attributes:
        path: Where it is.
        bytes: Taken so far.
    """

    def __init__(self, path: Path, file: BinaryIO | None, most: int, room: DiskRoom) -> None:
        self.path, self.bytes, self._room = path, 0, room
        self._file, self._most, self._held = file, most, bytearray()

    async def take(self, data: bytes | memoryview) -> None:
        """Take the next bytes.

        Raises:
            TooLarge: It is larger than allowed.
            DiskFull: The disk is full.
        """
        self.hold(data)
        await self.ease()

    @asynccontextmanager
    async def beside(self, most: int) -> AsyncIterator[Upload]:
        """Another file, for at most so many bytes, there from the first write to the end."""
        other = Upload(self.path.with_name(secrets.token_hex(16)), None, most, self._room)
        try:
            yield other
        finally:
            other.close()

    def hold(self, data: bytes | memoryview) -> None:
        """Take the next bytes, but leave writing them to `ease`.

        Raises:
            TooLarge: It is larger than allowed.
        """
        self.bytes += len(data)
        if self.bytes > self._most:
            raise TooLarge(f"The document is larger than {self._most} bytes.")
        self._held += data

    async def ease(self, *, all_of_it: bool = False) -> None:
        """Write what is held, if it is much.

        Raises:
            DiskFull: The disk is full.
        """
        if not self._held or (len(self._held) < FLUSH_BYTES and not all_of_it):
            return
        held, self._held = self._held, bytearray()
        try:
            await call(self._write, held)
            if all_of_it:
                await call(self._check)
        except OSError as error:
            raise _full(error) from None

    def _check(self) -> None:
        """Check that the file has as many bytes as came."""
        if self._file and os.fstat(self._file.fileno()).st_size != self.bytes:
            raise OSError(errno.ENOSPC, "the file is shorter than what came")

    def close(self) -> None:
        """Close the file and remove it, if it is still there."""
        self.path.unlink(missing_ok=True)
        if self._file:
            with suppress(OSError):
                self._file.close()

    def _write(self, data: bytearray) -> None:
        self._room.check()
        if self._file is None:
            self._file = _created(self.path)
        left = memoryview(data)
        while left:  # a disk that is nearly full takes a part
            written = self._file.write(left)
            if not written:
                raise OSError(errno.ENOSPC, "nothing was written")
            left = left[written:]


@asynccontextmanager
async def upload(settings: Settings, most: int) -> AsyncIterator[Upload]:
    """A new file for a document of at most so many bytes; it is gone in the end.

    Args:
        settings: Say where.
        most: Bytes.

    Raises:
        DiskFull: The disk is full, but for its reserve.
    """
    path = folder(settings) / secrets.token_hex(16)
    room = DiskRoom((path.parent,), settings.disk_reserve_mb)
    try:
        await call(room.check)
        file = await call(_created, path)
    except OSError as error:
        raise _full(error) from None
    taken = Upload(path, file, most, room)
    try:
        yield taken
    finally:
        taken.close()  # even in a cancelled request: it is short


@dataclass(kw_only=True)
class Body:
    """A request's body: its fields, and the document in a file if it holds one.

    Attributes:
        fields: By name; in a form, each has a list of texts.
        document: Whether the upload holds a document.
        name: What its sender calls it.
    """

    fields: dict[str, object] = field(default_factory=dict)
    document: bool = False
    name: str = ""


async def chunks(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body as it comes in.

    Raises:
        TooLarge: It is larger than `most`, or says so beforehand.
        HTTPException: Nothing came for a minute.
        ClientDisconnect: The client went away.
    """
    announced(request, most)
    stream, taken = request.stream(), 0
    while True:
        try:
            async with asyncio.timeout(STALLED_S):
                chunk = await anext(stream, None)
        except TimeoutError:
            raise HTTPException(408, "The request's body stopped arriving.") from None
        if chunk is None:
            return
        taken += len(chunk)
        if taken > most:
            raise TooLarge(f"The request is larger than {most} bytes.")
        yield chunk


def announced(request: Request, most: int) -> int:
    """How many bytes the body has, as its sender says; the most, where it does not say.

    Raises:
        TooLarge: It is larger than `most`.
        BadInput: What it says is no number.
    """
    text = request.headers.get("content-length")
    if text is None:
        return most
    if not text.isascii() or not text.isdigit():
        raise BadInput("The Content-Length is not a number.")
    if int(text) > most:
        raise TooLarge(f"The request is larger than {most} bytes.")
    return int(text)


def _created(path: Path) -> BinaryIO:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def _full(error: OSError) -> Exception:
    return DiskFull() if error.errno in _FULL else error
