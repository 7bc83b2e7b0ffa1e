"""The jobs of a trace, read by a fleet."""

from __future__ import annotations

import math
from heapq import heappop, heappush, heapreplace

from pagetide.server.scaling.simulate.arrivals import Arrivals
from pagetide.server.scaling.simulate.traces import DAY_S, Trace
from pagetide.server.scaling.simulate.workers.fleet import Fleet
from pagetide.server.scaling.simulate.workers.task_slots import (
    CUT,
    FINISH,
    PART,
    WHOLE,
    Task,
    TaskSlot,
)

PUSH_GAP_S = 0.25  # who announces work does not do so more often, however much comes
SETTLE_S = 3600.0  # for so long the workers that are too many are waited for
STUCK_S = DAY_S  # work that nobody has taken up for so long will never be
LAST = (WHOLE, FINISH)  # with these a job ends


class Run:
    """Jobs come, tasks end, and now and then something rare happens to the fleet.

    A day has a million of the first two, so that each call and each look-up shows: what they
    need stands in slots, what the fleet's classes have for the rest is written out once more,
    and the fleet's own `size` and `busy_s` are those of the last time that it was asked.

    Attributes:
        ended: When each job ended; NaN where it did not.
    """

    __slots__ = (
        "_ahead",
        "_ahead_pages",
        "_alone",
        "_arrivals",
        "_begun",
        "_beside_s",
        "_busy_s",
        "_cut",
        "_done",
        "_ends",
        "_first",
        "_fleet",
        "_hear_s",
        "_idle",
        "_leaves",
        "_left",
        "_moved_s",
        "_now",
        "_open",
        "_page_s",
        "_push_s",
        "_pushed_s",
        "_rare_s",
        "_size",
        "_slots",
        "_span_s",
        "_stuck_s",
        "_waiting",
        "ended",
    )

    def __init__(self, trace: Trace, fleet: Fleet) -> None:
        machine = fleet.machine
        self.ended: list[float] = [math.nan] * len(trace.at_s)
        self._fleet, self._arrivals, self._span_s = fleet, Arrivals(trace), trace.span_s
        self._slots, self._ends, self._idle = fleet.slots, fleet.ends, fleet.idle
        self._open, self._first, self._waiting = fleet.open, fleet.first, fleet.waiting
        self._begun, self._page_s = fleet.begun, fleet.job_page_s
        self._ahead, self._ahead_pages = machine.ahead, machine.ahead_pages
        self._alone, self._hear_s = fleet.policy.one_task_each, machine.hear_s
        self._cut = machine.cut
        self._leaves = machine.idle_exit_s < math.inf
        # What a task takes beside its pages, by what it is to its job.
        task_s, finish_s = machine.task_s, machine.finish_s
        self._beside_s = {WHOLE: task_s + finish_s, PART: task_s, FINISH: finish_s}
        self._stuck_s = STUCK_S + machine.task_pages * max(self._page_s, default=0.0)
        self._left: dict[int, int] = {}  # tasks of a job that are not done
        self._size = self._done = 0
        self._busy_s = self._now = self._moved_s = 0.0
        self._rare_s = fleet.next_s
        self._push_s = self._pushed_s = -math.inf

    def to_the_end(self) -> float:
        """Let everything happen, in its order; when it was over."""
        ends, arrivals, over = self._ends, self._arrivals, False
        while not over:
            end_s = ends[0][0] if ends else math.inf
            comes_s, rare_s = arrivals.next_s, self._rare_s
            if end_s <= comes_s and end_s <= rare_s:
                self._task_ends(end_s)
            elif comes_s <= rare_s and comes_s < math.inf:
                self._job_comes(comes_s)
            elif rare_s < math.inf:
                over = self._something_rare(rare_s)
            else:
                over = True
        self._update_fleet()
        return self._over_s()

    def _job_comes(self, now: float) -> None:
        self._now, arrivals = now, self._arrivals
        parts = self._cut(arrivals.pages)
        kind = WHOLE
        if len(parts) > 1:
            kind, self._left[arrivals.job] = PART, len(parts)
        for pages in parts:
            self._task_comes((arrivals.job, pages, kind), now)
        arrivals.step()
        if now >= self._push_s:
            self._update_fleet()
            self._fleet.announce(now)
            self._pushed_s = now
            self._look_ahead()

    def _task_comes(self, task: Task, now: float) -> None:
        """Give a task to who is idle, else to who may hold more."""
        self._size += 1
        if self._first or self._waiting:
            self._waiting.append(task)
        elif self._idle:
            slot = self._slots[self._idle.popleft()]
            heappush(self._ends, (self._read(slot, task, now + self._hear_s), slot.number))
            if self._ahead:
                self._open[slot.number] = None
        elif self._open:
            number, _ = self._open.popitem(last=False)
            slot = self._slots[number]
            slot.held.append(task)
            slot.ahead += task[1]
            if len(slot.held) < self._ahead and slot.ahead < self._ahead_pages:
                self._open[number] = None
        else:
            self._waiting.append(task)

    def _task_ends(self, now: float) -> None:
        number = self._ends[0][1]
        slot = self._slots[number]
        if slot.end_s != now:  # it was cut short or killed
            heappop(self._ends)
            return
        self._now = self._moved_s = now
        self._busy_s += now - slot.begun_s
        assert slot.task  # noqa: S101 - it has an end, so it has a task
        job, _, kind = slot.task
        task = None
        if kind in LAST:
            self.ended[job] = now
            self._done += 1
            self._size -= 1
        else:
            task = self._part_ended(slot, job, kind)
        task = task or self._following(slot)
        if task is None:
            self._rest(slot, now)
            return
        heapreplace(self._ends, (self._read(slot, task, now), number))
        if self._ahead and not slot.replica.leaving:
            self._hold_more(slot)

    def _part_ended(self, slot: TaskSlot, job: int, kind: int) -> Task | None:
        """The `finish` task that a slot goes on with after a job's last part, if it does."""
        if kind == CUT:
            assert slot.rest  # noqa: S101 - what is cut short has a rest
            self._first.append(slot.rest)
            slot.rest = None
            return None
        self._left[job] -= 1
        if self._left[job]:
            self._size -= 1
            return None
        if not self._alone:
            return (job, 0, FINISH)
        self._first.append((job, 0, FINISH))
        return None

    def _following(self, slot: TaskSlot) -> Task | None:
        """What a slot reads next, if it is to read more."""
        if slot.held:
            task = slot.held.popleft()
            slot.ahead -= task[1]
            return task
        if slot.replica.leaving or self._alone:
            return None
        if self._first:
            return self._first.popleft()
        return self._waiting.popleft() if self._waiting else None

    def _read(self, slot: TaskSlot, task: Task, begun_s: float) -> float:
        """Have a slot read a task from then on; when that ends."""
        job, pages, kind = task
        slot.task, slot.begun_s = task, begun_s
        if self._begun[job] < 0.0:
            self._begun[job] = begun_s
        slot.end_s = end_s = begun_s + self._beside_s[kind] + pages * self._page_s[job]
        return end_s

    def _hold_more(self, slot: TaskSlot) -> None:
        held, first, waiting = slot.held, self._first, self._waiting
        while len(held) < self._ahead and slot.ahead < self._ahead_pages:
            if first:
                task = first.popleft()
            elif waiting:
                task = waiting.popleft()
            else:
                self._open[slot.number] = None
                return
            held.append(task)
            slot.ahead += task[1]

    def _rest(self, slot: TaskSlot, now: float) -> None:
        heappop(self._ends)
        if not (slot.replica.leaving or self._alone or self._leaves):
            slot.task, slot.begun_s = None, now
            self._open.pop(slot.number, None)
            self._idle.append(slot.number)
            return
        self._update_fleet()
        self._fleet.rest(slot, now)
        if self._first:
            self._fleet.dispatch(now)
        self._rare_s = self._fleet.next_s

    def _something_rare(self, now: float) -> bool:
        """Whether everything is over after it."""
        self._now, fleet = now, self._fleet
        self._update_fleet()
        fleet.happen(now)
        self._busy_s = fleet.busy_s  # a worker may have been killed
        self._look_ahead()
        if self._arrivals.next_s < math.inf or now < self._span_s:
            return False
        still_s = now - max(self._moved_s, self._span_s)
        settled = len(fleet.live) <= fleet.policy.least or still_s > SETTLE_S
        return (self._done == len(self.ended) and settled) or still_s > self._stuck_s

    def _update_fleet(self) -> None:
        """Bring the fleet's own counts up to date."""
        self._fleet.size, self._fleet.busy_s = self._size, self._busy_s

    def _look_ahead(self) -> None:
        """When something rare happens next; when work is announced again, if it makes more."""
        fleet = self._fleet
        self._rare_s = fleet.next_s
        may_grow = fleet.requested < fleet.policy.most
        self._push_s = self._pushed_s + PUSH_GAP_S if may_grow else math.inf

    def _over_s(self) -> float:
        fleet = self._fleet
        if self._done < len(self.ended) or len(fleet.live) > fleet.policy.least:
            return self._now
        left_s = (one.left_s for one in fleet.replicas if one.left_s < math.inf)
        return max(self._span_s, self._moved_s, *left_s)
