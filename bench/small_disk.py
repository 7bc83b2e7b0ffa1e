"""A separate file system that is small enough to be filled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SIZE_MB = 128
CHUNK = 1 << 16


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A folder is a file system in memory for this long; only root may mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    options = f"size={SIZE_MB}m,mode=755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """No byte is free there for this long, except what others remove meanwhile."""
    ballast = folder / "ballast"
    try:
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while file.write(b"\0" * CHUNK):
                pass
        yield
    finally:
        ballast.unlink()
