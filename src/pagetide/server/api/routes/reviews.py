"""Reviews: claim a document, keep it, correct it, and what was corrected."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.review_wire import (
    ClaimForm,
    CorrectionForm,
    ReviewForm,
    ReviewView,
    TokenForm,
    correction_line,
    list_view,
    review_view,
)
from pagetide.server.api.answers.showing import Shown, as_json
from pagetide.server.api.answers.streamed import Streamed, in_threads
from pagetide.server.api.bodies import struct_body
from pagetide.server.api.callers.auth import Caller, Reading, SubmittingAndReading
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.api.routes.jobs import LONGEST_LIST, JobId
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.review import Correction
from pagetide.server.service.reviews import checked

MOST_BYTES = 512 << 10  # of a review's corrections
SHORT_BYTES = 4096
_ONE = schemas.answers(
    {200: schemas.json("ReviewView", "The review.")}, *schemas.ONE_JOB, 408, 409, 413, 415
)

router = APIRouter(tags=["reviews"])


@router.post(
    "/v1/reviews/next",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.json("ReviewView", "The claimed document, with the places to check."),
            204: {"description": "Nothing waits."},
        },
        408,
        413,
        415,
    ),
    openapi_extra=struct_body.described("ClaimForm", required=False),
)
async def claim_review(
    request: Request, context: InContext, asking: SubmittingAndReading
) -> Response:
    """Claim the document that has waited longest for a review, exclusively.

    The claim ends at `until` unless it is renewed; then the document waits again.
    """
    form = await struct_body.read(request, ClaimForm, SHORT_BYTES, "who reviews")
    by = form.by.strip() or (asking.key.name if asking.key else "")

    def claim() -> ReviewView | None:
        reviews = context.service.reviews
        found = reviews.next(asking.owner, by)
        if found is None:
            return None
        return review_view(found.job, found.task, reviews.places(found.job), found.token)

    claimed = await call(claim)
    return Response(status_code=204) if claimed is None else as_json(claimed)


@router.get(
    "/v1/reviews",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("ReviewList", "What waits.")}),
)
async def list_reviews(
    context: InContext,
    asking: Reading,
    limit: Annotated[int, Query(ge=1, le=LONGEST_LIST)] = 50,
) -> Response:
    """List the documents that wait for a review, in the order of claiming."""

    def listed() -> Response:
        reviews = context.service.reviews
        waiting = list(reviews.waiting(asking.owner, limit))
        return as_json(list_view(reviews.counts(asking.owner), waiting))

    return await call(listed)


@router.get(
    "/v1/reviews/corrections",
    response_class=Response,
    responses=schemas.answers(
        {200: schemas.file("One correction per line: `CorrectionRow`.", "application/jsonl")}
    ),
)
async def list_corrections(context: InContext, asking: Reading, showing: Shown) -> Response:
    """List all corrections, newest jobs first, as JSON Lines for training."""
    found = context.service.reviews.corrections(asking.sees)
    lines = (correction_line(job, each, showing.root) for job, each in found)
    return Streamed(in_threads(lines), media_type="application/jsonl")


@router.get(
    "/v1/jobs/{job_id}/review",
    response_class=Response,
    responses=schemas.answers(
        {200: schemas.json("ReviewView", "The review.")}, *schemas.ONE_JOB
    ),
)
async def show_review(
    context: InContext,
    asking: Reading,
    job_id: JobId,
    all_lines: Annotated[
        bool, Query(description="All lines, not only the doubtful ones.")
    ] = False,
) -> Response:
    """Show the state of a job's review, the places to check, and the outcome."""

    def shown() -> ReviewView:
        job, reviews = context.service.job(job_id, asking.sees), context.service.reviews
        places = reviews.places(job, all_lines=all_lines)
        return review_view(job, reviews.task(job), places)

    return as_json(await call(shown))


@router.post(
    "/v1/jobs/{job_id}/review",
    response_class=Response,
    responses=_ONE,
    openapi_extra=struct_body.described("ReviewForm"),
)
async def close_review(
    request: Request, context: InContext, asking: SubmittingAndReading, job_id: JobId
) -> Response:
    """Close the review of a document, with corrections if there are any."""
    form = await struct_body.read(request, ReviewForm, MOST_BYTES, "what is to be corrected")

    def close(job: Job) -> Job:
        reviews = context.service.reviews
        given = [_correction(each) for each in form.corrections]
        found = checked(reviews.document(job), given) if given else ()
        return reviews.close(job, form.token, found)

    return await _changed(context, asking, job_id, close)


@router.post(
    "/v1/jobs/{job_id}/review/renew",
    response_class=Response,
    responses=_ONE,
    openapi_extra=struct_body.described("TokenForm"),
)
async def renew_review(
    request: Request, context: InContext, asking: SubmittingAndReading, job_id: JobId
) -> Response:
    """Renew a claim; reviewers should do so several times before `until`."""
    form = await struct_body.read(request, TokenForm, SHORT_BYTES, "which claim")
    renew = partial(context.service.reviews.renew, token=form.token)
    return await _changed(context, asking, job_id, renew)


@router.post(
    "/v1/jobs/{job_id}/review/release",
    response_class=Response,
    responses=_ONE,
    openapi_extra=struct_body.described("TokenForm"),
)
async def release_review(
    request: Request, context: InContext, asking: SubmittingAndReading, job_id: JobId
) -> Response:
    """Give a claim back: the document returns to the end of the queue."""
    form = await struct_body.read(request, TokenForm, SHORT_BYTES, "which claim")
    give_back = partial(context.service.reviews.give_back, token=form.token)
    return await _changed(context, asking, job_id, give_back)


async def _changed(
    context: Context, asking: Caller, job_id: str, change: Callable[[Job], object]
) -> Response:
    """The review after a change of it."""

    def changed() -> ReviewView:
        service = context.service
        change(service.job(job_id, asking.sees))
        job = service.job(job_id, asking.sees)
        return review_view(job, service.reviews.task(job))

    return as_json(await call(changed))


def _correction(form: CorrectionForm) -> Correction:
    return Correction(
        page=form.page,
        line=form.line,
        name=form.name,
        old=form.old,
        new=form.new,
        polygon=form.polygon,
        dpi=0,  # of the page, which is looked up
    )
