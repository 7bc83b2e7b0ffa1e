"""Delivers webhooks when they are due, many at once, with a share for each owner and host."""

from __future__ import annotations

import logging
import math
import random
import secrets
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from pagetide.errors import JobUnknown, LeaseLost, PagetideError
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.maintenance.call_limits import CallLimits
from pagetide.server.maintenance.webhook import host_of
from pagetide.server.ports import Store, Subscriber
from pagetide.server.service.notifier import Notifier
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)

T = TypeVar("T")
Post = Callable[[Job, Task], Awaitable[Delivery]]

DELIVERY_LEASE_S = 60.0  # longer than a delivery may take
LOOK_S = 5.0


class Deliverer:
    """Claims `deliver` tasks, calls their webhooks and notes what came of it.

    What is claimed is called at once or put off, so no lease runs out in a line.
    """

    def __init__(
        self,
        *,
        store: Store,
        notifier: Notifier,
        post: Post,
        clock: Callable[[], float] = time.time,
        jitter: Callable[[], float] = random.random,
        limits: CallLimits | None = None,
    ) -> None:
        self._store, self._notifier, self._post = store, notifier, post
        self._clock, self._jitter = clock, jitter
        self._limits = limits or CallLimits()
        self._name = f"deliverer-{secrets.token_hex(4)}"
        self._freed = anyio.Event()

    async def run(self, listener: Subscriber, ended: threading.Event) -> None:
        """Call webhooks until stopped; calls under way are finished.

        Args:
            listener: Hears of new ones, and of the end.
            ended: Set before the subscriber is notified of the end.
        """
        async with anyio.create_task_group() as calls:
            while not ended.is_set():
                pause_s = await self._safely(self._turn(calls))
                if pause_s != 0.0:  # None: it failed, as it would at once again
                    await _in_thread(listener.wait, LOOK_S if pause_s is None else pause_s)

    async def deliver_due(self, until: float = math.inf) -> int:
        """Call all webhooks that are due, and see what comes of it; how many.

        Args:
            until: By the monotonic clock; no call begins later.

        Raises:
            StoreFailed: The store cannot be reached.
        """
        count = 0
        async with anyio.create_task_group() as calls:
            while time.monotonic() < until:
                if (begun := await self._begin_next(calls)) is None:
                    break
                count += begun
        return count

    def pause_s(self) -> float:
        """How long until the next one is due, at most `LOOK_S`."""
        due = self._store.next_due(SYSTEM)
        return LOOK_S if due is None else min(max(due - self._clock(), 0.0), LOOK_S)

    async def _turn(self, calls: TaskGroup) -> float:
        """Call the next webhook, or put it off; how long until another may be due."""
        if await self._begin_next(calls) is not None:
            return 0.0
        return await _in_thread(self.pause_s)

    async def _begin_next(self, calls: TaskGroup) -> bool | None:
        """Call one webhook, or put it off (False); None where none is due."""
        while not self._limits.room:
            self._freed = anyio.Event()
            await self._freed.wait()
        token = secrets.token_hex(6)
        taken = await _in_thread(self._claim, token)
        if taken is None:
            return None
        job, task = taken
        host = host_of(job, task)
        due = self._limits.later(job.owner, host, self._clock())
        if due is None:
            self._limits.began(job.owner, host)
            calls.start_soon(self._call, job, task, token, host)
            return True
        metrics.webhook_put_off()
        await _in_thread(
            self._change, job, task, partial(moves.give_back, token=token, due=due)
        )
        return False

    async def _call(self, job: Job, task: Task, token: str, host: str) -> None:
        delivery = None
        try:
            delivery = await self._safely(self._post(job, task))
        finally:
            self._ended(job.owner, host, delivery)
        if delivery:
            metrics.webhook_tried(result="delivered" if delivery.succeeded else "failed")
            note = partial(self._note, job, task, token, delivery)
            await self._safely(_in_thread(note))

    def _ended(self, owner: str, host: str, delivery: Delivery | None) -> None:
        hung = self._limits.hangs(host)
        self._limits.ended(owner, host, delivery)
        if hung != self._limits.hangs(host):
            log.warning("a webhook's host answers again" if hung else "a webhook's host hangs")
        self._freed.set()

    def _claim(self, token: str) -> tuple[Job, Task] | None:
        now = self._clock()
        return self._store.claim(
            SYSTEM,
            self._name,
            now=now,
            until=now + DELIVERY_LEASE_S,
            token=token,
            beside=False,
        )

    def _note(self, job: Job, task: Task, token: str, delivery: Delivery) -> None:
        jitter = self._jitter()
        move = partial(moves.delivered, token=token, delivery=delivery, jitter=jitter)
        if moved := self._change(job, task, move):
            self._notifier.moved(moved)

    def _change(
        self, job: Job, task: Task, move: Callable[[Job, Task | None], Moved]
    ) -> Moved | None:
        try:
            return self._store.change(job.id, task.id, move)
        except (LeaseLost, JobUnknown):
            log.warning("delivery refused", extra={"job": job.id})
            return None

    async def _safely(self, action: Awaitable[T]) -> T | None:
        try:
            return await action
        except PagetideError as error:
            log.error("a webhook could not be seen to", extra={"code": error.code})
        except Exception:
            log.exception("a webhook stumbled")
        return None


async def _in_thread(function: Callable[..., T], *args: object) -> T:
    return await anyio.to_thread.run_sync(function, *args)
