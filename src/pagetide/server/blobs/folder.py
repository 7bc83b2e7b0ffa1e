"""Folder operations that obstore lacks: moving, syncing to disk, tidying up."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from pagetide.system.part_file import sync


class Folder:
    """A folder whose files are blobs; a key is a path in it. Raises OSErrors."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, key: str) -> Path:
        """Where a key's file is."""
        return self._root / key

    def take(self, key: str, source: Path) -> None:
        """Move a file to its key, as new as can be; across file systems it is copied."""
        target = self.path(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.stat().st_dev != target.parent.stat().st_dev:
            self._copy(source, target)
            source.unlink()
            return
        os.utime(source)
        sync(source)
        source.replace(target)
        self._settle_name(target)

    def copy(self, source: str, target: str) -> None:
        """Copy bytes, for a hard link would look as old as its source to a sweeper."""
        self.path(target).parent.mkdir(parents=True, exist_ok=True)
        self._copy(self.path(source), self.path(target))

    def settle(self, key: str) -> None:
        """Sync a file and the folders that lead to it to the disk (1 ms on an SSD)."""
        with suppress(FileNotFoundError):  # it was removed meanwhile
            sync(self.path(key))
        self._settle_name(self.path(key))

    def clear(self, prefix: str) -> None:
        """Remove all files and folders below a prefix, and the prefix's own folder."""
        for folder, _, names in os.walk(self.path(prefix), topdown=False):
            for name in names:
                Path(folder, name).unlink(missing_ok=True)
            with suppress(OSError):  # somebody just wrote there, or has removed it
                Path(folder).rmdir()

    def _copy(self, source: Path, target: Path) -> None:
        # `#` and digits at the end is what obstore calls its own unfinished files, too, so
        # that no listing shows it.
        staged = target.with_name(f"{target.name}#{secrets.randbelow(10**12)}")
        try:
            shutil.copyfile(source, staged)
            sync(staged)
            staged.replace(target)
        except BaseException:
            staged.unlink(missing_ok=True)
            raise
        self._settle_name(target)

    def _settle_name(self, target: Path) -> None:
        for folder in target.parents:
            with suppress(FileNotFoundError):  # it was removed meanwhile, with the file
                sync(folder)
            if folder == self._root:
                break
