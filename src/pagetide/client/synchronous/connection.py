# Written by `make sync-client` from asynchronous/connection.py: change that, not this.
"""Requests sent to one server, again where that may help."""

from __future__ import annotations

import itertools
from contextlib import closing
from operator import call
from time import sleep
from typing import BinaryIO, TypeVar

import httpx

from pagetide.client.address import client_options, server_name
from pagetide.client.answers import decoded
from pagetide.client.patience import Patience
from pagetide.client.problems import error_of, unreachable
from pagetide.client.requests import Request

T = TypeVar("T")


class Connection:
    """One server, and how patiently it is asked.

    Attributes:
        server: What to call the server in an error.
        patience: How often a request is sent.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None,
        timeout_s: float,
        tries: int,
        transport: httpx.BaseTransport | None,
    ) -> None:
        options = client_options(base_url, key, timeout_s, transport)
        self.server = server_name(base_url)
        self.patience = Patience(tries=tries)
        self._timeout_s = timeout_s
        self._http = httpx.Client(**options)

    def ask(self, request: Request, kind: type[T]) -> T:
        """The answer to a request, as a `kind`; see `send` for the errors."""
        reply = self.send(request)
        return decoded(reply.content, kind)

    def send(
        self, request: Request, into: BinaryIO | None = None, stream: bool = False
    ) -> httpx.Response:
        """Send a request until it is answered; the answer.

        Args:
            request: What to send.
            into: Takes the body of an answer with status 200, in the place of what it held.
            stream: Leave the body of an answer with status 200 to be read, and the answer to
                be closed.

        Raises:
            ServerUnreachable: No answer came.
            PagetideError: The answer is an error.
        """
        for tried in itertools.count(1):
            answer = self._attempt(request, into, stream)
            pause_s = self.patience.pause_s(answer, tried)
            if pause_s is None:
                break
            sleep(pause_s)
        if isinstance(answer, httpx.RequestError):
            raise unreachable(request.host(self.server), answer)
        if not answer.is_success:
            raise error_of(answer)
        return answer

    def _attempt(
        self, request: Request, into: BinaryIO | None, stream: bool
    ) -> httpx.Response | httpx.RequestError:
        built, follow = request.built(self._http, self._timeout_s), request.method == "GET"
        try:
            response = self._http.send(built, stream=True, follow_redirects=follow)
            if stream and response.status_code == 200:
                return response
            with closing(response):
                _receive(response, into)
            return response
        except httpx.RequestError as error:
            return error

    def close(self) -> None:
        """Close connections."""
        self._http.close()


def _receive(response: httpx.Response, into: BinaryIO | None) -> None:
    if into is None or response.status_code != 200:
        response.read()
        return
    into.seek(0)
    into.truncate()
    for chunk in response.iter_bytes():
        call(into.write, chunk)
