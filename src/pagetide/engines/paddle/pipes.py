"""Messages to and from a PaddleOCR process, over its standard input and output.

A message is its length and its payload's length (`<IQ`), itself as JSON, and the payload:
raw bytes, so that a page's pixels are not written out as text.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

from pagetide.system.timed_io import Buffer, read_exactly, write_all

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
        header = json.dumps(message).encode()
        view = memoryview(payload).cast("B")
        write_all(self._write_fd, _LENGTHS.pack(len(header), view.nbytes) + header, deadline)
        write_all(self._write_fd, view, deadline)

    def receive(self, deadline: float) -> tuple[dict[str, Any], bytes]:
        """The next message and its payload; see `send`.

        Raises:
            ValueError: It is no message.
        """
        header_length, payload = _LENGTHS.unpack(
            read_exactly(self._read_fd, _LENGTHS.size, deadline)
        )
        if header_length + payload > _MOST_BYTES:
            raise ValueError("longer than any message")
        message = json.loads(read_exactly(self._read_fd, header_length, deadline))
        return message, bytes(read_exactly(self._read_fd, payload, deadline))
