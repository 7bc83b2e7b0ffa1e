"""The steps of a conversation in httpx's terms: what the two clients share."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from importlib.metadata import version
from typing import Any

import httpx

from pagetide.client.exchange import Patience
from pagetide.client.steps import Broken, Reply, Request
from pagetide.errors import BadOption

# Why nothing came of a request, by what stands somewhere in the error's causes.
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (ConnectionRefusedError, "nothing listens there"),
    (socket.gaierror, "its name is not known"),
    (ssl.SSLError, "its certificate is not trusted"),
    (httpx.TimeoutException, "it did not answer in time"),
)


def client_options(
    base_url: str, key: str | None, timeout_s: float, transport: Any
) -> dict[str, Any]:
    """What both of httpx's clients are made with.

    Raises:
        BadOption: The address is no HTTP address, or the key holds what no key does.
    """
    url = _checked(base_url)
    if key and not re.fullmatch(r"[!-~]+", key):
        raise BadOption("The API key holds characters that no key has.")
    headers = {"User-Agent": f"pagetide/{version('pagetide')}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    return {
        "base_url": url,
        "headers": headers,
        "timeout": timeout_s,
        "transport": transport,
        # A proxy that the environment names does not lead to this machine.
        "trust_env": not _is_loopback(url.host),
    }


def server_name(base_url: str) -> str:
    """The server's address as an error may show it: without user, password and path."""
    url = httpx.URL(base_url)
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def patience(tries: int) -> Patience:
    """How often requests are tried.

    Raises:
        BadOption: Not once.
    """
    if tries < 1:
        raise BadOption(f"tries must be 1 or more, not {tries}.")
    return Patience(tries=tries)


def request_options(request: Request, timeout_s: float) -> dict[str, Any]:
    """A request as httpx builds it."""
    options: dict[str, Any] = {
        "method": request.method,
        "url": request.path,
        "headers": dict(request.headers),
        "timeout": httpx.Timeout(timeout_s, read=timeout_s + request.waits_s),
    }
    if request.query:
        options["params"] = dict(request.query)
    if request.json is not None:
        options["content"] = request.json
        options["headers"]["Content-Type"] = "application/json"
    if request.file is not None:
        options["data"] = dict(request.form or {})
        options["files"] = {"file": (*request.file, "application/octet-stream")}
    return options


def built(
    http: httpx.Client | httpx.AsyncClient, request: Request, timeout_s: float
) -> httpx.Request:
    """A request as httpx sends it; our key goes to our server alone."""
    made = http.build_request(**request_options(request, timeout_s))
    if request.elsewhere:
        made.headers.pop("Authorization", None)
    return made


def reply_of(response: httpx.Response, body: bytes) -> Reply:
    """What a server answered."""
    return Reply(status=response.status_code, headers=dict(response.headers), body=body)


def broken(error: httpx.RequestError) -> Broken:
    """Why no answer came, in our words: httpx's may hold what was sent."""
    for kind, reason in _REASONS:
        if _caused_by(error, kind):
            return Broken(reason)
    return Broken("the connection broke")


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    if error is None:
        return False
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    causes = (error.__cause__, error.__context__, *inner)
    return isinstance(error, kind) or any(_caused_by(cause, kind) for cause in causes)


def _checked(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise BadOption(
            "The server's address must begin with http:// or https:// and name a host."
        )
    return url


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
