"""Refuses query parameters that a route does not have, or that are given twice."""

from __future__ import annotations

from fastapi.dependencies.models import Dependant
from starlette.requests import Request

from pagetide.errors import BadOption
from pagetide.server.api import problems


async def any_parameters() -> None:
    """A dependency of routes that take any parameters and ignore them."""


async def known_parameters(request: Request) -> None:
    """Refuse what would else pass unseen.

    Raises:
        BadOption: A parameter is none of the route's, or is given twice.
    """
    route = request.scope["route"]
    if any(each.call is any_parameters for each in route.dependant.dependencies):
        return
    given = [name for name, _ in request.query_params.multi_items()]
    problems.unknown_names("parameter", set(given), _names(route.dependant))
    for name in given:
        if given.count(name) > 1:
            raise BadOption(
                f"`{name}` is given {given.count(name)} times; only once is allowed."
            )


def _names(dependant: Dependant) -> set[str]:
    """The names of the query parameters of a route, or of what it depends on."""
    own = {field.alias for field in dependant.query_params}
    return own.union(*map(_names, dependant.dependencies))
