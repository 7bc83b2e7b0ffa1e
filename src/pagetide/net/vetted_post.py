"""One POST to where a user's URL leads, over the vetted network, which no thread waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import anyio
import httpcore

from pagetide.errors import DownloadFailed
from pagetide.net.network import (
    CONNECT_S,
    NO_CONNECTION,
    NOT_LOOKED_UP,
    OUTSIDE,
    TOO_SLOW,
    Outside,
    ask_addresses,
    tls_failure,
)
from pagetide.net.vetted import Request, parsed, translated


async def post_vetted(
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str],
    timeout_s: float,
    allowed_hosts: frozenset[str] = frozenset(),
    outside: Outside = OUTSIDE,
) -> int:
    """Post something and give the status of the answer, which is not read further.

    A redirect is not followed: it is the answer.

    Args:
        url: Where to; it may be anything a user sent.
        body: What is posted.
        headers: Beside those that every request has.
        timeout_s: For all of it: names, connecting, and the head of the answer.
        allowed_hosts: Hosts, in small letters, that may have any address.
        outside: See `network.Outside`.

    Raises:
        AddressRefused: It leads where this server does not go.
        DownloadFailed: No answer came, or none in time.
    """
    try:
        with anyio.fail_after(timeout_s):
            return await _post(url, body, headers, allowed_hosts, outside)
    except TimeoutError:
        raise DownloadFailed(TOO_SLOW) from None


async def _post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    allowed_hosts: frozenset[str],
    outside: Outside,
) -> int:
    network = AsyncVettedNetwork(allowed_hosts, outside)
    with translated():
        place = parsed(url, allowed_hosts)
        request = Request.of("POST", headers, body).to(place)
        async with httpcore.AsyncConnectionPool(
            network_backend=network, ssl_context=outside.trust(), max_keepalive_connections=0
        ) as pool:
            try:
                response = await pool.handle_async_request(request)
            except httpcore.ConnectError as error:  # of TLS: the network has errors of ours
                raise tls_failure(error) from None
            await response.aclose()
            return response.status


class AsyncVettedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to vetted addresses only; see `network.VettedNetwork`."""

    def __init__(self, allowed_hosts: frozenset[str], outside: Outside) -> None:
        self._allowed_hosts, self._outside = allowed_hosts, outside

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first of the host's addresses that takes one."""
        for address in await self._addresses(host, port):
            try:
                return await self._outside.dial_async(address, port, CONNECT_S)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        raise DownloadFailed(NO_CONNECTION)

    async def _addresses(self, host: str, port: int) -> Iterable[str]:
        found = ask_addresses(host, port, self._allowed_hosts, self._outside)
        try:
            with anyio.fail_after(CONNECT_S):
                return await asyncio.wrap_future(found)
        except TimeoutError:
            raise DownloadFailed(NOT_LOOKED_UP) from None
