"""Compiled networks kept on disk: a fresh process starts a second sooner."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

MOST_FILES = 24  # of 10 to 20 MB; the ones not used for longest go


class CompiledCache:
    """A folder of compiled networks, by the hash of everything they depend on.

    It only saves time: what cannot be read is compiled again, what cannot be written is not
    kept, and several processes may use one folder.
    """

    def __init__(self, folder: Path | None, *ingredients: str) -> None:
        """Open the cache.

        Args:
            folder: Where; None keeps nothing.
            ingredients: What every network here depends on, such as versions.
        """
        self._folder = folder
        self._ingredients = ingredients

    def load(self, name: str) -> bytes | None:
        """The network kept under a name, if there is one."""
        path = self._path(name)
        if path is None:
            return None
        try:
            content = path.read_bytes()
            path.touch()
        except OSError:
            return None
        return content

    def store(self, name: str, content: bytes) -> None:
        """Keep a network; it appears whole or not at all."""
        path = self._path(name)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(content)
            Path(file.name).replace(path)
            self._prune(path.parent)
        except OSError:
            return  # a full or read-only disk must not keep anyone from reading

    def _path(self, name: str) -> Path | None:
        if self._folder is None:
            return None
        key = hashlib.sha256("\0".join((*self._ingredients, name)).encode()).hexdigest()[:32]
        return self._folder / f"{key}.compiled"

    def _prune(self, folder: Path) -> None:
        files = sorted(folder.glob("*.compiled"), key=lambda file: file.stat().st_mtime)
        for file in files[:-MOST_FILES]:
            file.unlink(missing_ok=True)


def digest_of(*files: str | os.PathLike[str]) -> str:
    """One hash of some files' contents."""
    return hashlib.sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()
