"""The webhooks that are due, called by whichever function comes by."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import anyio

from pagetide.errors import PagetideError
from pagetide.server.jobs.job import SYSTEM
from pagetide.server.maintenance.deliverer import Deliverer
from pagetide.server.maintenance.webhook_post import TIMEOUT_S, WebhookPost
from pagetide.server.ports import Store
from pagetide.server.service.notifier import Notifier
from pagetide.server.wiring import open_notifier, open_store
from pagetide.settings import Settings

log = logging.getLogger("pagetide")

CALL_S = TIMEOUT_S + 5.0  # what a call may take, with what is noted of it
BRIEF_S = CALL_S + 5.0  # so that who answers slowly does not keep a function from its own work


class Webhooks:
    """Calls webhooks; opens the store with the first call."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self._settings, self._clock = settings, clock
        self._store: Store | None = None
        self._notifier: Notifier | None = None
        self._deliverer: Deliverer | None = None

    def call_due(self, seconds: float = BRIEF_S) -> None:
        """Call those that are due, and be done within so many seconds.

        Where that fails, or is too short, somebody calls them later.
        """
        until = time.monotonic() + seconds - CALL_S
        try:
            if time.monotonic() < until and self._is_due():
                self._call(until)
        except PagetideError as error:
            log.error("no webhook can be called now", extra={"code": error.code})

    def close(self) -> None:
        """Close connections."""
        if self._notifier:
            self._notifier.close()
        if self._store:
            self._store.close()

    def _is_due(self) -> bool:
        if self._store is None:
            self._store = open_store(self._settings)
        due = self._store.next_due(SYSTEM)
        return due is not None and due <= self._clock()

    def _call(self, until: float) -> None:
        assert self._store  # noqa: S101 - opened by who asked what is due
        if self._notifier is None:
            self._notifier = open_notifier(self._settings)
        if self._deliverer is None:
            post = WebhookPost(self._store, self._settings)
            self._deliverer = Deliverer(store=self._store, notifier=self._notifier, post=post)
        anyio.run(self._deliverer.deliver_due, until)
