"""What the autoscaler asks of a driver, and a driver of single workers of its host."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The workers of a pool.

    Attributes:
        staying: Those that nobody has stopped, the starting ones with them.
        ready: Of these, the ones that take work.
        leaving: Those that were stopped and are still there.
    """

    staying: int = 0
    ready: int = 0
    leaving: int = 0


class Driver(Protocol):
    """Keeps as many workers as it is asked to; no call of it waits for a worker.

    All times are of one clock, in seconds.
    """

    def reconcile(self, now: float) -> Collection[str]:
        """Note workers that have started or ended, and act on it.

        Returns:
            The pools of which workers have left because they saw no work.
        """
        ...

    def counts(self, pool: str) -> Counts:
        """The workers of a pool, as of the last `reconcile`."""
        ...

    def scale(self, pool: str, replicas: int, now: float) -> None:
        """Bring a pool to so many workers; called again and again with the same number."""
        ...

    def end(self, now: float) -> None:
        """Stop all workers; those that are busy finish first."""
        ...

    @property
    def gone(self) -> bool:
        """Whether no worker is left, after `end`."""
        ...

    def close(self) -> None:
        """Close everything; workers that are left stay as they are."""
        ...


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A worker as its host sees it.

    Attributes:
        pool: Whose it is.
        ready: It takes work.
        ended: It is there no more.
        code: How it ended; None where nobody knows.
    """

    pool: str
    ready: bool = False
    ended: bool = False
    code: int | None = None


class Host(Protocol):
    """Where workers run. No call waits for a worker."""

    def start(self, pool: str, name: str) -> None:
        """Start a worker; `look` says whether that went well.

        Raises:
            OSError: Not even that can be tried.
        """
        ...

    def look(self, now: float) -> Mapping[str, Condition] | None:
        """All workers by name, each that has ended for as long as it is not forgotten.

        None where that cannot be known now.
        """
        ...

    def ask(self, name: str) -> None:
        """Ask a worker to end, once it has done what it has in hand."""
        ...

    def kill(self, name: str) -> None:
        """End a worker at once."""
        ...

    def forget(self, name: str) -> None:
        """A worker that has ended is not asked for again."""
        ...

    def close(self) -> None:
        """Close everything; workers stay as they are."""
        ...
