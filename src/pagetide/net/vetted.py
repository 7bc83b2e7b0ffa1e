"""One HTTP request to where a user's URL leads, over the vetted network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass

import httpcore
import httpx

from pagetide.errors import AddressRefused, DownloadFailed
from pagetide.net.addresses import vet_url
from pagetide.net.network import OUTSIDE, TOO_SLOW, Deadline, Outside, VettedNetwork

_REDIRECTS = {301, 302, 303, 307, 308}
_HEADERS = {"accept": "*/*", "accept-encoding": "identity", "user-agent": "pagetide"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A server's answer.

    Attributes:
        url: Where the answer comes from, after redirects.
        headers: By name in small letters.
        chunks: The body as it was sent, as it comes; the exchange's errors arise here, too.
    """

    url: httpx.URL
    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


@contextmanager
def exchange(
    method: str,
    url: str,
    *,
    timeout_s: float,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    redirects: int = 0,
    allowed_hosts: frozenset[str] = frozenset(),
    outside: Outside = OUTSIDE,
) -> Iterator[Answer]:
    """Send a request and give the answer, whatever its status.

    Args:
        method: Such as `GET`.
        url: Where to; it may be anything a user sent.
        timeout_s: For all of it: names, connecting, redirects, and reading the answer.
        headers: Beside those that every request has.
        body: What is sent.
        redirects: How many are followed, each vetted like the first; with 0 a redirect is
            the answer.
        allowed_hosts: Hosts, in small letters, that may have any address.
        outside: See `Outside`.

    Raises:
        AddressRefused: It, or a redirect, leads where this server does not go.
        DownloadFailed: No whole answer came, or none in time.
    """
    network = VettedNetwork(allowed_hosts, Deadline(timeout_s), outside)
    request = Request.of(method, headers or {}, body)
    with (
        translated(),
        httpcore.ConnectionPool(
            network_backend=network, ssl_context=outside.trust(), max_keepalive_connections=0
        ) as pool,
    ):
        place = parsed(url, allowed_hosts)
        response = request.send(pool, place)
        for _ in range(redirects):
            onward = _onward(place, response, allowed_hosts)
            if onward is None:
                break
            response.close()
            place, response = onward, request.send(pool, onward)
        with closing(response):
            if redirects and _onward(place, response, allowed_hosts):
                raise DownloadFailed(f"The server redirects more than {redirects} times.")
            yield Answer(
                url=place,
                status=response.status,
                headers=_headers(response),
                chunks=response.iter_stream(),
            )


@dataclass(frozen=True)
class Request:
    """A request to any server."""

    method: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of(cls, method: str, headers: Mapping[str, str], body: bytes) -> Request:
        """A request with the headers that every one has, and these."""
        return cls(method, {**_HEADERS, **headers}, body)

    def send(self, pool: httpcore.ConnectionPool, url: httpx.URL) -> httpcore.Response:
        """Send it and give the answer."""
        return pool.handle_request(self.to(url))

    def to(self, url: httpx.URL) -> httpcore.Request:
        """The request as httpcore sends it to a URL."""
        headers = [*self.headers.items(), ("host", url.netloc.decode())]
        if self.body:
            headers.append(("content-length", str(len(self.body))))
        target = httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        return httpcore.Request(self.method, target, headers=headers, content=self.body)


def parsed(url: str, allowed_hosts: frozenset[str]) -> httpx.URL:
    """A URL that leads to where this server may go, as far as it can be seen from it.

    Raises:
        AddressRefused: This server does not go there.
    """
    vet_url(url, allowed_hosts)
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError):
        raise AddressRefused("The URL is not well formed.") from None


def _onward(
    place: httpx.URL, response: httpcore.Response, allowed_hosts: frozenset[str]
) -> httpx.URL | None:
    """Where a response redirects to; None where it does not."""
    location = _headers(response).get("location")
    if response.status not in _REDIRECTS or location is None:
        return None
    try:
        joined = place.join(location)
    except (httpx.InvalidURL, UnicodeError):
        raise DownloadFailed("The server redirects to something that is not a URL.") from None
    if place.scheme == "https" and joined.scheme == "http":
        raise AddressRefused("The server redirects from https to http.")
    return parsed(str(joined), allowed_hosts)


def _headers(response: httpcore.Response) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1")
        for name, value in response.headers
    }


@contextmanager
def translated() -> Iterator[None]:
    """Errors of httpcore as ours; its text, which may hold the URL, is left behind."""
    try:
        yield
    except httpcore.TimeoutException:
        raise DownloadFailed(TOO_SLOW) from None
    except httpcore.NetworkError:
        raise DownloadFailed("The connection to the server broke.") from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol):
        raise DownloadFailed("The server's answer is incomplete or not HTTP.") from None
