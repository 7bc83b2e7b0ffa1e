"""Figures and other blocks, cut out of pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from pagetide.document import Block, Page
from pagetide.exports.figures import figures_of
from pagetide.server.api.answers import links
from pagetide.server.api.answers.result_answers import answer_bytes, rendered
from pagetide.server.api.answers.showing import Shown, as_json
from pagetide.server.api.answers.wire import FigureList, FigureView
from pagetide.server.api.callers.auth import Reading
from pagetide.server.api.callers.passwords import GivenPassword, is_locked
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.api.routes.jobs import JobId
from pagetide.server.api.routes.results import PageNumber
from pagetide.server.jobs.job import Job

BlockOrder = Annotated[
    int, Path(ge=0, le=1_000_000, description="The block's `order` on its page, from 0.")
]
_PICTURE = {
    200: schemas.file("The block's picture.", "image/png"),
    206: schemas.file("The requested part.", "image/png"),
    304: schemas.UNCHANGED,
}

router = APIRouter(tags=["results"])


@router.get(
    "/v1/jobs/{job_id}/pages/{number}/figures",
    response_class=Response,
    responses=schemas.answers(
        {200: schemas.json("FigureList", "The page's figures.")}, *schemas.ONE_JOB, 409
    ),
)
async def list_figures(
    context: InContext, asking: Reading, shown: Shown, job_id: JobId, number: PageNumber
) -> Response:
    """List a page's figures, charts and seals, with links that open without a key."""

    def listed() -> FigureList:
        job = context.service.job(job_id, asking.sees)
        page = Page.from_json(context.service.pages.json(job, number))
        return FigureList(
            figures=tuple(
                FigureView(
                    order=block.order,
                    kind=block.kind,
                    caption=_caption(block, page.blocks),
                    url=shown.signed(links.figure_path(job.id, number, block.order)),
                )
                for block in figures_of(page)
            )
        )

    return as_json(await call(listed))


@router.get(
    "/v1/jobs/{job_id}/pages/{number}/figures/{order}.png",
    response_class=Response,
    responses=schemas.answers(
        _PICTURE, *schemas.ONE_JOB, 409, 413, 416, headers=schemas.IN_PARTS
    ),
)
async def get_figure(
    request: Request,
    context: InContext,
    asking: Reading,
    job_id: JobId,
    number: PageNumber,
    order: BlockOrder,
    password: GivenPassword,
) -> Response:
    """Get the picture of a block, in the pixels of the result."""
    job = await call(context.service.job, job_id, asking.sees)
    return await _answer(request, context, job, number, order, password)


@router.get(
    "/v1/files/{job_id}/pages/{number}/figures/{order}.png",
    response_class=Response,
    responses=schemas.answers(
        _PICTURE, *schemas.ONE_JOB, 409, 413, 416, headers=schemas.IN_PARTS
    ),
)
async def open_figure_link(
    request: Request,
    context: InContext,
    job_id: JobId,
    number: PageNumber,
    order: BlockOrder,
    expires: links.Expires,
    signature: links.Signature,
) -> Response:
    """Open a signed link to a figure; needs no key."""
    path = links.figure_path(job_id, number, order)
    await links.check_now(context, path, expires, signature)
    job = await call(context.service.job, job_id, None)
    return await _answer(request, context, job, number, order)


async def _answer(
    request: Request,
    context: Context,
    job: Job,
    number: int,
    order: int,
    password: str | None = None,
) -> Response:
    figure = context.service.pages.figure
    png = await rendered(request, context, figure, job, number, order, password)
    answered = await answer_bytes(request, job, f".p{number}-b{order}.png", png, "image/png")
    if is_locked(job, password):
        answered.headers["Cache-Control"] = "no-store"
    return answered


def _caption(block: Block, blocks: Iterable[Block]) -> str:
    captions = (each.text for each in blocks if each.caption_of == block.order)
    return "\n".join(text for text in captions if text.strip())
