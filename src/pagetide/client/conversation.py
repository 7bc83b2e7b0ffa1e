"""What a client and a server say to each other, as steps without I/O."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from pagetide.client import large, uploads
from pagetide.client.answers import (
    Attempt,
    Attempts,
    Backlogs,
    Event,
    JobPage,
    Models,
    PoolBacklog,
    RemoteJob,
    RemoteModel,
    decoded,
)
from pagetide.client.event_lines import EventLines
from pagetide.client.exchange import Patience, exchange
from pagetide.client.problems import ending_of, retry_after_s, told_error
from pagetide.client.steps import Do, Give, Hear, Pause, Reply, Request, Steps, Stream
from pagetide.client.uploads import Source, SubmitOptions
from pagetide.document import Document, Page
from pagetide.errors import (
    JobEnded,
    JobGone,
    PageOutOfRange,
    ResultNotReady,
    ServerUnreachable,
    TooLarge,
)
from pagetide.reading import page_ranges
from pagetide.server.jobs.job import JobStatus
from pagetide.system.part_file import part_file

T = TypeVar("T")
AnyJob = RemoteJob | str
OnProgress = Callable[[RemoteJob], object]

LONG_POLL_S = 20.0
PROGRESS_EVERY_S = 1.0
INTAKE_S = 90.0  # a server may take a minute to fetch a document, and some more to open it
_SUCCESSES = ("succeeded", "partial")


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Everything that a client can ask of a server; see `Client` for what each gives.

    Attributes:
        server: What to call the server in an error.
        clock: Seconds, from any start.
    """

    server: str
    patience: Patience
    clock: Callable[[], float] = time.monotonic

    def submit(self, source: Source, options: SubmitOptions) -> Steps[RemoteJob]:
        """See `Client.submit`."""
        fields = uploads.fields_of(options)
        headers = {"Idempotency-Key": options.get("idempotency_key") or secrets.token_hex(16)}
        post = partial(
            Request, method="POST", path="/v1/jobs", headers=headers, waits_s=INTAKE_S
        )
        name = options.get("name")
        if uploads.is_url(source):
            body = {"file_url": source, **({"name": name} if name else {}), **fields}
            reply = yield from self._exchange(post(json=msgspec.json.encode(body)))
            return decoded(reply.body, RemoteJob)
        with ExitStack() as stack:
            file = yield Do(partial(stack.enter_context, uploads.opened(source)))
            named = (name or uploads.name_of(source), file)
            request = post(form=uploads.form_of(fields), file=named)
            try:
                reply = yield from self._exchange(request)
            except TooLarge as error:
                return (
                    yield from large.submit(
                        self._exchange, named, fields, lambda body: post(json=body), error
                    )
                )
        return decoded(reply.body, RemoteJob)

    def job(self, job: AnyJob, wait_s: float = 0.0) -> Steps[RemoteJob]:
        """See `Client.job`; with `wait_s` it is answered when the job ends or time is up."""
        query = {"wait": f"{wait_s:g}"} if wait_s else {}
        request = Request(method="GET", path=_path(job), query=query, waits_s=wait_s)
        return (yield from self._asked(request, RemoteJob))

    def wait(
        self, job: AnyJob, timeout_s: float | None, on_progress: OnProgress | None
    ) -> Steps[RemoteJob]:
        """See `Client.wait`."""
        deadline = None if timeout_s is None else self.clock() + timeout_s
        longest = PROGRESS_EVERY_S if on_progress else LONG_POLL_S
        wait_s = 0.0 if on_progress else longest  # the first look is for showing something
        while True:
            left = longest if deadline is None else max(0.0, deadline - self.clock())
            wait_s = min(wait_s, left)
            asked = self.clock()
            found = yield from self.job(job, wait_s)
            if on_progress:
                on_progress(found)
            if found.ended:
                return found
            if not left:
                raise ResultNotReady(f"The job {found.id} has not ended yet: {found.status}.")
            if self.clock() - asked < wait_s / 2:  # it is stopping, or it cannot wait
                yield Pause(self.patience.first_s)
            wait_s = longest

    def pages(self, job: AnyJob) -> Stream[Page]:
        """See `Client.pages`."""
        known = job if isinstance(job, RemoteJob) else (yield from self.job(job))
        count = known.source.page_count if known.source else known.pages_total
        for number in page_ranges.chosen(known.pages, count) if count else ():
            try:
                page = yield from self._page(known.id, number)
            except PageOutOfRange:  # where the job does not say which pages it reads
                continue
            yield Give(page)

    def events(self, job: AnyJob) -> Stream[Event]:
        """See `Client.events`."""
        # The server says something every 15 s, so that silence is told from a dead connection.
        listening = Request(
            method="GET",
            path=_path(job, "events"),
            headers={"Accept": "text/event-stream"},
            waits_s=30.0,
            listen=True,
        )
        silent = 0
        while silent < self.patience.tries:
            yield from self._exchange(listening)
            lines, received = EventLines(), False
            while chunk := (yield Hear()):
                for event in lines.feed(chunk):
                    received = True
                    if event.name == "problem":
                        raise told_error(event.fields)
                    yield Give(event)
                    if event.ended:
                        return
            silent = 0 if received else silent + 1
            yield Pause(self.patience.first_s * 2**silent)
        raise ServerUnreachable(f"The server at {self.server} ends the events at once.")

    def result(self, job: AnyJob, name: str, **more: Any) -> Steps[Reply]:
        """The reply whose body is the result, once it is there; see `Client.result`."""
        query = {"format": name, "wait": f"{LONG_POLL_S:g}"}
        request = Request(
            method="GET",
            path=_path(job, "result"),
            query=query,
            waits_s=LONG_POLL_S,
            **more,
        )
        while True:
            try:
                reply = yield from self._exchange(request)
            except ResultNotReady:
                found = yield from self.job(job, LONG_POLL_S)
                yield Pause(1.0 if found.ended else 0.0)
                continue
            except JobEnded as error:
                raise (yield from self._ending(job, error)) from None
            if reply.status == 200:
                return reply
            asked = retry_after_s(reply)
            yield Pause(1.0 if asked is None else min(asked, LONG_POLL_S))

    def figure(self, job: AnyJob, page: int, block: int) -> Steps[bytes]:
        """See `Client.figure`."""
        path = _path(job, f"pages/{page:d}/figures/{block:d}.png")
        return (yield from self._exchange(Request(method="GET", path=path))).body

    def document(self, job: AnyJob) -> Steps[Document]:
        """See `Client.document`."""
        if isinstance(job, RemoteJob):
            if job.result:
                return job.result
            if job.ended and job.status not in _SUCCESSES:
                raise ending_of(job)
        reply = yield from self.result(job, "json")
        return decoded(reply.body, Document)

    def save(self, job: AnyJob, path: Path, name: str) -> Steps[None]:
        """See `Client.save`."""
        with part_file(path) as file:
            yield from self.result(job, name, into=file)

    def read(
        self,
        source: Source,
        options: SubmitOptions,
        timeout_s: float | None,
        on_progress: OnProgress | None,
    ) -> Steps[Document]:
        """See `Client.read`."""
        job = yield from self.submit(source, options)
        ended = yield from self.wait(job, timeout_s, on_progress)
        return (yield from self.document(ended))

    def cancel(self, job: AnyJob) -> Steps[RemoteJob]:
        """See `Client.cancel`."""
        request = Request(method="POST", path=_path(job, "cancel"))
        return (yield from self._asked(request, RemoteJob))

    def erase(self, job: AnyJob) -> Steps[None]:
        """See `Client.erase`."""
        # After a lost answer the second attempt finds the job gone, which is what was wanted.
        with suppress(JobGone):
            yield from self._exchange(Request(method="DELETE", path=_path(job)))

    def jobs(self, status: JobStatus | None) -> Stream[RemoteJob]:
        """See `Client.jobs`."""
        query: dict[str, str] = {"status": status} if status else {}
        while True:
            request = Request(method="GET", path="/v1/jobs", query=query)
            part = yield from self._asked(request, JobPage)
            for job in part.jobs:
                yield Give(job)
            if not part.next_cursor:
                return
            query = {**query, "cursor": part.next_cursor}

    def deliveries(self, job: AnyJob) -> Steps[tuple[Attempt, ...]]:
        """See `Client.deliveries`."""
        request = Request(method="GET", path=_path(job, "deliveries"))
        return (yield from self._asked(request, Attempts)).deliveries

    def redeliver(self, job: AnyJob) -> Steps[None]:
        """See `Client.redeliver`."""
        yield from self._exchange(Request(method="POST", path=_path(job, "deliveries")))

    def models(self) -> Steps[tuple[RemoteModel, ...]]:
        """See `Client.models`."""
        request = Request(method="GET", path="/v1/models")
        return (yield from self._asked(request, Models)).models

    def backlog(self) -> Steps[dict[str, PoolBacklog]]:
        """See `Client.backlog`."""
        request = Request(method="GET", path="/v1/backlog")
        return (yield from self._asked(request, Backlogs)).pools

    def _exchange(self, request: Request) -> Steps[Reply]:
        return (yield from exchange(request, self.server, self.patience))

    def _asked(self, request: Request, kind: type[T]) -> Steps[T]:
        reply = yield from self._exchange(request)
        return decoded(reply.body, kind)

    def _page(self, job_id: str, number: int) -> Steps[Page]:
        """A page as soon as it is read."""
        query = {"wait": f"{LONG_POLL_S:g}"}
        request = Request(
            method="GET",
            path=_path(job_id, f"pages/{number}"),
            query=query,
            waits_s=LONG_POLL_S,
        )
        ended = False
        while True:
            try:
                return (yield from self._asked(request, Page))
            except JobEnded as error:
                raise (yield from self._ending(job_id, error)) from None
            except ResultNotReady:
                if ended:
                    raise
                ended = (yield from self.job(job_id)).ended
                yield Pause(self.patience.first_s)

    def _ending(self, job: AnyJob, error: JobEnded) -> Steps[Exception]:
        """Why a job has no result, or the error itself where it does not say."""
        found = yield from self.job(job)
        return ending_of(found) if found.error or found.status == "cancelled" else error


def _path(job: AnyJob, *rest: str) -> str:
    name = job.id if isinstance(job, RemoteJob) else job
    return "/".join(["/v1/jobs", quote(name, safe=""), *rest])
