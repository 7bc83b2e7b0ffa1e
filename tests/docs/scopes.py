"""The table of scopes by route in docs/reference/scopes.md, which `make scopes` writes."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from fastapi import FastAPI

from pagetide.server.api.callers.scopes import OPEN, Need, needs
from pagetide.server.app import include_routes


def table() -> str:
    """All routes with the scopes that each needs, as a Markdown table."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    include_routes(app, with_page=True)
    head = ("| route | the key needs | does |", "| --- | --- | --- |")
    return "\n".join((*head, *_rows(needs(app.routes)))) + "\n"


def _rows(found: Iterable[Need]) -> Iterable[str]:
    for need in sorted(found, key=_place):
        yield f"| `{need.route}` | {_scopes(need)} | {need.does} |"


def _place(need: Need) -> tuple[int, str, str]:
    """Our own routes first, those of other protocols after them, by path."""
    method, _, path = need.route.partition(" ")
    return (0 if path.startswith("/v1/") else 1, path, method)


def _scopes(need: Need) -> str:
    if need.scopes is None:
        return f"no key: {OPEN[need.route]}"
    return " ".join(f"`{scope}`" for scope in need.scopes) or "any"


if __name__ == "__main__":
    sys.stdout.write(table())
