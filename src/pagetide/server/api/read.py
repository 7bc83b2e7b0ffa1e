"""Reading while the caller waits: a job, and its result as the answer."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import JobEnded
from pagetide.server.api import problems, schemas
from pagetide.server.api.auth import SubmittingAndReading
from pagetide.server.api.context import InContext, call
from pagetide.server.api.job_form import ReadForm
from pagetide.server.api.jobs import RETRY_AFTER
from pagetide.server.api.representation import answer
from pagetide.server.api.results import MEDIA_TYPES, find_result
from pagetide.server.api.showing import Shown, as_json
from pagetide.server.api.submitting import IdempotencyKey, submit
from pagetide.server.api.wire import job_path

router = APIRouter(tags=["jobs"])


@router.post(
    "/v1/read",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.result(*MEDIA_TYPES),
            202: schemas.job("The job, which has not ended in time."),
        },
        *schemas.SUBMITTING,
        404,
        410,
        headers={202: ("Location", "Retry-After"), 200: ("ETag", "Content-Disposition")},
    ),
    openapi_extra=schemas.body(ReadForm),
)
async def read_document(
    request: Request,
    context: InContext,
    asking: SubmittingAndReading,
    showing: Shown,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Read a document and return the result, or after `wait` the job."""
    form, job = await submit(request, context, asking, idempotency_key, ReadForm)
    try:
        found = await find_result(
            request, context, job.id, form.format, sees=asking.sees, seconds=form.wait
        )
    except JobEnded:
        job = await call(context.service.job, job.id, asking.sees)
        if job.error is None:
            raise
        return problems.of_failure(job.error, request.url.path)
    if found is not None:
        return await answer(request, found)
    job = await call(context.service.job, job.id, asking.sees)
    headers = {"Location": showing.root + job_path(job.id), **RETRY_AFTER}
    return as_json(await call(showing.job, job), 202, headers)
