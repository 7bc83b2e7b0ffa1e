"""Who asks: API keys, and whose jobs they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from pagetide.api.context import Context, InContext
from pagetide.errors import Unauthorized
from pagetide.keys import ApiKey, key_id
from pagetide.service import Service

# Compared with where no key has the id, so that both take as long.
_NOBODY = ApiKey(id="", name="", sha256="0" * 64, created_at=0)


@dataclass(frozen=True)
class Caller:
    """Who asks.

    Attributes:
        key: The API key; None where keys are off.
    """

    key: ApiKey | None = None

    @property
    def sees(self) -> str | None:
        """Whose jobs it sees: its own; None means all."""
        return self.key.id if self.key else None

    @property
    def owner(self) -> str:
        """What its jobs are marked with."""
        return self.key.id if self.key else ""

    def most_bytes(self, most: int) -> int:
        """Most bytes that its documents may have, where anybody's may have so many."""
        own = self.key.max_bytes if self.key else None
        return most if own is None else min(most, own)


def load_keys(service: Service) -> dict[str, ApiKey]:
    """All API keys, by id."""
    every = service.store.keys()
    return {key.id: key for key in every}


async def caller(request: Request, context: InContext) -> Caller:
    """Who asks.

    Raises:
        Unauthorized: Keys are needed, and there is none, or none that opens.
    """
    return await known(context, bearer(request))


def bearer(request: Request) -> str:
    """The key of `Authorization: Bearer`; empty where there is none."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


async def known(context: Context, given: str) -> Caller:
    """Whose key this is; where keys are off, nobody's is asked for.

    Raises:
        Unauthorized: Keys are needed, and this is empty, or none that opens.
    """
    if not context.keys_needed:
        return Caller()
    if not given:
        raise Unauthorized
    key = (await context.keys.get()).get(key_id(given) or "", _NOBODY)
    if not key.opens(given):
        raise Unauthorized("This API key is not known, or has been revoked.")
    return Caller(key)


Asking = Annotated[Caller, Depends(caller)]
