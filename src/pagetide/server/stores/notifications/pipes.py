"""Notifications through pipes: the subscriber's end, and the publisher's write.

A pipe holds 64 KiB, some 1,600 notifications that nobody has read yet. A Unix datagram socket,
the other way to wake a process without a server, holds 11 by default; a burst would be lost.
"""

from __future__ import annotations

import os
import re
import selectors
from collections.abc import Callable, Mapping
from contextlib import suppress

_TOPIC = re.compile(r"[a-z0-9_-]{1,64}")
_LONGEST = 400  # bytes of a text; POSIX writes 512 whole or not at all
_AT_ONCE = 1 << 16


def is_topic(name: str) -> bool:
    """Whether a topic may be called so: 1 to 64 of a-z, 0-9, `_` and `-`."""
    return _TOPIC.fullmatch(name) is not None


def to_one(topic: str) -> bool:
    """Whether one subscriber, of all to a topic, receives each notification."""
    return topic.startswith("one-")


def checked_topics(names: tuple[str, ...]) -> tuple[str, ...]:
    """The topics to listen to, each once.

    Raises:
        ValueError: There is none, or one may not be called so.
    """
    if not names or not all(map(is_topic, names)):
        raise ValueError(f"{names} are no names of topics")
    return tuple(dict.fromkeys(names))


def write_notification(pipe: int, text: str) -> None:
    """Put a notification into a pipe, which does not block; where it is full, it is lost."""
    line = text.replace("\n", " ").encode(errors="replace")[:_LONGEST]
    with suppress(OSError):
        os.write(pipe, line + b"\n")


class PipeSubscriber:
    """The port `ports.Subscriber`: receives what is written into its pipes.

    It belongs to one thread; `close` may be called from others once that has stopped.

    Args:
        pipes: Reading ends that do not block, each with its topic.
        close_pipes: Called once, when the listener closes.
    """

    def __init__(self, pipes: Mapping[int, str], close_pipes: Callable[[], None]) -> None:
        self._pipes = dict(pipes)
        self._close_pipes = close_pipes
        self._rests = dict.fromkeys(self._pipes, b"")
        self._selector = selectors.DefaultSelector()
        for pipe in self._pipes:
            self._selector.register(pipe, selectors.EVENT_READ)

    def wait(self, timeout_s: float) -> tuple[tuple[str, str], ...]:
        """See `ports.Subscriber`; what was published several times is given once."""
        if not self._pipes:
            return ()
        received: dict[tuple[str, str], None] = {}
        for key, _ in self._selector.select(max(0.0, timeout_s)):
            received |= dict.fromkeys(
                (self._pipes[key.fd], text) for text in self._read(key.fd)
            )
        return tuple(received)

    def fileno(self) -> int:
        """See `ports.Subscriber`; after `close` -1."""
        return self._selector.fileno() if self._pipes else -1

    def close(self) -> None:
        """See `ports.Subscriber`; closing again does nothing."""
        if self._pipes:
            self._pipes.clear()
            self._selector.close()
            self._close_pipes()

    def _read(self, pipe: int) -> list[str]:
        try:
            fresh = os.read(pipe, _AT_ONCE)
        except BlockingIOError:
            return []
        *lines, self._rests[pipe] = (self._rests[pipe] + fresh).split(b"\n")
        return [line.decode(errors="replace") for line in lines]
