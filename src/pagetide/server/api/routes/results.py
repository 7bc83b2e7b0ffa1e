"""Results, pages and pictures of pages."""

from __future__ import annotations

import gzip
import hashlib
from functools import partial
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document.kinds import PictureEnding, ResultFormat
from pagetide.errors import ResultNotReady
from pagetide.exports import FORMATS
from pagetide.server.api.answers import links
from pagetide.server.api.answers.negotiation import prefers_jpeg
from pagetide.server.api.answers.page_text import without_polygons
from pagetide.server.api.answers.representation import (
    answer,
    has_it,
    of_bytes,
    takes_gzip,
)
from pagetide.server.api.answers.result_answers import (
    answer_bytes,
    find_result,
    rendered,
    representation_of,
)
from pagetide.server.api.answers.showing import as_json, result_name, stem_of
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.answers.wire import waiting
from pagetide.server.api.callers.auth import Caller, Reading
from pagetide.server.api.callers.passwords import GivenPassword, is_locked
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.api.routes import events
from pagetide.server.api.routes.jobs import RETRY_AFTER, JobId, Wait
from pagetide.server.jobs.job import Job
from pagetide.server.service.reviews import check_correctable

MEDIA_TYPES = (
    "text/markdown",
    "text/plain",
    "text/html",
    "application/jsonl",
    "text/vnd.hocr+html",
    "application/pdf",
    "application/zip",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
)
PageNumber = Annotated[int, Path(ge=1, le=1_000_000, description="From 1.")]
Width = Annotated[
    int | None,
    Query(ge=16, le=400, description="Maximum width in pixels; full size by default."),
]
_PACKED = 5  # of a page of 102 KB it leaves 19 KB in 2 ms
_RESULT = {
    200: schemas.result(*MEDIA_TYPES),
    206: schemas.file("The requested part.", *MEDIA_TYPES, "application/json"),
    304: schemas.UNCHANGED,
}

_DRAWN_BY = " ".join(version(name) for name in ("pagetide", "pypdfium2"))

router = APIRouter(tags=["results"])


@router.get(
    "/v1/jobs/{job_id}/result",
    response_class=Response,
    responses=schemas.answers(
        {**_RESULT, 202: schemas.json("Waiting", "Not available yet; try again.")},
        *schemas.ONE_JOB,
        409,
        416,
        headers={**schemas.IN_PARTS, 202: ("Retry-After",)},
    ),
)
async def get_result(
    request: Request,
    context: InContext,
    asking: Reading,
    job_id: JobId,
    format: Annotated[ResultFormat, Query(description="Created now if needed.")] = "json",
    wait: Wait = 0,
    corrected: Annotated[
        bool,
        Query(description="Include a person's corrections; not for `raw`, `pdf`, `figures`."),
    ] = False,
) -> Response:
    """Get a job's result; with `wait`, as soon as it is available."""
    if corrected:
        check_correctable(format)
    found = await find_result(request, context, job_id, format, sees=asking.sees, seconds=wait)
    if found is not None and corrected:
        return await _corrected(request, context, asking, job_id, format)
    if found is None:
        job = await call(context.service.job, job_id, asking.sees)
        return as_json(waiting(job), 202, dict(RETRY_AFTER))
    return await answer(request, found)


@router.get(
    "/v1/files/{job_id}/{format}",
    response_class=Response,
    responses=schemas.answers(
        _RESULT, *schemas.ONE_JOB, 409, 416, headers={**schemas.IN_PARTS}
    ),
)
async def open_link(
    request: Request,
    context: InContext,
    job_id: JobId,
    format: ResultFormat,
    expires: links.Expires,
    signature: links.Signature,
) -> Response:
    """Open a signed link to a result; needs no key."""
    await links.check_now(context, links.file_path(job_id, format), expires, signature)
    job = await call(context.service.job, job_id, None)
    info = await call(context.service.result, job, format)
    return await answer(request, representation_of(context, job, format, info))


