"""Space for pending uploads: a quota per key, and one for all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pagetide.errors import Busy
from pagetide.server.api.callers.fetches import Shares
from pagetide.server.service.service import Service
from pagetide.server.service.submitting import pending_uploads
from pagetide.server.service.submitting.pending_uploads import LEAST

RETRY_AFTER_S = 60


class Pending:
    """Counts what lies in uploads and is no job's yet, and what is coming to this server.

    Several servers may together let in a little more than the limit.
    """

    def __init__(
        self, service: Service, shares: Shares, clock: Callable[[], float] = time.time
    ) -> None:
        self._service, self._shares, self._clock = service, shares, clock
        self._coming = Counter[str]()

    def most(self, owner: str) -> int:
        """Bytes that an owner may have in uploads: no upload can be larger."""
        settings = self._service.settings
        own, total = settings.max_pending_bytes_per_key, settings.max_pending_bytes
        return min(own, total) if owner else total

    @asynccontextmanager
    async def room(self, owner: str, size: int) -> AsyncIterator[None]:
        """Room for so many bytes more, while they come.

        Raises:
            Busy: Too much is in uploads already.
            StoreFailed: The blobs cannot be reached.
        """
        size = max(size, LEAST)
        self._coming[owner] += size
        try:
            await self._shares.run(owner, self._check, owner)
            yield
        finally:
            self._coming[owner] -= size
            if not self._coming[owner]:
                del self._coming[owner]

    def _check(self, owner: str) -> None:
        now, coming = self._clock(), self._coming.copy()
        held = pending_uploads.pending(self._service.blobs, now) + coming
        most, total = self.most(owner), self._service.settings.max_pending_bytes
        if owner and held[owner] > most:
            self._refuse("This key has", most)
        if held.total() > total:
            self._refuse("All keys together have", total)

    def _refuse(self, whose: str, most: int) -> None:
        raise Busy(
            f"{whose} uploads of nearly {most} bytes that are not submitted yet;"
            " submit them, or try again once they have expired.",
            retry_after_s=RETRY_AFTER_S,
        )
