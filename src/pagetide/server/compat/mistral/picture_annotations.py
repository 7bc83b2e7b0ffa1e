"""What a model server says of each picture, by a schema of the caller's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request

from pagetide.document import Notice
from pagetide.errors import PagetideError, TooLarge
from pagetide.reading.extraction import ModelServer, annotate
from pagetide.server.api.context import Context
from pagetide.server.api.model_server import asking, model_server
from pagetide.server.api.streamed import unless_left
from pagetide.server.compat import outcome
from pagetide.server.compat.mistral.pages import Annotation, FigureKey, Pages
from pagetide.server.compat.mistral.request import OcrRequest
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

MOST_PICTURES = 100  # of a document: they are in memory at once
NOT_PROVEN = Notice(
    code="not_proven",
    message="These are a model's words about a picture: no text on the page proves them.",
)


async def annotated_pictures(
    request: Request, context: Context, job: Job, ocr_request: OcrRequest
) -> Mapping[FigureKey, Annotation]:
    """What is said of each picture that the answer will have, in the owner's turn.

    Raises:
        PagetideError: There is no model server, or it says nothing of any picture.
        ClientDisconnect: The client left.
    """
    schema = ocr_request.picture_annotation()
    if schema is None:
        return {}
    server = model_server(context.settings)
    work = context.extractions.run(
        job.owner, _annotated, context.service, job, ocr_request, schema, server
    )
    return await unless_left(request.receive, work)


def _annotated(
    service: Service,
    job: Job,
    ocr_request: OcrRequest,
    schema: dict[str, Any],
    server: ModelServer,
) -> Mapping[FigureKey, Annotation]:
    pages = Pages(outcome.head(service, job), ocr_request)
    places = [
        (page.number, order)
        for page in outcome.pages(service, job)
        for order in pages.images(page)
    ]
    if len(places) > MOST_PICTURES:
        raise TooLarge(
            f"There are {len(places)} pictures; {MOST_PICTURES} are annotated at most."
        )
    pictures = [service.figure(job, *place) for place in places]
    with asking():
        told = annotate(pictures, schema, server)
        failed = [each for each in told if isinstance(each, PagetideError)]
        if failed and len(failed) == len(told):
            raise failed[0]
    return dict(zip(places, map(_wire, told), strict=True))


def _wire(told: dict[str, Any] | PagetideError) -> Annotation:
    """As text, as Mistral has it, and what Mistral has no place for."""
    if isinstance(told, PagetideError):
        error = {"code": told.code, "message": told.message}
        return {"image_annotation": None, "image_annotation_error": error}
    return {
        "image_annotation": msgspec.json.encode(told).decode(),
        "image_annotation_grounding": {"leaves": [], "warnings": [NOT_PROVEN]},
    }
