"""Two policies that are no autoscaler: as many as were bought, and one for each task."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import ControlLoop, Observation, check_bounds


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """Always the same number of workers: the machine under somebody's desk.

    Attributes:
        replicas: So many.
    """

    replicas: int = 1
    kills_busy: bool = False
    grace_s: float = 0.0
    one_task_each: bool = False

    def __post_init__(self) -> None:
        check_bounds(self.replicas, self.replicas)

    @property
    def least(self) -> int:
        """All of them."""
        return self.replicas

    @property
    def most(self) -> int:
        """No more."""
        return self.replicas

    def loop(self, now: float) -> ControlLoop:
        """One that never looks."""
        return _Never()


class _Never:
    def __init__(self) -> None:
        self.due = math.inf

    def step(self, seen: Observation) -> int:
        return seen.replicas

    def push(self, seen: Observation) -> int:
        return seen.replicas


@dataclass(frozen=True, kw_only=True)
class PerCall:
    """A function that is called for each task, as Lambda is from a queue.

    A copy that has nothing to do is kept for a while and then dropped, by
    `Machine.idle_exit_s`; the vendor says nothing about how long.

    Attributes:
        most: Calls at once at most.
    """

    most: int = 1000
    least: int = 0
    kills_busy: bool = False
    grace_s: float = 900.0
    one_task_each: bool = False
    polling_s: float = 1.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        if not self.polling_s > 0:
            raise BadOption("The queue's polling interval must be above 0 seconds.")

    def loop(self, now: float) -> ControlLoop:
        """One that has a copy for each task."""
        return _EachTask(self, now)


class _EachTask:
    def __init__(self, policy: PerCall, now: float) -> None:
        self._policy, self.due = policy, now + policy.polling_s

    def step(self, seen: Observation) -> int:
        self.due = seen.now + self._policy.polling_s
        return self.push(seen)

    def push(self, seen: Observation) -> int:
        return max(seen.replicas, min(seen.size, self._policy.most))
