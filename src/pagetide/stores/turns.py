"""One process after the other: a lock on a file, which the system hands on at once."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def turn(path: Path, timeout_s: float) -> Iterator[None]:
    """Be the only process in here; the system ends the turn of one that dies.

    Args:
        path: A file that is there for this alone.
        timeout_s: How long to wait for the others.

    Raises:
        TimeoutError: The others took longer.
        OSError: The file cannot be opened.
    """
    file = os.open(path, os.O_RDWR)
    try:
        _lock(file, timeout_s)
        yield
        fcntl.flock(file, fcntl.LOCK_UN)  # at once, though a child may still hold the file
    finally:
        os.close(file)  # this ends the turn too, or the wait for it


def _lock(file: int, timeout_s: float) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # A wait for it has no timeout, so a thread waits, and is left behind if it must.
        waiter = threading.Thread(target=fcntl.flock, args=(file, fcntl.LOCK_EX), daemon=True)
        waiter.start()
        waiter.join(timeout_s)
        if waiter.is_alive():
            raise TimeoutError from None
