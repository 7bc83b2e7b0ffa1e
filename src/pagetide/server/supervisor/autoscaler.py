"""Keeps as many workers on one host as a policy wants for what the API says is to be done."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import connection

from pagetide.errors import NotFound, PagetideError, nearest
from pagetide.server.ports import Backlog
from pagetide.server.scaling.control_loop import ControlLoop, Observation, Policy
from pagetide.server.supervisor.drivers.ports import Driver
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)

LOOK_S = 0.5  # how often a pool is looked at that may have more workers, and its workers
LOG_AGAIN_S = 60.0  # a backlog that cannot be read is logged again after so long


@dataclass
class Pool:
    """A pool and what is wanted for it.

    Attributes:
        target: Workers asked for.
        size: Tasks that there were when it was last looked at.
    """

    name: str
    policy: Policy
    loop: ControlLoop
    target: int = 0
    size: int = 0

    @property
    def may_grow(self) -> bool:
        """Whether more work would be worth another worker."""
        return self.target < self.policy.most

    @property
    def may_fall_back(self) -> bool:
        """Whether its policy says what to do while the backlog cannot be read."""
        return getattr(self.policy, "fallback", None) is not None


class Autoscaler:
    """Looks, decides, and has a driver follow, in one thread.

    While the backlog cannot be read nothing is scaled in, unless the policy of a pool has a
    fallback of its own.
    """

    def __init__(
        self,
        policies: Mapping[str, Policy],
        driver: Driver,
        read: Callable[[], Mapping[str, Backlog]],
        *,
        now: float,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        """Make it; workers that the driver has already are taken over.

        Args:
            policies: What decides, by pool.
            driver: Runs the workers.
            read: What each pool has to do, with what kept workers are worth; raises a
                `PagetideError` where that is not known.
            now: The time, in seconds, by the clock that `tick` is given.
            beat: Called in every round.
        """
        self._driver, self._read, self._beat = driver, read, beat
        driver.reconcile(now)
        self._pools = [
            Pool(name, policy, policy.loop(now), driver.counts(name).staying)
            for name, policy in policies.items()
        ]
        self._look_at = now
        self._failures, self._logged_at = 0, 0.0
        self._ending = False
        self._waker: socket.socket | None = None

    def run(self, *, leave: bool, clock: Callable[[], float] = time.monotonic) -> None:
        """Scale until `stop` is called; then stop the workers, and wait for them.

        Args:
            leave: The workers stay as they are.
            clock: Seconds.
        """
        wakes, self._waker = socket.socketpair()
        with wakes, self._waker, closing(self._driver):
            try:
                while not self._ending:
                    connection.wait([wakes], timeout=self.tick(clock()))
            except BaseException:  # nobody would end them but this process
                if not leave:
                    self._driver.end(clock())
                raise
            if not leave:
                self._drain(clock)

    def stop(self) -> None:
        """Stop `run`; a signal's handler may call it."""
        self._ending = True
        if self._waker:
            with suppress(OSError):
                self._waker.send(b"x")

    def tick(self, now: float) -> float:
        """One round: look if it is time to, decide, follow; seconds until the next."""
        self._beat()
        idle = self._driver.reconcile(now)
        for pool in self._pools:
            if pool.name in idle:  # they are not missed until the loop says so
                self._follow(pool)
        if now >= self._look_at or any(pool.loop.due <= now for pool in self._pools):
            self._look(now)
        for pool in self._pools:
            self._driver.scale(pool.name, pool.target, now)
            metrics.workers(pool=pool.name, count=self._driver.counts(pool.name).staying)
        soonest = min(pool.loop.due for pool in self._pools)
        return min(LOOK_S, max(0.0, soonest - now))

    def _follow(self, pool: Pool) -> None:
        staying = self._driver.counts(pool.name).staying
        if staying < pool.target:
            extra = {"pool": pool.name, "was": pool.target, "replicas": staying}
            log.info("scaled", extra={**extra, "reason": "workers left: they saw no work"})
            pool.target = staying

    def _look(self, now: float) -> None:
        if not any(pool.may_grow or pool.loop.due <= now for pool in self._pools):
            return
        self._look_at = now + LOOK_S
        found = self._found(now)
        for pool in self._pools:
            self._decide(pool, found.get(pool.name), now)

    def _found(self, now: float) -> Mapping[str, Backlog]:
        """The backlogs of the pools; one that is not known is logged."""
        found: Mapping[str, Backlog] = {}
        try:
            found = self._read()
            self._check(found)
        except PagetideError as error:
            self._fail(error, now)
            return found
        if self._failures:
            log.info("the backlog is read again", extra={"count": self._failures})
        self._failures = 0
        return found

    def _check(self, found: Mapping[str, Backlog]) -> None:
        for pool in self._pools:
            if pool.name not in found:
                known = nearest(pool.name, found)
                raise NotFound(f"The server knows no pool {pool.name!r}; {known}")

    def _fail(self, error: PagetideError, now: float) -> None:
        self._failures += 1
        if self._failures == 1 or now - self._logged_at >= LOG_AGAIN_S:
            self._logged_at = now
            log.error(
                "the backlog cannot be read: the workers stay as they are",
                extra={"code": error.code, "reason": error.message, "count": self._failures},
            )

    def _decide(self, pool: Pool, backlog: Backlog | None, now: float) -> None:
        seen = self._observed(pool, backlog, now)
        grown = seen.size > pool.size or not pool.target
        pool.size = pool.size if seen.failed else seen.size
        if now >= pool.loop.due:
            wanted = pool.loop.step(seen)
        elif seen.size and grown:
            wanted = pool.loop.push(seen)
        else:
            return
        if seen.failed and not pool.may_fall_back:
            wanted = max(wanted, pool.target)
        self._want(pool, min(wanted, pool.policy.most), seen)

    def _observed(self, pool: Pool, backlog: Backlog | None, now: float) -> Observation:
        return Observation(
            now=now,
            waiting=backlog.waiting if backlog else 0,
            leased=backlog.leased if backlog else 0,
            replicas=pool.target,
            ready=min(self._driver.counts(pool.name).ready, pool.target),
            failed=backlog is None,
        )

    def _want(self, pool: Pool, wanted: int, seen: Observation) -> None:
        if wanted == pool.target:
            return
        extra = {"pool": pool.name, "was": pool.target, "replicas": wanted}
        if not seen.failed:
            extra |= {"waiting": seen.waiting, "leased": seen.leased}
        log.info(
            "scaled", extra={**extra, "ready": seen.ready, "reason": _reason(wanted, seen)}
        )
        pool.target = wanted

    def _drain(self, clock: Callable[[], float]) -> None:
        log.info("the autoscaler waits for its workers")
        self._driver.end(clock())
        while True:
            self._beat()
            self._driver.reconcile(clock())
            if self._driver.gone:
                return
            time.sleep(LOOK_S / 5)


def _reason(wanted: int, seen: Observation) -> str:
    if seen.failed:
        return "the backlog cannot be read: as the policy's fallback says"
    if wanted > seen.replicas and not seen.size:
        return "so many always stay"
    if wanted > seen.replicas:
        return "there is work" if seen.replicas == 0 else "there is more work"
    return "there is less work" if seen.size else "there is no work"
