"""Backoff before a worker is started in place of one that died."""

from __future__ import annotations

from collections import defaultdict

PAUSE_S = (0.0, 0.0, 0.5, 1.0, 2.0, 5.0, 10.0)  # after so many early deaths in a row
EARLY_S = 10.0


class Restarts:
    """Counts the early deaths of each pool; a pool whose workers keep dying is given pauses."""

    def __init__(self, early_s: float = EARLY_S) -> None:
        """Make it.

        Args:
            early_s: Who lived longer has worked: its death says nothing about the next one.
        """
        self._early_s = early_s
        self._early: defaultdict[str, int] = defaultdict(int)
        self._not_before: dict[str, float] = {}

    def left(self, pool: str) -> None:
        """A worker ended as it should: the ones before it are forgiven."""
        self._early.pop(pool, None)
        self._not_before.pop(pool, None)

    def died(self, pool: str, now: float, lived_s: float, was_ready: bool) -> None:
        """A worker ended otherwise."""
        early = lived_s < self._early_s or not was_ready
        self._early[pool] = self._early[pool] + 1 if early else 0
        pause = PAUSE_S[min(self._early[pool], len(PAUSE_S) - 1)]
        self._not_before[pool] = now + pause

    def pause_s(self, pool: str, now: float) -> float:
        """The seconds for which no worker of the pool is to be started."""
        return max(0.0, self._not_before.get(pool, now) - now)
