"""The routes of PaddleX serving."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

import msgspec
from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from pagetide.api.auth import Caller
from pagetide.api.context import Context, InContext, call
from pagetide.api.facades import outcome
from pagetide.api.facades.arriving import Arrival, arriving
from pagetide.api.facades.dialect import asking, telling
from pagetide.api.facades.paddle_results import Json
from pagetide.api.facades.paddlex import envelope, restructure
from pagetide.api.facades.paddlex.answers import Answer
from pagetide.api.facades.paddlex.asked import (
    Asked,
    LayoutAsked,
    OcrAsked,
    asked,
    given_of,
)
from pagetide.api.facades.paddlex.options import LAYOUT, OCR, OptionTable
from pagetide.api.facades.paddlex.pages_asked import PagesAsked, pages_asked
from pagetide.api.facades.patience import to_the_end
from pagetide.api.facades.plain import JSON, streamed_json
from pagetide.errors import BadOption
from pagetide.job import Job, JobOptions
from pagetide.models import DEFAULT

OCR_MODEL = "pp-ocrv6"
T = TypeVar("T", bound=Asked)


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
    except (binascii.Error, UnicodeDecodeError):
        return ""


router = APIRouter(route_class=telling(envelope.tell))
Asking = Annotated[Caller, Depends(asking(token))]


@router.get("/health")
async def health() -> Response:
    """Say that the process answers."""
    return Response(envelope.without_result("", 0, "Healthy"), media_type=JSON)


@router.post("/ocr")
async def ocr(request: Request, context: InContext, asking: Asking) -> Response:
    """Read a document's lines."""
    found, job = await _read(request, context, asking, OcrAsked, OCR, "ocr", OCR_MODEL)
    return await _answer(found, job, Answer(context.service, job).ocr(found))


@router.post("/layout-parsing")
async def layout_parsing(request: Request, context: InContext, asking: Asking) -> Response:
    """Read a document with its layout."""
    found, job = await _read(
        request, context, asking, LayoutAsked, LAYOUT, "layout-parsing", DEFAULT
    )
    return await _answer(found, job, Answer(context.service, job).layout(found))


@router.post("/restructure-pages")
async def restructure_pages(request: Request, asking: Asking) -> Response:
    """Make one document of pages that were read before."""
    found = await pages_asked(request)
    result = msgspec.json.encode({"layoutParsingResults": await call(_remade, found)})
    return await streamed_json(envelope.with_result(found.log_id, iter((result,))))


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
        envelope.log_as(request, str(given_of(body).get("logId", "")))
        model = context.settings.model_named(alias) or otherwise
        found, with_options = asked(kind, body, options, model)
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


async def _answer(found: Asked, job: Job, result: Iterator[bytes]) -> Response:
    return await streamed_json(envelope.with_result(found.log_id or job.id, result))


def _remade(found: PagesAsked) -> list[Json]:
    pages = restructure.restructured(
        [page.pruned_result for page in found.pages],
        merge_tables=found.merge_tables,
        relevel_titles=found.relevel_titles,
    )
    images = [page.markdown_images or {} for page in found.pages]
    texts = [
        restructure.markdown(page, pictures, pretty=found.prettify_markdown)
        for page, pictures in zip(pages, images, strict=True)
    ]
    if found.concatenate_pages:
        _refuse_same_names(images)
        pages, texts = [restructure.concatenated(pages)], ["\n\n".join(filter(None, texts))]
        images = [{name: text for some in images for name, text in some.items()}]
    shown = [{"images": some} if found.return_markdown_images else {} for some in images]
    return [
        {"prunedResult": page, "markdown": {"text": text, **pictures}}
        for page, text, pictures in zip(pages, texts, shown, strict=True)
    ]


def _refuse_same_names(images: Sequence[Mapping[str, str]]) -> None:
    """Refuse different pictures of one name, of which only one could be kept.

    Raises:
        BadOption: There are such.
    """
    known: dict[str, str] = {}
    for name, picture in (pair for some in images for pair in some.items()):
        if known.setdefault(name, picture) != picture:
            raise BadOption(f"`pages` have different pictures of the name {name[:80]!r}.")
