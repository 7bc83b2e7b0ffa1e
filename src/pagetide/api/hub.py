"""Hears that jobs have changed, and wakes the requests that wait for it.

One listener serves all requests of a process, and none of them holds a thread. A ring may be
lost, so whoever waits looks again after two seconds in any case.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import anyio.to_thread

from pagetide import metrics
from pagetide.news import JOBS
from pagetide.ports import Bell, Listener

LOOK_AGAIN_S = 2.0
_THREAD_WAIT_S = 0.5  # where a thread listens, it sees the end so soon

_log = logging.getLogger("pagetide.api")


class Hub:
    """The requests that wait for news, by job.

    Attributes:
        stopping: The server ends: nobody waits any longer.
        rings: How often it has heard that a job has changed.
    """

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._bells: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._listener: Listener | None = None
        self._thread: asyncio.Task[None] | None = None
        self.stopping = False
        self.rings = 0

    async def start(self) -> None:
        """Begin to listen."""
        self.stopping = False
        self._listener = await anyio.to_thread.run_sync(
            self._bell.listen, JOBS, *metrics.TOPICS
        )
        descriptor = self._listener.fileno()
        if descriptor >= 0:
            asyncio.get_running_loop().add_reader(descriptor, self._hear, self._listener)
        else:
            self._thread = asyncio.create_task(self._hear_in_thread(self._listener))

    def stop(self) -> None:
        """Send home all who wait, so that a server that was asked to end can."""
        self.stopping = True
        for bells in self._bells.values():
            for bell in bells:
                bell.set()

    async def close(self) -> None:
        """Hear no more."""
        self.stop()
        listener, self._listener = self._listener, None
        if listener is None:
            return
        if self._thread:
            await self._thread
        else:
            asyncio.get_running_loop().remove_reader(listener.fileno())
        await anyio.to_thread.run_sync(listener.close)

    @contextmanager
    def following(self, job_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the job has changed."""
        bell = asyncio.Event()
        self._bells[job_id].add(bell)
        try:
            yield bell
        finally:
            self._bells[job_id].discard(bell)
            if not self._bells[job_id]:
                del self._bells[job_id]

    @property
    def followed(self) -> int:
        """For how many jobs somebody waits."""
        return len(self._bells)

    async def wait(self, bell: asyncio.Event, seconds: float) -> None:
        """Until the bell rings, at most so long, and never longer than two seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(seconds, LOOK_AGAIN_S))):
                await bell.wait()

    def _hear(self, listener: Listener) -> None:
        try:
            self._spread(listener.wait(0.0))
        except Exception:  # whatever a bell's client may raise, the two seconds remain
            _log.exception("the bell can no longer be heard")
            asyncio.get_running_loop().remove_reader(listener.fileno())

    async def _hear_in_thread(self, listener: Listener) -> None:
        while not self.stopping:
            try:
                heard = await anyio.to_thread.run_sync(listener.wait, _THREAD_WAIT_S)
            except Exception:  # as above
                _log.exception("the bell cannot be heard now")
                await asyncio.sleep(LOOK_AGAIN_S)
                continue
            self._spread(heard)

    def _spread(self, heard: tuple[tuple[str, str], ...]) -> None:
        for topic, text in heard:
            if topic in metrics.TOPICS:
                metrics.apply(text)
            else:
                self.rings += 1
                for bell in self._bells.get(text, ()):
                    bell.set()
