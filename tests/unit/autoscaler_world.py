"""A world for the autoscaler, without processes and without waiting: work, workers, a clock."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field

from pagetide.errors import ServerUnreachable
from pagetide.server.ports import Backlog
from pagetide.server.scaling.control_loop import Observation
from pagetide.server.supervisor.drivers.ports import Condition

POOL = "cpu"


@dataclass
class Rule:
    """A policy and its loop: one worker for every so many tasks, every so many seconds."""

    most: int = 3
    least: int = 0
    tasks: int = 1
    every_s: float = 1.0
    kills_busy: bool = False
    fallback: int | None = None
    grace_s: float = 30.0
    one_task_each: bool = False
    due: float = 0.0
    seen: list[Observation] = field(default_factory=list)

    def loop(self, now: float) -> Rule:
        self.due = now
        return self

    def step(self, seen: Observation) -> int:
        self.due = seen.now + self.every_s
        self.seen.append(seen)
        if seen.failed:
            return 0 if self.fallback is None else self.fallback
        worth = -(-seen.size // self.tasks)
        return min(max(worth, self.least), self.most)

    def push(self, seen: Observation) -> int:
        return max(1, seen.replicas)


@dataclass
class Hand:
    """A worker of the world.

    Attributes:
        busy_until: When the task it holds is done; None while it holds none.
        idle_since: Since when it has held none; it is not ready before.
    """

    pool: str
    idle_since: float
    busy_until: float | None = None
    told: float | None = None
    ended: int | None = None


class World:
    """A `Host` whose workers take the tasks that wait, each for a while.

    Attributes:
        now: The time.
        waiting: Seconds of work of each task that waits.
        killed_busy: Backlogers that were killed with a task in hand.
        told: Of each worker that was told to go, when.
        blind: The API does not answer.
        unseen: The host does not tell of its workers.
        full: No worker can be started.
        broken: There is a mistake in the host.
    """

    def __init__(self, cold_s: float = 0.0, idle_s: float | None = 2.0) -> None:
        self.now, self.cold_s, self.idle_s = 0.0, cold_s, idle_s
        self.waiting: list[float] = []
        self.hands: dict[str, Hand] = {}
        self.done = 0
        self.reads = 0
        self.started: list[float] = []
        self.told: dict[str, float] = {}
        self.killed: dict[str, float] = {}
        self.killed_busy: list[str] = []
        self.stillborn: int | None = None
        self.blind = self.unseen = self.full = self.broken = False

    def start(self, pool: str, name: str) -> None:
        if self.full:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        self.started.append(self.now)
        self.hands[name] = Hand(
            pool=pool, idle_since=self.now + self.cold_s, ended=self.stillborn
        )

    def look(self, now: float) -> Mapping[str, Condition] | None:
        if self.broken:
            raise ZeroDivisionError
        if self.unseen:
            return None
        return {name: self._condition(hand) for name, hand in self.hands.items()}

    def ask(self, name: str) -> None:
        self.told[name] = self.hands[name].told = self.now

    def kill(self, name: str) -> None:
        self.killed[name] = self.now
        if self.hands[name].busy_until is not None:
            self.killed_busy.append(name)
        self.hands[name].ended = -9

    def forget(self, name: str) -> None:
        del self.hands[name]

    def close(self) -> None: ...

    def read(self) -> Mapping[str, Backlog]:
        """What the API says."""
        self.reads += 1
        if self.blind:
            raise ServerUnreachable
        return {POOL: Backlog(waiting=len(self.waiting), leased=self.leased)}

    @property
    def leased(self) -> int:
        return sum(hand.busy_until is not None for hand in self.alive)

    @property
    def alive(self) -> list[Hand]:
        return [hand for hand in self.hands.values() if hand.ended is None]

    def die(self, number: int, code: int = 1) -> None:
        """One of the workers dies; what it held waits again."""
        alive = self.alive
        if alive:
            hand = alive[number % len(alive)]
            if hand.busy_until is not None:
                self.waiting.append(max(0.1, hand.busy_until - self.now))
                hand.busy_until = None
            hand.ended = code

    def pass_time(self, seconds: float) -> None:
        """Time passes, and the workers work."""
        self.now += seconds
        for hand in self.alive:
            if hand.busy_until is not None and hand.busy_until <= self.now:
                hand.idle_since, hand.busy_until = self.now, None
                self.done += 1
            if hand.busy_until is not None or hand.idle_since > self.now:
                continue
            idle = self.idle_s is not None and self.now - hand.idle_since >= self.idle_s
            if hand.told is not None or (idle and not self.waiting):
                hand.ended = 0
            elif self.waiting:
                hand.busy_until = self.now + self.waiting.pop(0)

    def _condition(self, hand: Hand) -> Condition:
        ended = hand.ended is not None
        ready = not ended and hand.idle_since <= self.now
        return Condition(pool=hand.pool, ready=ready, ended=ended, code=hand.ended)
