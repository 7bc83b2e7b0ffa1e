"""Analyses: submit a document, get its result, its PDF and its figures, and delete it."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document import Page
from pagetide.errors import BadOption, Busy, JobUnknown, NotFound
from pagetide.exports.figures import figures_of
from pagetide.server.api.answers.representation import answer
from pagetide.server.api.answers.result_answers import answer_bytes, find_result
from pagetide.server.api.answers.streamed import Streamed, in_threads
from pagetide.server.api.bodies.job_form import json_object
from pagetide.server.api.callers.auth import Asker, Caller
from pagetide.server.api.context import Context, InContext, call, root_url
from pagetide.server.api.extracting import values_in
from pagetide.server.api.problems import unknown_names
from pagetide.server.compat.arriving import Arrival, arriving
from pagetide.server.compat.azure.analysis import build, operation
from pagetide.server.compat.azure.query_fields import query_request
from pagetide.server.compat.azure.refusals import error_response
from pagetide.server.compat.azure.request import (
    AnalyzeRequest,
    Parameters,
    check_version,
    request_and_options,
    request_of,
)
from pagetide.server.compat.azure.wire import API_VERSION
from pagetide.server.compat.dialect import answering_errors, header
from pagetide.server.jobs.job import Job

ROOT = "/documentintelligence"
KEY = "Ocp-Apim-Subscription-Key"
JSON = "application/json"
POLL_AGAIN = {"Retry-After": "1"}
_FIGURE_ID = re.compile(r"([0-9]{1,7})\.([0-9]{1,7})", re.ASCII)
_PDF_S = 60.0  # so long a PDF may be waited for; the client asks again

router = APIRouter(prefix=ROOT, route_class=answering_errors(error_response))

_KEY = (header(KEY),)
AnyKey = Annotated[Caller, Depends(Asker(ways=_KEY))]
Reading = Annotated[Caller, Depends(Asker("read", ways=_KEY))]
Submitting = Annotated[Caller, Depends(Asker("submit", ways=_KEY))]
Version = Annotated[str | None, Query(alias="api-version", max_length=40)]
Text = Annotated[str | None, Query(max_length=2000)]
Listed = Annotated[str | None, Query(max_length=20_000)]
IndexType = Annotated[str | None, Query(alias="stringIndexType", max_length=80)]
QueryFields = Annotated[str | None, Query(alias="queryFields", max_length=2000)]
Format = Annotated[str | None, Query(alias="outputContentFormat", max_length=80)]
# Their reference writes it into addresses, for the two forms of the body; it says nothing.
Overload = Annotated[str | None, Query(alias="_overload", max_length=80)]
ModelId = Annotated[str, Path(max_length=64)]
ResultId = Annotated[str, Path(max_length=80)]


async def parameters(
    pages: Listed = None,
    locale: Text = None,
    index_type: IndexType = None,
    features: Text = None,
    query_fields: QueryFields = None,
    content_format: Format = None,
    output: Text = None,
    overload: Overload = None,
) -> Parameters:
    """What the address of an analysis asks for."""
    return Parameters(
        pages=pages,
        locale=locale,
        index_type=index_type,
        features=features,
        query_fields=query_fields,
        content_format=content_format,
        output=output,
    )


Given = Annotated[Parameters, Depends(parameters)]


@router.post("/documentModels/{model_id}:analyze")
async def analyze(
    request: Request,
    context: InContext,
    caller: Submitting,
    model_id: ModelId,
    given: Given,
    version: Version = None,
) -> Response:
    """Accept a document for reading."""
    check_version(version)
    analyze_request, options = request_and_options(context.settings, model_id, given)
    async with arriving(request, context, caller) as arrival:
        name = await _document(request, arrival)
        job = await arrival.submit(options, name=name, metadata=analyze_request.note())
    where = location(request, context, f"{model_id}/analyzeResults/{job.id}")
    return Response(status_code=202, headers={"Operation-Location": where, **POLL_AGAIN})


@router.get("/documentModels/{model_id}/analyzeResults/{result_id}")
async def show_result(
    request: Request,
    context: InContext,
    caller: Reading,
    model_id: ModelId,
    result_id: ResultId,
    version: Version = API_VERSION,
) -> Response:
    """State of an analysis, and its result."""
    check_version(version)
    job, analyze_request = await call(find, context, caller, model_id, result_id)
    stands = operation(job)
    if stands.status != "succeeded":
        again = {} if job.ended else POLL_AGAIN
        return Response(msgspec.json.encode(stands), 200, again, JSON)
    found = None
    if names := analyze_request.query_fields:
        found = await values_in(request, context, job, query_request(names), keep=True)
    built = await call(build, context.service, job, analyze_request, found)
    length = {"Content-Length": str(built.size)}
    return Streamed(in_threads(built), 200, length, JSON)


@router.get("/documentModels/{model_id}/analyzeResults/{result_id}/pdf")
async def get_pdf(
    request: Request,
    context: InContext,
    caller: Reading,
    model_id: ModelId,
    result_id: ResultId,
    version: Version = API_VERSION,
) -> Response:
    """The searchable PDF, if it was requested."""
    check_version(version)
    job, analyze_request = await call(find, context, caller, model_id, result_id)
    _check_output(analyze_request, "pdf")
    found = await find_result(request, context, job.id, "pdf", sees=caller.sees, seconds=_PDF_S)
    if found is None:
        raise Busy("The PDF is still being made.", retry_after_s=1)
    return await answer(request, found)


@router.get("/documentModels/{model_id}/analyzeResults/{result_id}/figures/{figure_id}")
async def get_figure(
    request: Request,
    context: InContext,
    caller: Reading,
    model_id: ModelId,
    result_id: ResultId,
    figure_id: Annotated[str, Path(max_length=80)],
    version: Version = API_VERSION,
) -> Response:
    """A figure's picture, if figures were requested."""
    check_version(version)
    job, analyze_request = await call(find, context, caller, model_id, result_id)
    _check_output(analyze_request, "figures")
    number, order = await call(_block_of, context, job, figure_id)
    png = await context.documents.run(
        job.owner, context.service.pages.figure, job, number, order
    )
    return await answer_bytes(request, job, f".{figure_id}.png", png, "image/png")


