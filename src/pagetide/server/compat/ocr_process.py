"""`/api/v1/ocr`: a document in, a task to ask for, its lines of text as detections."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.context import InContext, call
from pagetide.server.compat import outcome
from pagetide.server.compat.arriving import arriving
from pagetide.server.compat.detections import UnreadPage, of_page, unread
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.plain import (
    Reading,
    Submitting,
    detail_response,
    listed,
    streamed_json,
)
from pagetide.server.jobs.job import Job, JobStatus
from pagetide.server.service.service import Service

ALIAS = "ocr-process"  # stands in PAGETIDE_ALIASES for the model that reads
_STATUSES: dict[JobStatus, str] = {"queued": "PENDING", "running": "STARTED"}

router = APIRouter(route_class=answering_errors(detail_response))


class Accepted(Struct, frozen=True, kw_only=True):
    """That a document was taken in."""

    task_id: str
    status: str = "pending"
    message: str = "The document is taken in; ask for its result by this id."


@router.post("/api/v1/ocr/process")
async def process(request: Request, context: InContext, asking: Submitting) -> Response:
    """Accept a document."""
    async with arriving(request, context, asking) as arrival:
        job = await arrival.submit_form("file", alias=ALIAS)
    return as_json(Accepted(task_id=job.id), 202)


@router.get("/api/v1/ocr/results/{task_id}")
async def result(context: InContext, asking: Reading, task_id: str) -> Response:
    """Return a task's status, and its result once it has ended."""
    job = await call(context.service.job, task_id, asking.sees)
    return await streamed_json(_chunks(context.service, job))


def _chunks(service: Service, job: Job) -> Iterator[bytes]:
    start = {"task_id": job.id, "status": _status(job)}
    yield msgspec.json.encode(start)[:-1] + b',"result":'
    if "json" in job.results:
        yield from _read(service, job)
    elif job.ended:
        yield msgspec.json.encode({"error": _why_not(job)})
    else:
        yield b"null"
    waiting = service.store.backlog(job.pool, service.store.clock()).waiting
    yield b',"pending_tasks":%d}' % waiting


def _read(service: Service, job: Job) -> Iterator[bytes]:
    """The result of a document: its detections, then the pages that have none for a reason."""
    errors: list[UnreadPage] = []
    yield b'{"detections":['
    yield from listed(_detections(service, job, errors))
    end = {"model": outcome.head(service, job).model.name, "errors": errors}
    yield b"]," + msgspec.json.encode(end)[1:]


def _detections(service: Service, job: Job, errors: list[UnreadPage]) -> Iterator[bytes]:
    for page in outcome.pages(service, job):
        yield from map(msgspec.json.encode, of_page(page))
        if why := unread(page):
            errors.append(why)


def _status(job: Job) -> str:
    if "json" in job.results:
        return "SUCCESS"
    return "FAILURE" if job.ended else _STATUSES[job.status]


def _why_not(job: Job) -> str:
    return job.error.message if job.error else f"The task was {job.status}."
