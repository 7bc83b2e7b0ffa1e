"""Jobs: submit, watch, list, cancel, erase, and what became of their webhooks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.showing import Shown, as_json
from pagetide.server.api.answers.streamed import Streamed
from pagetide.server.api.answers.wire import DeliveryList, JobList, delivery_view, job_path
from pagetide.server.api.bodies.job_form import LONGEST_WAIT_S, JobForm
from pagetide.server.api.callers.auth import Caller, Reading, Submitting
from pagetide.server.api.context import InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.api.routes import events
from pagetide.server.api.submitting import IdempotencyKey, submit
from pagetide.server.jobs.job import JobStatus
from pagetide.server.ports import JobQuery

LONGEST_LIST = 200
RETRY_AFTER = {"Retry-After": "1"}
WithResult = Annotated[
    bool,
    Query(description="Whether a small document is included in its job."),
]

JobId = Annotated[str, Path(pattern=r"^[0-9A-Za-z_-]{1,80}$", examples=["job_019ab3c4d5e6"])]
Wait = Annotated[
    float,
    Query(
        ge=0,
        le=LONGEST_WAIT_S,
        allow_inf_nan=False,
        description="Maximum seconds to wait for the job to end.",
    ),
]

router = APIRouter(tags=["jobs"])


@router.post(
    "/v1/jobs",
    status_code=202,
    response_class=Response,
    responses=schemas.answers(
        {202: schemas.job("The job; if it was answered from the cache, it has ended.")},
        *schemas.SUBMITTING,
        headers={202: ("Location", "Retry-After", "RateLimit-Policy", "RateLimit")},
    ),
    openapi_extra=schemas.body(JobForm),
)
async def submit_job(
    request: Request,
    context: InContext,
    asking: Submitting,
    showing: Shown,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Submit a document to be read."""
    _, job = await submit(request, context, asking, idempotency_key, JobForm)
    headers = {"Location": showing.root + job_path(job.id), **RETRY_AFTER}
    return as_json(await call(showing.job, job), 202, headers)


@router.get(
    "/v1/jobs",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("JobList", "Jobs, the newest first.")}),
)
async def list_jobs(
    context: InContext,
    asking: Reading,
    showing: Shown,
    status: Annotated[
        JobStatus | None, Query(description="Only jobs with this status.")
    ] = None,
    cursor: Annotated[
        str | None,
        Query(
            pattern=r"^[0-9A-Za-z_-]{1,80}$", description="`next_cursor` of the previous list."
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=LONGEST_LIST)] = 50,
) -> Response:
    """List the key's own jobs, newest first."""
    query = JobQuery(owner=asking.sees, status=status, before=cursor, limit=limit + 1)

    def listed() -> JobList:
        found = context.service.jobs(query)
        more = found[limit - 1].id if len(found) > limit else None
        shown = tuple(showing.listed(job) for job in found[:limit])
        return JobList(jobs=shown, next_cursor=more)

    return as_json(await call(listed))


@router.get(
    "/v1/jobs/{job_id}",
    response_class=Response,
    responses=schemas.answers({200: schemas.job("The job.")}, *schemas.ONE_JOB),
)
async def show_job(
    request: Request,
    context: InContext,
    asking: Reading,
    showing: Shown,
    job_id: JobId,
    wait: Wait = 0,
    result: WithResult = True,
) -> Response:
    """Show a job; with `wait`, as soon as it has ended."""
    found = await events.ended(request, context, job_id, sees=asking.sees, seconds=wait)
    return as_json(await call(showing.job, found, with_result=result))


@router.get(
    "/v1/jobs/{job_id}/events",
    response_class=Response,
    responses=schemas.answers({200: schemas.EVENTS}, *schemas.ONE_JOB),
)
async def watch_job(
    context: InContext, asking: Reading, showing: Shown, job_id: JobId
) -> Response:
    """Watch a job, as server-sent events, until it has ended.

    `status` has the job without its document; `page` has `pages_done`, `pages_failed` and
    `pages_total`; `position` has the place in the queue; `capacity` has `waiting_for_capacity`.
    A `problem` ends the events early.
    """
    await call(context.service.job, job_id, asking.sees)
    parts = events.stream(
        lambda: call(showing.news, job_id, asking.sees), hub=context.hub, job_id=job_id
    )
    unbuffered = {"X-Accel-Buffering": "no"}  # nginx would hold events back
    return Streamed(parts, headers=unbuffered, media_type="text/event-stream")


@router.post(
    "/v1/jobs/{job_id}/cancel",
    response_class=Response,
    responses=schemas.answers({200: schemas.job("The job, cancelled.")}, *schemas.ONE_JOB, 409),
)
async def cancel_job(
    context: InContext, asking: Submitting, showing: Shown, job_id: JobId
) -> Response:
    """Cancel a job; what was read is discarded."""
    job = await call(context.service.cancel, job_id, asking.sees)
    return as_json(await call(showing.job, job))


@router.delete(
    "/v1/jobs/{job_id}",
    status_code=204,
    response_class=Response,
    responses=schemas.answers({204: schemas.NOTHING}, *schemas.ONE_JOB),
)
async def erase_job(context: InContext, asking: Submitting, job_id: JobId) -> Response:
    """Erase a job: its document, pages, results and details."""
    await call(context.service.erase, job_id, asking.sees)
    return Response(status_code=204)


@router.get(
    "/v1/jobs/{job_id}/deliveries",
    response_class=Response,
    responses=schemas.answers(
        {200: schemas.json("DeliveryList", "The attempts so far.")}, *schemas.ONE_JOB
    ),
)
async def list_deliveries(context: InContext, asking: Reading, job_id: JobId) -> Response:
    """List the attempts to call a job's webhook."""
    return as_json(await call(_deliveries, context, asking, job_id))


@router.post(
    "/v1/jobs/{job_id}/deliveries",
    status_code=202,
    response_class=Response,
    responses=schemas.answers(
        {202: schemas.json("DeliveryList", "The attempts so far; another one follows.")},
        *schemas.ONE_JOB,
        409,
    ),
)
async def redeliver(context: InContext, asking: Submitting, job_id: JobId) -> Response:
    """Call a job's webhook once more."""
    job = await call(context.service.job, job_id, asking.sees)
    await call(context.service.redeliver, job)
    return as_json(await call(_deliveries, context, asking, job_id), 202)


def _deliveries(context: InContext, asking: Caller, job_id: str) -> DeliveryList:
    job = context.service.job(job_id, asking.sees)
    tried = context.service.deliveries(job)
    return DeliveryList(deliveries=tuple(delivery_view(delivery) for delivery in tried))
