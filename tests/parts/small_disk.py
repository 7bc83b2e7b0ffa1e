"""A small file system of its own: mounted here, or where that is not allowed in a namespace."""

from __future__ import annotations

import errno
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BLOCK = 4096


@dataclass(frozen=True)
class SmallDisk:
    """The file system.

    Attributes:
        folder: Where it is mounted, for a process that `within` runs.
        within: What runs a command that sees it, in the same process.
    """

    folder: Path
    within: Sequence[str]

    def seen_by(self, pid: int) -> Path:
        """The folder as this process reaches it, once the process runs that sees it."""
        return Path(f"/proc/{pid}/root{self.folder}") if self.within else self.folder


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[SmallDisk]:
    """A file system of so many megabytes, in memory, on a folder that is there."""
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(["mount", *options], check=False, capture_output=True).returncode:
        mounting = 'mount -t tmpfs -o "size=$1m" tmpfs "$2" && shift 2 && exec "$@"'
        own = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounting, "sh"]
        yield SmallDisk(folder, [*own, str(megabytes), str(folder)])
        return
    try:
        yield SmallDisk(folder, ())
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(file: Path, leaving: int = 0) -> None:
    """Write a file until its disk has no more than so many bytes left."""
    with file.open("ab", buffering=0) as filling:
        while (free := shutil.disk_usage(file.parent).free) > leaving:
            try:
                filling.write(bytes(min(max(free - leaving, BLOCK), 1 << 20)))
            except OSError as error:
                assert error.errno == errno.ENOSPC
