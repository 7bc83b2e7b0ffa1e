"""Notifications among the threads of one process."""

from __future__ import annotations

import os
import threading
from functools import partial

from pagetide.server.stores.notifications.pipes import (
    PipeSubscriber,
    checked_topics,
    to_one,
    write_notification,
)


class MemoryNotifications:
    """The port `ports.Notifications` within one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listening: set[tuple[str, int]] = set()  # topic and writing end

    def publish(self, topic: str, text: str = "") -> None:
        """See `ports.Notifications`."""
        with self._lock:  # so that nobody closes a pipe meanwhile
            for listened, pipe in self._listening:
                if listened == topic:
                    write_notification(pipe, text)
                    if to_one(topic):
                        return

    def subscribe(self, *topics: str) -> PipeSubscriber:
        """See `ports.Notifications`.

        Raises:
            ValueError: A topic may not be called so.
        """
        reading, writing = {}, set()
        for topic in checked_topics(topics):
            receiving, sending = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            reading[receiving] = topic
            writing.add((topic, sending))
        with self._lock:
            self._listening |= writing
        return PipeSubscriber(reading, partial(self._forget, tuple(reading), writing))

    def close(self) -> None:
        """See `ports.Notifications`: there is nothing to let go of."""

    def _forget(self, reading: tuple[int, ...], writing: set[tuple[str, int]]) -> None:
        with self._lock:
            self._listening -= writing
            for pipe in (*reading, *(pipe for _, pipe in writing)):
                os.close(pipe)
