"""Single workers: which to start, which to stop, which to restart."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from pagetide.server.supervisor.drivers.ports import Condition, Counts, Host
from pagetide.server.supervisor.restarts import Restarts

log = logging.getLogger(__name__)

# A program that SIGTERM ends before it has said what to do then; a shell adds 128.
_BY_SIGTERM = (-15, 143)


@dataclass
class Replica:
    """A worker.

    Attributes:
        born: When it was started, or found.
        ready: It takes work, or has once.
        stopped_at: When it was asked to stop.
    """

    name: str
    pool: str
    born: float
    ready: bool = False
    stopped_at: float | None = None
    killed: bool = False


class Replicas:
    """A `Driver` over a host of workers."""

    def __init__(
        self,
        host: Host,
        most: Mapping[str, int],
        *,
        grace_s: float,
        leave_idle: Collection[str] = (),
        token: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        """Make it; the workers that the host has already are taken over.

        Args:
            host: Where they run.
            most: Most workers of each pool, those that are leaving among them.
            grace_s: A worker that was stopped is killed after so many seconds.
            leave_idle: Pools whose workers leave by themselves when they see no work; none of
                these is stopped before `end`.
            token: Makes names unlike any other.
        """
        self._host, self._most, self._grace_s = host, most, grace_s
        self._leave_idle, self._token = frozenset(leave_idle), token
        self._replicas: dict[str, Replica] = {}
        self._restarts = Restarts()
        self._blind = False

    def reconcile(self, now: float) -> Collection[str]:
        """See `Driver`; kill those whose grace is over."""
        found = self._host.look(now)
        self._know(found is None)
        if found is None:
            return ()
        left = self._remove_missing(found, now) | self._see(found, now)
        self._kill_overdue(now)
        return left & self._leave_idle

    def counts(self, pool: str) -> Counts:
        """See `Driver`."""
        mine = self._of(pool)
        staying = [replica for replica in mine if replica.stopped_at is None]
        return Counts(
            staying=len(staying),
            ready=sum(replica.ready for replica in staying),
            leaving=len(mine) - len(staying),
        )

    def scale(self, pool: str, replicas: int, now: float) -> None:
        """See `Driver`; those that are leaving take up room until they are gone."""
        mine = self._of(pool)
        staying = [replica for replica in mine if replica.stopped_at is None]
        missing = replicas - len(staying)
        if missing < 0 and pool not in self._leave_idle:
            for replica in sorted(staying, key=_first_to_go)[:-missing]:
                self._stop(replica, now)
        if missing > 0 and not self._restarts.pause_s(pool, now):
            for _ in range(min(missing, self._most[pool] - len(mine))):
                self._start(pool, now)

    def end(self, now: float) -> None:
        """See `Driver`."""
        for replica in self._replicas.values():
            if replica.stopped_at is None:
                self._stop(replica, now)

    @property
    def gone(self) -> bool:
        """See `Driver`."""
        return not self._replicas

    def close(self) -> None:
        """See `Driver`."""
        self._host.close()

    def _remove_missing(self, found: Collection[str], now: float) -> set[str]:
        """Remove those that the host knows no more; the pools of which some left as idle."""
        missing = [each for each in self._replicas.values() if each.name not in found]
        return {each.pool for each in missing if self._remove(each, None, now)}

    def _see(self, found: Mapping[str, Condition], now: float) -> set[str]:
        """Attach, remove or call ready, as each is; the pools of which some left as idle."""
        left = set()
        for name, condition in found.items():
            replica = self._replicas.get(name) or self._attach(name, condition, now)
            if condition.ended:
                self._host.forget(name)
                if self._remove(replica, condition.code, now):
                    left.add(replica.pool)
            elif condition.ready and not replica.ready:
                replica.ready = True
                log.info("worker is ready", extra=_named(replica))
        return left

    def _of(self, pool: str) -> list[Replica]:
        return [replica for replica in self._replicas.values() if replica.pool == pool]

    def _start(self, pool: str, now: float) -> None:
        replica = Replica(name=f"{pool}-{self._token()}", pool=pool, born=now)
        try:
            self._host.start(pool, replica.name)
        except OSError as error:
            self._restarts.died(pool, now, 0.0, was_ready=False)
            extra = {**_named(replica), "reason": error.strerror}
            log.error("worker cannot be started", extra=extra)
            return
        self._replicas[replica.name] = replica
        log.info("worker started", extra=_named(replica))

    def _attach(self, name: str, condition: Condition, now: float) -> Replica:
        replica = Replica(name=name, pool=condition.pool, born=now, ready=condition.ready)
        self._replicas[name] = replica
        log.info("worker taken over", extra=_named(replica))
        return replica

    def _stop(self, replica: Replica, now: float) -> None:
        replica.stopped_at = now
        self._host.ask(replica.name)
        log.info("worker told to go", extra=_named(replica))

    def _kill_overdue(self, now: float) -> None:
        for replica in self._replicas.values():
            overdue = (
                replica.stopped_at is not None and now - replica.stopped_at > self._grace_s
            )
            if overdue and not replica.killed:
                replica.killed = True
                log.error("worker killed: its grace is over", extra=_named(replica))
                self._host.kill(replica.name)

    def _remove(self, replica: Replica, code: int | None, now: float) -> bool:
        """Forget one that has ended; whether it left because it saw no work."""
        del self._replicas[replica.name]
        stopped = replica.stopped_at is not None
        good = code == 0 or (stopped and code in _BY_SIGTERM)
        _log_end(replica, code, good)
        if good:
            self._restarts.left(replica.pool)
        elif not stopped:
            self._restarts.died(replica.pool, now, now - replica.born, replica.ready)
        return good and not stopped

    def _know(self, blind: bool) -> None:
        if blind != self._blind:
            self._blind = blind
            log.log(
                logging.ERROR if blind else logging.INFO,
                "the workers cannot be seen" if blind else "the workers are seen again",
            )


def _first_to_go(replica: Replica) -> tuple[bool, float]:
    """The order of stopping: first those not ready, then the youngest, the least warm."""
    return replica.ready, -replica.born


def _log_end(replica: Replica, code: int | None, good: bool) -> None:
    stopped = replica.stopped_at is not None
    reason = "told to go" if stopped else "left by itself" if good else "died"
    log.log(
        logging.INFO if good or stopped else logging.ERROR,
        "worker ended",
        extra={
            **_named(replica),
            "exit": "unknown" if code is None else code,
            "reason": reason,
        },
    )


def _named(replica: Replica) -> dict[str, str]:
    return {"worker": replica.name, "pool": replica.pool}
