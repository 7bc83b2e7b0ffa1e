"""The routes of docling-serve, version 1."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import JobGone, JobUnknown, PagetideError, ResultNotReady
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.callers.auth import Caller
from pagetide.server.api.context import Context, InContext, call, root_url
from pagetide.server.api.routes import events
from pagetide.server.compat import outcome, plain
from pagetide.server.compat.addresses import Address, embedded, linked
from pagetide.server.compat.arriving import Arrival, arriving
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.compat.docling import answers
from pagetide.server.compat.docling.chunking import Chunker
from pagetide.server.compat.docling.options import AnswerFormat
from pagetide.server.compat.docling.pictures import Pictures
from pagetide.server.compat.docling.requests import answer_format, from_form, from_json
from pagetide.server.compat.docling.tree import VERSION
from pagetide.server.compat.patience import to_the_end
from pagetide.server.compat.plain import Reading, Submitting, SubmittingAndReading
from pagetide.server.jobs.job import Job
from pagetide.settings import Settings

LONGEST_WAIT_S = 3600.0
_ID = re.compile(r"[0-9A-Za-z_-]{1,80}")
# The client knows these two by their first words.
_UNKNOWN, _NO_RESULT = "Task not found.", "Task result not found."


def _error_response(error: PagetideError, request: Request) -> Response:
    if isinstance(error, JobUnknown):
        error = JobUnknown(_UNKNOWN)
    elif isinstance(error, JobGone):
        error = JobUnknown(f"{_NO_RESULT} {error.message}")
    elif isinstance(error, ResultNotReady):
        error = JobUnknown(f"{_NO_RESULT} Please wait for a completion status.")
    return plain.detail_response(error, request)


def _task_id(task_id: str) -> str:
    if not _ID.fullmatch(task_id):
        raise JobUnknown
    return task_id


TaskId = Annotated[str, Depends(_task_id)]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT_S, allow_inf_nan=False)]

router = APIRouter(route_class=answering_errors(_error_response))


@router.post("/v1/convert/file")
async def convert_file(
    request: Request, context: InContext, caller: SubmittingAndReading
) -> Response:
    """Convert a file and return the result."""
    job = await _arrived(from_form, request, context, caller)
    return await _converted(request, context, caller, job)


@router.post("/v1/convert/source")
async def convert_source(
    request: Request, context: InContext, caller: SubmittingAndReading
) -> Response:
    """Convert the document in the request or at a URL and return the result."""
    job = await _arrived(from_json, request, context, caller)
    return await _converted(request, context, caller, job)


@router.post("/v1/convert/file/async")
async def begin_file(request: Request, context: InContext, caller: Submitting) -> Response:
    """Start converting a file."""
    job = await _arrived(from_form, request, context, caller)
    return await _status(context, job)


@router.post("/v1/convert/source/async")
async def begin_source(request: Request, context: InContext, caller: Submitting) -> Response:
    """Start converting the document in the request or at a URL."""
    job = await _arrived(from_json, request, context, caller)
    return await _status(context, job)


@router.post("/v1/chunk/{chunker}/file")
async def chunk_file(
    request: Request, context: InContext, caller: SubmittingAndReading, chunker: Chunker
) -> Response:
    """Convert a file and return its chunks."""
    job = await _arrived(from_form, request, context, caller, chunker)
    return await _converted(request, context, caller, job)


@router.post("/v1/chunk/{chunker}/source")
async def chunk_source(
    request: Request, context: InContext, caller: SubmittingAndReading, chunker: Chunker
) -> Response:
    """Convert the document in the request or at a URL and return its chunks."""
    job = await _arrived(from_json, request, context, caller, chunker)
    return await _converted(request, context, caller, job)


@router.post("/v1/chunk/{chunker}/file/async")
async def begin_chunk_file(
    request: Request, context: InContext, caller: Submitting, chunker: Chunker
) -> Response:
    """Start converting a file into chunks."""
    job = await _arrived(from_form, request, context, caller, chunker)
    return await _status(context, job)


@router.post("/v1/chunk/{chunker}/source/async")
async def begin_chunk_source(
    request: Request, context: InContext, caller: Submitting, chunker: Chunker
) -> Response:
    """Start converting the document in the request or at a URL into chunks."""
    job = await _arrived(from_json, request, context, caller, chunker)
    return await _status(context, job)


@router.get("/v1/status/poll/{task_id}")
async def poll(
    request: Request, context: InContext, caller: Reading, task_id: TaskId, wait: Wait = 0
) -> Response:
    """Show the progress of a task; with `wait`, as soon as it has ended."""
    job = await events.ended(request, context, task_id, sees=caller.sees, seconds=wait)
    return await _status(context, job)


@router.get("/v1/result/{task_id}")
async def result(
    request: Request, context: InContext, caller: Reading, task_id: TaskId
) -> Response:
    """Get a task's result."""
    job = await call(context.service.job, task_id, caller.sees)
    try:
        outcome.check_succeeded(job)
    except ResultNotReady:
        raise
    except PagetideError:
        return as_json(answers.task_failure(job))
    return await _answer(request, context, job)


@router.get("/version")
async def show_version() -> Response:
    """Show the server's version and the schema of its documents."""
    return as_json({"pagetide": version("pagetide"), "docling_document": VERSION})


async def _arrived(
    make: Callable[[Arrival, Settings, Chunker | None], Awaitable[Job]],
    request: Request,
    context: Context,
    caller: Caller,
    chunker: Chunker | None = None,
) -> Job:
    async with arriving(request, context, caller) as arrival:
        return await make(arrival, context.settings, chunker)


async def _converted(request: Request, context: Context, caller: Caller, job: Job) -> Response:
    job = await to_the_end(request, context, job, sees=caller.sees)
    outcome.check_succeeded(job)
    return await _answer(request, context, job)


async def _answer(request: Request, context: Context, job: Job) -> Response:
    wanted = answer_format(job)
    address, origin = await _pictures(request, context, job, wanted)

    def made() -> Response:
        # Where an equal document was read before, the result bears that one's name.
        document = replace(outcome.document(context.service, job), source=job.source)
        pictures = Pictures(document, address, origin)
        if wanted.chunks:
            return as_json(answers.chunks(job, document, wanted, wanted.chunks, pictures))
        return as_json(answers.converted(job, document, wanted, pictures))

    # Whole in memory, so of few at once, even where no document is opened.
    return await context.documents.run(job.owner, made)


async def _pictures(
    request: Request, context: Context, job: Job, wanted: AnswerFormat
) -> tuple[Address | None, str]:
    if wanted.images == "embedded":
        return embedded(context.service, job), "data:"
    if wanted.images == "referenced":
        root, secret = root_url(request, context.settings), await context.link_secret.get()
        return linked(job, root, secret, context.settings.link_s), root
    return None, ""


async def _status(context: Context, job: Job) -> Response:
    position = await call(context.service.position, job)
    kind = "chunk" if answer_format(job).chunks else "convert"
    return as_json(answers.task_status(job, position, kind))
