"""The scopes that each route needs, taken from the routes themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fastapi.dependencies.models import Dependant
from fastapi.routing import RouteContext, iter_route_contexts
from starlette.routing import BaseRoute

from pagetide.server.api.callers.auth import Asker
from pagetide.server.jobs.keys import Scope

_NOBODYS = "it contains no user data"
_SIGNED = "its link is signed"
_FILES, _JOBS = "/v1/files/{job_id}", "/api/v2/ocr/jobs/{job_id}"
# What needs no key, and why. A route that is neither here nor declares its scopes is a mistake.
OPEN = {
    "GET /": _NOBODYS,
    "GET /ui/{path}": _NOBODYS,
    "GET /docs": _NOBODYS,
    "GET /openapi.json": _NOBODYS,
    "GET /version": _NOBODYS,
    "GET /health": _NOBODYS,
    "GET /health/live": _NOBODYS,
    "GET /health/ready": _NOBODYS,
    "POST /service/Textract/operation/{operation}": "it refuses every request",
    "PUT /v1/uploads/{upload_id}": _SIGNED,
    f"GET {_FILES}/{{format}}": _SIGNED,
    f"GET {_FILES}/pages/{{number}}/figures/{{order}}.png": _SIGNED,
    f"GET {_JOBS}/result.jsonl": _SIGNED,
    f"GET {_JOBS}/pages/{{number}}.png": _SIGNED,
    f"GET {_JOBS}/pages/{{number}}/drawn.png": _SIGNED,
}


@dataclass(frozen=True, kw_only=True)
class Need:
    """The scopes that a route needs.

    Attributes:
        route: Its method and path.
        does: What it does, in one sentence.
        scopes: All that the key must have; None means that there need be no key.
    """

    route: str
    does: str
    scopes: tuple[Scope, ...] | None


def needs(routes: Sequence[BaseRoute]) -> tuple[Need, ...]:
    """The scopes that each of an application's routes needs.

    Raises:
        LookupError: One does not say.
    """
    return tuple(need for each in iter_route_contexts(routes) for need in _of(each))


def sentence(need: Need) -> str:
    """Which key a route takes, as a sentence."""
    if need.scopes is None:
        return f"Needs no key: {OPEN[need.route]}."
    if not need.scopes:
        return "Any key may."
    names = " and ".join(f"`{scope}`" for scope in need.scopes)
    return f"The key needs {names}."


def _of(context: RouteContext) -> Iterator[Need]:
    scopes = _declared(context.dependant)
    does = (context.endpoint.__doc__ or "").strip().splitlines()[0]
    for method in sorted(context.methods or ()):
        route = f"{method} {context.path_format}"
        if (scopes is None) != (route in OPEN):
            raise LookupError(f"{route} must either declare its scopes or be open")
        yield Need(route=route, does=does, scopes=scopes)


def _declared(dependant: Dependant) -> tuple[Scope, ...] | None:
    calls = (each.call for each in _all(dependant.dependencies))
    askers = [call for call in calls if isinstance(call, Asker)]
    if not askers:
        return None
    return tuple(dict.fromkeys(scope for asker in askers for scope in asker.scopes))


def _all(dependants: Iterable[Dependant]) -> Iterator[Dependant]:
    for each in dependants:
        yield each
        yield from _all(each.dependencies)
