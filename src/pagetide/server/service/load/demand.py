"""The demand of a pool, as the one number that every autoscaler reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock

import msgspec
from msgspec import Struct

from pagetide.errors import BadOption
from pagetide.server.jobs.job import SYSTEM
from pagetide.server.ports import Backlog, Store
from pagetide.settings import Settings
from pagetide.system.ready_types import ready

TASKS_A_WORKER = 4  # waiting or leased tasks that are worth one worker
# A pool whose tasks wait for so long while nobody holds one has no worker.
CAPACITY_S = 2.0
# To count 100,000 tasks takes SQLite 48 ms: what is so large is counted once a second.
LARGE, KEPT_S = 1000, 1.0
_NOTHING = b"{}"


class Warm(Struct, frozen=True, kw_only=True):
    """Workers that somebody asked to keep though there is no work.

    Attributes:
        workers: How many.
        until: For how long, in seconds since the epoch.
    """

    workers: int = 0
    until: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Demand:
    """The demand of a pool: its tasks, and the workers kept for it in any case.

    Attributes:
        backlog: Its tasks. One that is due later is none of them until then.
        workers: Workers kept though there is no work, as the settings or somebody asked.
        warm: What somebody asked for, where that still holds.
        now: When this was so, in seconds since the epoch.
    """

    backlog: Backlog
    workers: int = 0
    warm: Warm | None = None
    now: float = 0.0

    def size(self, tasks_a_worker: int = TASKS_A_WORKER) -> int:
        """Tasks that wait or are held, or as many as the kept workers are worth.

        A task counts until it is done, so this is never 0 while somebody works.

        Args:
            tasks_a_worker: Tasks that whoever reads this takes to be worth one worker.
        """
        return max(self.backlog.waiting + self.backlog.leased, self.workers * tasks_a_worker)

    @property
    def starved_since(self) -> float | None:
        """Since when tasks wait for a first worker; None where somebody works, or none waits.

        A worker that is awake takes a task at once, so that a pool in which none is held for
        two seconds has no worker: it is being started, or there is no room for one.
        """
        backlog = self.backlog
        if backlog.leased or not backlog.waiting or backlog.oldest_s <= CAPACITY_S:
            return None
        return self.now - backlog.oldest_s


def look(store: Store, settings: Settings, pool: str, now: float) -> Demand:
    """The demand of a pool now: two short reads of the store.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    warm = kept_warm(store, pool)
    held = warm if warm.workers and warm.until > now else None
    return Demand(
        backlog=store.backlog(pool, now),
        workers=max(settings.least_workers(pool), held.workers if held else 0),
        warm=held,
        now=now,
    )


class DemandCache:
    """The demand of pools, looked up for all threads of a process, as often as they like.

    A large pool is not looked at again for a second; it does not become idle unseen.
    """

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], float]) -> None:
        self._store, self._settings, self._clock = store, settings, clock
        self._large: dict[str, Demand] = {}
        self._looking: defaultdict[str, Lock] = defaultdict(Lock)

    def look(self, pool: str) -> Demand:
        """The demand of a pool; see `look`."""
        now, known = self._clock(), self._large.get(pool)
        if known is None:
            return self._look(pool, now)
        if 0 <= now - known.now < KEPT_S or not self._looking[pool].acquire(blocking=False):
            return known
        try:
            return self._look(pool, now)
        finally:
            self._looking[pool].release()

    def forget(self, pool: str) -> None:
        """Look at it anew: something was changed."""
        self._large.pop(pool, None)

    def _look(self, pool: str, now: float) -> Demand:
        found = look(self._store, self._settings, pool, now)
        if found.size() >= LARGE:
            self._large[pool] = found
        else:
            self._large.pop(pool, None)
        return found


def kept_warm(store: Store, pool: str) -> Warm:
    """The last request to keep workers, whether or not it still holds.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    try:
        return msgspec.json.decode(store.value(_name(pool), _NOTHING), type=ready(Warm))
    except msgspec.MsgspecError:  # as another version wrote it
        return Warm()


def keep_warm(store: Store, pool: str, warm: Warm) -> None:
    """Keep so many workers of a pool, in place of what was asked before.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    store.put_value(_name(pool), msgspec.json.encode(warm))


def all_pools(of_models: Iterable[str], settings: Settings) -> tuple[str, ...]:
    """All pools: those that models run in, those that the settings name, and the system's.

    Raises:
        BadOption: A setting is wrong.
    """
    named = {*of_models, *settings.pools}
    if SYSTEM in named:
        raise BadOption(
            f"PAGETIDE_POOLS cannot name {SYSTEM}: servers do its tasks themselves."
        )
    if settings.canary_share:
        named.add(settings.canary_share[0])
    return (*sorted(named), SYSTEM)


def _name(pool: str) -> str:
    return f"warm:{pool}"
