"""Other people's paths beside our own: none of theirs stands before one of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Match

from pagetide.document.kinds import ResultFormat
from pagetide.server.compat import FACADES
from tests.unit.api_fake import Desk

UPLOAD = f"up_{'0' * 61}"
# Whatever may stand in a path of ours; of the rest, any word.
VALUES = {
    "format": get_args(ResultFormat),
    "job_id": ("018f2f6a-job", "batch", UPLOAD),
    "upload_id": (UPLOAD,),
    "number": ("1",),
    "order": ("0",),
}


def theirs(route: APIRoute) -> bool:
    return str(route.endpoint.__module__).startswith("pagetide.server.compat.")


def paths(template: str) -> list[str]:
    """A template with each of the values in its places."""
    found = [template]
    for name in re.findall(r"\{(\w+)(?::\w+)?\}", template):
        values = VALUES.get(name, ("word",))
        place = re.compile(rf"\{{{name}(:\w+)?\}}")
        found = [place.sub(value, path) for path in found for value in values]
    return found


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> list[APIRoute]:
    app = Desk(tmp_path_factory.mktemp("desk")).app()
    return list(flat(app.routes))


def flat(routes: Iterable[Any]) -> Iterator[APIRoute]:
    """All routes in the order in which they are asked, those of routers in routers too."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif inner := getattr(route, "original_router", None):
            yield from flat(inner.routes)


def first(routes: list[APIRoute], method: str, path: str) -> APIRoute:
    """The route that answers."""
    scope = {"type": "http", "method": method, "path": path, "headers": []}
    return next(each for each in routes if each.matches(scope)[0] is Match.FULL)


def test_every_path_of_ours_comes_to_us(routes: list[APIRoute]) -> None:
    ours = [route for route in routes if not theirs(route)]
    assert len(ours) > 20 and len(routes) > len(ours) + len(FACADES)
    for route in ours:
        for path in paths(route.path):
            for method in sorted(route.methods or ()):
                found = first(routes, method, path)
                assert not theirs(found), f"{found.path} takes {method} {path}"
