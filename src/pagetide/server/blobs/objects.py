"""The port `ports.Blobs` over any store that obstore knows."""

from __future__ import annotations

import errno
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore

from pagetide.errors import BlobMissing, StoreFailed
from pagetide.server.blobs.failures import Place, answered, error_number, translated
from pagetide.server.blobs.folder import Folder
from pagetide.server.blobs.keys import check, check_prefix
from pagetide.server.blobs.links import Links
from pagetide.server.blobs.posts import Posts
from pagetide.server.blobs.served import attributes_of
from pagetide.server.ports import Blob, PostForm

if TYPE_CHECKING:
    from obstore import Attributes, ObjectMeta
    from obstore.store import AzureStore, GCSStore, ObjectStore, S3Store

_CHUNK = 1 << 20
_PART = 5 << 20  # the least that S3 takes
_PARTS_AT_ONCE = 2
# Beside erasing without a pause, on two busy cores, five were too few once in a thousand puts.
_TRIES = 20
# Making a folder says that it is there where it goes between the making and a second look.
_VANISHED = {errno.ENOENT, errno.EEXIST}
_AT_ONCE = 1000  # keys that S3 removes by one request; Azure takes 256, obstore sees to it


class ObjectBlobs:
    """The port `ports.Blobs`, over any store that obstore knows.

    Every method raises ValueError for what is no key: see `keys`. In a cloud, the credentials
    must allow to read, write, delete and list: without the last, S3 does not say what is
    missing.
    """

    def __init__(
        self,
        store: ObjectStore,
        *,
        folder: Folder | None = None,
        place: Place | None = None,
        links: Links | None = None,
        posts: Posts | None = None,
    ) -> None:
        self._store, self._folder, self._place, self._links = store, folder, place, links
        self._posts = posts

    @classmethod
    def in_folder(cls, root: Path) -> Self:
        """Blobs as files in a folder that only this user may enter.

        Raises:
            DiskFull: There is no room to make the folder.
            StoreFailed: The folder cannot be made.
        """
        with translated(None):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            return cls(LocalStore(root), folder=Folder(root))

    @classmethod
    def in_memory(cls) -> Self:
        """Blobs that this process alone sees."""
        return cls(MemoryStore())

    @classmethod
    def in_cloud(
        cls, store: S3Store | AzureStore | GCSStore, place: Place, posts: Posts | None = None
    ) -> Self:
        """Blobs in a bucket or container, which must be there."""
        return cls(store, place=place, links=Links(store), posts=posts)

    def put(self, key: str, data: bytes | Iterable[bytes], *, durable: bool = False) -> Blob:
        """See `ports.Blobs`; what the iterable raises reaches the caller."""
        check(key)
        if isinstance(data, bytes):
            size = len(data)
            with self._translated():
                _insist(partial(self._put_at_once, key, data))
        else:
            size = self._push(key, data)
        if durable and self._folder:
            with self._translated():
                self._folder.settle(key)
        return self._kept(key, size)

    def put_file(self, key: str, path: Path) -> Blob:
        """See `ports.Blobs`; the file is gone afterwards where blobs are files beside it."""
        check(key)
        with self._translated():
            size = path.stat().st_size
            if self._folder:
                _insist(partial(self._folder.take, key, path))
            else:
                self._put_at_once(key, path)
        return self._kept(key, size)

    def find(self, key: str) -> Blob | None:
        """See `ports.Blobs`."""
        check(key)
        try:
            return self._known(key)
        except BlobMissing:
            return None

    def get(self, key: str) -> bytes:
        """See `ports.Blobs`."""
        check(key)
        with self._translated(key):
            return obstore.get(self._store, key).bytes().to_bytes()

    def stream(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """See `ports.Blobs`; what lies behind the blob's end is left out."""
        check(key)
        if start == 0 and end is None:
            with self._translated(key):
                return self._in_chunks(key, obstore.get(self._store, key).stream(_CHUNK))
        size = self._known(key).bytes
        end = size if end is None else min(end, size)
        if start >= end:  # which a store would take for an error
            return iter(())
        with self._translated(key):
            part = obstore.get(self._store, key, options={"range": (start, end)})
            return self._in_chunks(key, part.stream(_CHUNK))

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        """See `ports.Blobs`: the blob's own file in a folder, a temporary copy elsewhere."""
        if self._folder:
            self._known(key)
            yield self._folder.path(key)
            return
        chunks = self.stream(key)
        with tempfile.NamedTemporaryFile(prefix="pagetide-") as file:
            with translated(None):
                file.writelines(chunks)
                file.flush()
            yield Path(file.name)

    def copy(self, source: str, target: str) -> None:
        """See `ports.Blobs`; in a folder the copy outlives a power cut.

        A cloud copies by itself; S3 takes no blob of more than 5 GB.
        """
        check(source)
        check(target)
        with self._translated(source):
            if self._folder:
                _insist(partial(self._folder.copy, source, target))
            else:
                obstore.copy(self._store, source, target)

    def under(self, prefix: str) -> Iterator[Blob]:
        """See `ports.Blobs`."""
        check_prefix(prefix)
        with self._translated():
            for found in obstore.list(self._store, prefix, chunk_size=_AT_ONCE):
                yield from map(_blob, found)

    def delete(self, key: str) -> None:
        """See `ports.Blobs`."""
        check(key)
        with suppress(BlobMissing), self._translated(key):
            obstore.delete(self._store, key)

    def delete_under(self, prefix: str) -> int:
        """See `ports.Blobs`; in a folder, what broken uploads left goes too."""
        removed: set[str] = set()
        for _ in range(_TRIES):
            keys = [blob.key for blob in self.under(prefix)]
            removed.update(keys)
            # Where somebody else has removed one, Azure and Google may have left others.
            with suppress(BlobMissing):
                self._remove(prefix, keys)
                return len(removed)
        raise StoreFailed("Blobs cannot be removed: another process keeps removing them.")

    def post_form(self, key: str, *, expires_s: float, most_bytes: int) -> PostForm | None:
        """See `ports.Blobs`: of a bucket of S3, where boto3 is installed."""
        check(key)
        return self._posts.form(key, expires_s, most_bytes) if self._posts else None

    def link(self, key: str, *, expires_s: float, name: str, media_type: str) -> str | None:
        """See `ports.Blobs`: of a bucket or container, where the credentials can sign.

        It serves the blob with the type of its key, as a file of the key's name, not `name`;
        for 7 days at most, and no longer than the credentials themselves are valid.
        """
        check(key)
        return self._links.link(key, expires_s, media_type) if self._links else None

    def _put_at_once(self, key: str, data: bytes | Path) -> None:
        obstore.put(
            self._store,
            key,
            data,
            attributes=self._attributes(key),
            max_concurrency=_PARTS_AT_ONCE,
        )

    def _push(self, key: str, chunks: Iterable[bytes]) -> int:
        # obstore takes iterables, too, but pulls them inside its own runtime, which panics
        # when the iterable itself reads a blob.
        size = 0
        with self._translated():
            writer = obstore.open_writer(
                self._store,
                key,
                attributes=self._attributes(key),
                buffer_size=_PART,
                max_concurrency=_PARTS_AT_ONCE,
            )
        try:
            for chunk in chunks:
                with self._translated():
                    size += writer.write(chunk)
        except BaseException as error:
            with suppress(BaseError, OSError):
                writer.__exit__(type(error), error, None)  # which leaves nothing behind
            raise
        with self._translated():
            writer.close()
        return size

    def _remove(self, prefix: str, keys: list[str]) -> None:
        if self._folder:
            with self._translated():
                self._folder.clear(prefix)
            return
        for start in range(0, len(keys), _AT_ONCE):
            with self._translated(prefix):
                obstore.delete(self._store, keys[start : start + _AT_ONCE])

    def _known(self, key: str) -> Blob:
        check(key)
        with self._translated(key):
            try:
                return _blob(obstore.head(self._store, key))
            except (BaseError, FileNotFoundError) as error:
                if self._place and answered(error):  # but only a GET's answer says why
                    obstore.get(self._store, key)
                raise

    def _kept(self, key: str, size: int) -> Blob:
        """The blob just put, which somebody may have removed already."""
        return self.find(key) or Blob(key=key, bytes=size, etag="", modified=time.time())

    def _attributes(self, key: str) -> Attributes | None:
        return attributes_of(key) if self._place else None  # a folder takes none

    def _in_chunks(self, key: str, parts: Iterable[bytes]) -> Iterator[bytes]:
        with self._translated(key):
            for part in parts:  # of any size: memory gives a blob in one
                for start in range(0, len(part), _CHUNK):
                    yield bytes(memoryview(part)[start : start + _CHUNK])

    def _translated(self, key: str | None = None) -> AbstractContextManager[None]:
        return translated(self._place, key)


def _insist(write: Callable[[], object]) -> None:
    """Write, again where the folder vanishes meanwhile: its job is being erased just now."""
    for tries_left in reversed(range(_TRIES)):
        try:
            write()
            return
        except (BaseError, OSError) as error:
            if error_number(error) not in _VANISHED or not tries_left:
                raise


def _blob(meta: ObjectMeta) -> Blob:
    return Blob(
        key=meta["path"],
        bytes=meta["size"],
        etag=(meta["e_tag"] or "").strip('"'),
        modified=meta["last_modified"].timestamp(),
    )
