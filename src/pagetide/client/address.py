"""The server's address and the key for it, as httpx takes them."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

import httpx

from pagetide.errors import BadOption
from pagetide.system.loopback import is_loopback


def client_options(
    base_url: str, key: str | None, timeout_s: float, transport: Any
) -> dict[str, Any]:
    """The options of both of httpx's clients.

    Raises:
        BadOption: The address is no HTTP address, or the key holds what no key does.
    """
    url = _checked(base_url)
    if key and not re.fullmatch(r"[!-~]+", key):
        raise BadOption("The API key contains characters that are not allowed.")
    headers = {"User-Agent": f"pagetide/{version('pagetide')}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    return {
        "base_url": url,
        "headers": headers,
        "timeout": timeout_s,
        "transport": transport,
        # A proxy that the environment names does not lead to this machine.
        "trust_env": not is_loopback(url.host),
    }


def server_name(base_url: str) -> str:
    """The server's address as an error may show it: without user, password and path."""
    url = httpx.URL(base_url)
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _checked(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise BadOption(
            "The server's address must start with http:// or https:// and contain a host."
        )
    return url
