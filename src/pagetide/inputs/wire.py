"""Messages between a process and its sandbox child, over two pipes.

A message is its length and its payload's length (`<IQ`), the message itself in MessagePack,
and the payload: raw bytes, so that a page's pixels are copied once on each side and no more.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterable
from typing import Any

import msgspec

from pagetide.system.timed_io import Buffer, read_exactly, write_all

_LENGTHS = struct.Struct("<IQ")
# The most an unprivileged process may ask for; 64 KB, the default, made a page 2× slower.
_PIPE_BYTES = 1 << 20


class Call(msgspec.Struct, array_like=True):
    """What the child is to run: `module:function`, with these arguments, for how long.

    An argument whose index is in `files` is a descriptor, sent over the socket.
    """

    function: str
    args: list[Any]
    timeout_s: float
    files: list[int] = []


class Answer(msgspec.Struct, array_like=True):
    """The result of a call: a value, or an error's code and message."""

    value: msgspec.Raw = msgspec.Raw(b"\xc0")
    error_code: str = ""
    error_message: str = ""


class Parcel:
    """A result with raw bytes beside it; see `Sandbox.fetch`.

    Attributes:
        value: What MessagePack can carry.
        parts: Buffers, taken one by one as they are sent.
        size: Bytes of all parts together.
    """

    def __init__(self, value: object, parts: Iterable[Buffer] = (), size: int = 0) -> None:
        self.value = value
        self.parts = parts
        self.size = size


class Channel:
    """One end of the two pipes.

    Args:
        read_fd: Where the other side's messages come from.
        write_fd: Where messages to the other side go.
        limit_bytes: Most that a message or a payload from the other side may hold.
    """

    def __init__(self, read_fd: int, write_fd: int, *, limit_bytes: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._limit_bytes = limit_bytes

    def widen(self) -> None:
        """Let the pipes hold more, and make reading and writing non-blocking."""
        for fd in (self._read_fd, self._write_fd):
            os.set_blocking(fd, False)
            if hasattr(fcntl, "F_SETPIPE_SZ"):
                try:
                    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
                except OSError:
                    return  # this user's pipe limit is reached: only slower

    def send(
        self,
        message: bytes,
        parts: Iterable[Buffer] = (),
        size: int = 0,
        *,
        deadline: float | None = None,
    ) -> None:
        """Send a message and its payload.

        Args:
            message: MessagePack.
            parts: The payload's buffers.
            size: The payload's bytes.
            deadline: Of `time.monotonic()`; None waits for ever.

        Raises:
            TimeoutError: The deadline passed.
            EOFError: The other side is gone.
        """
        write_all(self._write_fd, _LENGTHS.pack(len(message), size) + message, deadline)
        for part in parts:
            write_all(self._write_fd, part, deadline)

    def receive(self, *, deadline: float | None = None) -> tuple[bytearray, bytearray]:
        """The next message and its payload; see `send`.

        Raises:
            msgspec.DecodeError: It is longer than the limit.
        """
        message_bytes, payload_bytes = _LENGTHS.unpack(
            read_exactly(self._read_fd, _LENGTHS.size, deadline)
        )
        if max(message_bytes, payload_bytes) > self._limit_bytes:
            raise msgspec.DecodeError
        return read_exactly(self._read_fd, message_bytes, deadline), read_exactly(
            self._read_fd, payload_bytes, deadline
        )
