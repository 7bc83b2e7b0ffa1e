"""What a caller may send, told before it is sent."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from pagetide.api import schemas
from pagetide.api.auth import AnyKey, Caller
from pagetide.api.context import InContext
from pagetide.api.page_wire import LimitView
from pagetide.api.showing import as_json
from pagetide.inputs.sniff import readable
from pagetide.keys import SCOPES
from pagetide.settings import Settings

router = APIRouter(tags=["operation"])


@router.get(
    "/v1/limits",
    response_class=Response,
    responses=schemas.answers({200: schemas.json("LimitView", "As they hold for this key.")}),
)
async def show_limits(context: InContext, asking: AnyKey) -> Response:
    """Show what the key may do and send: how large, of which types, and how much at once."""
    settings, key = context.settings, asking.key
    return as_json(
        LimitView(
            key=key.name if key else None,
            scopes=key.may if key else SCOPES,
            max_bytes=asking.most_bytes(settings.max_bytes),
            max_pages=_least(settings.max_pages, key.max_pages if key else None),
            max_active=_least(settings.max_active, _own_active(asking, settings)),
            media_types=readable(),
            ttl_s=settings.ttl_s,
        )
    )


def _own_active(asking: Caller, settings: Settings) -> int | None:
    if asking.key is None:
        return None
    own = asking.key.max_active
    return settings.max_active_per_key if own is None else own


def _least(most: int, own: int | None) -> int:
    return most if own is None else min(most, own)
