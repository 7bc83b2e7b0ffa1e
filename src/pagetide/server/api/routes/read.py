"""Synchronous reading: a job, and its result as the answer."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.representation import answer
from pagetide.server.api.answers.result_answers import result_in_time
from pagetide.server.api.answers.showing import Shown
from pagetide.server.api.bodies.job_form import ReadForm
from pagetide.server.api.callers.auth import SubmittingAndReading
from pagetide.server.api.context import InContext
from pagetide.server.api.description import schemas
from pagetide.server.api.routes.results import MEDIA_TYPES
from pagetide.server.api.submitting import IdempotencyKey, submit

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
    found = await result_in_time(
        request, context, job.id, form.format, asking, showing, seconds=form.wait
    )
    return found if isinstance(found, Response) else await answer(request, found)
