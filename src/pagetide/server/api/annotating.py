"""Annotates a job's figures by a model server, for other protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request

from pagetide.errors import PagetideError, TooLarge
from pagetide.reading.extraction import ModelServer, annotate
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.context import Context
from pagetide.server.api.model_server import asking, model_server
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

MOST_FIGURES = 100  # their pictures are in memory at once

FigureKey = tuple[int, int]
"""A page's number and a block's order."""
Seen = dict[str, Any] | PagetideError


async def figures_seen(
    request: Request,
    context: Context,
    job: Job,
    schema: dict[str, Any],
    figures: Callable[[], Sequence[FigureKey]],
) -> Mapping[FigureKey, Seen]:
    """The annotation of each figure, or its error, in the job's owner's turn.

    Raises:
        PagetideError: There is no model server, too many figures, or nothing is seen in any.
        ClientDisconnect: The client left.
    """
    server = model_server(context.settings)
    work = context.extractions.run(
        job.owner, _seen, context.service, job, schema, figures, server
    )
    return await unless_left(request.receive, work)


def _seen(
    service: Service,
    job: Job,
    schema: dict[str, Any],
    figures: Callable[[], Sequence[FigureKey]],
    server: ModelServer,
) -> Mapping[FigureKey, Seen]:
    keys = figures()
    if len(keys) > MOST_FIGURES:
        raise TooLarge(f"{len(keys)} pictures are too many: the maximum is {MOST_FIGURES}.")
    pictures = [service.pages.figure(job, *key) for key in keys]
    with asking():
        seen = annotate(pictures, schema, server)
        failed = [each for each in seen if isinstance(each, PagetideError)]
        if failed and len(failed) == len(seen):
            raise failed[0]
    return dict(zip(keys, seen, strict=True))
