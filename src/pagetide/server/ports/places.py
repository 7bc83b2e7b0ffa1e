"""The port of a place with files of others: a folder, a bucket or a container."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


@dataclass(frozen=True, kw_only=True)
class PlacedFile:
    """A file as it lies in a place.

    Attributes:
        name: Its path in the place, parted by `/`.
        stamp: Another one once its content has been changed.
    """

    name: str
    stamp: str


class Place(Protocol):
    """Files under names that people give them.

    All methods raise `StoreFailed` where the place cannot be reached, and `DiskFull` where
    there is no room. What is put appears whole or not at all.
    """

    @property
    def grows(self) -> bool:
        """Whether a file can be seen before all of it is there."""
        ...

    def files(self) -> Iterator[PlacedFile]:
        """All files, in no order."""
        ...

    def read(self, name: str) -> bytes:
        """A small file, whole.

        Raises:
            BlobMissing: There is no such file.
        """
        ...

    def copy(self, name: str, into: BinaryIO) -> str:
        """Copy a file.

        Returns:
            Its stamp; one that no file has where it was changed meanwhile.

        Raises:
            BlobMissing: There is no such file.
        """
        ...

    def put(self, name: str, content: bytes | Path) -> None:
        """Put bytes, or what a file holds, in the place of what was there."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        ...
