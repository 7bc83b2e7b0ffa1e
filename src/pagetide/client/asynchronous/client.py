"""The client: everything that can be asked of a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

import httpx

from pagetide.client.answers import (
    Attempt,
    Attempts,
    Backlogs,
    Event,
    JobPage,
    JobStatus,
    Models,
    PoolBacklog,
    RemoteJob,
    RemoteModel,
    decoded,
)
from pagetide.client.asynchronous import extraction, results, submission
from pagetide.client.asynchronous.connection import AsyncConnection
from pagetide.client.asynchronous.reviews import AsyncReviews
from pagetide.client.formats import content_of, format_for
from pagetide.client.problems import ending_of
from pagetide.client.requests import AnyJob, OnProgress, Request, about
from pagetide.client.uploads import Source, SubmitOptions
from pagetide.document import Document, Page, page_ranges
from pagetide.document.extraction import Extraction
from pagetide.errors import JobGone, PageOutOfRange
from pagetide.system.part_file import part_file


class AsyncClient:
    """Talks to a Pagetide server; any number of tasks may share it.

    Requests are tried again after a broken connection and where the server says that it is
    busy, after the pause it asks for. A document is never submitted twice by that.

    All methods raise the `PagetideError` that the server answers with, `ServerUnreachable`
    where it does not answer, and `ServerError` where the answer is not understood.

    Attributes:
        reviews: The documents that wait for a person; see `AsyncReviews`.
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
            tries: How often a request is sent before its failure is raised.
            transport: In place of the network, for tests.

        Raises:
            BadOption: An argument is wrong.
        """
        self._connection = AsyncConnection(base_url, key, timeout_s, tries, transport)
        self.reviews = AsyncReviews(self._connection)

    async def submit(self, source: Source, **options: Unpack[SubmitOptions]) -> RemoteJob:
        """Hand in a document.

        Args:
            source: A path, the bytes themselves, a binary file, or an `http(s)://` address
                from which the server fetches the document itself.
            options: See `SubmitOptions`.

        Returns:
            The job as it begins; or as it ended, where the server has read the same before.

        Raises:
            NotFound: There is no such file.
        """
        return await submission.submit(self._connection, source, options)

    async def job(self, job: AnyJob) -> RemoteJob:
        """A job as it is now, by its id or by what was known of it.

        Raises:
            JobUnknown: There never was such a job.
            JobGone: It was erased or has expired.
        """
        return await results.job_of(self._connection, job)

    async def wait(
        self,
        job: AnyJob,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> RemoteJob:
        """Wait until a job has ended; its `status` says how.

        Args:
            job: The job or its id.
            timeout_s: Longest to wait; None means however long it takes.
            on_progress: Called with the job at once and then about every second.

        Raises:
            ResultNotReady: Time is up.
        """
        return await results.ended_job(self._connection, job, timeout_s, on_progress)

    async def pages(self, job: AnyJob) -> AsyncIterator[Page]:
        """The pages in order, each as soon as it and those before it are read.

        Raises:
            PagetideError: Why the job failed; `JobEnded` where it was cancelled.
        """
        known = job if isinstance(job, RemoteJob) else await self.job(job)
        count = known.source.page_count if known.source else known.pages_total
        for number in page_ranges.chosen(known.pages, count) if count else ():
            try:
                page = await results.page_of(self._connection, known.id, number)
            except PageOutOfRange:  # where the job does not say which pages it reads
                continue
            yield page

    async def result(
        self, job: AnyJob, format: str = "json", *, corrected: bool = False
    ) -> str | bytes:
        """The result in a format, once the job has ended.

        Args:
            job: The job or its id.
            format: `json`, `raw`, `md`, `txt`, `html`, `hocr`, `pdf`, `csv`, `xlsx` or
                `figures`; `csv` and `figures` are ZIP archives, of a file for each table or
                figure.
            corrected: With what a person has corrected; not of `raw`, `pdf` and `figures`.

        Returns:
            Text, or for the last four bytes.

        Raises:
            PagetideError: Why the job failed; `JobEnded` where it was cancelled.
        """
        reply = await results.result_of(self._connection, job, format, corrected=corrected)
        return content_of(reply)

    async def figure(self, job: AnyJob, page: int, block: int) -> bytes:
        """A block's part of its page's picture, as PNG, in the page's own pixels.

        Args:
            job: The job or its id.
            page: The page's number, from 1; it must have been read.
            block: The block's `order` on its page.

        Raises:
            NotFound: There is no such block.
            PasswordNeeded: The job has ended, and the document's password is forgotten.
        """
        picture = about(job, f"pages/{page:d}/figures/{block:d}.png")
        reply = await self._connection.send(picture)
        return reply.content

    async def document(self, job: AnyJob) -> Document:
        """The document, once the job has ended; see `result`."""
        if isinstance(job, RemoteJob):
            if job.result:
                return job.result
            if job.ended and job.status not in ("succeeded", "partial"):
                raise ending_of(job)
        reply = await results.result_of(self._connection, job, "json")
        return decoded(reply.content, Document)

    async def save(
        self, job: AnyJob, path: str | PathLike[str], format: str | None = None
    ) -> None:
        """Write the result to a file, in constant memory, once the job has ended.

        Args:
            job: The job or its id.
            path: Replaced when all of it has come.
            format: See `result`; None means as the path's ending says.

        Raises:
            BadOption: The ending stands for no format.
            CannotWrite: The file cannot be written.
        """
        place = Path(path)
        format = format or format_for(place)
        with part_file(place) as file:
            await results.result_of(self._connection, job, format, into=file)

    async def read(
        self,
        source: Source,
        *,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[SubmitOptions],
    ) -> Document:
        """Submit, wait and fetch: as `pagetide.read`, by a server."""
        job = await self.submit(source, **options)
        return await self.document(await self.wait(job, timeout_s, on_progress))

    async def extract(self, job: AnyJob, schema: object) -> Extraction:
        """Values for a schema, found by the server's model server once the job has ended.

        Takes a schema, answers and raises as `pagetide.extract` does, and raises why the job
        failed.
        """
        return await extraction.extract(self._connection, job, schema)

    async def ask(self, job: AnyJob, questions: str | Sequence[str]) -> Extraction:
        """Answers to one question or several, by the question; see `extract`."""
        return await extraction.ask(self._connection, job, questions)

    async def cancel(self, job: AnyJob) -> RemoteJob:
        """Stop a job; what it is now.

        Raises:
            JobEnded: It has ended otherwise.
        """
        return await self._connection.ask(about(job, "cancel", method="POST"), RemoteJob)

    async def erase(self, job: AnyJob) -> None:
        """Remove a job's document, pages and results; no error where that was done before."""
        # After a lost answer the second attempt finds the job gone, which is what was wanted.
        with suppress(JobGone):
            await self._connection.send(about(job, method="DELETE"))

    async def jobs(self, status: JobStatus | None = None) -> AsyncIterator[RemoteJob]:
        """All jobs of this key, the newest first, or those in one status."""
        query: dict[str, str] = {"status": status} if status else {}
        while True:
            request = Request(path="/v1/jobs", query=query)
            part = await self._connection.ask(request, JobPage)
            for job in part.jobs:
                yield job
            if not part.next_cursor:
                return
            query = {**query, "cursor": part.next_cursor}

    def events(self, job: AnyJob) -> AsyncIterator[Event]:
        """The events of a job, from now until it ends.

        After a broken connection the job's status comes again.
        """
        return results.events_of(self._connection, job)

    async def deliveries(self, job: AnyJob) -> tuple[Attempt, ...]:
        """The attempts to call the job's webhook."""
        log = await self._connection.ask(about(job, "deliveries"), Attempts)
        return log.deliveries

    async def redeliver(self, job: AnyJob) -> None:
        """Call the webhook once more.

        Raises:
            JobEnded: The job has no webhook.
        """
        await self._connection.send(about(job, "deliveries", method="POST"))

    async def models(self) -> tuple[RemoteModel, ...]:
        """The models that the server has."""
        known = await self._connection.ask(Request(path="/v1/models"), Models)
        return known.models

    async def backlog(self) -> dict[str, PoolBacklog]:
        """The backlog of each pool of workers."""
        backlogs = await self._connection.ask(Request(path="/v1/backlog"), Backlogs)
        return backlogs.pools

    async def close(self) -> None:
        """Close connections."""
        await self._connection.close()

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
        return f"<AsyncClient {self._connection.server}>"
