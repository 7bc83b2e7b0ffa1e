"""Reading and writing a pipe to the last byte, never past a deadline.

Only a pipe that does not block is sure to keep it. A deadline is of `time.monotonic()`; None
waits for ever.
"""

from __future__ import annotations

import os
import select
import time

Buffer = bytes | bytearray | memoryview


def write_all(fd: int, buffer: Buffer, deadline: float | None) -> None:
    """Write a buffer.

    Raises:
        TimeoutError: The deadline passed.
        EOFError: The other side is gone.
    """
    rest = memoryview(buffer).cast("B")
    while rest:
        _wait(fd, select.POLLOUT, deadline)
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            continue
        except BrokenPipeError:
            raise EOFError from None


def read_exactly(fd: int, size: int, deadline: float | None) -> bytearray:
    """Read so many bytes; see `write_all`."""
    buffer = bytearray(size)
    rest = memoryview(buffer)
    while rest:
        _wait(fd, select.POLLIN, deadline)
        count = os.readv(fd, [rest])
        if not count:
            raise EOFError
        rest = rest[count:]
    return buffer


def _wait(fd: int, event: int, deadline: float | None) -> None:
    poll = select.poll()
    poll.register(fd, event)
    left_ms = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
    if not poll.poll(left_ms):
        raise TimeoutError
