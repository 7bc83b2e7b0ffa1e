"""Errors as RFC 9457 problems: a stable code, one sentence, and nothing from inside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from fastapi.exceptions import RequestValidationError
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from pagetide import errors
from pagetide.document import Failure
from pagetide.errors import BadOption, PagetideError, nearest

MEDIA_TYPE = "application/problem+json"
LONGEST_DETAIL = 600
RETRY_AFTER_S = {409: 1, 429: 10, 503: 5, 507: 30}
_URN = "urn:pagetide:problem:"
# What no error of the tree stands for; Python's names of statuses change with its versions.
_STATUSES = {
    404: ("not_found", "No such path"),
    405: ("method_not_allowed", "The path does not support this method"),
    408: ("request_timeout", "The request did not arrive in time"),
    416: ("range_not_satisfiable", "No such bytes"),
    500: ("internal", "Something went wrong in the server"),
}


class Problem(Struct, frozen=True, kw_only=True):
    """Why a request failed.

    Attributes:
        type: The kind of problem: `urn:pagetide:problem:` and the code.
        title: The meaning of this kind of problem.
        status: The HTTP status.
        detail: What is wrong, in one sentence.
        code: Stable; for use in programs.
        retryable: Whether the same request may succeed later.
        instance: The requested path.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    retryable: bool
    instance: str


def problem_of(error: PagetideError, path: str) -> Problem:
    """The problem that an error is."""
    return _problem(type(error), error.code, error.message, error.retryable, path)


def of_error(error: PagetideError, path: str) -> Response:
    """The answer for an error."""
    headers: dict[str, str] = {}
    if error.http_status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if error.retryable:
        default = RETRY_AFTER_S.get(error.http_status)
        seconds = getattr(error, "retry_after_s", default)
        if seconds is not None:
            headers["Retry-After"] = str(seconds)
    return _answer(problem_of(error, path), headers)


def of_failure(failure: Failure, path: str) -> Response:
    """The answer for a failed job: why it failed."""
    kind = errors.kind_of(failure.code)
    return _answer(_problem(kind, failure.code, failure.message, failure.retryable, path))


def of_status(
    status: int, detail: str, path: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer for what has only an HTTP status, such as 405."""
    code, title = _STATUSES.get(status, ("http_error", "The request cannot be answered"))
    problem = Problem(
        type=_URN + code,
        title=title,
        status=status,
        detail=_short(detail),
        code=code,
        retryable=False,
        instance=_short(path),
    )
    return _answer(problem, headers)


def _problem(
    kind: type[PagetideError], code: str, detail: str, retryable: bool, path: str
) -> Problem:
    return Problem(
        type=_URN + code,
        title=(kind.__doc__ or "").strip().splitlines()[0].rstrip("."),
        status=kind.http_status,
        detail=_short(detail),
        code=code,
        retryable=retryable,
        instance=_short(path),
    )


def _answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    body = msgspec.json.encode(problem)
    return Response(body, problem.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def invalid_parameters(error: RequestValidationError) -> BadOption:
    """The error for a wrong path, query or header parameter."""
    errors: Sequence[Mapping[str, Any]] = error.errors()
    first = errors[0]
    name = str(first["loc"][-1])
    return BadOption(f"`{name}` is not valid: {_lower_first(str(first['msg']))}.")


def unknown_names(what: str, given: set[str], known: set[str]) -> None:
    """Refuse names that are not known, with the nearest that are.

    Raises:
        BadOption: There is one.
    """
    for name in sorted(given - known):
        raise BadOption(f"There is no {what} {name[:80]!r}; {nearest(name[:80], known)}")


def other_methods(request: Request) -> str:
    """The methods that the path knows, for the `Allow` of a 405."""
    methods: set[str] = set()
    for template, operations in request.app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), request.url.path):
            methods |= {method.upper() for method in operations}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _short(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 1] + "…"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")
