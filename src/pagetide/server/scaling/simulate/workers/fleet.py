"""The workers of a simulated pool, and the control loop that says how many there are."""

from __future__ import annotations

import math
from dataclasses import replace
from heapq import heappop

from pagetide.server.scaling.control_loop import Observation, Policy
from pagetide.server.scaling.one_box import OneBox
from pagetide.server.scaling.simulate.plain import Fixed
from pagetide.server.scaling.simulate.workers.leaving import Leaving
from pagetide.server.scaling.simulate.workers.machine import Machine
from pagetide.server.scaling.simulate.workers.task_slots import Replica, Sample, TaskSlot

MOST_SAMPLES = 1000  # at the same distance
FILL_S = 0.1  # workers that are ready together each take one task before any takes a second


class Fleet(Leaving):
    """The workers, as many as the policy's loop says."""

    def __init__(self, policy: Policy, machine: Machine, job_page_s: list[float]) -> None:
        """Make it, with as many workers ready as the policy has at least."""
        if isinstance(policy, OneBox):
            idle_s = math.inf if policy.least else policy.idle_s  # it would be started again
            machine = replace(machine, idle_exit_s=idle_s)
        elif policy.kills_busy or isinstance(policy, Fixed):  # it would be started again
            machine = replace(machine, idle_exit_s=math.inf)
        if policy.one_task_each:
            machine = replace(machine, lanes=1, held=1)
        super().__init__(policy, machine, job_page_s)
        self.loop = policy.loop(0.0)
        self._looked_s = self._looked_busy_s = 0.0
        self._unfilled: list[Replica] = []
        for _ in range(policy.least):
            self._make_ready(self._ask(0.0), 0.0)

    @property
    def next_s(self) -> float:
        """When something rare happens next."""
        return min(self.events[0][0] if self.events else math.inf, self.loop.due)

    def happen(self, now: float) -> None:
        """Do what is due."""
        if self.loop.due <= now:
            wanted = self.loop.step(self._seen(now, looks=True))
            if self.loop.due <= now:
                raise RuntimeError("a control loop does not move its `due`")
            self.scale(wanted, now)
            return
        _, _, what, whom = heappop(self.events)
        getattr(self, f"_{what}")(whom, now)

    def announce(self, now: float) -> None:
        """Work has come: the loop learns of it, at once or a little later."""
        if self.machine.announce_s:
            self.at(now + self.machine.announce_s, "push")
        else:
            self._push(None, now)

    def _push(self, _: object, now: float) -> None:
        self.scale(self.loop.push(self._seen(now)), now)

    def scale(self, wanted: int, now: float) -> None:
        """Have so many workers, as far as the policy ends any."""
        if wanted > self.requested:
            self._start([self._ask(now) for _ in range(wanted - self.requested)], now)
        if wanted < self.requested and not self.policy.one_task_each:
            for replica in self.too_many(self.requested - wanted):
                self.leave(replica, now)

    def _start(self, replicas: list[Replica], now: float) -> None:
        beside = self.requested - self.ready - 1
        start_s = self.machine.cold_start_s + beside * self.machine.start_beside_s
        for replica in replicas:
            if start_s > 0:
                self.at(now + start_s, "make_ready", replica)
            else:
                self._make_ready(replica, now)

    def _seen(self, now: float, *, looks: bool = False) -> Observation:
        queued = len(self.first) + len(self.waiting)
        return Observation(
            now=now,
            waiting=queued,
            leased=self.size - queued,
            replicas=self.requested,
            ready=self.ready,
            utilisation=self._utilisation(now) if looks else None,
        )

    def _utilisation(self, now: float) -> float | None:
        """How busy the workers that are up were since the last look, 0-100."""
        reading = (slot for replica in self.live for slot in replica.slots if slot.task)
        busy_s = self.busy_s + sum(max(0.0, now - slot.begun_s) for slot in reading)
        since_s, more_s = now - self._looked_s, busy_s - self._looked_busy_s
        self._looked_s, self._looked_busy_s = now, busy_s
        if not self.ready or since_s <= 0:
            return None
        share = more_s / since_s / (self.ready * self.machine.lanes)
        return self.machine.busy_percent * min(1.0, share)

    def _ask(self, now: float) -> Replica:
        self.count_paid(now)
        replica = Replica(now)
        self.replicas.append(replica)
        self.live[replica] = None
        self.requested += 1
        return replica

    def _make_ready(self, replica: object, now: float) -> None:
        assert isinstance(replica, Replica)  # noqa: S101 - as it was noted
        if replica.left_s < math.inf:
            return
        replica.ready_s = now
        self.ready += 1
        for _ in range(self.machine.lanes):
            slot = TaskSlot(len(self.slots), replica, now)
            self.slots.append(slot)
            replica.slots.append(slot)
            if self.first or self.waiting:
                self.begin(slot, self.take(), now)
            else:
                self.rest(slot, now)
        if self.machine.ahead:
            self._unfilled.append(replica)
            self.at(now + FILL_S, "fill")

    def _fill(self, _: object, now: float) -> None:
        """Workers that have just begun hold more, turn and turn about."""
        new, self._unfilled = self._unfilled, []
        for slot in (slot for replica in new for slot in replica.slots):
            if slot.task and slot.number not in self.open:
                self.opened(slot)
        self.dispatch(now)

    def _sample(self, every_s: object, now: float) -> None:
        assert isinstance(every_s, float)  # noqa: S101 - as it was noted
        self.count_paid(now)
        self.samples.append(
            Sample(
                at_s=now,
                tasks=self.size,
                replicas=len(self.live),
                ready=self.ready,
                paid_s=self.paid_s,
            )
        )
        if len(self.samples) % MOST_SAMPLES == 0:  # who is waited for is waited for for long
            every_s *= 2
        self.at(now + every_s, "sample", every_s)
