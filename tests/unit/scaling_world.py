"""A small world for control loops: so many tasks at any time, and workers that start late."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pagetide.server.scaling.control_loop import ControlLoop, Observation, Policy


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What was seen, and what the loop made of it.

    Attributes:
        pushed: Work was announced then, and the loop did not look by itself.
    """

    seen: Observation
    replicas: int
    pushed: bool = False


class World:
    """Tasks come and go as a plan says, whatever the workers do; any worker takes one.

    A plan is a list of (time, tasks): from that time on there are so many.
    """

    def __init__(
        self, policy: Policy, plan: Sequence[tuple[float, int]], *, start_s: float = 0.0
    ) -> None:
        self._policy, self._plan, self._start_s = policy, list(plan), start_s
        self.loop: ControlLoop = policy.loop(0.0)
        self._born: list[float] = []
        self._size = 0

    def run(self, until: float, replicas: int = 0) -> Iterator[Moment]:
        """Everything that happens until then, from so many workers that are up."""
        self._born = [-self._start_s] * replicas
        plan = iter([*self._plan, (float("inf"), 0)])
        changes, tasks = next(plan)
        while min(self.loop.due, changes) <= until:
            if changes <= self.loop.due:
                grows = tasks > self._size
                now, self._size = changes, tasks
                changes, tasks = next(plan)
                if grows:
                    yield self._moment(now, pushed=True)
            else:
                yield self._moment(self.loop.due, pushed=False)

    def _moment(self, now: float, *, pushed: bool) -> Moment:
        if self._policy.one_task_each:
            del self._born[self._size :]  # who has no task leaves
        seen = self._seen(now)
        replicas = (self.loop.push if pushed else self.loop.step)(seen)
        assert pushed or self.loop.due > now, "it would look for ever"
        del self._born[replicas:]
        self._born += [now] * (replicas - len(self._born))
        return Moment(seen=seen, replicas=replicas, pushed=pushed)

    def _seen(self, now: float) -> Observation:
        ready = sum(born + self._start_s <= now for born in self._born)
        leased = min(self._size, ready)
        return Observation(
            now=now,
            waiting=self._size - leased,
            leased=leased,
            replicas=len(self._born),
            ready=ready,
            utilisation=100 * leased / ready if ready else None,
        )


def changes(moments: Sequence[Moment]) -> list[tuple[float, int]]:
    """When the number of workers changed, and to what."""
    return [
        (moment.seen.now, moment.replicas)
        for moment in moments
        if moment.replicas != moment.seen.replicas
    ]
