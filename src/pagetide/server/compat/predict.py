"""`POST /predict`: a document in, its text out, in one request."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document import Page
from pagetide.server.api.context import InContext
from pagetide.server.compat import outcome
from pagetide.server.compat.arriving import arriving
from pagetide.server.compat.detections import Detection, UnreadPage, of_page, unread
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.patience import to_the_end
from pagetide.server.compat.plain import (
    SubmittingAndReading,
    detail_response,
    listed,
    streamed_json,
)
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

ALIAS = "predict"  # stands in PAGETIDE_ALIASES for the model that reads
FILES = ("file", "image")  # load tests call it either

router = APIRouter(route_class=answering_errors(detail_response))


class PageText(Struct, frozen=True, kw_only=True, gc=False):
    """A page, read, or the reason why not."""

    page_number: int
    width: int
    height: int
    text: str
    detections: tuple[Detection, ...]
    error: UnreadPage | None = None


@router.post("/predict")
async def predict(
    request: Request, context: InContext, asking: SubmittingAndReading
) -> Response:
    """Read a document while the caller waits."""
    async with arriving(request, context, asking) as arrival:
        job = await arrival.submit_form(*FILES, alias=ALIAS)
    job = await to_the_end(request, context, job, sees=asking.sees)
    outcome.check_succeeded(job)
    return await streamed_json(_read(context.service, job))


def _read(service: Service, job: Job) -> Iterator[bytes]:
    model = outcome.head(service, job).model.name
    head = {"task_id": job.id, "status": job.status, "model": model}
    yield msgspec.json.encode(head)[:-1] + b',"pages":['
    yield from listed(map(_page, outcome.pages(service, job)))
    yield b"]}"


def _page(page: Page) -> bytes:
    page_text = PageText(
        page_number=page.number,
        width=page.width,
        height=page.height,
        text=page.text,
        detections=tuple(of_page(page)),
        error=unread(page),
    )
    return msgspec.json.encode(page_text)
