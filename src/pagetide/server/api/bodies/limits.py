"""The limits of what a caller may send, for callers to read in advance."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from pagetide.inputs.sniff import readable
from pagetide.server.api.answers import quotas
from pagetide.server.api.answers.page_wire import LimitView
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.callers.auth import AnyKey, Caller
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.description import schemas
from pagetide.server.jobs.allowances import Allowance
from pagetide.server.jobs.keys import SCOPES
from pagetide.settings import Settings

router = APIRouter(tags=["operation"])


@router.get(
    "/v1/limits",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("LimitView", "The limits of this key.")}),
)
async def show_limits(context: InContext, asking: AnyKey) -> Response:
    """Show what the key may do and send: maximum size, types, and limits."""
    settings, key = context.settings, asking.key
    allowance = asking.allowance(settings)
    left = await _left(context, asking, allowance)
    return as_json(
        LimitView(
            key=key.name if key else None,
            scopes=key.may if key else SCOPES,
            max_bytes=asking.most_bytes(settings.max_bytes),
            max_pages=_least(settings.max_pages, key.max_pages if key else None),
            max_active=_least(settings.max_active, _own_active(asking, settings)),
            active_pages=allowance.active_pages,
            active_pages_left=left.get(quotas.ACTIVE_PAGES),
            pages_per_day=allowance.pages_per_day,
            pages_left_today=left.get(quotas.PAGES_A_DAY),
            requests_per_second=asking.requests_per_second(settings),
            media_types=readable(),
            ttl_s=settings.ttl_s,
        )
    )


async def _left(context: Context, asking: Caller, allowance: Allowance) -> dict[str, int]:
    if not allowance.limited:
        return {}
    usage = await call(context.service.store.usage, asking.owner)
    found = quotas.of_pages(allowance, usage, context.service.clock())
    return {each.name: each.left for each in found}


def _own_active(asking: Caller, settings: Settings) -> int | None:
    if asking.key is None:
        return None
    own = asking.key.max_active
    return settings.max_active_per_key if own is None else own


def _least(most: int, own: int | None) -> int:
    return most if own is None else min(most, own)
