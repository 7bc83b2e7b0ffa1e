"""Waiting for a job as long as its client does."""

from __future__ import annotations

from starlette.requests import ClientDisconnect, Request

from pagetide.errors import ServerUnreachable
from pagetide.server.api.context import Context
from pagetide.server.api.routes.events import ended
from pagetide.server.jobs.job import Job

_AS_LONG_AS_IT_TAKES_S = 365 * 86400.0


async def to_the_end(request: Request, context: Context, job: Job, *, sees: str | None) -> Job:
    """The job once it has ended. Where the client leaves, the job goes on all the same.

    Raises:
        JobGone: It was erased in the meantime.
        ServerUnreachable: The server ends, and the job will be read after that.
        ClientDisconnect: The client went away.
    """
    if not job.ended:
        job = await ended(request, context, job.id, sees=sees, seconds=_AS_LONG_AS_IT_TAKES_S)
    if job.ended:
        return job
    if context.hub.stopping:
        raise ServerUnreachable(
            "The server is being stopped; the document is kept and will be read. Ask again."
        )
    raise ClientDisconnect
