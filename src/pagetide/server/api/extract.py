"""Values for a schema, and answers, found in a document while the caller waits."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document import Document
from pagetide.document.extraction import Extraction
from pagetide.errors import JobEnded, TooLarge
from pagetide.reading import extraction
from pagetide.server.api import problems, schemas
from pagetide.server.api.auth import SubmittingAndReading
from pagetide.server.api.context import InContext, call
from pagetide.server.api.job_form import ExtractForm
from pagetide.server.api.jobs import RETRY_AFTER
from pagetide.server.api.representation import Representation
from pagetide.server.api.results import find_result
from pagetide.server.api.showing import Shown, as_json
from pagetide.server.api.streamed import unless_left
from pagetide.server.api.submitting import IdempotencyKey, submit
from pagetide.server.api.wire import job_path

MOST_BYTES = 64 << 20  # of a document's JSON: it is in memory while the server is asked

router = APIRouter(tags=["results"])


@router.post(
    "/v1/extract",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.json("Extraction", "What was found, and where each of it stands."),
            202: schemas.job("The job, which has not ended in time; send its id as `job`."),
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
    server = extraction.ModelServer.of(context.settings)
    form, job = await submit(request, context, asking, idempotency_key, ExtractForm)
    try:
        found = await find_result(
            request, context, job.id, "json", sees=asking.sees, seconds=form.wait
        )
    except JobEnded:
        job = await call(context.service.job, job.id, asking.sees)
        if job.error is None:
            raise
        return problems.of_failure(job.error, request.url.path)
    if found is None:
        job = await call(context.service.job, job.id, asking.sees)
        headers = {"Location": showing.root + job_path(job.id), **RETRY_AFTER}
        return as_json(await call(showing.job, job), 202, headers)
    work = context.extractions.run(asking.owner, extracted, found, form, server)
    return as_json(await unless_left(request.receive, work))


def extracted(
    result: Representation, form: ExtractForm, server: extraction.ModelServer
) -> Extraction:
    """What a model server finds in a result.

    Raises:
        PagetideError: The result is too large, or the server of no use.
    """
    if result.size > MOST_BYTES:
        raise TooLarge(f"The result has more than {MOST_BYTES} bytes; read fewer pages.")
    document = Document.from_json(b"".join(result.open(0, result.size)))
    if form.schema is None:
        return extraction.ask(document, form.queries, server)
    return extraction.extract(document, form.schema, server)
