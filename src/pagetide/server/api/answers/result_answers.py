"""Results and pictures as answers, for all routes that give them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec

from starlette.requests import Request
from starlette.responses import Response

from pagetide.document.kinds import ResultFormat
from pagetide.errors import JobEnded, ResultNotReady
from pagetide.server.api import problems
from pagetide.server.api.answers.representation import Representation, answer, of_bytes
from pagetide.server.api.answers.showing import Showing, as_json, result_name, stem_of
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.answers.wire import job_path
from pagetide.server.api.callers.auth import Caller
from pagetide.server.api.context import Context, call
from pagetide.server.api.routes import events
from pagetide.server.api.routes.jobs import RETRY_AFTER
from pagetide.server.jobs.job import Job, Result

P = ParamSpec("P")


async def find_result(
    request: Request,
    context: Context,
    job_id: str,
    format_name: ResultFormat,
    *,
    sees: str | None,
    seconds: float,
) -> Representation | None:
    """A job's result; None where it is not there in time.

    Raises:
        PagetideError: See `Service.result`.
    """

    def made() -> Representation | None:
        job = context.service.job(job_id, sees)
        try:
            info = context.service.result(job, format_name)
        except ResultNotReady:
            return None
        return representation_of(context, job, format_name, info)

    return await events.until(
        partial(call, made), hub=context.hub, job_id=job_id, seconds=seconds, request=request
    )


async def result_in_time(
    request: Request,
    context: Context,
    job_id: str,
    format_name: ResultFormat,
    asking: Caller,
    showing: Showing,
    *,
    seconds: float,
) -> Representation | Response:
    """A job's result, or the answer in its place: why it failed, or the job as it is by then.

    Raises:
        PagetideError: See `Service.result`.
    """
    try:
        found = await find_result(
            request, context, job_id, format_name, sees=asking.sees, seconds=seconds
        )
    except JobEnded:
        job = await call(context.service.job, job_id, asking.sees)
        if job.error is None:
            raise
        return problems.of_failure(job.error, request.url.path)
    if found is not None:
        return found
    job = await call(context.service.job, job_id, asking.sees)
    headers = {"Location": showing.root + job_path(job.id), **RETRY_AFTER}
    return as_json(await call(showing.job, job), 202, headers)


def representation_of(
    context: Context, job: Job, format_name: str, info: Result
) -> Representation:
    """A result as what an answer is made of; it is read as it is sent."""
    return Representation(
        etag=info.sha256,
        media_type=info.media_type,
        size=info.bytes,
        name=result_name(job, format_name),
        open=partial(context.service.stream, info),
    )


async def rendered(
    request: Request,
    context: Context,
    render: Callable[Concatenate[Job, P], bytes],
    job: Job,
    *args: P.args,
    **kwargs: P.kwargs,
) -> bytes:
    """A picture out of a document; nobody makes it whose client left before its turn came.

    Raises:
        PagetideError: It cannot be rendered.
        ClientDisconnect: The client left.
    """
    made = context.pictures.run(job.owner, render, job, *args, **kwargs)
    return await unless_left(request.receive, made)


async def answer_bytes(
    request: Request,
    job: Job,
    ending: str,
    data: bytes,
    media_type: str,
    etag: str | None = None,
) -> Response:
    """Bytes that are in memory, as a file named after the job's document."""
    etag = etag or (await call(hashlib.sha256, data)).hexdigest()
    name = stem_of(job) + ending
    return await answer(request, of_bytes(data, etag=etag, media_type=media_type, name=name))
