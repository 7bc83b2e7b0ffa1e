"""The port `ports.Place`: other people's files in a folder, a bucket or a container."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

import obstore

from pagetide.blobs.clouds import CLOUDS, open_cloud
from pagetide.blobs.failures import Place as Cloud
from pagetide.blobs.failures import translated
from pagetide.blobs.served import media_type_of
from pagetide.errors import BadOption, BlobMissing, NotFound
from pagetide.part_file import part_file
from pagetide.ports import PlacedFile

if TYPE_CHECKING:
    from obstore import Attributes, ObjectMeta
    from obstore.store import AzureStore, GCSStore, S3Store

_CHUNK = 1 << 20
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
        StoreFailed: It cannot be made.
    """
    scheme, colon, _ = where.partition("://")
    if colon and scheme in CLOUDS:
        return Bucket(*open_cloud(where))
    if colon and re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        parts = urlsplit(where)
        if scheme != "file" or parts.netloc:
            raise BadOption("A place is a folder, s3://…, az://… or gs://….")
        where = unquote(parts.path)
    if make:
        with translated(None):
            Path(where).mkdir(parents=True, exist_ok=True)
    return Folder(Path(where))


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
        with translated(None):
            if not self._root.is_dir():
                raise NotFound(f"There is no folder {self._root} any more.")
            yield from self._walk(self._root)

    def read(self, name: str) -> bytes:
        """See `ports.Place`."""
        with translated(None, name):
            return (self._root / name).read_bytes()

    def copy(self, name: str, into: BinaryIO) -> str:
        """See `ports.Place`."""
        path = self._root / name
        with translated(None, name), path.open("rb") as file:
            before = _stamp(os.fstat(file.fileno()))
            shutil.copyfileobj(file, into, _CHUNK)
            return before if _stamp(path.stat()) == before else _TORN

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
        with translated(None), suppress(FileNotFoundError):
            (self._root / name).unlink()

    def _walk(self, folder: Path) -> Iterator[PlacedFile]:
        with os.scandir(folder) as entries:
            for entry in entries:
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    with suppress(FileNotFoundError):  # it was removed just now
                        yield from self._walk(path)
                elif entry.is_file(follow_symlinks=False):
                    with suppress(FileNotFoundError):
                        name = path.relative_to(self._root).as_posix()
                        yield PlacedFile(name=name, stamp=_stamp(path.stat()))


class Bucket:
    """The objects below a prefix."""

    grows = False

    def __init__(self, store: S3Store | AzureStore | GCSStore, place: Cloud) -> None:
        self._store, self._place = store, place

    def files(self) -> Iterator[PlacedFile]:
        """See `ports.Place`."""
        with translated(self._place):
            for found in obstore.list(self._store, chunk_size=1000):
                yield from (PlacedFile(name=meta["path"], stamp=_tag(meta)) for meta in found)

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


def _stamp(stat: os.stat_result) -> str:
    return f"{stat.st_size}-{stat.st_mtime_ns}"


def _tag(meta: ObjectMeta) -> str:
    tag = (meta["e_tag"] or "").strip('"')
    return tag or f"{meta['size']}-{meta['last_modified'].timestamp()}"
