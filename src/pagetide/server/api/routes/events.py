"""Waiting for jobs: long polls, and server-sent events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import msgspec
from starlette.requests import Request

from pagetide.errors import PagetideError
from pagetide.server.api.answers.streamed import left
from pagetide.server.api.answers.wire import capacity_view
from pagetide.server.api.context import Context, call
from pagetide.server.api.hub import Hub
from pagetide.server.api.problems import problem_of
from pagetide.server.jobs.job import Job

T = TypeVar("T")

KEEP_ALIVE_S = 15.0  # less than what proxies usually close an idle connection after
RETRY_MS = 2000


async def until(
    look: Callable[[], Awaitable[T | None]],
    *,
    hub: Hub,
    job_id: str,
    seconds: float,
    request: Request,
) -> T | None:
    """The first result of `look` that is not None; None where that takes too long.

    It looks at once, whenever the job has changed, and at the end of the time. The end of the
    server, and the client's leaving, end the waiting too.
    """
    ends = time.monotonic() + seconds
    with hub.following(job_id) as changed:
        found = await look()
        if found is not None or seconds <= 0:
            return found
        gone = asyncio.create_task(_set_when_left(request, changed))
        try:
            while found is None and _worth_waiting(hub, gone, ends):
                await hub.wait(changed, ends - time.monotonic())
                changed.clear()
                found = await look()
        finally:
            gone.cancel()
    return found


async def ended(
    request: Request, context: Context, job_id: str, *, sees: str | None, seconds: float
) -> Job:
    """The job as soon as it has ended, or as it is when the time is over or the client left.

    Raises:
        JobUnknown: There never was one, or it is another key's.
        JobGone: It was erased or has expired.
    """

    def look() -> Job | None:
        job = context.service.job(job_id, sees)
        return job if job.ended else None

    found = await until(
        partial(call, look), hub=context.hub, job_id=job_id, seconds=seconds, request=request
    )
    if found is None:
        found = await call(context.service.job, job_id, sees)
    return found


def _worth_waiting(hub: Hub, gone: asyncio.Task[None], ends: float) -> bool:
    return not hub.stopping and not gone.done() and time.monotonic() < ends


async def _set_when_left(request: Request, changed: asyncio.Event) -> None:
    await left(request.receive)
    changed.set()


@dataclass(frozen=True)
class Waits:
    """What a job waits for.

    Attributes:
        position: Its place in the queue.
        starved_since: Since when its pool has work and no worker.
    """

    position: int | None = None
    starved_since: float | None = None


class JobEvents:
    """The changes of a job since it was last looked at, as server-sent events."""

    def __init__(self) -> None:
        self._status: str | None = None
        self._starved = False
        self._pages: tuple[int, int] | None = None
        self._position: int | None = None

    def of(self, job: Job, waits: Waits, shown: bytes) -> bytes:
        """The events for a job as it is now."""
        events, position = b"", waits.position
        pages = (job.pages_done, job.pages_failed)
        if pages != (self._pages or (0, 0)):
            events += event("page", _counts(job))
        if position is not None and position != self._position:
            events += event("position", msgspec.json.encode({"position": position}))
        starved = waits.starved_since is not None
        if starved != self._starved:
            view = capacity_view(job, waits.starved_since)
            events += event("capacity", msgspec.json.encode({"waiting_for_capacity": view}))
        if job.status != self._status:
            events += event("status", shown)
        self._status, self._starved = job.status, starved
        self._pages, self._position = pages, position
        return events


async def stream(
    look: Callable[[], Awaitable[tuple[Job, Waits, bytes]]],
    *,
    hub: Hub,
    job_id: str,
) -> AsyncGenerator[bytes]:
    """The events of a job, up to its end."""
    changes, spoke = JobEvents(), time.monotonic()
    yield b"retry: %d\n\n" % RETRY_MS
    with hub.following(job_id) as changed:
        while True:
            changed.clear()
            try:
                job, waits, shown = await look()
            except PagetideError as error:  # such as: erased in the meantime
                yield event("problem", msgspec.json.encode(problem_of(error, "")))
                return
            if events := changes.of(job, waits, shown):
                yield events
                spoke = time.monotonic()
            if job.ended or hub.stopping:
                return
            in_line = job.status == "queued"
            while not await hub.wait(changed, _left(spoke), in_line=in_line):
                yield b": still here\n\n"
                spoke = time.monotonic()


def _left(spoke: float) -> float:
    """How long a stream may be silent yet, in seconds."""
    return spoke + KEEP_ALIVE_S - time.monotonic()


def event(name: str, data: bytes) -> bytes:
    """A server-sent event; the data is JSON, and so one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


def _counts(job: Job) -> bytes:
    return msgspec.json.encode(
        {
            "pages_done": job.pages_done,
            "pages_failed": job.pages_failed,
            "pages_total": job.page_count,
        }
    )
