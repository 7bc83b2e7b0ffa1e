"""What scales a SageMaker endpoint for asynchronous calls, with the holes it may have.

The service counts calls that wait or are being done. Nothing scales to zero by itself: an
alarm on that number calls a handler, which does. Where a call is ended before a point of the
alarm has seen it, the alarm never leaves ALARM and so never calls again: the instance stays.
And a call that comes between the alarm and its handler finds an instance, which then goes: it
waits for ever. The handler's second look and a reaper that comes by close both.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import (
    ControlLoop,
    Observation,
    check_bounds,
    check_not_negative,
    check_positive,
)
from pagetide.server.scaling.sagemaker.alarm import Alarm, Missing

HIGH_PERIODS, LOW_PERIODS, LOW_SHARE = 3, 15, 0.9  # the alarms of target tracking


@dataclass(frozen=True, kw_only=True)
class SageMakerAsync:
    """An endpoint for asynchronous calls and what scales it.

    Attributes:
        least: Instances there are at least.
        most: Instances there are at most.
        invoker: Whoever makes a call asks for an instance first, where there is none.
        threshold: The alarm's: fewer calls an instance than this are none.
        periods: Points the alarm looks at.
        points: How many of them must be below the threshold; None: all.
        period_s: Time between two points.
        missing: What the alarm takes a point for while there is no instance.
        handler_s: Time from the alarm to its handler.
        recheck: The handler looks again, and takes nothing away where there is a call.
        reaper: Something comes by that wakes for calls that wait, and ends what is idle.
        reaper_s: How often.
        idle_s: For how long there must have been no call before it ends the instances.
        step_out: An instance is asked for where calls wait without one.
        step_periods: Points that must have shown this.
        tracking: Calls an instance that target tracking aims at; None: there is none.
        cooldown_s: Time between two steps down of target tracking.
        grace_s: How long an instance may take to end.
    """

    kills_busy: ClassVar[bool] = True
    one_task_each: ClassVar[bool] = False

    least: int = 0
    most: int = 1
    invoker: bool = True
    threshold: float = 0.1
    periods: int = 10
    points: int | None = None
    period_s: float = 60.0
    missing: Missing = "breaching"
    handler_s: float = 5.0
    recheck: bool = True
    reaper: bool = True
    reaper_s: float = 300.0
    idle_s: float = 600.0
    step_out: bool = True
    step_periods: int = 2
    tracking: float | None = None
    cooldown_s: float = 300.0
    grace_s: float = 3600.0

    def __post_init__(self) -> None:
        check_bounds(self.least, self.most)
        check_positive(
            threshold=self.threshold,
            periods=self.periods,
            period_s=self.period_s,
            reaper_s=self.reaper_s,
            step_periods=self.step_periods,
            tracking=1 if self.tracking is None else self.tracking,
        )
        check_not_negative(
            handler_s=self.handler_s,
            idle_s=self.idle_s,
            cooldown_s=self.cooldown_s,
            grace_s=self.grace_s,
        )
        if self.points is not None and not 1 <= self.points <= self.periods:
            raise BadOption("The option points must be from 1 to periods.")

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""
        return SageMakerLoop(self, now)


class SageMakerLoop:
    """The alarms, the handler that is on its way, and the reaper."""

    def __init__(self, policy: SageMakerAsync, now: float) -> None:
        self._policy = policy
        self._idle_alarm = Alarm(
            lambda calls: calls < policy.threshold,
            periods=policy.periods,
            points=policy.points,
            missing=policy.missing,
        )
        self._stuck_alarm = Alarm(lambda stuck: stuck >= 1, periods=policy.step_periods)
        self._tracking = (
            None if policy.tracking is None else Tracking(policy, policy.tracking, now)
        )
        self._point_due = now + policy.period_s
        self._reap_due = now + policy.reaper_s if policy.reaper else float("inf")
        self._handler_due = float("inf")
        self._busy = now
        self._begun = False
        self.due = min(self._point_due, self._reap_due)

    def step(self, seen: Observation) -> int:
        """Take a point, handle, reap, as is due; instances from now on."""
        self._begin(seen)
        if seen.size and not seen.failed:
            self._busy = seen.now
        replicas = seen.replicas
        if seen.now >= self._point_due:
            self._point_due = seen.now + self._policy.period_s
            replicas = self._take_point(seen, replicas)
        if seen.now >= self._handler_due:
            self._handler_due = float("inf")
            replicas = self._handle(seen, replicas)
        if seen.now >= self._reap_due:
            self._reap_due = seen.now + self._policy.reaper_s
            replicas = self._reap(seen, replicas)
        self.due = min(self._handler_due, self._point_due, self._reap_due)
        return replicas

    def push(self, seen: Observation) -> int:
        """One instance, if there is none and the caller asks for it."""
        self._begin(seen)
        self._busy = seen.now
        return max(seen.replicas, 1) if self._policy.invoker else seen.replicas

    def _begin(self, seen: Observation) -> None:
        """An endpoint that is at rest has been for so long that its alarm has fired."""
        if not self._begun and not seen.replicas and self._policy.missing == "breaching":
            self._idle_alarm.state = "ALARM"
        self._begun = True

    def _handle(self, seen: Observation, replicas: int) -> int:
        if self._policy.recheck and (seen.failed or seen.size):
            return replicas
        return min(replicas, self._policy.least)

    def _take_point(self, seen: Observation, replicas: int) -> int:
        """Judge all alarms; while there is no instance, there is no number an instance."""
        known = not seen.failed
        calls = seen.size / seen.ready if known and seen.ready else None
        if self._idle_alarm.observe(calls):
            self._handler_due = seen.now + self._policy.handler_s
        self._stuck_alarm.observe(float(seen.size > 0 and not replicas) if known else None)
        if self._policy.step_out and self._stuck_alarm.state == "ALARM":
            replicas = max(replicas, 1)
        if self._tracking:
            replicas = self._tracking.take_point(seen.now, calls, seen.ready, replicas)
        return replicas

    def _reap(self, seen: Observation, replicas: int) -> int:
        if seen.failed:
            return replicas
        if seen.size:
            return max(replicas, 1)
        idle = seen.now - self._busy >= self._policy.idle_s
        return min(replicas, self._policy.least) if idle else replicas


class Tracking:
    """Target tracking: two alarms that act at every point for as long as they last."""

    def __init__(self, policy: SageMakerAsync, target: float, now: float) -> None:
        self._policy, self._target = policy, target
        self._high = Alarm(lambda calls: calls > target, periods=HIGH_PERIODS)
        self._low = Alarm(lambda calls: calls < LOW_SHARE * target, periods=LOW_PERIODS)
        self._not_down_before = now

    def take_point(self, now: float, calls: float | None, ready: int, replicas: int) -> int:
        """Instances from now on.

        Args:
            now: In seconds.
            calls: Calls an instance; None while there is none, and then nothing happens.
            ready: Instances that are up.
            replicas: Instances asked for.
        """
        self._high.observe(calls)
        self._low.observe(calls)
        if calls is None:
            return replicas
        policy = self._policy
        worth = min(max(ceil(ready * calls / self._target), policy.least), policy.most)
        if self._high.state == "ALARM" and worth > replicas:
            return worth
        if self._low.state == "ALARM" and worth < replicas and now >= self._not_down_before:
            self._not_down_before = now + policy.cooldown_s
            return worth
        return replicas
