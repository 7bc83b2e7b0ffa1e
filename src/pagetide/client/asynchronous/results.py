"""What comes of a job: looked at until it ends, its pages, its result, its events."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import BinaryIO

import httpx
from anyio import sleep

from pagetide.client.answers import Event, RemoteJob
from pagetide.client.asynchronous.connection import AsyncConnection
from pagetide.client.event_lines import EventLines
from pagetide.client.patience import waits_s
from pagetide.client.problems import ending_of, event_error, retry_after_s
from pagetide.client.requests import (
    LISTEN_S,
    LONG_POLL_S,
    PROGRESS_EVERY_S,
    AnyJob,
    OnProgress,
    about,
    long_poll,
)
from pagetide.document import Page
from pagetide.errors import JobEnded, ResultNotReady, ServerUnreachable


async def job_of(connection: AsyncConnection, job: AnyJob, wait_s: float = 0.0) -> RemoteJob:
    """A job as it is when it ends, or when time is up."""
    return await connection.ask(about(job, **long_poll(wait_s)), RemoteJob)


async def ended_job(
    connection: AsyncConnection,
    job: AnyJob,
    timeout_s: float | None,
    on_progress: OnProgress | None,
) -> RemoteJob:
    """See `AsyncClient.wait`."""
    longest_s = PROGRESS_EVERY_S if on_progress else LONG_POLL_S
    first_s = 0.0 if on_progress else longest_s  # the first look is for showing something
    for wait_s in waits_s(timeout_s, first_s, longest_s):
        asked = time.monotonic()
        found = await job_of(connection, job, wait_s)
        if on_progress:
            on_progress(found)
        if found.ended:
            return found
        if time.monotonic() - asked < wait_s / 2:  # it is stopping, or it cannot wait
            await sleep(connection.patience.first_s)
    raise ResultNotReady(f"The job {found.id} has not ended yet: {found.status}.")


async def page_of(connection: AsyncConnection, job_id: str, number: int) -> Page:
    """A page as soon as it is read; see `AsyncClient.pages`."""
    request = about(job_id, f"pages/{number}", **long_poll(LONG_POLL_S))
    over = False
    while True:
        try:
            return await connection.ask(request, Page)
        except JobEnded as error:
            raise await _ending(connection, job_id, error) from None
        except ResultNotReady:
            if over:
                raise
            found = await job_of(connection, job_id)
            over = found.ended
            await sleep(connection.patience.first_s)


async def result_of(
    connection: AsyncConnection,
    job: AnyJob,
    format: str,
    into: BinaryIO | None = None,
    *,
    corrected: bool = False,
) -> httpx.Response:
    """The answer whose body is the result, once it is there; see `AsyncClient.result`."""
    wanted = {"format": format} | ({"corrected": "true"} if corrected else {})
    request = about(job, "result", **long_poll(LONG_POLL_S, **wanted))
    while True:
        try:
            reply = await connection.send(request, into)
        except ResultNotReady:
            found = await job_of(connection, job, LONG_POLL_S)
            await sleep(1.0 if found.ended else 0.0)
            continue
        except JobEnded as error:
            raise await _ending(connection, job, error) from None
        if reply.status_code == 200:
            return reply
        asked_s = retry_after_s(reply)
        await sleep(1.0 if asked_s is None else min(asked_s, LONG_POLL_S))


async def _ending(connection: AsyncConnection, job: AnyJob, error: JobEnded) -> Exception:
    """Why a job has no result, or the error itself where it does not say."""
    found = await job_of(connection, job)
    return ending_of(found) if found.error or found.status == "cancelled" else error


async def events_of(connection: AsyncConnection, job: AnyJob) -> AsyncIterator[Event]:
    """See `AsyncClient.events`."""
    # The server says something every 15 s, so that silence means a dead connection.
    accept = {"Accept": "text/event-stream"}
    request = about(job, "events", headers=accept, waits_s=LISTEN_S)
    silent = 0
    while silent < connection.patience.tries:
        silent, lines = silent + 1, EventLines()
        response = await connection.send(request, stream=True)
        async with aclosing(response):
            with suppress(httpx.RequestError):
                async for chunk in response.aiter_bytes():
                    for event in lines.feed(chunk):
                        silent = 0
                        if event.name == "problem":
                            raise event_error(event.fields)
                        yield event
                        if event.ended:
                            return
        await sleep(connection.patience.first_s * 2**silent)
    raise ServerUnreachable(
        f"The server at {connection.server} closes the event stream at once."
    )
