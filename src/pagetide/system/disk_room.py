"""Room on a server's disks: below a reserve nothing is taken in, so that what was can end.

A database must write to note that something was erased. So a ballast lies beside it: where a
disk is full to the last byte it is thrown off, and taken on again when there is room.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pagetide.errors import DiskFull

MB = 1_000_000
SHARE = 0.1  # of a small disk the reserve is no more than this
BALLAST_BYTES = 4 * MB
BALLAST_SHARE = 0.25  # of the reserve


class DiskRoom:
    """The free space on the disks of some folders.

    Args:
        folders: On these disks a server keeps what it is sent; they may not be there yet.
        reserve_mb: So much is left free; 0 means that nothing is.
        ballast: Where the ballast lies; None means that there is none.
    """

    def __init__(
        self, folders: Sequence[Path] = (), reserve_mb: float = 0.0, ballast: Path | None = None
    ) -> None:
        self._folders, self._reserve = tuple(dict.fromkeys(folders)), reserve_mb * MB
        self._ballast, self._lock = ballast, threading.Lock()

    def check(self) -> None:
        """Check that something more may be taken in.

        Raises:
            DiskFull: One of the disks has less room than its reserve.
        """
        for folder in self._folders:
            free, reserve = self._room(folder)
            if free < reserve:
                raise DiskFull(
                    f"The server's disk has {free / MB:.0f} MB left, less than its"
                    f" reserve of {reserve / MB:.0f} MB; nothing is accepted until"
                    " there is space."
                )

    def keep_ballast(self) -> None:
        """Take the ballast on, or the rest of it, if there is room beyond the reserve."""
        if self._ballast is None:
            return
        free, reserve = self._room(self._ballast)
        size = min(BALLAST_BYTES, int(reserve * BALLAST_SHARE))
        with self._lock:
            if self._ballast_bytes() < size <= free - reserve:
                self._take_on(size)

    @contextmanager
    def off_ballast(self) -> Iterator[None]:
        """A block with the ballast's room, if there is one; what is left is taken on again."""
        if self._ballast is None:
            yield
            return
        with self._lock:
            size = self._ballast_bytes()
            self._ballast.unlink(missing_ok=True)
            try:
                yield
            finally:
                self._take_on(min(size, self._room(self._ballast)[0]))

    def _room(self, place: Path) -> tuple[int, float]:
        """Bytes that are free on a disk, and those that are to be."""
        there = next(each for each in (place, *place.parents) if each.exists())
        usage = shutil.disk_usage(there)
        return usage.free, min(self._reserve, usage.total * SHARE)

    def _ballast_bytes(self) -> int:
        assert self._ballast  # noqa: S101 - who calls has looked
        with suppress(FileNotFoundError):
            return self._ballast.stat().st_size
        return 0

    def _take_on(self, size: int) -> None:
        assert self._ballast  # noqa: S101 - who calls has looked
        self._ballast.unlink(missing_ok=True)
        # A full disk takes a part; and zeros would take no room where files are compressed.
        with suppress(OSError), self._ballast.open("xb", buffering=0) as file:
            file.write(os.urandom(size))
