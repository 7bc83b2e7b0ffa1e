"""The demand of the pools in the last hour, as this process has seen it.

Watching costs the store two short reads a pool and sample, which a store that bills by the
request would bill. So samples are taken every ten seconds while there is work, while somebody
looks, and for two minutes after either; at rest none is, and none is needed, since whatever
begins work is notified of. Samples are kept in memory alone: another API process has its own,
and a new one begins anew.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import anyio.to_thread

from pagetide.server.api.answers.page_wire import HistoryView, PoolHistory
from pagetide.server.api.answers.wire import moment
from pagetide.server.api.hub import Hub
from pagetide.server.service.service import Service
from pagetide.telemetry import metrics

EVERY_S = 10.0
FRESH_S = 2.0  # a sample this young is not taken again for somebody who looks
LINGER_S = 120.0  # longer than a worker waits for work, so that its leaving is seen
KEPT_S = 3600.0

_log = logging.getLogger("pagetide.server.api")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The demand of a pool at one time.

    Attributes:
        kept: Workers kept though there is no work.
        workers: Worker processes, as whoever starts them reported; None where nobody did.
    """

    waiting: int
    leased: int
    kept: int
    workers: int | None


class History:
    """Samples of all pools, for the tasks of one event loop."""

    def __init__(
        self, service: Service, hub: Hub, clock: Callable[[], float] = time.time
    ) -> None:
        self._service, self._hub, self._clock = service, hub, clock
        self._samples: deque[tuple[float, dict[str, Sample]]] = deque()
        self._since, self._until = clock(), float("-inf")
        self._heard = 0
        self._sampling = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch."""
        self._task = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Watch no longer."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def look(self) -> HistoryView:
        """The last hour, with a sample of now.

        Raises:
            StoreFailed: The store cannot be reached.
        """
        self._until = self._clock() + LINGER_S
        await self.sample(fresh_s=FRESH_S)
        return self._view()

    async def tick(self) -> None:
        """Take a sample if there is a reason to; one that fails is left out, and logged."""
        now, notified = self._clock(), self._hub.notified
        if notified != self._heard or self._busy():
            self._heard, self._until = notified, now + LINGER_S
        if now >= self._until:
            return
        try:
            await self.sample()
        except Exception as error:  # whatever it is, the next sample may be taken
            _log.warning("the pools cannot be watched now", extra={"error": str(error)})

    async def sample(self, fresh_s: float = 0.0) -> None:
        """Take a sample, unless there is one that is younger than this, in seconds.

        Raises:
            StoreFailed: The store cannot be reached.
        """
        async with self._sampling:
            now = self._clock()
            if self._samples and now - self._samples[-1][0] < fresh_s:
                return
            # A server that ends does not wait for a store that hangs.
            looked = await anyio.to_thread.run_sync(self._look, abandon_on_cancel=True)
            self._samples.append((now, looked))
            while self._samples[0][0] < now - KEPT_S:
                self._samples.popleft()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            await self.tick()

    def _busy(self) -> bool:
        last = self._samples[-1][1].values() if self._samples else ()
        return any(sample.waiting or sample.leased for sample in last)

    def _look(self) -> dict[str, Sample]:
        return {pool: self._sample(pool) for pool in self._service.capacity.pools}

    def _sample(self, pool: str) -> Sample:
        found = self._service.capacity.wanted(pool)
        return Sample(
            waiting=found.backlog.waiting,
            leased=found.backlog.leased,
            kept=found.workers,
            workers=metrics.reported_workers(pool),
        )

    def _view(self) -> HistoryView:
        pools = {pool: self._of_pool(pool) for pool in self._service.capacity.pools}
        return HistoryView(
            now=moment(self._clock()),
            since=moment(max(self._since, self._clock() - KEPT_S)),
            every_s=EVERY_S,
            pools=pools,
        )

    def _of_pool(self, pool: str) -> PoolHistory:
        found = [samples[pool] for _, samples in self._samples]
        return PoolHistory(
            kept=found[-1].kept,
            at=tuple(round(at, 1) for at, _ in self._samples),
            waiting=tuple(sample.waiting for sample in found),
            leased=tuple(sample.leased for sample in found),
            workers=tuple(sample.workers for sample in found),
        )
