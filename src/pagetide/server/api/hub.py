"""Receives notifications of changed jobs, and wakes the requests that wait for them.

One subscriber serves all requests of a process, and none of them holds a thread. A notification
may be lost, so every two seconds it is looked, once for all, which of the jobs have changed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress

import anyio.to_thread

from pagetide.errors import PagetideError
from pagetide.server.ports import Notifications, Subscriber
from pagetide.server.service.notifier import JOBS
from pagetide.server.service.service import Marks
from pagetide.telemetry import metrics

LOOK_AGAIN_S = 2.0
LINE_S = 10.0  # each place in a line is a query: a thousand are a third of a core for a second
_THREAD_WAIT_S = 0.5  # where a thread listens, it sees the end so soon

_log = logging.getLogger("pagetide.server.api")


class Hub:
    """The requests that wait for changes, by job.

    Args:
        notifications: Says which jobs have changed.
        marks: Changes when a job has, for when no notification came; may block.

    Attributes:
        stopping: The server ends: nobody waits any longer.
        notified: How many notifications of changed jobs it has received.
    """

    def __init__(
        self, notifications: Notifications, marks: Callable[[Collection[str]], Marks]
    ) -> None:
        self._notifications, self._marks = notifications, marks
        self._watchers: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._in_line: set[asyncio.Event] = set()
        self._seen = Marks({}, {}, frozenset())
        self._line_moved, self._line_due = False, 0.0
        self._subscriber: Subscriber | None = None
        self._thread: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self.stopping = False
        self.notified = 0

    async def start(self) -> None:
        """Begin to listen."""
        self.stopping = False
        self._subscriber = await anyio.to_thread.run_sync(
            self._notifications.subscribe, JOBS, *metrics.TOPICS
        )
        descriptor = self._subscriber.fileno()
        if descriptor >= 0:
            asyncio.get_running_loop().add_reader(
                descriptor, self._on_readable, self._subscriber
            )
        else:
            self._thread = asyncio.create_task(self._listen_in_thread(self._subscriber))
        self._looking = asyncio.create_task(self._keep_looking())

    def stop(self) -> None:
        """Send home all who wait, so that a server that was asked to end can."""
        self.stopping = True
        self._wake(self._watchers)

    async def close(self) -> None:
        """Stop listening."""
        self.stop()
        subscriber, self._subscriber = self._subscriber, None
        if subscriber is None:
            return
        if self._looking:
            self._looking.cancel()
        if self._thread:
            await self._thread
        else:
            asyncio.get_running_loop().remove_reader(subscriber.fileno())
        await anyio.to_thread.run_sync(subscriber.close)

    @contextmanager
    def following(self, job_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the job has changed."""
        event = asyncio.Event()
        self._watchers[job_id].add(event)
        try:
            yield event
        finally:
            self._watchers[job_id].discard(event)
            if not self._watchers[job_id]:
                del self._watchers[job_id]

    @property
    def followed(self) -> int:
        """The number of jobs that somebody waits for."""
        return len(self._watchers)

    async def wait(
        self, event: asyncio.Event, seconds: float, *, in_line: bool = False
    ) -> bool:
        """Wait for the event, at most so long; whether to look at the job again.

        Args:
            event: See `following`.
            seconds: How long at most.
            in_line: It is set also where others may have left the line before the job,
                every ten seconds at most.
        """
        # In a function, which is frozen between its calls, nobody looks for all.
        alone = self._looking is None and seconds > LOOK_AGAIN_S
        if in_line:
            self._in_line.add(event)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S if alone else max(0.0, seconds)):
                    await event.wait()
        finally:
            self._in_line.discard(event)
        return alone or event.is_set()

    def _on_readable(self, subscriber: Subscriber) -> None:
        try:
            self._spread(subscriber.wait(0.0))
        except Exception:  # whatever their client may raise, the two seconds remain
            _log.exception("notifications no longer arrive")
            asyncio.get_running_loop().remove_reader(subscriber.fileno())

    async def _listen_in_thread(self, subscriber: Subscriber) -> None:
        while not self.stopping:
            try:
                received = await anyio.to_thread.run_sync(subscriber.wait, _THREAD_WAIT_S)
            except Exception:  # as above
                _log.exception("notifications do not arrive now")
                await asyncio.sleep(LOOK_AGAIN_S)
                continue
            self._spread(received)

    def _spread(self, received: tuple[tuple[str, str], ...]) -> None:
        for topic, text in received:
            if topic in metrics.TOPICS:
                metrics.apply(text)
            else:
                self.notified += 1
                self._wake((text,))

    def _wake(self, job_ids: Iterable[str]) -> None:
        for job_id in job_ids:
            for event in self._watchers.get(job_id, ()):
                event.set()

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            try:
                await self._look_again()
            except PagetideError as error:
                _log.warning("jobs cannot be looked at now", extra={"code": error.code})
            except Exception:  # nobody else would look
                _log.exception("looking at jobs has stumbled")

    async def _look_again(self) -> None:
        """Wake requests that a notification has missed, and those in a line that has moved."""
        if not self._watchers:
            return
        before, now = self._seen, await anyio.to_thread.run_sync(self._marks, [*self._watchers])
        self._seen, seen = now, before.versions
        changed = [one for one in self._watchers if now.versions.get(one) != seen.get(one)]
        self._wake(self._watchers if now.starved != before.starved else changed)
        self._line_moved |= now.lines != before.lines
        if self._line_moved and time.monotonic() >= self._line_due:
            self._line_moved, self._line_due = False, time.monotonic() + LINE_S
            for event in self._in_line:
                event.set()
