"""What a model server says of each picture, by a schema of the caller's."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from starlette.requests import Request

from pagetide.document import Notice
from pagetide.errors import PagetideError
from pagetide.server.api.annotating import FigureKey, Seen, figures_seen
from pagetide.server.api.context import Context
from pagetide.server.compat import outcome
from pagetide.server.compat.mistral.pages import Annotation, Pages
from pagetide.server.compat.mistral.request import OcrRequest
from pagetide.server.jobs.job import Job

NOT_PROVEN = Notice(
    code="not_proven",
    message="These are a model's words about a picture: no text on the page proves them.",
)


async def annotated_pictures(
    request: Request, context: Context, job: Job, ocr_request: OcrRequest
) -> Mapping[FigureKey, Annotation]:
    """What is said of each picture that the answer will have; see `figures_seen`."""
    schema = ocr_request.picture_annotation()
    if schema is None:
        return {}

    def figures() -> list[FigureKey]:
        pages = Pages(outcome.head(context.service, job), ocr_request)
        read = outcome.pages(context.service, job)
        return [(page.number, order) for page in read for order in pages.images(page)]

    seen = await figures_seen(request, context, job, schema, figures)
    return {key: _wire(each) for key, each in seen.items()}


def _wire(seen: Seen) -> Annotation:
    """As text, as Mistral has it, and what Mistral has no place for."""
    if isinstance(seen, PagetideError):
        error = {"code": seen.code, "message": seen.message}
        return {"image_annotation": None, "image_annotation_error": error}
    return {
        "image_annotation": msgspec.json.encode(seen).decode(),
        "image_annotation_grounding": {"leaves": [], "warnings": [NOT_PROVEN]},
    }
