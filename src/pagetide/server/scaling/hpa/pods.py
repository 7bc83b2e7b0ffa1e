"""The autoscaler of an always-on deployment, which goes by the use of its pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import (
    ControlLoop,
    Observation,
    check_bounds,
    check_not_negative,
    check_positive,
)
from pagetide.server.scaling.hpa.autoscaler import SYNC_S, Hpa, milliseconds
from pagetide.server.scaling.hpa.behaviour import DESCRIBED, Behaviour
from pagetide.server.scaling.hpa.metrics import pods_average


@dataclass(frozen=True, kw_only=True)
class HpaPods:
    """An autoscaler that goes by the use of the pods that are up, such as that of their GPUs.

    It knows nothing of tasks: it never leaves 0, and takes pods that are busy.

    Attributes:
        least: Pods there are at least.
        most: Pods there are at most.
        target: The use that is aimed at, 0-100.
        behaviour: Windows and rates.
        sync_s: How often it looks, in seconds.
        grace_s: How long a pod may take to end, in seconds.
    """

    kills_busy: ClassVar[bool] = True
    one_task_each: ClassVar[bool] = False

    least: int = 1
    most: int = 10
    target: float = 70.0
    behaviour: Behaviour = DESCRIBED
    sync_s: float = SYNC_S
    grace_s: float = 900.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        check_not_negative(grace_s=self.grace_s)
        if self.least < 1:
            raise BadOption(
                "An autoscaler that uses the load of its pods must keep at least one."
            )
        check_positive(target=self.target, sync_s=self.sync_s)

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return HpaPodsLoop(self, now)


class HpaPodsLoop:
    """Follows the use of the pods that are up."""

    def __init__(self, policy: HpaPods, now: float) -> None:
        self.due = now
        self._policy = policy
        self._hpa = Hpa(policy.least, policy.most, policy.behaviour)

    def step(self, seen: Observation) -> int:
        """Pods from now on: as many as before while nothing is known of their use."""
        self.due = seen.now + self._policy.sync_s
        return self._hpa.sync(milliseconds(seen.now), seen.replicas, self._proposal(seen))

    def push(self, seen: Observation) -> int:
        """As many pods as before: it does not listen."""
        return seen.replicas

    def _proposal(self, seen: Observation) -> int | None:
        if seen.failed or seen.utilisation is None:
            return None
        policy = self._policy
        return pods_average(
            [round(seen.utilisation * 1000)] * seen.ready,
            round(policy.target * 1000),
            seen.replicas,
            policy.behaviour,
            unready=max(0, seen.replicas - seen.ready),
        )
