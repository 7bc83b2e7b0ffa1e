"""The routes of PaddleX serving."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import partial
from typing import Annotated, TypeVar

import anyio
import anyio.to_thread
from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from pagetide.engines.catalogue import DEFAULT
from pagetide.server.api.bodies.uploads import chunks, upload
from pagetide.server.api.callers.auth import Asker, Caller
from pagetide.server.api.context import Context, InContext
from pagetide.server.compat import outcome
from pagetide.server.compat.arriving import Arrival, arriving
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.paddlex import envelope
from pagetide.server.compat.paddlex.answers import Answer
from pagetide.server.compat.paddlex.options import LAYOUT, OCR, OptionTable
from pagetide.server.compat.paddlex.remaking import remade
from pagetide.server.compat.paddlex.request import (
    LayoutRequest,
    OcrRequest,
    PipelineRequest,
    given_of,
    parsed,
)
from pagetide.server.compat.paddlex.restructure_request import MOST_BYTES
from pagetide.server.compat.patience import to_the_end
from pagetide.server.compat.plain import JSON, streamed_json
from pagetide.server.jobs.job import Job, JobOptions

OCR_MODEL = "pp-ocrv6"
AT_ONCE = 2
T = TypeVar("T", bound=PipelineRequest)


def token(request: Request) -> str:
    """The key of `Authorization: token`, or the password of `Basic`.

    A client that knows no keys may have it in its URL: `http://any:KEY@host`.
    """
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "token":
        return text.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(text, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


router = APIRouter(route_class=answering_errors(envelope.error_response))
Submitting = Annotated[Caller, Depends(Asker("submit", ways=(token,)))]
SubmittingAndReading = Annotated[Caller, Depends(Asker("submit", "read", ways=(token,)))]


@router.get("/health")
async def health() -> Response:
    """Check that the process answers."""
    return Response(envelope.without_result("", 0, "Healthy"), media_type=JSON)


@router.post("/ocr")
async def ocr(request: Request, context: InContext, asking: SubmittingAndReading) -> Response:
    """Read a document's lines."""
    found, job = await _read(request, context, asking, OcrRequest, OCR, "ocr", OCR_MODEL)
    parts = Answer(context.service, job).ocr(found)
    return await _answer(context, found, job, parts, pictures=found.visualize)


@router.post("/layout-parsing")
async def layout_parsing(
    request: Request, context: InContext, asking: SubmittingAndReading
) -> Response:
    """Read a document with its layout."""
    found, job = await _read(
        request, context, asking, LayoutRequest, LAYOUT, "layout-parsing", DEFAULT
    )
    parts = Answer(context.service, job).layout(found)
    pictures = found.visualize or found.return_markdown_images
    return await _answer(context, found, job, parts, pictures=pictures)


@router.post("/restructure-pages")
async def restructure_pages(
    request: Request, context: InContext, asking: Submitting
) -> Response:
    """Combine pages that were read before into one document."""
    async with upload(context.settings, MOST_BYTES) as taken:
        async for chunk in chunks(request, MOST_BYTES):
            await taken.take(chunk)
        await taken.ease(all_of_it=True)

        def work() -> tuple[str, bytes]:
            return remade(taken.path.read_bytes(), partial(envelope.log_as, request))

        log_id, result = await anyio.to_thread.run_sync(work, limiter=_few(request))
    return await streamed_json(envelope.with_result(log_id, iter((result,))))


async def _read(
    request: Request,
    context: Context,
    caller: Caller,
    kind: type[T],
    options: OptionTable,
    alias: str,
    otherwise: str,
) -> tuple[T, Job]:
    """What is asked for, and the job that has read it.

    Raises:
        PagetideError: It is refused, or could not be read.
    """
    async with arriving(request, context, caller) as arrival:
        body = await arrival.json()
        envelope.log_as(request, given_of(body).get("logId"))
        model = context.settings.model_named(alias) or otherwise
        found, with_options = parsed(kind, body, options, model)
        name = await _take(arrival, found.file)
        job = await arrival.submit(JobOptions(model=with_options), name=name)
    job = await to_the_end(request, context, job, sees=caller.sees)
    outcome.check_succeeded(job)
    return found, job


async def _take(arrival: Arrival, file: str) -> str:
    """Take the document; what it is called."""
    if arrival.beginning(file).startswith(("http://", "https://")):
        return await arrival.fetch(file)
    await arrival.base64(file, "`file`")
    return ""


async def _answer(
    context: Context,
    found: PipelineRequest,
    job: Job,
    result: Iterator[bytes],
    *,
    pictures: bool,
) -> Response:
    parts = envelope.with_result(found.log_id or job.id, result)
    if not pictures:
        return await streamed_json(parts)
    return await streamed_json(parts, run=partial(context.documents.run, job.owner))


def _few(request: Request) -> anyio.CapacityLimiter:
    """Lets few at once put pages together, for all are in memory then."""
    state = request.app.state
    if not hasattr(state, "restructuring"):
        state.restructuring = anyio.CapacityLimiter(AT_ONCE)
    found: anyio.CapacityLimiter = state.restructuring
    return found
