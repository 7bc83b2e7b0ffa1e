"""Pages' pictures, for the links of PaddleOCR's job API."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document import Page
from pagetide.exports import overlay
from pagetide.server.api.answers.links import Expires, Signature
from pagetide.server.api.answers.result_answers import answer_bytes
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.routes.results import PageNumber
from pagetide.server.compat.paddleocr.parameters import JobId
from pagetide.server.compat.paddleocr.responses import Patient
from pagetide.server.compat.paddleocr.signing import JOBS, Signing, drawn_path, page_path
from pagetide.server.jobs.job import Job

router = APIRouter(route_class=Patient)


@router.get(f"{JOBS}/{{job_id}}/pages/{{number}}.png")
async def open_page(
    request: Request,
    context: InContext,
    job_id: JobId,
    number: PageNumber,
    expires: Expires,
    signature: Signature,
) -> Response:
    """Open the signed link to a page's picture."""
    signing = await Signing.of(request, context)
    signing.check(page_path(job_id, number), expires, signature)
    job = await call(context.service.job, job_id, None)
    image = await context.documents.run(job.owner, context.service.pages.image, job, number)
    return await answer_bytes(request, job, f".{number}.png", image, "image/png")


@router.get(f"{JOBS}/{{job_id}}/pages/{{number}}/drawn.png")
async def open_drawn(
    request: Request,
    context: InContext,
    job_id: JobId,
    number: PageNumber,
    expires: Expires,
    signature: Signature,
) -> Response:
    """Open the signed link to a page's picture with the findings drawn on it."""
    signing = await Signing.of(request, context)
    signing.check(drawn_path(job_id, number), expires, signature)
    job = await call(context.service.job, job_id, None)
    image = await context.documents.run(job.owner, _drawn, context, job, number)
    return await answer_bytes(request, job, f".{number}.drawn.png", image, "image/png")


def _drawn(context: Context, job: Job, number: int) -> bytes:
    page = Page.from_json(context.service.pages.json(job, number))
    return overlay.draw(page, context.service.pages.pixels(job, number).pixels)
