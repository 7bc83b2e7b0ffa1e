"""What KEDA does with a ScaledJob: workers that do one task and leave."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

from pagetide.server.scaling.control_loop import (
    ControlLoop,
    Observation,
    check_bounds,
    check_not_negative,
    check_positive,
)

Strategy = Literal["default", "custom", "accurate", "eager"]


@dataclass(frozen=True, kw_only=True)
class ScaledJob:
    """A ScaledJob with one trigger, the number of tasks.

    Nothing is ever pushed to it, and it ends no job.

    Attributes:
        least: Jobs there are at least.
        most: Jobs there are at most; `custom` heeds that only for those it adds at once.
        target: Tasks that are worth one job.
        polling_s: How often the trigger is asked.
        activation: There is something to do above so many tasks.
        strategy: What becomes of the jobs there are: `default` takes them off the number, as
            is right where it counts tasks that are being done; `accurate` only those that are
            still being started, as is right where it counts only tasks that wait.
        deduct: Of the number of tasks, with `custom`.
        share: Of the jobs there are, 0-1, which is taken off with `custom`.
        in_flight: The trigger counts tasks that are being done, not only those that wait.
        grace_s: How long a job may take to end.
    """

    kills_busy: ClassVar[bool] = False
    one_task_each: ClassVar[bool] = True

    least: int = 0
    most: int = 15
    target: float = 1.0
    polling_s: float = 10.0
    activation: float = 0.0
    strategy: Strategy = "default"
    deduct: int = 0
    share: float = 0.0
    in_flight: bool = True
    grace_s: float = 900.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        check_positive(target=self.target, polling_s=self.polling_s)
        check_not_negative(
            activation=self.activation,
            deduct=self.deduct,
            share=self.share,
            grace_s=self.grace_s,
        )

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return ScaledJobLoop(self, now)


class ScaledJobLoop:
    """Adds jobs; they leave by themselves."""

    def __init__(self, policy: ScaledJob, now: float) -> None:
        self.due = now
        self._policy = policy

    def step(self, seen: Observation) -> int:
        """Jobs there are and jobs that are added."""
        policy = self._policy
        self.due = seen.now + policy.polling_s
        tasks = 0 if seen.failed else seen.size if policy.in_flight else seen.waiting
        worth = None
        if tasks > policy.activation:
            room = policy.most - policy.least
            worth = Worth(tasks=tasks, jobs=min(tasks / policy.target, room))
        pending = max(0, seen.replicas - seen.ready)
        return seen.replicas + added(policy, seen.replicas, pending, worth)

    def push(self, seen: Observation) -> int:
        """As many jobs as before: KEDA pushes to no ScaledJob."""
        return seen.replicas


@dataclass(frozen=True, kw_only=True)
class Worth:
    """The metric of an active trigger.

    Attributes:
        tasks: How many there are.
        jobs: How many jobs they are worth.
    """

    tasks: float
    jobs: float


def added(policy: ScaledJob, running: int, pending: int, worth: Worth | None) -> int:
    """How many jobs are added.

    Args:
        policy: How it is set.
        running: Jobs that have not ended.
        pending: Of these, jobs that are still being started.
        worth: The metric of the trigger; None where it is not active.
    """
    if running < policy.least:
        return policy.least - running
    if worth is None:
        return 0
    room = policy.most - policy.least
    jobs = ceil(min(worth.jobs, room))
    limit = _limit(policy, jobs, running - policy.least, pending, room)
    tasks = room if policy.strategy == "eager" else ceil(worth.tasks)
    return min(tasks, max(limit, 0))


def _limit(policy: ScaledJob, jobs: int, running: int, pending: int, room: int) -> int:
    match policy.strategy:
        case "custom":
            return min(jobs - policy.deduct - int(running * policy.share), room)
        case "accurate":
            return room - running if jobs + running - pending > room else jobs - pending
        case "eager":
            return min(room - running - pending, jobs)
        case _:
            return jobs - running
