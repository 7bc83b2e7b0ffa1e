"""The context that every route works with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Generic, ParamSpec, TypeVar, cast

import anyio
import anyio.to_thread
from fastapi import Depends
from starlette.requests import Request

from pagetide.server.api.bodies.pending import Pending
from pagetide.server.api.callers.fetches import Shares
from pagetide.server.api.callers.guard import host_name
from pagetide.server.api.callers.key_uses import KeyUses
from pagetide.server.api.callers.rates import Rates
from pagetide.server.api.history import History
from pagetide.server.api.hub import Hub
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.sandboxes import AT_ONCE, OF_AN_OWNER
from pagetide.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

FRESH_S = 1.0  # so soon a revoked key no longer works
RENEWED_S = 0.1  # those who guess at keys have the store read no more often than this
# Documents are opened by few sandboxes; those who wait for one take no thread from the rest.
DOCUMENTS_AT_ONCE = 16
DOCUMENTS_OF_A_KEY = 12
EXTRACTIONS_AT_ONCE = 16  # each holds a document in memory
EXTRACTIONS_OF_A_KEY = 4


class Fresh(Generic[T]):
    """A value of the store, read again when it is older than a second."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load, self._lock = load, asyncio.Lock()
        self._value: T | None = None
        self._read_at = float("-inf")

    async def get(self) -> T:
        """The value, as it was no more than a second ago."""
        return await self._as_of(time.monotonic() - FRESH_S)

    async def renewed(self) -> T:
        """The value as it is now: all who ask within a tenth of a second share a reading."""
        asked = time.monotonic()
        await asyncio.sleep(self._read_at + RENEWED_S - asked)
        return await self._as_of(asked)

    async def _as_of(self, earliest: float) -> T:
        async with self._lock:
            if self._read_at < earliest:
                began = time.monotonic()
                self._value = await anyio.to_thread.run_sync(self._load)
                self._read_at = began
        return cast(T, self._value)


@dataclass(kw_only=True)
class Context:
    """The context that every route works with.

    Attributes:
        keys: All API keys, by id.
        link_secret: What links are signed with.
        keys_needed: Whether requests must carry a key.
        key_uses: When each was last used.
        rates: How often each asks.
        history: What the pools had to do.
        fetches: What is being fetched from other servers.
        pending: Room for documents that are sent before they are submitted.
        documents: What is being submitted, or otherwise opens documents.
        extractions: What model servers are being asked.
        pictures: What is being rendered; no more at once than there are sandboxes.
    """

    service: Service
    settings: Settings
    hub: Hub
    keys: Fresh[dict[str, ApiKey]]
    link_secret: Fresh[bytes]
    keys_needed: bool
    key_uses: KeyUses
    history: History
    rates: Rates = field(default_factory=Rates)
    fetches: Shares = field(default_factory=Shares)
    pending: Pending = field(init=False)
    documents: Shares = field(
        default_factory=lambda: Shares(DOCUMENTS_AT_ONCE, of_a_key=DOCUMENTS_OF_A_KEY)
    )
    extractions: Shares = field(
        default_factory=lambda: Shares(EXTRACTIONS_AT_ONCE, of_a_key=EXTRACTIONS_OF_A_KEY)
    )
    pictures: Shares = field(default_factory=lambda: Shares(AT_ONCE, of_a_key=OF_AN_OWNER))

    def __post_init__(self) -> None:
        self.pending = Pending(self.service, self.fetches)


async def call(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call what may block, in a thread."""
    return await anyio.to_thread.run_sync(partial(function, *args, **kwargs))


def context_of(request: Request) -> Context:
    """The application's context."""
    return cast(Context, request.app.state.context)


InContext = Annotated[Context, Depends(context_of)]


def root_url(request: Request, settings: Settings) -> str:
    """The base URL of links: the public URL, else as this request reached the server."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    prefix = str(request.scope.get("root_path", "")).rstrip("/")
    host = request.headers.get("host", "")
    if host_name(host) is None:  # nothing that a client made up goes into a link
        return prefix
    return f"{request.url.scheme}://{host}{prefix}"
