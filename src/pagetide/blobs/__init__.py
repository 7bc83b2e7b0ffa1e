"""Blobs: documents and results under keys, in a folder or in memory, through obstore."""

from __future__ import annotations

import errno
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore

from pagetide.blobs.folder import Folder
from pagetide.errors import BadOption, BlobMissing, DiskFull, StoreFailed
from pagetide.ports import Blob

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import ObjectStore

_CHUNK = 1 << 20
_PART = 5 << 20  # the least that S3 takes
_PARTS_AT_ONCE = 2
_TRIES = 5
_KEY = re.compile(r"(?!\.{1,2}(/|$))[\w.=-]+(/(?!\.{1,2}(/|$))[\w.=-]+)*", re.ASCII)
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


def open_blobs(url: str) -> ObjectBlobs:
    """The blobs at a URL: `file:///FOLDER`, which is made where it is missing, or `memory:`.

    Raises:
        BadOption: It is another URL.
        DiskFull: There is no room to make the folder.
        StoreFailed: The folder cannot be made.
    """
    parts = urlsplit(url)
    if parts.scheme == "memory":
        return ObjectBlobs.in_memory()
    if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
        return ObjectBlobs.in_folder(Path(unquote(parts.path)))
    raise BadOption("Blobs are kept at file:///FOLDER or at memory:, nowhere else yet.")


