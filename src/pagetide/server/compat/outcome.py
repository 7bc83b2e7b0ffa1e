"""The outcome of a job for a facade to translate: its end, its error, its pages."""

from __future__ import annotations

from collections.abc import Iterator

from pagetide import errors
from pagetide.document import Document, Failure, Page
from pagetide.errors import JobEnded, PagetideError, ResultNotReady
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service


def error_of(failure: Failure) -> PagetideError:
    """A job's or page's failure as the error that it was."""
    return errors.kind_of(failure.code)(failure.message)


def check_succeeded(job: Job) -> None:
    """See that the job has a result, if only of some of its pages.

    Raises:
        PagetideError: It failed; this is why.
        JobEnded: It was cancelled.
        ResultNotReady: It is still being read.
    """
    if job.error is not None:
        raise error_of(job.error)
    if "json" in job.results:
        return
    if job.ended:
        raise JobEnded(f"The job has ended without a result: {job.status}.")
    raise ResultNotReady


def head(service: Service, job: Job) -> Document:
    """The document without its pages: source, model, warnings."""
    info, places = job.results["json"], service.pages.index(job).places
    start, end = places[0][1], places[-1][2]
    whole = b"".join([*service.blobs.stream(info.key, 0, start), *_tail(service, job, end)])
    return Document.from_json(whole)


def pages(service: Service, job: Job, skip: int = 0) -> Iterator[Page]:
    """The document's pages but for the first so many, each read when it is asked for."""
    for _, start, end in service.pages.index(job).places[skip:]:
        found = b"".join(service.blobs.stream(job.results["json"].key, start, end))
        yield Page.from_json(found)


def document(service: Service, job: Job) -> Document:
    """The whole document, in memory."""
    return Document.from_json(service.blobs.get(job.results["json"].key))


def _tail(service: Service, job: Job, start: int) -> Iterator[bytes]:
    info = job.results["json"]
    return service.blobs.stream(info.key, start, info.bytes)
