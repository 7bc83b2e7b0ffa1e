"""The client for threads."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, Unpack

import httpx

from pagetide.client import over_http
from pagetide.client.answers import Attempt, Event, PoolBacklog, RemoteJob, RemoteModel
from pagetide.client.carrying import each, run
from pagetide.client.conversation import AnyJob, Conversation, OnProgress
from pagetide.client.formats import content_of, format_for
from pagetide.client.steps import Steps, Stream
from pagetide.client.uploads import Source, SubmitOptions
from pagetide.document import Document, Page
from pagetide.server.jobs.job import JobStatus

T = TypeVar("T")


class Client:
    """Talks to a Pagetide server; any number of threads may share it.

    Requests are tried again after a broken connection and where the server says that it is
    busy, after the pause it asks for. A document is never submitted twice by that.

    All methods raise the `PagetideError` that the server answers with, `ServerUnreachable`
    where it does not answer, and `ServerError` where the answer is not understood.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        *,
        key: str | None = None,
        timeout_s: float = 30.0,
        tries: int = 5,
        transport: httpx.BaseTransport | None = None,
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
        self._http = httpx.Client(**options)
        self._server = over_http.server_name(base_url)
        self._timeout_s = timeout_s
        self._conversation = Conversation(
            server=self._server, patience=over_http.patience(tries)
        )

    def submit(self, source: Source, **options: Unpack[SubmitOptions]) -> RemoteJob:
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
        return self._run(self._conversation.submit(source, options))

    def job(self, job: AnyJob) -> RemoteJob:
        """A job as it is now, by its id or by what was known of it.

        Raises:
            JobUnknown: There never was such a job.
            JobGone: It was erased or has expired.
        """
        return self._run(self._conversation.job(job))

    def wait(
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
        return self._run(self._conversation.wait(job, timeout_s, on_progress))

    def pages(self, job: AnyJob) -> Iterator[Page]:
        """The pages in order, each as soon as it and those before it are read.

        Raises:
            PagetideError: Why the job failed; `JobEnded` where it was cancelled.
        """
        return self._each(self._conversation.pages(job))

    def result(self, job: AnyJob, format: str = "json") -> str | bytes:
        """The result in a format, once the job has ended.

        Args:
            job: The job or its id.
            format: `json`, `raw`, `md`, `txt`, `html`, `hocr`, `pdf`, `csv`, `xlsx` or
                `figures`; `csv` and `figures` are ZIP archives, of a file for each table or
                figure.

        Returns:
            Text, or for the last four bytes.

        Raises:
            PagetideError: Why the job failed; `JobEnded` where it was cancelled.
        """
        return content_of(self._run(self._conversation.result(job, format)))

    def figure(self, job: AnyJob, page: int, block: int) -> bytes:
        """What a page shows where a block stands, as PNG, in the page's own pixels.

        Args:
            job: The job or its id.
            page: The page's number, from 1; it must have been read.
            block: The block's `order` on its page.

        Raises:
            NotFound: There is no such block.
            PasswordNeeded: The job has ended, and the document's password is forgotten.
        """
        return self._run(self._conversation.figure(job, page, block))

    def document(self, job: AnyJob) -> Document:
        """The document, once the job has ended; see `result`."""
        return self._run(self._conversation.document(job))

    def save(self, job: AnyJob, path: str | PathLike[str], format: str | None = None) -> None:
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
        self._run(self._conversation.save(job, place, format or format_for(place)))

    def read(
        self,
        source: Source,
        *,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[SubmitOptions],
    ) -> Document:
        """Submit, wait and fetch: as `pagetide.read`, by a server."""
        return self._run(self._conversation.read(source, options, timeout_s, on_progress))

    def cancel(self, job: AnyJob) -> RemoteJob:
        """Stop a job; what it is now.

        Raises:
            JobEnded: It has ended otherwise.
        """
        return self._run(self._conversation.cancel(job))

    def erase(self, job: AnyJob) -> None:
        """Remove a job's document, pages and results; no error where that was done before."""
        self._run(self._conversation.erase(job))

    def jobs(self, status: JobStatus | None = None) -> Iterator[RemoteJob]:
        """All jobs of this key, the newest first, or those in one status."""
        return self._each(self._conversation.jobs(status))

    def events(self, job: AnyJob) -> Iterator[Event]:
        """What happens to a job, from now until it ends.

        After a broken connection the job's status comes again.
        """
        return self._each(self._conversation.events(job))

    def deliveries(self, job: AnyJob) -> tuple[Attempt, ...]:
        """What was tried to tell the job's webhook."""
        return self._run(self._conversation.deliveries(job))

    def redeliver(self, job: AnyJob) -> None:
        """Have the webhook told once more.

        Raises:
            JobEnded: The job has no webhook.
        """
        self._run(self._conversation.redeliver(job))

    def models(self) -> tuple[RemoteModel, ...]:
        """The models that the server has."""
        return self._run(self._conversation.models())

    def backlog(self) -> dict[str, PoolBacklog]:
        """What each pool of workers has to do."""
        return self._run(self._conversation.backlog())

    def close(self) -> None:
        """Let go of connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self._server}>"

    def _run(self, steps: Steps[T]) -> T:
        return run(steps, self._http, self._timeout_s)

    def _each(self, steps: Stream[T]) -> Iterator[T]:
        return each(steps, self._http, self._timeout_s)
