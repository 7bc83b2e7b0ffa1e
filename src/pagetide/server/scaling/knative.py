"""What Knative's pod autoscaler does: two averages, one of which panics."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from pagetide.server.scaling.control_loop import (
    ControlLoop,
    Seen,
    check_bounds,
    check_not_negative,
    check_positive,
)


@dataclass(frozen=True, kw_only=True)
class Knative:
    """A revision that scales by how many tasks are there at once.

    Attributes:
        least: Pods there are at least.
        most: Pods there are at most.
        concurrency: Tasks that one pod does at once.
        utilisation: What part of that is aimed at, 0-1.
        stable_s: Over how long the average is taken.
        panic_s: Over how long that is which sees a rush.
        panic: It is a rush if it is worth so many times the pods that are up.
        up: At most so many times the pods that are up.
        down: At least the pods that are up divided by this.
        tick_s: How often it looks.
        zero_grace_s: Between the decision and the last pod's end.
        grace_s: How long a pod may take to end.
    """

    kills_busy: ClassVar[bool] = True
    one_task_each: ClassVar[bool] = False

    least: int = 0
    most: int = 10
    concurrency: float = 1.0
    utilisation: float = 0.7
    stable_s: float = 60.0
    panic_s: float = 6.0
    panic: float = 2.0
    up: float = 1000.0
    down: float = 2.0
    tick_s: float = 2.0
    zero_grace_s: float = 30.0
    grace_s: float = 300.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        check_positive(
            concurrency=self.concurrency,
            utilisation=self.utilisation,
            stable_s=self.stable_s,
            panic_s=self.panic_s,
            panic=self.panic,
            up=self.up,
            down=self.down,
            tick_s=self.tick_s,
        )
        check_not_negative(zero_grace_s=self.zero_grace_s, grace_s=self.grace_s)

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return KnativeLoop(self, now)


class KnativeLoop:
    """The averages, the panic and the way to zero."""

    def __init__(self, policy: Knative, now: float) -> None:
        """Make it.

        Args:
            policy: How it is set.
            now: In seconds.
        """
        self.due = now
        self._policy = policy
        self._target = policy.concurrency * policy.utilisation
        self._stable, self._short = Average(policy.stable_s), Average(policy.panic_s)
        self._panic_since: float | None = None
        self._panic_most = 0
        self._active_since: float | None = now
        self._inactive_since = now

    def step(self, seen: Seen) -> int:
        """Pods from now on: as many as before while the number is not known."""
        policy = self._policy
        self.due = seen.now + policy.tick_s
        if seen.failed:
            return seen.replicas
        self._stable.add(seen.now, seen.size)
        self._short.add(seen.now, seen.size)
        pods = self._worth(seen.now, max(1, seen.ready))
        if pods == 0 and policy.least == 0:
            return self._toward_zero(seen)
        self._activate(seen.now)
        return min(max(pods, policy.least), policy.most)

    def push(self, seen: Seen) -> int:
        """One pod, if there is none: what holds requests meanwhile asks for it at once."""
        if seen.replicas:
            return seen.replicas
        self._activate(seen.now)
        return max(1, self._policy.least)

    def _worth(self, now: float, ready: int) -> int:
        stable = self._pods(self._stable.value, ready)
        rush = ceil(self._short.value / self._target) / ready >= self._policy.panic
        if rush:
            self._panic_since = now
        elif self._panic_since is not None and self._panic_since + self._policy.stable_s < now:
            self._panic_since, self._panic_most = None, 0
        if self._panic_since is None:
            return stable
        short = self._pods(self._short.value, ready)
        self._panic_most = max(self._panic_most, stable, short)
        return self._panic_most  # nothing is taken in a panic

    def _pods(self, average: float, ready: int) -> int:
        """What an average is worth, no faster than the rates allow."""
        lowest, highest = int(ready // self._policy.down), ceil(self._policy.up * ready)
        return min(max(ceil(average / self._target), lowest), highest)

    def _activate(self, now: float) -> None:
        if self._active_since is None:
            self._active_since = now

    def _toward_zero(self, seen: Seen) -> int:
        """A stable window since it was woken, then the grace; one pod stays until the end."""
        if self._active_since is not None:
            if seen.now - self._active_since >= self._policy.stable_s:
                self._active_since, self._inactive_since = None, seen.now
            return min(seen.replicas, 1)
        over = seen.now - self._inactive_since >= self._policy.zero_grace_s
        return 0 if over else min(seen.replicas, 1)


class Average:
    """The mean of what was told within a window; 0 before anything was."""

    def __init__(self, window_s: float) -> None:
        """Make it.

        Args:
            window_s: A value counts until it is so old.
        """
        self._window_s = window_s
        self._told: deque[tuple[float, int]] = deque()
        self._sum = 0

    def add(self, now: float, value: int) -> None:
        """Tell a value."""
        self._told.append((now, value))
        self._sum += value
        while self._told[0][0] <= now - self._window_s:
            self._sum -= self._told.popleft()[1]

    @property
    def value(self) -> float:
        """The mean as of when a value was last told."""
        return self._sum / len(self._told) if self._told else 0.0
