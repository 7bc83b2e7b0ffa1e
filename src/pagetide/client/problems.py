"""Converts error answers, and missing ones, to errors."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import httpx
import msgspec

from pagetide import errors
from pagetide.client.answers import Problem, RemoteJob
from pagetide.errors import (
    Busy,
    JobEnded,
    JobGone,
    PagetideError,
    ServerError,
    ServerUnreachable,
)
from pagetide.system.ready_types import ready


def _tree(kind: type[PagetideError]) -> Iterator[type[PagetideError]]:
    yield kind
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from _tree(below)


KINDS = {kind.code: kind for kind in _tree(PagetideError)}
# Who stands before a server answers without a code.
_BY_STATUS: dict[int, type[PagetideError]] = {
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    413: errors.TooLarge,
}
# Why nothing came of a request, by what stands somewhere in the error's causes.
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (ConnectionRefusedError, "nothing listens there"),
    (socket.gaierror, "its name cannot be resolved"),
    (ssl.SSLError, "its certificate is not trusted"),
    (httpx.TimeoutException, "it did not answer in time"),
)


def problem_of(reply: httpx.Response) -> Problem:
    """The problem that a reply holds; an empty one where it holds none."""
    try:
        return msgspec.json.decode(reply.content, type=ready(Problem))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Problem()


def error_of(reply: httpx.Response) -> PagetideError:
    """The error of a reply.

    A code that is not known here, or none, gives a `ServerError`.
    """
    problem = problem_of(reply)
    message = problem.detail or problem.title or _sentence(reply)
    if not problem.code and reply.status_code in _BY_STATUS:
        return _BY_STATUS[reply.status_code](message)
    error = _error(problem.code, message, reply.status_code)
    if isinstance(error, Busy):
        error.retry_after_s = round(retry_after_s(reply) or error.retry_after_s)
    return error


def unreachable(server: str, error: httpx.RequestError) -> ServerUnreachable:
    """Why no answer came, in our words: httpx's may hold what was sent."""
    found = (reason for kind, reason in _REASONS if _caused_by(error, kind))
    reason = next(found, "the connection broke")
    return ServerUnreachable(f"The server at {server} cannot be reached: {reason}.")


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    if error is None:
        return False
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    causes = (error.__cause__, error.__context__, *inner)
    return isinstance(error, kind) or any(_caused_by(cause, kind) for cause in causes)


def event_error(fields: dict[str, Any]) -> PagetideError:
    """The error of an event."""
    message = str(fields.get("detail") or "The server reports a problem.")
    return _error(str(fields.get("code")), message, 200)


def _error(code: str, message: str, status: int) -> PagetideError:
    kind = KINDS.get(code)
    if kind is None or kind is ServerError:
        return ServerError(message, status, code)
    return kind(message)


def retry_after_s(reply: httpx.Response) -> float | None:
    """The seconds that a reply asks to wait, if it does."""
    written = reply.headers.get("retry-after", "")
    return float(written) if written.isascii() and written.isdigit() else None


def ending_of(job: RemoteJob) -> PagetideError:
    """Why a job that has ended has no result."""
    if job.error:
        return _error(job.error.code, job.error.message, 200)
    if job.status == "expired":
        return JobGone(f"The job {job.id} has expired.")
    return JobEnded(f"The job {job.id} has no result: {job.status}.")


def _sentence(reply: httpx.Response) -> str:
    try:
        phrase = f"{reply.status_code} {HTTPStatus(reply.status_code).phrase}"
    except ValueError:
        phrase = str(reply.status_code)
    where = reply.headers.get("location", "") if 300 <= reply.status_code < 400 else ""
    return f"The server answered {phrase}{f', and points to {where}' if where else ''}."