@router.get(
    "/v1/jobs/{job_id}/pages/{number}",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.json("Page", "The page."),
            206: schemas.file("The requested part.", "application/json"),
            304: schemas.UNCHANGED,
        },
        *schemas.ONE_JOB,
        409,
        416,
        headers=schemas.IN_PARTS,
    ),
)
async def get_page(
    request: Request,
    context: InContext,
    asking: Reading,
    job_id: JobId,
    number: PageNumber,
    wait: Wait = 0,
    polygons: Annotated[
        bool, Query(description="Without them a page needs a third of the bytes.")
    ] = True,
) -> Response:
    """Get a page as soon as it is read; `wait` waits for it."""

    def read() -> tuple[Job, bytes] | None:
        job = context.service.job(job_id, asking.sees)
        try:
            return job, context.service.pages.json(job, number)
        except ResultNotReady:
            return None

    found = await events.until(
        partial(call, read), hub=context.hub, job_id=job_id, seconds=wait, request=request
    )
    if found is None:
        raise ResultNotReady(f"Page {number} is not read yet.")
    job, page = found
    if not polygons:
        page = await call(without_polygons, page)
    return await _answer_page(request, job, number, page)


@router.get(
    "/v1/jobs/{job_id}/pages/{number}/image",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.file("The page's picture.", "image/png", "image/jpeg"),
            206: schemas.file("The requested part.", "image/png", "image/jpeg"),
            304: schemas.UNCHANGED,
        },
        *schemas.ONE_JOB,
        413,
        416,
        headers=schemas.IN_PARTS,
    ),
)
async def get_page_image(
    request: Request,
    context: InContext,
    asking: Reading,
    job_id: JobId,
    number: PageNumber,
    password: GivenPassword,
    width: Width = None,
) -> Response:
    """Get a page's picture, in the pixels of the result; with `width` a thumbnail.

    It is a PNG, or a JPEG where the header `Accept` asks for `image/jpeg`. No cache keeps that
    of an encrypted document: its next reader may have no password.
    """
    job = await call(context.service.job, job_id, asking.sees)
    ending: PictureEnding = "jpeg" if prefers_jpeg(request.headers.get("accept", "")) else "png"
    etag = _picture_tag(job, number, width, ending)
    locked = is_locked(job, password)
    image = b""  # of which a client that has it is told nothing more
    if locked or request.headers.get("if-none-match") == "*" or not has_it(request, etag):
        image = await rendered(
            request,
            context,
            context.service.pages.image,
            job,
            number,
            width,
            ending,
            password,
        )
    name, kind = f".{number}.{ending}", f"image/{ending}"
    answered = await answer_bytes(request, job, name, image, kind, etag)
    answered.headers["Vary"] = "Accept"
    if locked:
        answered.headers["Cache-Control"] = "no-store"
    return answered


def _picture_tag(job: Job, number: int, width: int | None, ending: PictureEnding) -> str:
    """Names a page's picture without rendering it."""
    made_from = f"{_DRAWN_BY} {job.source.sha256} {job.options.dpi} {number} {width} {ending}"
    return hashlib.sha256(made_from.encode()).hexdigest()


async def _corrected(
    request: Request, context: Context, asking: Caller, job_id: str, format_name: ResultFormat
) -> Response:
    job = await call(context.service.job, job_id, asking.sees)
    making = context.documents.run(
        job.owner, context.service.reviews.exported, job, format_name
    )
    data = await unless_left(request.receive, making)
    name, media_type = result_name(job, format_name), FORMATS[format_name].packed_media_type
    etag = (await call(hashlib.sha256, data)).hexdigest()
    made = of_bytes(data, etag=etag, media_type=media_type, name=name, inline=False)
    return await answer(request, made)


async def _answer_page(request: Request, job: Job, number: int, data: bytes) -> Response:
    """A page's JSON, packed for those who take it so: a fifth of its bytes."""
    etag, encoding = (await call(hashlib.sha256, data)).hexdigest(), None
    if takes_gzip(request):
        data, etag, encoding = await call(_packed, data), f"{etag}gzip", "gzip"
    name, kind = f"{stem_of(job)}.{number}.json", "application/json"
    made = of_bytes(data, etag=etag, media_type=kind, name=name, encoding=encoding)
    answered = await answer(request, made)
    answered.headers["Vary"] = "Accept-Encoding"
    return answered


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, _PACKED, mtime=0)
