"""What the service says of itself: its models, its limits, and what it does not do."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import NotFound
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.context import InContext
from pagetide.server.compat.azure.refusals import error_response
from pagetide.server.compat.azure.request import MODELS, check_version, model_for
from pagetide.server.compat.azure.routes import ROOT, AnyKey, ModelId, Version
from pagetide.server.compat.azure.wire import API_VERSION
from pagetide.server.compat.dialect import answering_errors
from pagetide.settings import Settings

_BUILT = "2024-11-30T00:00:00Z"  # of the protocol's version: our models have no such time

router = APIRouter(prefix=ROOT, route_class=answering_errors(error_response))


@router.get("/info")
async def show_resource(caller: AnyKey, version: Version = API_VERSION) -> Response:
    """Maximum number of custom models: none."""
    check_version(version)
    return as_json({"customDocumentModels": {"count": 0, "limit": 0}})


@router.get("/documentModels")
async def list_models(
    context: InContext, caller: AnyKey, version: Version = API_VERSION
) -> Response:
    """The models."""
    check_version(version)
    return as_json({"value": [_model(context.settings, name) for name in MODELS]})


@router.get("/documentModels/{model_id}")
async def show_model(
    context: InContext, caller: AnyKey, model_id: ModelId, version: Version = API_VERSION
) -> Response:
    """A model."""
    check_version(version)
    return as_json(_model(context.settings, model_id))


@router.api_route("/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
async def refuse(request: Request, caller: AnyKey, rest: str, version: Version = None) -> None:
    """Everything else in the protocol: custom models and classifiers."""
    raise NotFound(f"This server has no {request.method} {ROOT}/{rest[:200]}.")


def _model(settings: Settings, model_id: str) -> dict[str, Any]:
    read_by = model_for(settings, model_id)
    return {
        "modelId": model_id,
        "description": f"Read by {read_by}.",
        "createdDateTime": _BUILT,
        "apiVersion": API_VERSION,
    }
