"""Limits connections that have sent no whole request.

Who opens connections and sends half a request, or none, would in the end hold all that a
process may have. So a request's head has a deadline, and where connections are many, those
that wait for a head make way for new ones, the oldest first. Where every one is busy, a new
one is asked to come again, unless it asks for the health.
"""

from __future__ import annotations

import asyncio
import logging
import resource
from itertools import islice
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pagetide.errors import Busy
from pagetide.server.api import problems

log = logging.getLogger("pagetide.server.api")

HEAD_S = 15.0  # from the first byte of a request, or a new connection, to the end of its head
MOST = 8000
DESCRIPTORS = 0.5  # of a process's, so many are for connections: blobs and stores have some
SPARE = 64  # connections beyond the most that may ask for the health


def most_connections() -> int:
    """How many connections a process of ours has at most: as its descriptors allow.

    It takes as many descriptors as it may.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = int(MOST / DESCRIPTORS)
    if 0 <= soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST if soft == resource.RLIM_INFINITY else min(MOST, int(soft * DESCRIPTORS))


class Waiting:
    """The connections that wait for a request's head, the one that waits longest first.

    Args:
        most: So many connections of all kinds at most.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._waiting: dict[Connection, asyncio.TimerHandle | None] = {}

    def begin(self, connection: Connection, deadline: asyncio.TimerHandle | None) -> None:
        """A connection waits, until the deadline if there is one."""
        self.end(connection)
        self._waiting[connection] = deadline

    def end(self, connection: Connection) -> None:
        """A connection waits no more, if it did."""
        deadline = self._waiting.pop(connection, None)
        if deadline:
            deadline.cancel()

    def is_idle(self, connection: Connection) -> bool:
        """Whether it waits without a deadline: for the first byte of its next request."""
        return connection in self._waiting and self._waiting[connection] is None

    def make_room(self, count: int, newest: Connection) -> bool:
        """Close those that wait longest, while there are too many; whether there is room."""
        for oldest in list(islice(self._waiting, max(count - self.most, 0))):
            if oldest is not newest:
                oldest.turn_away()
                count -= 1
        return count <= self.most


class Connection(H11Protocol):
    """A connection that uvicorn serves, with a deadline for heads and a place among others."""

    waiting: Waiting

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._await_head()
        if not self.waiting.make_room(len(self.connections), self):
            log.warning("too many connections", extra={"count": len(self.connections)})
            if len(self.connections) > self.waiting.most + SPARE:
                self.turn_away()
            self.app: Any = _HealthAlone(self.app)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.waiting.end(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something of a request came; with the end of its head it does not wait any more."""
        if self.waiting.is_idle(self):
            self._await_head()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self.waiting.end(self)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, as long as uvicorn keeps the connection."""
        super().on_response_complete()  # which begins with one that has come already
        if self.cycle.response_complete and not self.transport.is_closing():
            self.waiting.begin(self, None)

    def turn_away(self) -> None:
        """Close it."""
        self.waiting.end(self)
        self.transport.abort()

    def _await_head(self) -> None:
        self.waiting.begin(self, self.loop.call_later(HEAD_S, self.turn_away))


class _HealthAlone:
    """Answers only those who ask for the health; all others are to come again."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/health/"):
            await self._app(scope, receive, send)
            return
        error = Busy("This server has reached its maximum of connections; try again later.")
        answer = problems.of_error(error, scope["path"])
        answer.headers["Connection"] = "close"
        await answer(scope, receive, send)


def connection_type(most: int) -> type[Connection]:
    """The type of a server's connections, of which there are so many at most."""
    return type("Connection", (Connection,), {"waiting": Waiting(most)})
