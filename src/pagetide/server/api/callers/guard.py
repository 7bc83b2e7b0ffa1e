"""Keeps web pages away from a server that asks for no keys.

A page in a user's browser can reach what listens on the user's machine. So where keys are
off, the Host must be a name that nobody else can own (against DNS rebinding), and a request
that another site's page makes is refused.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from pagetide.errors import Forbidden
from pagetide.server.api import problems
from pagetide.settings import Settings
from pagetide.system.loopback import is_loopback

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?")


class Guard:
    """Passes on requests that the machine's own user may have sent."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._own = {settings.host.lower(), urlsplit(settings.public_url).hostname or ""} - {""}
        self._local = _is_own(settings.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and (why := self._refusal(scope)):
            answer = problems.of_error(Forbidden(why), scope["path"])
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._ours(host_name(host)):
            return "This server needs no keys, so it can be reached only by its own name."
        if _crosses(headers, host, scope["method"]):
            return "This server needs no keys, so it accepts no requests from other sites."
        return None

    def _ours(self, name: str | None) -> bool:
        if name is None:
            return False
        if name in self._own or _is_own(name):
            return True
        # Told to listen elsewhere too: addresses and undotted names cannot be rebound.
        return not self._local and (_is_address(name) or "." not in name)


def host_name(host: str) -> str | None:
    """The name or address in a Host header, in small letters; None where it has none."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower() if match else None


def _is_own(name: str) -> bool:
    return name.endswith(".localhost") or is_loopback(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _crosses(headers: Mapping[str, str], host: str, method: str) -> bool:
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return True
    if headers.get("sec-fetch-site") != "cross-site":
        return False
    # A link that somebody follows: it changes nothing, and only the user sees the answer.
    follows = headers.get("sec-fetch-mode") == "navigate"
    shown = headers.get("sec-fetch-dest") == "document"
    return not (follows and shown and method in {"GET", "HEAD"})
