"""The function that sweeps: called every minute, it does once what `pagetide sweep` repeats."""

from __future__ import annotations

import functools
import logging

from pagetide import tracing
from pagetide.errors import PagetideError
from pagetide.house import Sweeper
from pagetide.lambdas.calls import Event, Invocation, begun, remaining_s
from pagetide.lambdas.webhooks import Webhooks
from pagetide.models import Models
from pagetide.settings import Settings
from pagetide.wanted import all_pools
from pagetide.wiring import open_blobs, open_news, open_store

log = logging.getLogger("pagetide")

TIDY_S = 60.0  # what is needed at the least to begin with what may take minutes


def handle(event: Event, context: Invocation) -> None:
    """Put right what died, wake who was not woken, call webhooks, remove what has expired.

    Raises:
        PagetideError: The store or the blobs are away; the next call tries again.
    """
    sweeping().sweep(remaining_s(context))


@functools.cache
def sweeping() -> Sweeping:
    """What this process sweeps with, from its first call on."""
    return Sweeping(begun())


class Sweeping:
    """The sweeper, kept from call to call: it knows which wake-ups it has sent again."""

    def __init__(self, settings: Settings) -> None:
        self._store, self._news = open_store(settings), open_news(settings)
        self._webhooks = Webhooks(settings)
        self._sweeper = Sweeper(
            store=self._store,
            blobs=open_blobs(settings),
            news=self._news,
            settings=settings,
            pools=all_pools(Models(settings).pools(), settings),
        )

    def sweep(self, seconds: float) -> None:
        """Sweep once, in so many seconds.

        Raises:
            PagetideError: See `handle`; the webhooks are called nevertheless.
        """
        try:
            self._sweeper.rescue()
        finally:
            self._webhooks.call_due()
            tracing.flush()
        if seconds > TIDY_S:
            self._sweeper.tidy()

    def close(self) -> None:
        """Let go of everything."""
        for part in (self._webhooks, self._news, self._store):
            try:
                part.close()
            except PagetideError as error:
                log.error("not closed", extra={"code": error.code})
