"""The application: routes, error answers, and what begins and ends with the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import JobUnknown, PagetideError
from pagetide.server.api import page, page_list, problems
from pagetide.server.api.answers.links import link_secret
from pagetide.server.api.bodies import limits, uploads
from pagetide.server.api.bodies.parameters import known_parameters
from pagetide.server.api.callers.auth import load_keys
from pagetide.server.api.callers.guard import Guard
from pagetide.server.api.callers.key_uses import KeyUses
from pagetide.server.api.context import Context, Fresh, call
from pagetide.server.api.description import schemas
from pagetide.server.api.edge import Edge
from pagetide.server.api.history import History
from pagetide.server.api.hub import Hub
from pagetide.server.api.routes import (
    extract,
    figures,
    jobs,
    ops,
    pools,
    read,
    results,
    reviews,
    uploading,
)
from pagetide.server.compat import FACADES
from pagetide.server.service.service import Service
from pagetide.settings import Settings


def create_app(service: Service, settings: Settings, *, keys_needed: bool) -> FastAPI:
    """The application; the service is closed by who opened it, after this.

    A server that is asked to end should call `app.state.context.hub.stop()`, so that those
    who wait for changes go home.
    """
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        dependencies=[Depends(known_parameters)],
        middleware=_middleware(settings, keys_needed),
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    hub = Hub(service.notifier.notifications, service.marks)
    app.state.context = Context(
        service=service,
        settings=settings,
        hub=hub,
        keys=Fresh(partial(load_keys, service)),
        link_secret=Fresh(partial(link_secret, service)),
        keys_needed=keys_needed,
        key_uses=KeyUses(service.store),
        history=History(service, hub),
    )
    include_routes(app, with_page=settings.page)
    app.openapi = partial(schemas.describe, app, keys_needed=keys_needed)  # type: ignore[method-assign]
    app.add_exception_handler(PagetideError, _error_response)
    app.add_exception_handler(RequestValidationError, _invalid_response)
    app.add_exception_handler(HTTPException, _status_response)
    return app


def include_routes(app: FastAPI, *, with_page: bool) -> None:
    """Give an application all the routes."""
    documents = (jobs, uploading, page_list, results, figures, reviews, read, extract)
    modules = (*documents, limits, pools, ops)
    for router in FACADES:  # first, for a link to a file of Mistral's is like one to a result
        app.include_router(router, include_in_schema=False)
    for module in (*modules, page) if with_page else modules:
        app.include_router(module.router)


def _middleware(settings: Settings, keys_needed: bool) -> list[Middleware]:
    guard = [] if keys_needed else [Middleware(Guard, settings=settings)]
    return [Middleware(Edge), *guard]


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    context: Context = app.state.context
    await call(uploads.prepare, context.settings)
    await context.hub.start()
    context.history.start()
    try:
        yield
    finally:
        await context.history.close()
        await context.hub.close()
        await context.key_uses.close()


async def _error_response(request: Request, error: Exception) -> Response:
    return problems.of_error(cast(PagetideError, error), request.url.path)


async def _invalid_response(request: Request, error: Exception) -> Response:
    invalid = cast(RequestValidationError, error)
    if any(tuple(one["loc"]) == ("path", "job_id") for one in invalid.errors()):
        return problems.of_error(JobUnknown(), request.url.path)
    return problems.of_error(problems.invalid_parameters(invalid), request.url.path)


async def _status_response(request: Request, error: Exception) -> Response:
    http_error = cast(HTTPException, error)
    headers = dict(http_error.headers or {})
    detail = http_error.detail
    if http_error.status_code == 404:
        detail = "There is nothing at this path."
    elif http_error.status_code == 405:
        # What is not described, such as the page, has only what its own route says.
        own = headers.get("Allow", "GET")
        headers["Allow"] = problems.other_methods(request) or own.replace("GET", "GET, HEAD")
        detail = f"This path supports {headers['Allow']}."
    return problems.of_status(http_error.status_code, detail, request.url.path, headers)