class ObjectBlobs:
    """The port `ports.Blobs`, over any store that obstore knows.

    A key is made of parts split by `/`, each of letters, digits and `._=-`, none of them `.`
    or `..`; every method raises ValueError for another.
    """

    def __init__(self, store: ObjectStore, folder: Folder | None = None) -> None:
        self._store = store
        self._folder = folder

    @classmethod
    def in_folder(cls, root: Path) -> Self:
        """Blobs as files in a folder that only this user may enter.

        Raises:
            DiskFull: There is no room to make the folder.
            StoreFailed: The folder cannot be made.
        """
        with _translated():
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            return cls(LocalStore(root), Folder(root))

    @classmethod
    def in_memory(cls) -> Self:
        """Blobs that this process alone sees."""
        return cls(MemoryStore())

    def put(self, key: str, data: bytes | Iterable[bytes], *, durable: bool = False) -> Blob:
        """See `ports.Blobs`; what the iterable raises reaches the caller."""
        _check(key)
        if isinstance(data, bytes):
            size = len(data)
            with _translated():
                _insist(lambda: obstore.put(self._store, key, data))
        else:
            size = self._push(key, data)
        if durable and self._folder:
            with _translated():
                self._folder.settle(key)
        return self._kept(key, size)

    def put_file(self, key: str, path: Path) -> Blob:
        """See `ports.Blobs`; the file is gone afterwards where blobs are files beside it."""
        _check(key)
        with _translated():
            size = path.stat().st_size
            if self._folder:
                _insist(partial(self._folder.take, key, path))
            else:
                obstore.put(self._store, key, path, max_concurrency=_PARTS_AT_ONCE)
        return self._kept(key, size)

    def find(self, key: str) -> Blob | None:
        """See `ports.Blobs`."""
        _check(key)
        try:
            return self._known(key)
        except BlobMissing:
            return None

    def get(self, key: str) -> bytes:
        """See `ports.Blobs`."""
        _check(key)
        with _translated(key):
            return obstore.get(self._store, key).bytes().to_bytes()

    def stream(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """See `ports.Blobs`; what lies behind the blob's end is left out."""
        _check(key)
        if start == 0 and end is None:
            with _translated(key):
                return _in_chunks(key, obstore.get(self._store, key).stream(_CHUNK))
        size = self._known(key).bytes
        end = size if end is None else min(end, size)
        if start >= end:  # which a store would take for an error
            return iter(())
        with _translated(key):
            part = obstore.get(self._store, key, options={"range": (start, end)})
            return _in_chunks(key, part.stream(_CHUNK))

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        """See `ports.Blobs`: the blob's own file in a folder, a temporary copy elsewhere."""
        self._known(key)
        if self._folder:
            yield self._folder.path(key)
            return
        with tempfile.NamedTemporaryFile(prefix="pagetide-") as file:
            with _translated(key):
                file.writelines(self.stream(key))
                file.flush()
            yield Path(file.name)

    def copy(self, source: str, target: str) -> None:
        """See `ports.Blobs`; in a folder the copy outlives a power cut."""
        _check(source)
        _check(target)
        with _translated(source):
            if self._folder:
                _insist(partial(self._folder.copy, source, target))
            else:
                obstore.copy(self._store, source, target)

    def under(self, prefix: str) -> Iterator[Blob]:
        """See `ports.Blobs`."""
        _check_prefix(prefix)
        with _translated():
            for found in obstore.list(self._store, prefix):
                yield from map(_told, found)

    def delete(self, key: str) -> None:
        """See `ports.Blobs`."""
        _check(key)
        with suppress(BlobMissing), _translated(key):
            obstore.delete(self._store, key)

    def delete_under(self, prefix: str) -> int:
        """See `ports.Blobs`; in a folder, what broken uploads left goes too."""
        keys = [blob.key for blob in self.under(prefix)]
        with _translated():
            if self._folder:
                self._folder.clear(prefix)
            elif keys:
                obstore.delete(self._store, keys)
        return len(keys)

    def link(self, key: str, *, expires_s: float, name: str, media_type: str) -> str | None:
        """None: neither a folder nor memory can give out links."""
        return None

    def _push(self, key: str, chunks: Iterable[bytes]) -> int:
        # obstore takes iterables, too, but pulls them inside its own runtime, which panics
        # when the iterable itself reads a blob.
        size = 0
        with _translated():
            writer = obstore.open_writer(
                self._store, key, buffer_size=_PART, max_concurrency=_PARTS_AT_ONCE
            )
        try:
            for chunk in chunks:
                with _translated():
                    size += writer.write(chunk)
        except BaseException as error:
            writer.__exit__(type(error), error, None)  # which leaves nothing behind
            raise
        with _translated():
            writer.close()
        return size

    def _known(self, key: str) -> Blob:
        _check(key)
        with _translated(key):
            return _told(obstore.head(self._store, key))

    def _kept(self, key: str, size: int) -> Blob:
        """What was just put, which somebody may have removed already."""
        return self.find(key) or Blob(key=key, bytes=size, etag="", modified=time.time())


def _insist(write: Callable[[], object]) -> None:
    """Write, again where the folder vanishes meanwhile: its job is being erased just now."""
    for tries_left in reversed(range(_TRIES)):
        try:
            write()
            return
        except (BaseError, OSError) as error:
            if _error_number(error) != errno.ENOENT or not tries_left:
                raise


def _in_chunks(key: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    with _translated(key):
        for part in parts:  # of any size: memory gives a blob in one
            for start in range(0, len(part), _CHUNK):
                yield bytes(memoryview(part)[start : start + _CHUNK])


def _told(meta: ObjectMeta) -> Blob:
    return Blob(
        key=meta["path"],
        bytes=meta["size"],
        etag=(meta["e_tag"] or "").strip('"'),
        modified=meta["last_modified"].timestamp(),
    )


def _check(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is no key of a blob")


def _check_prefix(prefix: str) -> None:
    if not prefix.endswith("/"):
        raise ValueError(f"{prefix!r} does not end in a slash")
    _check(prefix.removesuffix("/"))


@contextmanager
def _translated(key: str | None = None) -> Iterator[None]:
    """Errors of obstore and of the operating system as ours; with a key, what is missing."""
    try:
        yield
    except (BaseError, OSError) as error:
        number = _error_number(error)
        if number in _NO_ROOM:
            raise DiskFull from error
        if key and isinstance(error, FileNotFoundError):
            raise BlobMissing(f"There is no blob {key}.") from None
        reason = os.strerror(number) if number else type(error).__name__
        raise StoreFailed(f"The blobs cannot be reached: {reason}.") from error


def _error_number(error: Exception) -> int | None:
    """The system's number; obstore (0.12) gives it in its text alone."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    match = re.search(r"\(os error (\d+)\)", str(error))
    return int(match[1]) if match else None
