"""Messages to and from a PaddleOCR process, over its standard input and output.

A message is its length and its payload's length (`<IQ`), itself as JSON, and the payload:
raw bytes, so that a page's pixels are not written out as text.
"""

from __future__ import annotations

import json
import os
import select
import struct
import time
from typing import Any

Buffer = bytes | bytearray | memoryview

_LENGTHS = struct.Struct("<IQ")
# A result is text and numbers: even a page of small print makes a few megabytes.
_MOST_BYTES = 1 << 30


class Pipes:
    """This end of the two pipes; neither reading nor writing goes on past a deadline.

    Args:
        read_fd: Where the other side's messages come from.
        write_fd: Where messages to the other side go.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        for fd in (read_fd, write_fd):
            os.set_blocking(fd, False)

    def send(self, message: object, payload: Buffer, deadline: float) -> None:
        """Send a message and its payload.

        Args:
            message: What JSON can carry.
            payload: Any bytes.
            deadline: Of `time.monotonic()`.

        Raises:
            TimeoutError: The deadline passed.
            EOFError: The other side is gone.
        """
        said = json.dumps(message).encode()
        view = memoryview(payload).cast("B")
        self._write(_LENGTHS.pack(len(said), view.nbytes) + said, deadline)
        self._write(view, deadline)

    def receive(self, deadline: float) -> tuple[dict[str, Any], bytes]:
        """The next message and its payload; see `send`.

        Raises:
            ValueError: It is no message.
        """
        said, payload = _LENGTHS.unpack(self._read(_LENGTHS.size, deadline))
        if said + payload > _MOST_BYTES:
            raise ValueError("longer than any message")
        message = json.loads(self._read(said, deadline))
        return message, bytes(self._read(payload, deadline))

    def _write(self, buffer: Buffer, deadline: float) -> None:
        rest = memoryview(buffer)
        while rest:
            _wait(self._write_fd, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self._write_fd, rest) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise EOFError from None

    def _read(self, size: int, deadline: float) -> bytearray:
        buffer = bytearray(size)
        rest = memoryview(buffer)
        while rest:
            _wait(self._read_fd, select.POLLIN, deadline)
            count = os.readv(self._read_fd, [rest])
            if not count:
                raise EOFError
            rest = rest[count:]
        return buffer


def _wait(fd: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(fd, event)
    if not poll.poll(max(0.0, (deadline - time.monotonic()) * 1000)):
        raise TimeoutError
