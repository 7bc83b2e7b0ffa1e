"""Values for a schema, and answers, found in a document while the caller waits."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.reading.extraction import ModelServer
from pagetide.server.api.answers.result_answers import result_in_time
from pagetide.server.api.answers.showing import Shown, as_json
from pagetide.server.api.bodies.job_form import ExtractForm
from pagetide.server.api.callers.auth import SubmittingAndReading
from pagetide.server.api.context import InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.api.extracting import ExtractionRequest, values_in
from pagetide.server.api.submitting import IdempotencyKey, submit

router = APIRouter(tags=["results"])


@router.post(
    "/v1/extract",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.json("Extraction", "The values, and where each was found."),
            202: schemas.job("The job, which has not ended in time; send its ID as `job`."),
        },
        *schemas.SUBMITTING,
        404,
        410,
        502,
        headers={202: ("Location", "Retry-After")},
    ),
    openapi_extra=schemas.body(ExtractForm),
)
async def extract_values(
    request: Request,
    context: InContext,
    asking: SubmittingAndReading,
    showing: Shown,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Find values for a schema, or answers to questions, in a document or a job's result."""
    ModelServer.of(context.settings)  # or nothing is taken in
    form, job = await submit(request, context, asking, idempotency_key, ExtractForm)
    found = await result_in_time(
        request, context, job.id, "json", asking, showing, seconds=form.wait
    )
    if isinstance(found, Response):
        return found
    job = await call(context.service.job, job.id, asking.sees)
    wanted = ExtractionRequest(schema=form.schema, queries=form.queries)
    return as_json(await values_in(request, context, job, wanted))
