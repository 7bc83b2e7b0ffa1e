"""The function that sweeps: called every minute, it does once what `pagetide sweep` repeats."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable

from pagetide.errors import PagetideError
from pagetide.server.aws_lambda.calls import Event, Invocation, begun, remaining_s
from pagetide.server.aws_lambda.webhooks import Webhooks
from pagetide.server.maintenance.maintenance import ORPHANS_EVERY_S, UPLOADS_EVERY_S, Sweeper
from pagetide.server.wiring import open_blobs, open_notifier, open_store, pools
from pagetide.settings import Settings
from pagetide.telemetry import tracing

log = logging.getLogger("pagetide")

TIDY_S = 60.0  # what is needed at the least to begin with what may take minutes
EVERY_S = 60.0  # how often the template has it called


def handle(event: Event, context: Invocation) -> None:
    """Put right what died, wake who was not woken, call webhooks, remove what has expired.

    Raises:
        PagetideError: The store or the blobs are away; the next call tries again.
    """
    sweeping().sweep(context)


@functools.cache
def sweeping() -> Sweeping:
    """The sweeper of this process, kept from its first call on."""
    return Sweeping(begun())


class Sweeping:
    """The sweeper, kept from call to call: it knows which wake-ups it has sent again."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._store, self._notifier = open_store(settings), open_notifier(settings)
        self._webhooks = Webhooks(settings)
        self._sweeper = Sweeper(
            store=self._store,
            blobs=open_blobs(settings),
            notifier=self._notifier,
            settings=settings,
            pools=pools(settings),
            clock=clock,
            every_s=EVERY_S,
        )

    def sweep(self, context: Invocation) -> None:
        """Sweep once, in the time that the call has left.

        Raises:
            PagetideError: See `handle`; the webhooks are called nevertheless.
        """
        try:
            self._sweeper.rescue()
        finally:
            self._webhooks.call_due(remaining_s(context))
            tracing.flush()
        if remaining_s(context) > TIDY_S:
            self._tidy()

    def _tidy(self) -> None:
        """Remove what is not needed; look for blobs that nobody knows in one call of an hour.

        By the clock, for this process cannot know what others have done: while one looks for
        minutes, the next calls are of new ones.
        """
        self._sweeper.expire()
        if self._clock() % UPLOADS_EVERY_S < EVERY_S:
            self._sweeper.remove_uploads()
        if self._clock() % ORPHANS_EVERY_S < EVERY_S:
            self._sweeper.remove_orphans()

    def close(self) -> None:
        """Close everything."""
        for part in (self._webhooks, self._notifier, self._store):
            try:
                part.close()
            except PagetideError as error:
                log.error("not closed", extra={"code": error.code})
