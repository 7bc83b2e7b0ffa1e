# Written by `make sync-client` from asynchronous/results.py: change that, not this.
"""What comes of a job: looked at until it ends, its pages, its result, its events."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, suppress
from time import sleep
from typing import BinaryIO

import httpx

from pagetide.client.answers import Event, RemoteJob
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
from pagetide.client.synchronous.connection import Connection
from pagetide.document import Page
from pagetide.errors import JobEnded, ResultNotReady, ServerUnreachable


def job_of(connection: Connection, job: AnyJob, wait_s: float = 0.0) -> RemoteJob:
    """A job as it is when it ends, or when time is up."""
    return connection.ask(about(job, **long_poll(wait_s)), RemoteJob)


def ended_job(
    connection: Connection,
    job: AnyJob,
    timeout_s: float | None,
    on_progress: OnProgress | None,
) -> RemoteJob:
    """See `Client.wait`."""
    longest_s = PROGRESS_EVERY_S if on_progress else LONG_POLL_S
    first_s = 0.0 if on_progress else longest_s  # the first look is for showing something
    for wait_s in waits_s(timeout_s, first_s, longest_s):
        asked = time.monotonic()
        found = job_of(connection, job, wait_s)
        if on_progress:
            on_progress(found)
        if found.ended:
            return found
        if time.monotonic() - asked < wait_s / 2:  # it is stopping, or it cannot wait
            sleep(connection.patience.first_s)
    raise ResultNotReady(f"The job {found.id} has not ended yet: {found.status}.")


def page_of(connection: Connection, job_id: str, number: int) -> Page:
    """A page as soon as it is read; see `Client.pages`."""
    request = about(job_id, f"pages/{number}", **long_poll(LONG_POLL_S))
    over = False
    while True:
        try:
            return connection.ask(request, Page)
        except JobEnded as error:
            raise _ending(connection, job_id, error) from None
        except ResultNotReady:
            if over:
                raise
            found = job_of(connection, job_id)
            over = found.ended
            sleep(connection.patience.first_s)


def result_of(
    connection: Connection,
    job: AnyJob,
    format: str,
    into: BinaryIO | None = None,
    *,
    corrected: bool = False,
) -> httpx.Response:
    """The answer whose body is the result, once it is there; see `Client.result`."""
    wanted = {"format": format} | ({"corrected": "true"} if corrected else {})
    request = about(job, "result", **long_poll(LONG_POLL_S, **wanted))
    while True:
        try:
            reply = connection.send(request, into)
        except ResultNotReady:
            found = job_of(connection, job, LONG_POLL_S)
            sleep(1.0 if found.ended else 0.0)
            continue
        except JobEnded as error:
            raise _ending(connection, job, error) from None
        if reply.status_code == 200:
            return reply
        asked_s = retry_after_s(reply)
        sleep(1.0 if asked_s is None else min(asked_s, LONG_POLL_S))


def _ending(connection: Connection, job: AnyJob, error: JobEnded) -> Exception:
    """Why a job has no result, or the error itself where it does not say."""
    found = job_of(connection, job)
    return ending_of(found) if found.error or found.status == "cancelled" else error


def events_of(connection: Connection, job: AnyJob) -> Iterator[Event]:
    """See `Client.events`."""
    # The server says something every 15 s, so that silence means a dead connection.
    accept = {"Accept": "text/event-stream"}
    request = about(job, "events", headers=accept, waits_s=LISTEN_S)
    silent = 0
    while silent < connection.patience.tries:
        silent, lines = silent + 1, EventLines()
        response = connection.send(request, stream=True)
        with closing(response), suppress(httpx.RequestError):
            for chunk in response.iter_bytes():
                for event in lines.feed(chunk):
                    silent = 0
                    if event.name == "problem":
                        raise event_error(event.fields)
                    yield event
                    if event.ended:
                        return
        sleep(connection.patience.first_s * 2**silent)
    raise ServerUnreachable(
        f"The server at {connection.server} closes the event stream at once."
    )
