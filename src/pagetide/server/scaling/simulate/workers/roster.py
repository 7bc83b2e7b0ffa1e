"""Tasks and who reads them: what every worker of a simulated pool has in common."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from heapq import heappush

from pagetide.server.scaling.control_loop import Policy
from pagetide.server.scaling.simulate.workers.machine import Machine
from pagetide.server.scaling.simulate.workers.task_slots import (
    FINISH,
    NEVER,
    WHOLE,
    Replica,
    Sample,
    Task,
    TaskSlot,
)


class Roster:
    """The workers and what waits for them.

    What happens with every task is written out in `run`, for speed; here it is for the
    rest: for those that come, go, and become idle.

    Attributes:
        slots: All that ever were.
        live: Workers that are paid for.
        first: Tasks that were begun before, or end a job: they are taken before others.
        waiting: Tasks in the order in which they came.
        idle: Numbers of the slots that have nothing to do, the longest idle first.
        open: Numbers of the busy slots that may hold more.
        ends: When each busy slot is done, as a heap; void where the slot says otherwise.
        begun: When each job's first page was begun.
        requested: Workers that are there or will be, but for those that were stopped.
        ready: Of these, workers that are up.
        size: Tasks that wait or are held.
    """

    def __init__(self, policy: Policy, machine: Machine, job_page_s: list[float]) -> None:
        self.policy, self.machine, self.job_page_s = policy, machine, job_page_s
        self.slots: list[TaskSlot] = []
        self.replicas: list[Replica] = []
        self.live: dict[Replica, None] = {}
        self.first: deque[Task] = deque()
        self.waiting: deque[Task] = deque()
        self.idle: deque[int] = deque()
        self.open: OrderedDict[int, None] = OrderedDict()
        self.ends: list[tuple[float, int]] = []
        self.begun: list[float] = [NEVER] * len(job_page_s)
        self.events: list[tuple[float, int, str, object]] = []
        self.samples: list[Sample] = []
        self.requested = self.ready = self.size = self.kills = 0
        self.busy_s = self.redone_s = self.paid_s = 0.0
        self.exit_s = math.inf
        self._counted_s, self._number = 0.0, 0

    def at(self, when: float, what: str, whom: object = None) -> None:
        """Have `what` happen then; it is one of the methods below."""
        self._number += 1
        heappush(self.events, (when, self._number, what, whom))

    def rest(self, slot: TaskSlot, now: float) -> None:
        """A slot has nothing to do: it waits, or its worker goes."""
        replica, worked = slot.replica, slot.task is not None
        slot.task, slot.begun_s = None, now
        self.open.pop(slot.number, None)
        if replica.leaving or (worked and self.policy.one_task_each):
            if not replica.busy:
                self.gone(replica, now)
            return
        self.idle.append(slot.number)
        if self.exit_s == math.inf and self.machine.idle_exit_s < math.inf:
            self.exit_s = now + self.machine.idle_exit_s
            self.at(self.exit_s, "let_idle_go")

    def begin(self, slot: TaskSlot, task: Task, now: float) -> None:
        """Have a slot that is idle read a task."""
        machine, (job, pages, kind) = self.machine, task
        slot.task, slot.begun_s = task, now + machine.hear_s
        finish_s = machine.finish_s if kind in (WHOLE, FINISH) else 0.0
        task_s = machine.task_s if kind != FINISH else 0.0
        if self.begun[job] < 0:
            self.begun[job] = slot.begun_s
        work_s = task_s + finish_s + pages * self.job_page_s[job]
        slot.end_s = slot.begun_s + work_s
        heappush(self.ends, (slot.end_s, slot.number))

    def dispatch(self, now: float) -> None:
        """Give what waits to who is idle, then to who holds fewer than it may."""
        while self.idle and (self.first or self.waiting):
            slot = self.slots[self.idle.popleft()]
            self.begin(slot, self.take(), now)
            self.opened(slot)
        while self.open and (self.first or self.waiting):
            number, _ = self.open.popitem(last=False)
            self.hold(self.slots[number], self.take())

    def hold(self, slot: TaskSlot, task: Task) -> None:
        """Have a busy slot hold one more task."""
        slot.held.append(task)
        slot.ahead += task[1]
        self.opened(slot)

    def count_paid(self, now: float) -> None:
        """Bring `paid_s` up to now."""
        self.paid_s += len(self.live) * (now - self._counted_s)
        self._counted_s = now

    def opened(self, slot: TaskSlot) -> None:
        """A busy slot asks for more, where it may hold more."""
        machine = self.machine
        more = len(slot.held) < machine.ahead and slot.ahead < machine.ahead_pages
        if more and not slot.replica.leaving and not self.policy.one_task_each:
            self.open[slot.number] = None

    def take(self) -> Task:
        """The task that is next; there must be one."""
        return self.first.popleft() if self.first else self.waiting.popleft()

    def gone(self, replica: Replica, now: float, *, at_once: bool = False) -> None:
        """A worker does nothing any more; it is there until its process has ended."""
        if not replica.leaving:
            self.ready -= 1
            replica.leaving = True
        leave_s = 0.0 if at_once else self.machine.leave_s
        replica.left_s = now + leave_s
        if leave_s:
            self.at(replica.left_s, "drop", replica)
        else:
            self.drop(replica, now)

    def drop(self, replica: Replica, now: float) -> None:
        """It is paid for no more."""
        self.count_paid(now)
        self.requested -= replica.requested
        del self.live[replica]
