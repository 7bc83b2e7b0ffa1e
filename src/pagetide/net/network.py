"""The network below httpcore: the address that was vetted is the address that is dialled.

A check before the request would be no check: the name may have another address by then. So
a name is resolved here, once, all it gives is vetted, and one of these addresses is dialled.
`Host`, SNI and the certificate's name stay those of the URL, for httpcore knows nothing of it.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import Any

import httpcore

from pagetide.errors import DownloadFailed
from pagetide.net.addresses import Resolve, resolve, vetted_addresses
from pagetide.system import cancellation

Dial = Callable[[str, int, float], httpcore.NetworkStream]
DialAsync = Callable[[str, int, float], Awaitable[httpcore.AsyncNetworkStream]]

TOO_SLOW = "The server took too long."
NO_CONNECTION = "No connection to the URL's host is possible."
NOT_LOOKED_UP = "The URL's host was not resolved in time."
_DISTRUSTED = "The server's certificate is not for this host or not trusted."
_NO_TLS = "The TLS connection to the server failed."
CONNECT_S = 10.0  # of one address; then the next is tried
_SILENCE_S = 20.0


def dial(address: str, port: int, timeout_s: float) -> httpcore.NetworkStream:
    """A connection to an address."""
    return httpcore.SyncBackend().connect_tcp(address, port, timeout=timeout_s)


async def dial_async(address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
    """A connection to an address, which no thread waits for."""
    return await httpcore.AnyIOBackend().connect_tcp(address, port, timeout=timeout_s)


@cache
def public_trust() -> ssl.SSLContext:
    """Trust in the authorities that browsers trust; made once, for it takes 20 ms."""
    return httpcore.default_ssl_context()


@dataclass(frozen=True, kw_only=True)
class Outside:
    """How the outside is reached; tests bring their own.

    Attributes:
        resolve: Host and port to addresses.
        dial: Address, port and seconds to a connection.
        dial_async: The same without a thread.
        trust: Gives what certificates are verified with.
    """

    resolve: Resolve = resolve
    dial: Dial = dial
    dial_async: DialAsync = dial_async
    trust: Callable[[], ssl.SSLContext] = public_trust


OUTSIDE = Outside()


class Deadline:
    """When everything must be over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self, at_most: float) -> float:
        """Seconds that the next step may take."""
        left = min(at_most, self._end - time.monotonic())
        if left <= 0:
            raise DownloadFailed(TOO_SLOW)
        return left


class VettedNetwork(httpcore.NetworkBackend):
    """Connects to vetted addresses only, and lets no step outlast the deadline.

    Work that is cancelled ends at once where it waits for a name or for a server, and with
    the address that it tries where it waits for a connection.
    """

    def __init__(
        self, allowed_hosts: frozenset[str], deadline: Deadline, outside: Outside
    ) -> None:
        self._allowed_hosts = allowed_hosts
        self._deadline = deadline
        self._outside = outside

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to the first of the host's addresses that takes one."""
        for address in self._addresses(host, port):
            cancellation.current().check()
            try:
                stream = self._outside.dial(address, port, self._deadline.left(CONNECT_S))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
            return _BoundedStream(stream, self._deadline)
        raise DownloadFailed(NO_CONNECTION)

    def _addresses(self, host: str, port: int) -> Iterable[str]:
        found = ask_addresses(host, port, self._allowed_hosts, self._outside)

        def give_up() -> None:
            with suppress(InvalidStateError):
                found.set_exception(cancellation.Cancelled())

        try:
            with cancellation.current().waking(give_up):
                return found.result(self._deadline.left(CONNECT_S))
        except TimeoutError:
            raise DownloadFailed(NOT_LOOKED_UP) from None


def ask_addresses(
    host: str, port: int, allowed_hosts: frozenset[str], outside: Outside
) -> Future[Sequence[str]]:
    """Look a host's addresses up and vet them, in a thread that may be left alone.

    The C library asks for as long as it likes, and cannot be stopped.
    """
    found: Future[Sequence[str]] = Future()

    def ask() -> None:
        found.set_running_or_notify_cancel()  # who gives up lets it end by itself
        with suppress(InvalidStateError):  # who gave up has settled it
            try:
                found.set_result(vetted_addresses(host, port, allowed_hosts, outside.resolve))
            except Exception as error:
                found.set_exception(error)

    Thread(target=ask, name="resolve", daemon=True).start()
    return found


def tls_failure(error: httpcore.ConnectError) -> DownloadFailed:
    """The error of a failed TLS handshake, for the user."""
    distrusted = isinstance(error.__cause__, ssl.SSLCertVerificationError)
    return DownloadFailed(_DISTRUSTED if distrusted else _NO_TLS)


class _BoundedStream(httpcore.NetworkStream):
    """A connection that waits no longer than the deadline allows."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        mark = cancellation.current()
        with mark.waking(self._hang_up):
            read = self._stream.read(max_bytes, self._deadline.left(_SILENCE_S))
        mark.check()  # for what was hung up ends like what ended by itself
        return read

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with cancellation.current().waking(self._hang_up):
            self._stream.write(buffer, self._deadline.left(_SILENCE_S))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(CONNECT_S)
        try:
            stream = self._stream.start_tls(ssl_context, server_hostname, left)
        except httpcore.ConnectError as error:
            raise tls_failure(error) from None
        return _BoundedStream(stream, self._deadline)

    def _hang_up(self) -> None:
        """Wake who waits at the connection. Below TLS, whose state is that one's alone."""
        wire = self._stream.get_extra_info("socket")
        if isinstance(wire, socket.socket):
            with suppress(OSError):
                socket.socket.shutdown(wire, socket.SHUT_RDWR)
