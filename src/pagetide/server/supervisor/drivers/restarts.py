"""How long to wait before a worker is started in place of one that died."""

from __future__ import annotations

from collections import defaultdict

PAUSE_S = (0.0, 0.0, 0.5, 1.0, 2.0, 5.0, 10.0)  # after so many early deaths in a row
EARLY_S = 10.0  # who lived longer has worked: its death says nothing about the next one


class Restarts:
    """Counts the early deaths of each pool; a pool whose workers keep dying is given pauses."""

    def __init__(self) -> None:
        self._early: defaultdict[str, int] = defaultdict(int)
        self._not_before: dict[str, float] = {}

    def left(self, pool: str) -> None:
        """A worker ended as it should: the ones before it are forgiven."""
        self._early.pop(pool, None)
        self._not_before.pop(pool, None)

    def died(self, pool: str, now: float, lived_s: float, was_ready: bool) -> float:
        """A worker ended otherwise; for how many seconds none is started in its place."""
        early = lived_s < EARLY_S or not was_ready
        self._early[pool] = self._early[pool] + 1 if early else 0
        pause = PAUSE_S[min(self._early[pool], len(PAUSE_S) - 1)]
        self._not_before[pool] = now + pause
        return pause

    def may(self, pool: str, now: float) -> bool:
        """Whether a worker of the pool may be started now."""
        return now >= self._not_before.get(pool, now)
