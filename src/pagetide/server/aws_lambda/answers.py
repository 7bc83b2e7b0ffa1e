"""Answers that fit through Lambda: a result that does not is opened by a link to its blob.

Lambda takes 6 MB of JSON from a function, with the body in base64 within.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagetide.server.api import problems
from pagetide.server.api.answers.showing import result_name
from pagetide.server.api.context import Context, call

MOST_BYTES = 4_500_000  # of a body; in base64 6,000,000, of 6,291,556 with its headers
_RESULT = re.compile(r"/v1/(jobs/(?P<of>[^/]+)/result|files/(?P<in>[^/]+)/(?P<format>[^/]+))")
_STATUS, _DETAIL = 413, "The answer has {} bytes, but the maximum is {}: {}."
_IN_PARTS, _AS_JOB = "request parts with Range", "submit to /v1/jobs, and open the result"


class Answers:
    """Passes on what fits; the application has already seen to who may have it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, by a redirect where the answer is a result that is too large."""
        large = 0

        async def fitting(message: Message) -> None:
            nonlocal large
            if message["type"] == "http.response.start":
                size = _size(message)
                if size > MOST_BYTES and scope["method"] != "HEAD":
                    large = size
            if large:
                raise ClientDisconnect  # so that the rest is not even read
            await send(message)

        try:
            await self._app(scope, receive, fitting)
        except ClientDisconnect:
            if not large:
                raise
        if large:
            await (await _instead(scope, large))(scope, receive, send)


async def _instead(scope: Scope, size: int) -> Response:
    link = await call(_link, scope)
    if link:
        return RedirectResponse(link, 307, {"Cache-Control": "no-store"})
    otherwise = _IN_PARTS if scope["method"] == "GET" else _AS_JOB
    detail = _DETAIL.format(size, MOST_BYTES, otherwise)
    return problems.of_status(_STATUS, detail, scope["path"])


def _link(scope: Scope) -> str | None:
    """The link to the blob of the requested result; None where it was none."""
    found = _RESULT.fullmatch(scope["path"])
    if found is None:
        return None
    asked = parse_qs(scope["query_string"].decode())
    name = found["format"] or asked.get("format", ["json"])[0]
    context: Context = scope["app"].state.context
    job = context.service.job(found["of"] or found["in"])
    result = context.service.result(job, name)
    return context.service.blobs.link(
        result.key,
        expires_s=context.settings.link_s,
        name=result_name(job, name),
        media_type=result.media_type,
    )


def _size(message: Message) -> int:
    sizes = [value for name, value in message["headers"] if name.lower() == b"content-length"]
    return int(sizes[0]) if sizes else 0
