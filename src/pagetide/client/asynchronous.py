"""The client for event loops."""

from __future__ import annotations

from collections.abc import AsyncIterator
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, Unpack

import httpx

from pagetide.client import over_http
from pagetide.client.answers import Attempt, Event, PoolBacklog, RemoteJob, RemoteModel
from pagetide.client.awaiting import each, run
from pagetide.client.conversation import AnyJob, Conversation, OnProgress
from pagetide.client.formats import content_of, format_for
from pagetide.client.steps import Steps, Stream
from pagetide.client.uploads import Source, SubmitOptions
from pagetide.document import Document, Page
from pagetide.server.jobs.job import JobStatus

T = TypeVar("T")


class AsyncClient:
    """As `Client`, for asyncio and trio: the same methods, awaited or iterated with `async`.

    `on_progress` is a plain function.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        *,
        key: str | None = None,
        timeout_s: float = 30.0,
        tries: int = 5,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            base_url: The server's address.
            key: An API key, where the server asks for one.
            timeout_s: Longest silence in the middle of a request.
            tries: How often a request is sent before its failure is told.
            transport: In place of the network, for tests.

        Raises:
            BadOption: An argument is wrong.
        """
        options = over_http.client_options(base_url, key, timeout_s, transport)
        self._http = httpx.AsyncClient(**options)
        self._server = over_http.server_name(base_url)
        self._timeout_s = timeout_s
        self._conversation = Conversation(
            server=self._server, patience=over_http.patience(tries)
        )

    async def submit(self, source: Source, **options: Unpack[SubmitOptions]) -> RemoteJob:
        """See `Client.submit`."""
        return await self._run(self._conversation.submit(source, options))

    async def job(self, job: AnyJob) -> RemoteJob:
        """See `Client.job`."""
        return await self._run(self._conversation.job(job))

    async def wait(
        self,
        job: AnyJob,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> RemoteJob:
        """See `Client.wait`."""
        return await self._run(self._conversation.wait(job, timeout_s, on_progress))

    def pages(self, job: AnyJob) -> AsyncIterator[Page]:
        """See `Client.pages`."""
        return self._each(self._conversation.pages(job))

    async def result(self, job: AnyJob, format: str = "json") -> str | bytes:
        """See `Client.result`."""
        return content_of(await self._run(self._conversation.result(job, format)))

    async def figure(self, job: AnyJob, page: int, block: int) -> bytes:
        """See `Client.figure`."""
        return await self._run(self._conversation.figure(job, page, block))

    async def document(self, job: AnyJob) -> Document:
        """See `Client.document`."""
        return await self._run(self._conversation.document(job))

    async def save(
        self, job: AnyJob, path: str | PathLike[str], format: str | None = None
    ) -> None:
        """See `Client.save`."""
        place = Path(path)
        await self._run(self._conversation.save(job, place, format or format_for(place)))

    async def read(
        self,
        source: Source,
        *,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[SubmitOptions],
    ) -> Document:
        """See `Client.read`."""
        return await self._run(self._conversation.read(source, options, timeout_s, on_progress))

    async def cancel(self, job: AnyJob) -> RemoteJob:
        """See `Client.cancel`."""
        return await self._run(self._conversation.cancel(job))

    async def erase(self, job: AnyJob) -> None:
        """See `Client.erase`."""
        await self._run(self._conversation.erase(job))

    def jobs(self, status: JobStatus | None = None) -> AsyncIterator[RemoteJob]:
        """See `Client.jobs`."""
        return self._each(self._conversation.jobs(status))

    def events(self, job: AnyJob) -> AsyncIterator[Event]:
        """See `Client.events`."""
        return self._each(self._conversation.events(job))

    async def deliveries(self, job: AnyJob) -> tuple[Attempt, ...]:
        """See `Client.deliveries`."""
        return await self._run(self._conversation.deliveries(job))

    async def redeliver(self, job: AnyJob) -> None:
        """See `Client.redeliver`."""
        await self._run(self._conversation.redeliver(job))

    async def models(self) -> tuple[RemoteModel, ...]:
        """See `Client.models`."""
        return await self._run(self._conversation.models())

    async def backlog(self) -> dict[str, PoolBacklog]:
        """See `Client.backlog`."""
        return await self._run(self._conversation.backlog())

    async def close(self) -> None:
        """Let go of connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncClient {self._server}>"

    async def _run(self, steps: Steps[T]) -> T:
        return await run(steps, self._http, self._timeout_s)

    def _each(self, steps: Stream[T]) -> AsyncIterator[T]:
        return each(steps, self._http, self._timeout_s)
