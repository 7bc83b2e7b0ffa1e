"""Routes for autoscalers: the demand of a pool, and keeping workers warm."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from pagetide.server.api.answers.pool_wire import PoolList, WarmForm, pool_view, warm_view
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.bodies import struct_body
from pagetide.server.api.callers.auth import Operating, Scaling
from pagetide.server.api.context import InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.service.load.capacity import Capacity

MOST_BYTES = 4096  # of what says how many workers are kept

router = APIRouter(tags=["operation"])
Pool = Annotated[str, Path(max_length=100)]


@router.get(
    "/v1/backlog",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("PoolList", "By pool.")}),
)
async def show_backlog(context: InContext, asking: Operating) -> Response:
    """Show the backlog of each pool."""
    return as_json(await call(_all_pools, context.service.capacity))


@router.get(
    "/v1/history",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("HistoryView", "By pool.")}),
)
async def show_history(context: InContext, asking: Operating) -> Response:
    """Show the backlog of each pool in the last hour, as observed by this process."""
    return as_json(await context.history.look())


@router.get(
    "/v1/backlog/{pool}",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("PoolView", "Of the pool.")}, 404),
)
async def show_pool(context: InContext, asking: Operating, pool: Pool) -> Response:
    """Show the backlog of a pool; autoscalers use `size`."""
    return as_json(pool_view(await call(context.service.capacity.wanted, pool)))


@router.post(
    "/v1/pools/{pool}/warm",
    response_class=Response,
    responses=schemas.answers(
        {200: schemas.json("WarmView", "The workers that are kept now.")}, 404, 408, 413, 415
    ),
    openapi_extra=struct_body.described("WarmForm", required=False),
)
async def warm_pool(
    request: Request, context: InContext, asking: Scaling, pool: Pool
) -> Response:
    """Keep workers of a pool running for a while without work; replaces earlier requests.

    With 0 `workers` none are kept any longer than the settings say.
    """
    form = await struct_body.read(request, WarmForm, MOST_BYTES, "how many workers")
    found = await call(context.service.capacity.warm, pool, form.workers, form.for_s)
    return as_json(warm_view(pool, found))


def _all_pools(capacity: Capacity) -> PoolList:
    pools = {pool: pool_view(capacity.wanted(pool)) for pool in capacity.pools}
    return PoolList(pools=pools)
