"""Demand of the pools, workers kept warm for them, and pools waiting for a first worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pagetide.errors import BadOption, NotFound, nearest
from pagetide.server.jobs.job import SYSTEM, Job
from pagetide.server.ports import Notifications, Store
from pagetide.server.service.load.demand import CAPACITY_S, Demand, DemandCache, Warm, keep_warm
from pagetide.settings import Settings

# By pool: how many wait, and since when the first of them, in seconds since the epoch.
Lines = Mapping[str, tuple[int, float]]


class Capacity:
    """Pools as users and autoscalers see them; for any number of threads.

    Attributes:
        pools: The pools there are.
    """

    def __init__(
        self,
        *,
        store: Store,
        settings: Settings,
        notifications: Notifications,
        pools: tuple[str, ...],
        clock: Callable[[], float],
    ) -> None:
        self.pools = pools
        self._store, self._notifications, self._clock = store, notifications, clock
        self._demand = DemandCache(store, settings, clock)
        self._held_at: dict[str, float] = {}  # when a task of a pool was last seen held

    def check(self, pool: str) -> None:
        """Check that there is such a pool.

        Raises:
            NotFound: There is none.
        """
        if pool not in self.pools:
            raise NotFound(f"There is no pool {pool!r}; {nearest(pool, self.pools)}")

    def wanted(self, pool: str) -> Demand:
        """The demand of a pool, which autoscalers read.

        Raises:
            NotFound: There is no such pool.
        """
        self.check(pool)
        return self._look(pool)

    def starved_since(self, job: Job) -> float | None:
        """Since when the job's pool has work and no worker; None where it has one."""
        if job.ended:
            return None
        return self._starved_since(job.pool)

    def starved(self) -> frozenset[str]:
        """The pools that have work and no worker."""
        return frozenset(pool for pool in self.pools if self._starved_since(pool) is not None)

    def lines(self) -> Lines:
        """The lines of all pools, each another one once somebody has left or joined it."""
        found = ((pool, self._look(pool)) for pool in self.pools)
        return {
            pool: (each.backlog.waiting, round(each.now - each.backlog.oldest_s, 2))
            for pool, each in found
            if each.backlog.waiting
        }

    def warm(self, pool: str, workers: int, for_s: float) -> Demand:
        """Keep workers of a pool for a while though it has no work, or no longer.

        Args:
            pool: Whose.
            workers: How many; 0 ends what was asked before.
            for_s: For how long, in seconds from now.

        Returns:
            What the pool wants now.

        Raises:
            NotFound: There is no such pool.
            BadOption: The pool has no workers of its own.
        """
        self.check(pool)
        if pool == SYSTEM:
            raise BadOption(f"The pool {SYSTEM} has no workers: servers do its tasks.")
        asked = Warm(workers=workers, until=self._clock() + for_s) if workers else Warm()
        keep_warm(self._store, pool, asked)
        self._demand.forget(pool)
        self._notifications.publish(pool)
        return self._look(pool)

    def _starved_since(self, pool: str) -> float | None:
        held = self._held_at.get(pool, float("-inf"))
        if self._clock() - held < CAPACITY_S:  # a worker holds none between two tasks
            return None
        return self._look(pool).starved_since

    def _look(self, pool: str) -> Demand:
        found = self._demand.look(pool)
        if found.backlog.leased:
            self._held_at[pool] = found.now
        return found
