"""How `pagetide serve` scales: workers start when there is work, and leave when idle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagetide.server.scaling.control_loop import (
    ControlLoop,
    Observation,
    check_bounds,
    check_not_negative,
    check_positive,
)
from pagetide.server.scaling.sliding import Highest
from pagetide.server.service.load.demand import TASKS_A_WORKER


@dataclass(frozen=True, kw_only=True)
class OneBox:
    """The workers of one box, which nobody stops.

    Attributes:
        least: Workers there are at least.
        most: Workers there are at most.
        tasks_a_worker: Tasks that are worth one worker.
        idle_s: How long a worker waits for work before it leaves.
        look_s: How often the work is counted, though nothing is notified.
        grace_s: How long a worker may take to end when the box does.
    """

    kills_busy: ClassVar[bool] = False
    one_task_each: ClassVar[bool] = False

    least: int = 0
    most: int = 1
    tasks_a_worker: int = TASKS_A_WORKER
    idle_s: float = 30.0
    look_s: float = 2.0
    grace_s: float = 900.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        check_positive(tasks_a_worker=self.tasks_a_worker, look_s=self.look_s)
        check_not_negative(idle_s=self.idle_s, grace_s=self.grace_s)

    def worth(self, tasks: int) -> int:
        """How many workers so many tasks are worth, of those that wait and those that are held.

        One is worth a worker, and from there one for every `tasks_a_worker`. Those that are
        held count, so that nobody is taken away who works.
        """
        return min(max(-(-tasks // self.tasks_a_worker), self.least), self.most)

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return OneBoxLoop(self, now)


class OneBoxLoop:
    """Starts workers at once, and counts them as gone when they have been idle for so long."""

    def __init__(self, policy: OneBox, now: float) -> None:
        self.due = now
        self._policy = policy
        self._busy = Highest(policy.idle_s)

    def step(self, seen: Observation) -> int:
        """Workers that the work is worth now, and those that were busy lately."""
        self.due = seen.now + self._policy.look_s
        return self._replicas(seen)

    def push(self, seen: Observation) -> int:
        """The same at once: it was notified."""
        return self._replicas(seen)

    def _replicas(self, seen: Observation) -> int:
        if seen.failed:
            return seen.replicas
        busy = min(seen.replicas, seen.size)
        lately = self._busy.of(seen.now, busy)
        self._busy.add(seen.now, busy)
        return max(self._policy.worth(seen.size), min(lately, seen.replicas))
