"""The routes of Mistral's OCR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document.extraction import Extraction
from pagetide.errors import PageOutOfRange, PagetideError, UnknownModel
from pagetide.server.api.annotating import FigureKey
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.callers.auth import Caller, Submitting, SubmittingAndReading
from pagetide.server.api.context import Context, InContext, root_url
from pagetide.server.api.extracting import values_in
from pagetide.server.compat import outcome, plain
from pagetide.server.compat.addresses import embedded
from pagetide.server.compat.arriving import Arrival, arriving
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.mistral import files
from pagetide.server.compat.mistral.pages import Annotation, Pages
from pagetide.server.compat.mistral.picture_annotations import annotated_pictures
from pagetide.server.compat.mistral.request import OcrRequest, place_of, request_of
from pagetide.server.compat.patience import to_the_end
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.server.service.service import Service


def _error_response(error: PagetideError, request: Request) -> Response:
    """An error in Mistral's form: what is not valid has a `detail`, else a `message`."""
    if error.http_status == 422 and not isinstance(error, UnknownModel):
        one = {"type": error.code, "loc": ["body"], "msg": error.message}
        return _answer({"detail": [one]}, 422, error)
    status, kind, code = error.http_status, error.code, error.code
    if isinstance(error, UnknownModel):
        status, kind, code = 400, "invalid_model", "1500"
    problem = {
        "object": "error",
        "message": error.message,
        "type": kind,
        "param": None,
        "code": code,
    }
    return _answer(problem, status, error)


def _answer(problem: object, status: int, error: PagetideError) -> Response:
    headers = plain.error_headers(error)
    return Response(msgspec.json.encode(problem), status, headers, plain.JSON)


router = APIRouter(route_class=answering_errors(_error_response))


@router.post("/v1/ocr")
async def ocr(request: Request, context: InContext, caller: SubmittingAndReading) -> Response:
    """Read a document and return its pages."""
    async with arriving(request, context, caller) as arrival:
        annotates = bool(context.settings.extract_url)
        ocr_request = request_of(await arrival.json(), annotates=annotates)
        wanted = ocr_request.annotation()
        ocr_request.picture_annotation()  # or nothing is taken in
        job = await _submit(context, caller, arrival, ocr_request)
    job = await to_the_end(request, context, job, sees=caller.sees)
    outcome.check_succeeded(job)
    found = await values_in(request, context, job, wanted) if wanted else None
    annotations = await annotated_pictures(request, context, job, ocr_request)
    parts = _parts(context.service, job, ocr_request, found, annotations)
    if not ocr_request.include_image_base64:
        return await plain.streamed_json(parts)
    return await plain.streamed_json(parts, run=partial(context.documents.run, job.owner))


@router.post("/v1/files")
async def keep_file(request: Request, context: InContext, caller: Submitting) -> Response:
    """Store a file for half an hour, so that it can be read."""
    async with arriving(request, context, caller) as arrival:
        return as_json(await files.keep(context, caller, arrival))


@router.get("/v1/files/{file_id}/url")
async def link_file(
    request: Request,
    context: InContext,
    caller: Submitting,
    file_id: str,
    expiry: Annotated[int, Query(ge=1, le=168)] = 24,
) -> Response:
    """Get a link to a file; it is valid as long as the file."""
    root = root_url(request, context.settings)
    return as_json(await files.link(context, caller, file_id, root))


@router.delete("/v1/files/{file_id}")
async def drop_file(context: InContext, caller: Submitting, file_id: str) -> Response:
    """Remove a file."""
    return as_json(await files.drop(context, caller, file_id))


async def _submit(
    context: Context, caller: Caller, arrival: Arrival, ocr_request: OcrRequest
) -> Job:
    place = place_of(ocr_request.document)
    model = ocr_request.model_here(context.settings)
    options = JobOptions(model=model, pages=ocr_request.page_range())
    beginning = arrival.beginning(place.url)
    if file_id := place.file_id or files.linked(beginning):
        name = await files.fetch(context, caller, file_id, arrival)
    elif beginning.startswith("data:"):
        await arrival.base64(place.url, "The document's URL")
        name = ""
    else:
        name = await arrival.fetch(place.url)
    try:
        return await arrival.submit(options, name=place.name or name)
    except PageOutOfRange as error:
        message = f"{error.message} (Here pages count from 1, in `pages` from 0.)"
        raise PageOutOfRange(message) from None


def _parts(
    service: Service,
    job: Job,
    ocr_request: OcrRequest,
    annotation: Extraction | None,
    annotations: Mapping[FigureKey, Annotation],
) -> Iterator[bytes]:
    head = outcome.head(service, job)
    pages = Pages(head, ocr_request, embedded(service, job), annotations)
    yield b'{"pages":['
    found = map(pages.page, outcome.pages(service, job))
    yield from plain.listed(map(msgspec.json.encode, found))
    usage = {"pages_processed": job.page_count, "doc_size_bytes": head.source.bytes}
    tail = {"model": head.model.name, "usage_info": usage}
    rest = msgspec.json.encode(tail | (_annotated(annotation) if annotation else {}))
    yield b"]," + rest[1:]


def _annotated(found: Extraction) -> dict[str, object]:
    """The document's annotation, and beside it what Mistral has no place for: the proof."""
    proof = {"leaves": found.leaves, "conflicts": found.conflicts, "warnings": found.warnings}
    return {
        "document_annotation": msgspec.json.encode(found.value).decode(),
        "document_annotation_grounding": proof,
    }
