"""The routes of PaddleOCR's job API."""

from __future__ import annotations

import time

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.links import Expires, Signature
from pagetide.server.api.callers.auth import Reading, Submitting
from pagetide.server.api.context import InContext, call
from pagetide.server.api.routes import events
from pagetide.server.compat import outcome
from pagetide.server.compat.arriving import arriving
from pagetide.server.compat.paddleocr import answers, batches, pictures
from pagetide.server.compat.paddleocr import request as job_request
from pagetide.server.compat.paddleocr.parameters import JobId
from pagetide.server.compat.paddleocr.responses import Patient, success
from pagetide.server.compat.paddleocr.signing import JOBS, Signing, result_path
from pagetide.server.compat.plain import streamed_json

JSON_LINES = "application/jsonl; charset=utf-8"  # else their client guesses the letters
# Their clients look at once, and then three seconds later: what ends soon is waited for.
YOUNG_S, WAIT_S = 5.0, 2.0
_FORM = "multipart/form-data"

router = APIRouter(route_class=Patient)
router.include_router(pictures.router)


@router.post(JOBS)
async def submit(request: Request, context: InContext, asking: Submitting) -> Response:
    """Accept a document."""
    form = request.headers.get("content-type", "").lower().startswith(_FORM)
    async with arriving(request, context, asking) as arrival:
        if form:
            wishes, name = await job_request.in_form(arrival)
            found = wishes.wanted(context.settings)
        else:
            wishes = await job_request.in_json(arrival)
            found = wishes.wanted(context.settings)
            name = await arrival.fetch(wishes.file_url or "")
        options, notes = (
            job_request.job_options(wishes, found),
            job_request.noted(wishes, found),
        )
        job = await arrival.submit(options, name=name, metadata=notes)
    if wishes.batch_id:
        await call(batches.join, context.service, job, wishes.batch_id)
    return success({"jobId": job.id})


@router.get(f"{JOBS}/batch/{{batch_id}}")
async def batch_status(
    request: Request, context: InContext, asking: Reading, batch_id: str
) -> Response:
    """Progress of the jobs of a batch."""
    signing = await Signing.of(request, context)

    def whole() -> Response:
        jobs = batches.jobs_of(context.service, asking.owner, batch_id)
        each = [answers.status_of(job, signing.result(job)) for job in jobs]
        return success({"batchId": batch_id, "extractResult": each})

    return await call(whole)


@router.get(f"{JOBS}/{{job_id}}")
async def job_status(
    request: Request, context: InContext, asking: Reading, job_id: JobId
) -> Response:
    """Progress of a job, and the location of its result."""
    job = await call(context.service.job, job_id, asking.sees)
    if not job.ended and time.time() < job.created_at + YOUNG_S:
        job = await events.ended(request, context, job_id, sees=asking.sees, seconds=WAIT_S)
    signing = await Signing.of(request, context)
    return success(answers.status_of(job, signing.result(job)))


@router.get(f"{JOBS}/{{job_id}}/result.jsonl")
async def open_result(
    request: Request, context: InContext, job_id: JobId, expires: Expires, signature: Signature
) -> Response:
    """Open the signed link to a result; needs no key."""
    signing = await Signing.of(request, context)
    signing.check(result_path(job_id), expires, signature)
    job = await call(context.service.job, job_id, None)
    outcome.check_succeeded(job)
    lines = answers.lines(context.service, job, signing)
    return await streamed_json(lines, JSON_LINES)
