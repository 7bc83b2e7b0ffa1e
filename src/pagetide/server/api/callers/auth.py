"""Authentication: API keys, their scopes, and the jobs they may see.

Every route declares the scopes that it needs, as the type of its caller: `Reading`,
`Submitting` and so on. A missing scope is refused before anything else of the request is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from pagetide.errors import ScopeMissing, Unauthorized
from pagetide.server.api.answers import quotas
from pagetide.server.api.callers import rates
from pagetide.server.api.context import Context, InContext
from pagetide.server.jobs.allowances import UNLIMITED, Allowance
from pagetide.server.jobs.keys import ApiKey, Scope, key_id
from pagetide.server.service.service import Service
from pagetide.settings import Settings
from pagetide.telemetry import metrics

# Compared with where no key has the id, so that both take as long.
_NOBODY = ApiKey(id="", name="", sha256="0" * 64, created_at=0)
_UNKNOWN = "This API key is unknown, revoked or expired."

Naming = Callable[[Request], str]


@dataclass(frozen=True)
class Caller:
    """The caller of a request.

    Attributes:
        key: The API key; None where keys are off.
    """

    key: ApiKey | None = None

    @property
    def sees(self) -> str | None:
        """The owner whose jobs it sees; None means all."""
        return self.key.id if self.key else None

    @property
    def owner(self) -> str:
        """The owner that its jobs get."""
        return self.key.id if self.key else ""

    def allowance(self, settings: Settings) -> Allowance:
        """How many pages its jobs may have."""
        if self.key is None:
            return UNLIMITED
        return Allowance(
            active_pages=self.key.active_pages or settings.active_pages_per_key or None,
            pages_per_day=self.key.pages_per_day or settings.pages_per_day_per_key or None,
        )

    def requests_per_second(self, settings: Settings) -> int | None:
        """Most requests of it to one process; None means as many as it likes."""
        if self.key is None:
            return None
        return self.key.requests_per_second or settings.requests_per_second_per_key or None

    def most_bytes(self, most: int) -> int:
        """Most bytes that its documents may have, where anybody's may have so many."""
        own = self.key.max_bytes if self.key else None
        return most if own is None else min(most, own)


def load_keys(service: Service) -> dict[str, ApiKey]:
    """All API keys, by id."""
    every = service.store.keys()
    return {key.id: key for key in every}


def bearer(request: Request) -> str:
    """The key of `Authorization: Bearer`; empty where there is none."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


class Asker:
    """A dependency that gives the caller, if its key has the scopes that the route needs.

    Attributes:
        scopes: What the key must have, all of them; none means that any key will do.
    """

    def __init__(self, *scopes: Scope, ways: tuple[Naming, ...] = ()) -> None:
        """A dependency with these scopes.

        Args:
            scopes: See above.
            ways: Where the key stands: each gives it as text, or an empty text;
                `Authorization: Bearer` is always one.
        """
        self.scopes, self._ways = scopes, (*ways, bearer)

    async def __call__(self, request: Request, context: InContext) -> Caller:
        """The caller; where keys are off, anybody may do all.

        Raises:
            Unauthorized: Keys are needed, and there is none, or none that opens.
            TooManyRequests: It asks too often.
            ScopeMissing: The key may not do this.
        """
        if not context.keys_needed:
            return Caller()
        given = next(filter(None, (way(request) for way in self._ways)), "")
        key = await _known(context, given)
        caller = Caller(key)
        _count(request, context, caller)
        for scope in self.scopes:
            if scope not in key.may:
                raise ScopeMissing.of(scope)
        context.key_uses.note(key.id)
        return caller


def _count(request: Request, context: Context, caller: Caller) -> None:
    """Count a request, once: a route may ask again what its store did not answer.

    Raises:
        TooManyRequests: It is one too many.
    """
    most = caller.requests_per_second(context.settings)
    if most is None or quotas.has_noted(request, quotas.REQUESTS):
        return
    left = context.rates.take(caller.owner, most)
    quotas.note(request, quotas.of_requests(most, left))
    if left < 0:
        error = rates.too_many(most)
        metrics.refused(code=error.code)
        raise error


async def _known(context: Context, given: str) -> ApiKey:
    """The key that this is.

    Raises:
        Unauthorized: It is empty, or none that opens.
    """
    if not given:
        raise Unauthorized
    named = key_id(given)
    for keys in (context.keys.get, context.keys.renewed):  # it may have been made just now
        key = (await keys()).get(named or "", _NOBODY)
        if key.opens(given, time.time()):
            return key
        if named is None:
            break
    raise Unauthorized(_UNKNOWN)


AnyKey = Annotated[Caller, Depends(Asker())]
Reading = Annotated[Caller, Depends(Asker("read"))]
Submitting = Annotated[Caller, Depends(Asker("submit"))]
SubmittingAndReading = Annotated[Caller, Depends(Asker("submit", "read"))]
Operating = Annotated[Caller, Depends(Asker("operate"))]
Scaling = Annotated[Caller, Depends(Asker("scale"))]
