"""Makes a job from a request with a document."""

from __future__ import annotations

import dataclasses
import re
from typing import Annotated, TypeVar

from fastapi import Header
from starlette.requests import Request

from pagetide.errors import BadOption, UnsupportedType
from pagetide.net.download import download, safe_name
from pagetide.server.api.answers import quotas
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.bodies import form_body, json_body, upload_use
from pagetide.server.api.bodies.job_form import JobForm, checked
from pagetide.server.api.bodies.uploads import Body, Upload, upload
from pagetide.server.api.callers.auth import Caller
from pagetide.server.api.context import Context, call
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.review import Rules
from pagetide.server.service.submitting.submission import Submission, rules_of

F = TypeVar("F", bound=JobForm)

FORM, JSON = "multipart/form-data", "application/json"
# Version 00 of W3C's Trace Context.
_TRACE = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$",
        description="A repeated request with the same key creates no second job.",
    ),
]


async def submit(
    request: Request,
    context: Context,
    caller: Caller,
    idempotency_key: str | None,
    kind: type[F],
) -> tuple[F, Job]:
    """Take a document in, unless the form names the job that has it.

    Returns:
        What was asked for, and the job.

    Raises:
        PagetideError: It is refused; nothing is left behind.
        ClientDisconnect: The client went away; nothing is left behind.
    """
    most = caller.most_bytes(context.settings.max_bytes)
    media_type = _media_type(request)
    async with upload(context.settings, most) as taken:
        reader = form_body if media_type == FORM else json_body
        body = await reader.read(request, taken, most)
        form = checked(kind, body.fields, texts=media_type == FORM)
        if form.known_job is not None:
            _refuse_document(form, body)
            return form, await call(context.service.job, form.known_job, caller.sees)
        name = await _name(request, context, caller, form, body, taken, most)
        submission = _submission(request, context, caller, idempotency_key, form, taken, name)
        if form.upload is None:
            return form, await enter(request, context, submission)
        async with quotas.noted(request, context, submission):
            return form, await upload_use.submit(
                request, context, form.upload, submission, taken, most
            )


async def fetch(
    request: Request, context: Context, caller: Caller, url: str, taken: Upload, most: int
) -> str:
    """Fetch a document from its URL; what it is called there.

    Raises:
        PagetideError: See `net.download.download`.
        ClientDisconnect: The client left.
    """
    fetching = context.fetches.run(
        caller.owner,
        download,
        url,
        taken.path,
        max_bytes=most,
        timeout_s=context.settings.download_timeout_s,
        allowed_hosts=context.settings.allowed_hosts,
    )
    return (await unless_left(request.receive, fetching)).name


async def enter(request: Request, context: Context, submission: Submission) -> Job:
    """Submit a document that is in its file.

    Raises:
        PagetideError: See `Service.submit`.
        ClientDisconnect: The client left before its document's turn came.
    """
    submit = context.service.submit
    async with quotas.noted(request, context, submission):
        return await unless_left(
            request.receive, context.documents.run(submission.owner, submit, submission)
        )


def of_caller(
    request: Request, context: Context, caller: Caller, submission: Submission
) -> Submission:
    """The submission as this caller's, with its limits, and the request's trace."""
    trace = request.headers.get("traceparent", "")
    key = caller.key
    limits = (submission.max_pages, key.max_pages if key else None)
    return dataclasses.replace(
        submission,
        owner=caller.owner,
        max_pages=min((most for most in limits if most is not None), default=None),
        max_active=key.max_active if key else None,
        allowance=caller.allowance(context.settings),
        weight=(key and key.weight) or 1,
        trace=trace if _TRACE.fullmatch(trace) else "",
    )


def _media_type(request: Request) -> str:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in {FORM, JSON}:
        raise UnsupportedType(f"Send the document as {FORM} or {JSON}.")
    return media_type


async def _name(
    request: Request,
    context: Context,
    caller: Caller,
    form: JobForm,
    body: Body,
    taken: Upload,
    most: int,
) -> str:
    """Fetch the document, if it is to be fetched; what it is called."""
    if body.document + (form.file_url is not None) + (form.upload is not None) > 1:
        raise BadOption("Send either `file`, `file_url` or `upload`, not both.")
    name = body.name
    if form.file_url is not None:
        fetched = await fetch(request, context, caller, form.file_url, taken, most)
        name = name or fetched
    elif not body.document and form.upload is None:
        raise BadOption("There is no document: send `file`, `file_url` or `upload`.")
    return safe_name(name)


def _refuse_document(form: JobForm, body: Body) -> None:
    if body.document or form.file_url is not None or form.upload is not None:
        raise BadOption("Send either `job` or a document, not both.")


def _submission(
    request: Request,
    context: Context,
    caller: Caller,
    idempotency_key: str | None,
    form: JobForm,
    taken: Upload,
    name: str,
) -> Submission:
    submission = Submission(
        document=taken.path,
        name=name,
        options=form.job_options(),
        password=form.password,
        priority=form.priority,
        webhook_url=form.webhook_url,
        metadata=form.metadata,
        idempotency_key=idempotency_key,
        ttl_s=form.ttl_s,
        review=_rules(context, form),
    )
    return of_caller(request, context, caller, submission)


def _rules(context: Context, form: JobForm) -> Rules | None:
    """When a person is to review the result; None where it is not said."""
    usual = rules_of(context.settings)
    rules = form.review_rules(usual)
    return None if rules == usual else rules
