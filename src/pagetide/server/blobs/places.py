"""The port `ports.Place`: files of others in a folder, a bucket or a container."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

import obstore

from pagetide.errors import BadOption, BlobMissing, CannotWrite, DiskFull, NotFound, StoreFailed
from pagetide.server.blobs.clouds import CLOUDS, open_cloud
from pagetide.server.blobs.failures import Place as Cloud
from pagetide.server.blobs.failures import translated
from pagetide.server.blobs.served import media_type_of
from pagetide.server.ports import PlacedFile
from pagetide.system.part_file import part_file

if TYPE_CHECKING:
    from obstore import Attributes, ObjectMeta
    from obstore.store import AzureStore, GCSStore, S3Store

_CHUNK = 1 << 20
_NO_LINK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # nor does a named pipe hold us up
_DEEPEST = 100  # folders in folders; making as many elsewhere takes Python's whole stack
_TORN = ""  # the stamp of what was changed while it was copied


def open_place(where: str, *, make: bool = False) -> Folder | Bucket:
    """The place at a path or a URL.

    Args:
        where: The path of a folder, `file:///FOLDER`, or the URL of a bucket or container:
            see `clouds.open_cloud`.
        make: Whether a folder is made where there is none.

    Raises:
        BadOption: It is another URL.
        NotFound: There is no such folder.
        CannotWrite: It cannot be made.
    """
    scheme, colon, _ = where.partition("://")
    scheme = scheme.lower()
    if colon and scheme in CLOUDS:
        return Bucket(*open_cloud(where))
    if colon and re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        parts = urlsplit(where)
        if scheme != "file" or parts.netloc:
            raise BadOption("A place must be a folder, s3://…, az://… or gs://….")
        where = unquote(parts.path)
    if make:
        _make(Path(where))
    return Folder(Path(where))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or "it fails"
        raise CannotWrite(f"The folder {folder} cannot be created: {reason}.") from None


class Folder:
    """The files in a folder and those below it; symbolic links are left alone."""

    grows = True

    def __init__(self, root: Path) -> None:
        """Open a folder.

        Raises:
            NotFound: There is none.
        """
        self._root = root
        if not root.is_dir():
            raise NotFound(f"There is no folder {root}.")

    def files(self) -> Iterator[PlacedFile]:
        """See `ports.Place`."""
        if not self._root.is_dir():
            raise NotFound(f"The folder {self._root} no longer exists.")
        below = [""]
        while below:
            folder = below.pop()
            try:
                if folder.count("/") > _DEEPEST:
                    raise OSError(errno.ENAMETOOLONG, "it lies too deep")
                yield from self._listed(folder, below)
            except (FileNotFoundError, NotADirectoryError):  # it was removed just now
                continue
            except OSError:
                if not folder:
                    with _reached(self._root):
                        raise
                # Others are still to be read. Who copies this one comes to know what is wrong.
                yield PlacedFile(name=folder[:-1], stamp=_TORN)

    def read(self, name: str) -> bytes:
        """See `ports.Place`."""
        with self._opened(name) as file:
            return file.read()

    def copy(self, name: str, into: BinaryIO) -> str:
        """See `ports.Place`."""
        with self._opened(name) as file:
            before = _stamp(os.fstat(file.fileno()))
            shutil.copyfileobj(file, into, _CHUNK)
            after = (self._root / name).stat(follow_symlinks=False)
            return before if _stamp(after) == before else _TORN

    def put(self, name: str, content: bytes | Path) -> None:
        """See `ports.Place`; raises `CannotWrite` where the folder cannot be written."""
        with part_file(self._root / name) as part:
            if isinstance(content, bytes):
                part.write(content)
            else:
                with content.open("rb") as file:
                    shutil.copyfileobj(file, part, _CHUNK)
            part.flush()
            os.fsync(part.fileno())  # a marker must not outlive what it speaks of

    def remove(self, name: str) -> None:
        """See `ports.Place`."""
        with suppress(BlobMissing), _reached(self._root / name):
            (self._root / name).unlink()

    def _listed(self, folder: str, below: list[str]) -> Iterator[PlacedFile]:
        """The files of a folder; folders in it join those that are still to be listed."""
        with os.scandir(self._root / folder) as entries:
            for entry in entries:
                name = folder + entry.name
                if entry.is_dir(follow_symlinks=False):
                    below.append(name + "/")
                elif entry.is_file(follow_symlinks=False):
                    with suppress(FileNotFoundError):
                        found = entry.stat(follow_symlinks=False)
                        yield PlacedFile(name=name, stamp=_stamp(found))

    @contextmanager
    def _opened(self, name: str) -> Iterator[BinaryIO]:
        """A file; a link that has taken its place, or that of a folder above, is not one."""
        *folders, last = name.split("/")
        with _reached(self._root / name), ExitStack() as ends:
            place = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
            ends.callback(os.close, place)
            for folder in folders:
                place = os.open(folder, _NO_LINK | os.O_DIRECTORY, dir_fd=place)
                ends.callback(os.close, place)
            file = os.open(last, _NO_LINK, dir_fd=place)
            ends.callback(os.close, file)
            if stat.S_ISFIFO(os.fstat(file).st_mode):
                raise BlobMissing
            yield ends.enter_context(os.fdopen(file, "rb", closefd=False))


class Bucket:
    """The objects below a prefix."""

    grows = False

    def __init__(self, store: S3Store | AzureStore | GCSStore, place: Cloud) -> None:
        self._store, self._place = store, place

    def files(self) -> Iterator[PlacedFile]:
        """See `ports.Place`."""
        with translated(self._place):
            for found in obstore.list(self._store, chunk_size=1000):
                # An empty object is how a folder is drawn where there are none.
                there = (meta for meta in found if meta["size"])
                yield from (PlacedFile(name=meta["path"], stamp=_tag(meta)) for meta in there)

    def read(self, name: str) -> bytes:
        """See `ports.Place`."""
        with translated(self._place, name):
            return obstore.get(self._store, name).bytes().to_bytes()

    def copy(self, name: str, into: BinaryIO) -> str:
        """See `ports.Place`."""
        with translated(self._place, name):
            got = obstore.get(self._store, name)
            for chunk in got.stream(_CHUNK):
                into.write(chunk)
            return _tag(got.meta)

    def put(self, name: str, content: bytes | Path) -> None:
        """See `ports.Place`."""
        kind = media_type_of(PurePosixPath(name).name) or "application/octet-stream"
        attributes: Attributes = {"Content-Type": kind}
        with translated(self._place):
            obstore.put(self._store, name, content, attributes=attributes)

    def remove(self, name: str) -> None:
        """See `ports.Place`."""
        with suppress(BlobMissing), translated(self._place, name):
            obstore.delete(self._store, name)


@contextmanager
def _reached(path: Path | str) -> Iterator[None]:
    """Raise the operating system's errors as ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise BlobMissing(f"There is no file {path}.") from None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from None
        reason = error.strerror or "it fails"
        raise StoreFailed(f"{path} cannot be reached: {reason}.") from None


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_size}-{found.st_mtime_ns}"


def _tag(meta: ObjectMeta) -> str:
    tag = (meta["e_tag"] or "").strip('"')
    return tag or f"{meta['size']}-{meta['last_modified'].timestamp()}"