@router.delete("/documentModels/{model_id}/analyzeResults/{result_id}")
async def delete_result(
    context: InContext,
    caller: Submitting,
    model_id: ModelId,
    result_id: ResultId,
    version: Version = API_VERSION,
) -> Response:
    """Erase an analysis: its document, its result and everything else."""
    check_version(version)
    job, _ = await call(find, context, caller, model_id, result_id)
    await call(context.service.erase, job.id, caller.sees)
    return Response(status_code=204)


def find(
    context: Context, caller: Caller, model_id: str, result_id: str
) -> tuple[Job, AnalyzeRequest]:
    """An analysis: its job, and what it was asked for.

    Raises:
        JobUnknown: There never was one with this model, or it is another key's.
        JobGone: It was erased or has expired.
    """
    job = context.service.job(result_id, caller.sees)
    analyze_request = request_of(job)
    if analyze_request.model_id != model_id:
        raise JobUnknown
    return job, analyze_request


def location(request: Request, context: Context, path: str) -> str:
    """The address of what is below a model."""
    root = root_url(request, context.settings)
    return f"{root}{ROOT}/documentModels/{path}?api-version={API_VERSION}"


async def _document(request: Request, arrival: Arrival) -> str:
    """Take the document, in whichever form it comes; what it is called."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != JSON:
        await arrival.body()
        return ""
    sources = _sources(await arrival.json())
    if "urlSource" in sources:
        return await arrival.fetch(sources["urlSource"])
    await arrival.base64(sources["base64Source"], "base64Source")
    return ""


def _sources(body: object) -> dict[str, str]:
    """The one source that the body names.

    Raises:
        BadOption: It names none, or both, or something else.
    """
    fields = json_object(body)
    unknown_names("field", set(fields), {"urlSource", "base64Source"})
    given = {name: value for name, value in fields.items() if value is not None}
    if len(given) != 1 or not all(isinstance(value, str) for value in given.values()):
        raise BadOption("Give either urlSource or base64Source, as a text.")
    return given


def _check_output(analyze_request: AnalyzeRequest, name: str) -> None:
    if name not in analyze_request.output:
        raise NotFound(f"The result has none: the analysis was not asked for output={name}.")


def _block_of(context: Context, job: Job, figure_id: str) -> tuple[int, int]:
    """The page and the order of the block that a figure's id names."""
    parts = _FIGURE_ID.fullmatch(figure_id)
    if parts is None:
        raise NotFound("There is no such figure.")
    number, place = int(parts[1]), int(parts[2])
    page = Page.from_json(context.service.pages.json(job, number))
    figures = figures_of(page)
    if not 1 <= place <= len(figures):
        raise NotFound(f"Page {number} has no figure {place}.")
    return number, figures[place - 1].order
