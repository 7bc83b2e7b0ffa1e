"""Admission control: caps on unfinished jobs, in total and per key."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from pagetide.errors import Busy
from pagetide.server.ports import Store
from pagetide.settings import Settings

FRESH_S = 1.0  # a count is taken from the store so often; between, what is let in is added
RETRY_AFTER_S = 15


@dataclass
class _Count:
    jobs: int
    at: float


class Admission:
    """Refuses jobs while too many wait.

    Counting a long backlog takes milliseconds, so counts are kept for a second. Several
    servers may together let in a little more than the cap.
    """

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], float]) -> None:
        self._store, self._settings, self._clock = store, settings, clock
        self._counts: dict[str | None, _Count] = {}
        self._lock = threading.Lock()

    def admit(self, owner: str, most: int | None = None) -> None:
        """Admit one job of an owner.

        Args:
            owner: The key's id, or empty.
            most: The key's own cap; None means as the settings say.

        Raises:
            Busy: Too many jobs have not ended.
        """
        cap = self._settings.max_active_per_key if most is None else most
        if owner:
            self._check(owner, cap, f"This key has {cap} jobs that have not ended")
        total = self._settings.max_active
        self._check(None, total, f"There are {total} jobs that have not ended")
        with self._lock:
            for who in {owner or None, None}:
                self._counts[who].jobs += 1

    def _check(self, owner: str | None, cap: int, what: str) -> None:
        now = self._clock()
        with self._lock:
            count = self._counts.get(owner)
        if count is None or now - count.at > FRESH_S or count.jobs >= cap:
            count = _Count(jobs=self._store.count_active(owner, cap), at=now)
            with self._lock:
                self._counts[owner] = count
                self._forget(now)
        if count.jobs >= cap:
            raise Busy(f"{what}; try again later.", retry_after_s=RETRY_AFTER_S)

    def _forget(self, now: float) -> None:
        old = [who for who, count in self._counts.items() if now - count.at > 60 * FRESH_S]
        for who in old:
            del self._counts[who]
