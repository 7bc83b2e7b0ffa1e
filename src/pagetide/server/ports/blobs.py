"""The port of the storage for documents and results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Blob:
    """A blob: its key, size, entity tag, and when it was written."""

    key: str
    bytes: int
    etag: str
    modified: float


@dataclass(frozen=True, kw_only=True)
class PostForm:
    """A form by which a client sends a document straight to the blobs, past the API.

    Attributes:
        url: Where to `POST` a `multipart/form-data` to.
        fields: Its fields; the document follows them as `file`.
    """

    url: str
    fields: Mapping[str, str]


class Blobs(Protocol):
    """Bytes under keys such as `jobs/ID/input`.

    All methods raise `StoreFailed` where the blobs cannot be reached, and `DiskFull` where
    there is no room. A blob appears whole or not at all.
    """

    def put(self, key: str, data: bytes | Iterable[bytes], *, durable: bool = False) -> Blob:
        """Keep bytes, in place of what was there.

        Args:
            key: Where.
            data: What.
            durable: Return only when it would outlive a power cut.
        """
        ...

    def put_file(self, key: str, path: Path) -> Blob:
        """Keep a file, which may be moved there, so that it outlives a power cut."""
        ...

    def find(self, key: str) -> Blob | None:
        """The facts of a blob; None where there is none."""
        ...

    def get(self, key: str) -> bytes:
        """A small blob, whole.

        Raises:
            BlobMissing: There is no such blob.
        """
        ...

    def stream(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """A blob's bytes from `start` up to `end`, in chunks of at most 1 MiB.

        Raises:
            BlobMissing: There is no such blob; raised by the call, not by the first chunk.
        """
        ...

    def local(self, key: str) -> AbstractContextManager[Path]:
        """The blob as a file to read, for as long as the context is open.

        Raises:
            BlobMissing: There is no such blob.
        """
        ...

    def copy(self, source: str, target: str) -> None:
        """Keep the same bytes under another key.

        Raises:
            BlobMissing: There is no such blob.
        """
        ...

    def under(self, prefix: str) -> Iterator[Blob]:
        """All blobs whose keys begin with a prefix that ends in `/`, in no order."""
        ...

    def delete(self, key: str) -> None:
        """Remove a blob, if it is there."""
        ...

    def delete_under(self, prefix: str) -> int:
        """Remove all blobs under a prefix that ends in `/`; how many."""
        ...

    def post_form(self, key: str, *, expires_s: float, most_bytes: int) -> PostForm | None:
        """A form that is valid for a while, for a blob neither empty nor larger than this.

        Returns:
            None where there is no such thing, and the API must take the document itself.
        """
        ...

    def link(self, key: str, *, expires_s: float, name: str, media_type: str) -> str | None:
        """A URL that opens only this blob, without a key; None where the API must sign one."""
        ...
