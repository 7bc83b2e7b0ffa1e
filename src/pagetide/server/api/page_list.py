"""Lists the pages of a job that are ready."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.responses import Response

from pagetide.document import Notice, page_ranges
from pagetide.server.api.answers.page_list_wire import PageFailure, PageList
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.callers.auth import Reading
from pagetide.server.api.context import InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.api.routes.jobs import JobId
from pagetide.server.jobs.job import Job, Result
from pagetide.server.jobs.page_index import PageIndex
from pagetide.server.service.service import Service
from pagetide.system.ready_types import ready

router = APIRouter(tags=["results"])


@router.get(
    "/v1/jobs/{job_id}/pages",
    response_class=Response,
    responses=schemas.answers(
        {200: schemas.json("PageList", "The pages' numbers.")}, *schemas.ONE_JOB
    ),
)
async def list_pages(context: InContext, asking: Reading, job_id: JobId) -> Response:
    """List which pages are available so far, and which failed."""

    def listed() -> PageList:
        job = context.service.job(job_id, asking.sees)
        return page_list(context.service, job)

    return as_json(await call(listed))


def page_list(service: Service, job: Job) -> PageList:
    """Which pages of a job can be had by now.

    Raises:
        PagetideError: The store or the blobs cannot be reached.
    """
    numbers = page_ranges.chosen(job.options.pages, job.source.page_count)
    if "json" in job.results:
        index = service.pages.index(job)
        return PageList(
            numbers=numbers,
            done=tuple(number for number, *_ in index.places),
            failed=(),
            warnings=_warnings(service, job.results["json"], index),
        )
    tasks = service.store.tasks(job.id)
    failures = {n: error for task in tasks for n, error in task.failures.items()}
    return PageList(
        numbers=numbers,
        done=tuple(sorted(number for task in tasks for number in task.done)),
        failed=tuple(PageFailure(number=n, error=failures[n]) for n in sorted(failures)),
        warnings=(),
    )


class _Tail(Struct):
    """The part of a document's JSON behind its pages."""

    warnings: tuple[Notice, ...] = ()


def _warnings(service: Service, document: Result, index: PageIndex) -> tuple[Notice, ...]:
    """The warnings of a document, read without its pages."""
    end = max((end for *_, end in index.places), default=0)
    tail = b"".join(service.stream(document, end))
    return msgspec.json.decode(b'{"pages":[' + tail, type=ready(_Tail)).warnings
