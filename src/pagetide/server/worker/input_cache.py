"""A worker's cache of the documents that it reads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pagetide.server.ports import Blobs

MOST = 4  # kept though nobody reads them just now


class Inputs:
    """Documents as files; one of many tasks is fetched once, not once for each of them.

    Any number of threads may use it.
    """

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._lock = threading.Lock()
        self._files: dict[str, tuple[Path, ExitStack]] = {}
        self._readers: dict[str, int] = {}

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        """A document as a file, for as long as the context is open.

        Raises:
            BlobMissing: There is no such blob.
        """
        with self._lock:
            path = self._fetched(key)
            self._readers[key] = self._readers.get(key, 0) + 1
        try:
            yield path
        finally:
            with self._lock:
                self._readers[key] -= 1
                self._forget(MOST)

    def clear(self) -> None:
        """Keep none that nobody reads."""
        with self._lock:
            self._forget(0)

    def _fetched(self, key: str) -> Path:
        if key in self._files and not self._files[key][0].exists():  # its job was erased
            self._files.pop(key)[1].close()
        if key not in self._files:
            with ExitStack() as ends:
                path = ends.enter_context(self._blobs.local(key))
                self._files[key] = (path, ends.pop_all())
        return self._files[key][0]

    def _forget(self, kept: int) -> None:
        """Remove the oldest documents that nobody reads, but for so many."""
        idle = [key for key in self._files if not self._readers.get(key)]
        for key in idle[: max(0, len(idle) - kept)]:
            self._readers.pop(key, None)
            self._files.pop(key)[1].close()
