"""What the autoscaler asks of whatever runs the workers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The workers of a pool.

    Attributes:
        staying: Those that nobody has told to go, the starting ones with them.
        ready: Of these, the ones that take work.
        leaving: Those that were told to go and are still there.
    """

    staying: int = 0
    ready: int = 0
    leaving: int = 0


class Driver(Protocol):
    """Keeps as many workers as it is told; no call of it waits for a worker.

    All times are of one clock, in seconds.
    """

    def tend(self, now: float) -> Collection[str]:
        """See who has come and who has gone.

        Returns:
            The pools of which workers have left because they saw no work.
        """
        ...

    def counts(self, pool: str) -> Counts:
        """The workers of a pool, as of the last `tend`."""
        ...

    def scale(self, pool: str, replicas: int, now: float) -> None:
        """Have a pool come to so many workers; called again and again with the same number."""
        ...

    def end(self, now: float) -> None:
        """Tell all workers to go; those that are busy finish first."""
        ...

    @property
    def gone(self) -> bool:
        """Whether no worker is left, after `end`."""
        ...

    def close(self) -> None:
        """Let go of everything; workers that are left stay as they are."""
        ...
