"""What KEDA does with a ScaledObject: it wakes and ends a deployment, an HPA does the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import (
    ControlLoop,
    Observation,
    check_bounds,
    check_not_negative,
    check_positive,
)
from pagetide.server.scaling.hpa.autoscaler import SYNC_S, Hpa, milliseconds
from pagetide.server.scaling.hpa.behaviour import SHIPPED, Behaviour
from pagetide.server.scaling.hpa.metrics import external_average, external_value

FallbackBehaviour = Literal[
    "static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"
]
MetricType = Literal["AverageValue", "Value"]


@dataclass(frozen=True, kw_only=True)
class Fallback:
    """The replicas while the metric cannot be read.

    Attributes:
        failures: It holds once more readings in a row than this have failed.
        replicas: Replicas it is about.
        behaviour: How these and the present ones make the number.
    """

    failures: int = 3
    replicas: int = 1
    behaviour: FallbackBehaviour = "currentReplicasIfHigher"

    def __post_init__(self) -> None:
        check_not_negative(failures=self.failures, replicas=self.replicas)
        if self.behaviour not in get_args(FallbackBehaviour):
            raise BadOption(
                f"There is no fallback behaviour {self.behaviour!r}: "
                f"known: {', '.join(get_args(FallbackBehaviour))}"
            )

    def of(self, replicas: int) -> int:
        """How many replicas there should be, of `replicas` at present."""
        match self.behaviour:
            case "currentReplicas":
                return replicas
            case "currentReplicasIfHigher":
                return max(replicas, self.replicas)
            case "currentReplicasIfLower":
                return min(replicas, self.replicas)
            case _:
                return self.replicas


@dataclass(frozen=True, kw_only=True)
class ScaledObject:
    """A ScaledObject with one trigger, the number of tasks.

    Attributes:
        least: Replicas there are at least.
        most: Replicas there are at most.
        target: Tasks that are worth one replica; with `Value`, tasks there should be.
        polling_s: How often the trigger is asked whether there is anything to do.
        cooldown_s: For how long there must have been nothing before the last replica goes,
            and with it all the others.
        initial_cooldown_s: The same, from the start until there first was something.
        idle: Replicas while there is nothing to do, where that is not `least`.
        activation: There is something to do above so many tasks.
        push: The trigger also notifies at once that there is something to do.
        in_flight: The trigger counts tasks that are being done, not only those that wait.
        metric: How the autoscaler uses the number.
        fallback: What holds while the number cannot be read; None: nothing changes.
        behaviour: Windows and rates of the autoscaler.
        sync_s: How often the autoscaler looks. It first does after half of this, which is
            what one waits on average.
        grace_s: How long a replica may take to end.
    """

    kills_busy: ClassVar[bool] = True
    one_task_each: ClassVar[bool] = False

    least: int = 0
    most: int = 15
    target: float = 10.0
    polling_s: float = 15.0
    cooldown_s: float = 300.0
    initial_cooldown_s: float = 0.0
    idle: int | None = None
    activation: float = 0.0
    push: bool = True
    in_flight: bool = True
    metric: MetricType = "AverageValue"
    fallback: Fallback | None = Fallback()
    behaviour: Behaviour = SHIPPED
    sync_s: float = SYNC_S
    grace_s: float = 900.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        check_positive(target=self.target, polling_s=self.polling_s, sync_s=self.sync_s)
        check_not_negative(
            cooldown_s=self.cooldown_s,
            initial_cooldown_s=self.initial_cooldown_s,
            activation=self.activation,
            grace_s=self.grace_s,
        )
        if self.idle is not None and not 0 <= self.idle < self.least:
            raise BadOption("The option idle must be below least.")  # as KEDA demands

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return ScaledObjectLoop(self, now)


class ScaledObjectLoop:
    """KEDA's poll and the autoscaler's sync, each at its own times."""

    def __init__(self, policy: ScaledObject, now: float) -> None:
        self._policy = policy
        self._activation = round(policy.activation * 1000)
        self._target = round(policy.target * 1000)
        self._hpa = Hpa(max(policy.least, 1), policy.most, policy.behaviour)
        self._poll_due, self._sync_due = now, now + policy.sync_s / 2
        self._created = now
        self._last_active: float | None = None
        self._failures = 0
        self.due = now

    def step(self, seen: Observation) -> int:
        """Poll, sync or both, as is due; replicas from now on."""
        replicas = seen.replicas
        if seen.now >= self._poll_due:
            self._poll_due = seen.now + self._policy.polling_s
            replicas = self._poll(seen)
        if seen.now >= self._sync_due:
            self._sync_due = seen.now + self._policy.sync_s
            replicas = self._sync(seen, replicas)
        self.due = min(self._poll_due, self._sync_due)
        return replicas

    def push(self, seen: Observation) -> int:
        """One replica, if there is none and the trigger pushes: no wait for a poll."""
        if not self._policy.push:
            return seen.replicas
        return self._request(seen.now, seen.replicas, active=True, failed=False)

    def _poll(self, seen: Observation) -> int:
        count, fallen_back = self._read(seen, seen.replicas)
        active = fallen_back or (count is not None and count > self._activation)
        return self._request(seen.now, seen.replicas, active=active, failed=count is None)

    def _request(self, now: float, replicas: int, *, active: bool, failed: bool) -> int:
        asked = request(
            self._policy, replicas, active=active, failed=failed, cooled=self._cooled(now)
        )
        if active and (asked != replicas or not failed):
            self._last_active = now
        return asked

    def _cooled(self, now: float) -> bool:
        if self._last_active is None:
            return self._created + self._policy.initial_cooldown_s < now
        return self._last_active + self._policy.cooldown_s < now

    def _sync(self, seen: Observation, replicas: int) -> int:
        now = milliseconds(seen.now)
        if replicas == 0:  # there is nothing to read for
            return self._hpa.sync(now, 0, None)
        return self._hpa.sync(now, replicas, self._proposal(seen, replicas))

    def _proposal(self, seen: Observation, replicas: int) -> int | None:
        count, _ = self._read(seen, replicas)
        behaviour = self._policy.behaviour
        if count is None:
            return None
        if self._policy.metric == "Value":
            return external_value(count, self._target, replicas, seen.ready, behaviour)
        return external_average(count, self._target, replicas, behaviour)

    def _read(self, seen: Observation, replicas: int) -> tuple[int | None, bool]:
        """The number in thousandths, None if there is none; whether it is the fallback's."""
        if not seen.failed:
            self._failures = 0
            return 1000 * (seen.size if self._policy.in_flight else seen.waiting), False
        self._failures += 1
        fallback = self._policy.fallback
        if fallback is None or self._failures <= fallback.failures:
            return None, False
        count = self._target * fallback.of(replicas)
        if self._policy.metric == "AverageValue":
            return count, True
        return (count // seen.ready, True) if seen.ready else (None, False)


def request(
    policy: ScaledObject, replicas: int, *, active: bool, failed: bool, cooled: bool
) -> int:
    """The replicas that KEDA itself sets; it knows none but idle, least and one.

    Args:
        policy: How it is set.
        replicas: Asked for at present.
        active: There is something to do, or a fallback holds.
        failed: A metric could not be read, and no fallback holds for it.
        cooled: There has been nothing to do for long enough.

    Returns:
        Replicas from now on. From any number it is one step to none.
    """
    idle, least = policy.idle, policy.least
    if active:
        asleep = replicas == 0 or (idle is not None and replicas < least)
        return max(least, 1) if asleep else replicas
    if failed and (policy.fallback is None or policy.fallback.replicas):
        return replicas
    if (replicas > idle) if idle is not None else (replicas > 0 and least == 0):
        return (idle or 0) if cooled else replicas
    return max(replicas, least) if idle is None else replicas
