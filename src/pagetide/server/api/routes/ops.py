"""Routes for operators: models, languages, health, metrics."""

from __future__ import annotations

import anyio
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pagetide.engines.catalogue import MODELS, Models
from pagetide.engines.models import HERE, Weights
from pagetide.errors import PagetideError, StoreFailed
from pagetide.languages import find, languages
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.callers.auth import AnyKey, Operating
from pagetide.server.api.context import InContext, call, root_url
from pagetide.server.api.description import docs_page, schemas
from pagetide.server.service.load import absences
from pagetide.server.service.service import Service
from pagetide.settings import Settings
from pagetide.telemetry import metrics

READY_WITHIN_S = 5.0

_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_TEXT_OR_NONE = {"type": ["string", "null"]}
_STATUS = schemas.values("It is well.", status=_TEXT)

router = APIRouter(tags=["operation"])


@router.get(
    "/v1/models",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.values(
                "All models.",
                models=schemas.array(
                    name=_TEXT,
                    summary=_TEXT,
                    pool=_TEXT,
                    available=_FLAG,
                    missing=_TEXT_OR_NONE,
                ),
            )
        }
    ),
)
async def list_models(context: InContext, asking: AnyKey) -> Response:
    """List the models, and whether they can run here."""
    return as_json({"models": await call(_models, context.service)})


@router.get(
    "/v1/languages",
    response_class=Response,
    responses=schemas.answers(
        {
            200: schemas.values(
                "All languages.",
                languages=schemas.array(
                    code=_TEXT,
                    name=_TEXT,
                    script=_TEXT,
                    model=_TEXT,
                    bundled=_FLAG,
                    installed=_FLAG,
                    missing_letters=_TEXT,
                    read_badly=_FLAG,
                    better_model=_TEXT_OR_NONE,
                    note=_TEXT_OR_NONE,
                ),
            )
        }
    ),
)
async def list_languages(context: InContext, asking: AnyKey) -> Response:
    """List the languages, the model that reads each, and the letters it cannot write."""
    return as_json({"languages": await call(_languages, context.settings)})


@router.get("/health/live", response_class=Response, responses=schemas.answers({200: _STATUS}))
async def live() -> Response:
    """Check that the process answers."""
    return as_json({"status": "live"})


@router.get(
    "/health/ready", response_class=Response, responses=schemas.answers({200: _STATUS}, 507)
)
async def ready(context: InContext) -> Response:
    """Check whether the store and the blobs answer, accept data, and belong together."""
    try:
        with anyio.fail_after(READY_WITHIN_S):
            await anyio.to_thread.run_sync(context.service.check_health, abandon_on_cancel=True)
    except TimeoutError:
        raise StoreFailed("The job store or the blobs do not answer in time.") from None
    return as_json({"status": "ready"})


@router.get(
    "/metrics",
    response_class=Response,
    responses=schemas.answers(
        {200: {"description": "For Prometheus.", "content": {"text/plain": {"schema": _TEXT}}}}
    ),
)
async def show_metrics(context: InContext, asking: Operating) -> Response:
    """Show the metrics, in Prometheus' text format."""
    return Response(await call(_metrics, context.service), media_type=metrics.MEDIA_TYPE)


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Describe the API, as OpenAPI 3.1."""
    return as_json(request.app.openapi())


@router.get("/docs", include_in_schema=False)
async def docs(request: Request, context: InContext) -> Response:
    """Describe the API to a person."""
    settings = context.settings
    page = docs_page.page(
        request.app.openapi(), root_url(request, settings), with_page=settings.page
    )
    headers = docs_page.headers(with_page=settings.page)
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


def _models(service: Service) -> list[dict[str, object]]:
    settings = service.settings
    places, absent = Models(settings), _absent(service)
    listed = []
    for name, entry in MODELS.items():
        if settings.test_models or not entry.test_only:
            pool, missing = _placed(places, name)
            missing = missing or absent.get(pool or "")
            listed.append(
                {
                    "name": name,
                    "summary": entry.summary,
                    "pool": pool or entry.pool,
                    "available": missing is None,
                    "missing": missing,
                }
            )
    return listed


def _placed(places: Models, name: str) -> tuple[str | None, str | None]:
    """A model's pool; or what it needs that is not here, and what to run."""
    try:
        return places.pool(name), None
    except PagetideError as error:
        return None, error.message


def _absent(service: Service) -> dict[str, str]:
    """Why workers of pools on other machines cannot start, by pool; mostly of none."""
    now = service.clock()
    reasons = {
        pool: absences.reason(service.store, pool, now) for pool in service.settings.pools
    }
    return {pool: reason for pool, reason in reasons.items() if reason}


def _languages(settings: Settings) -> list[dict[str, object]]:
    here = _networks_here(settings)
    return [
        {
            "code": one.code,
            "name": one.name,
            "script": one.script,
            "model": one.model,
            "bundled": one.bundled,
            "installed": one.bundled or one.model in here or f"{one.model}_onnx" in here,
            "missing_letters": one.missing_letters,
            "read_badly": one.read_badly,
            "better_model": one.better_model,
            "note": one.note or None,
        }
        for one in languages()
    ]


def _networks_here(settings: Settings) -> set[str]:
    """The installed networks; where other machines read, those that their pools have."""
    pools = settings.pools
    if pools:
        return {find(code).model for pool in pools for code in settings.languages_of(pool)}
    return {one.name for one in Weights(settings).list() if one.state in HERE}


def _metrics(service: Service) -> bytes:
    for pool in service.pools():
        found = service.capacity.wanted(pool)
        metrics.backlog(
            pool=pool,
            waiting=found.backlog.waiting,
            leased=found.backlog.leased,
            oldest_s=found.backlog.oldest_s,
            size=found.size(),
        )
    return metrics.render()
