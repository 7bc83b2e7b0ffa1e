"""A file that is whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pagetide.errors import CannotWrite


@contextmanager
def part_file(path: Path) -> Iterator[BinaryIO]:
    """A file beside `path` that takes its place when the block ends well.

    Raises:
        CannotWrite: The folder or the file cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("w+b") as file:
                yield file
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        raise CannotWrite(f"{path} cannot be written: {reason}.") from None


def sync(path: Path) -> None:
    """Have a file, or a folder's list of files, on the disk before this returns."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
