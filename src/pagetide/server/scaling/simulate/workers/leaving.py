"""How workers of a simulated pool end: stopped, by themselves, or killed."""

from __future__ import annotations

import math
from heapq import heappush

from pagetide.server.scaling.simulate.workers.roster import Roster
from pagetide.server.scaling.simulate.workers.task_slots import (
    CUT,
    NEVER,
    PART,
    WHOLE,
    Replica,
    Task,
    TaskSlot,
)

HALT = 0.6  # a worker gives back what it has not begun after this part of its drain time


class Leaving(Roster):
    """Workers that go."""

    def too_many(self, count: int) -> list[Replica]:
        """Who goes: those that start first, then as the machine has it."""
        staying = [replica for replica in self.live if not replica.leaving]
        if self.policy.kills_busy:
            spares = self.machine.spares_busy
            order = sorted(
                staying,
                key=lambda one: (one.ready_s < math.inf, spares and one.busy, -one.asked_s),
            )
            return order[:count]
        if self.machine.idle_exit_s < math.inf:
            return []  # they leave by themselves
        return [one for one in staying if one.ready_s < math.inf and not one.busy][:count]

    def leave(self, replica: Replica, now: float) -> None:
        """Stop a worker: it takes nothing more, and is killed when its grace is over."""
        replica.leaving, replica.requested = True, False
        self.requested -= 1
        if replica.ready_s < math.inf:
            self.ready -= 1
        for slot in replica.slots:
            self.open.pop(slot.number, None)
            if slot.task is None:
                self.idle.remove(slot.number)
        if not replica.busy:
            self.gone(replica, now, at_once=replica.ready_s == math.inf)
            return
        grace_s = self.policy.grace_s
        if self.machine.keeps_pages:
            halt_s = HALT * min(self.machine.drain_s, grace_s)
            self.at(now + halt_s, "halt", replica)
        self.at(now + grace_s, "kill", replica)

    def _halt(self, replica: object, now: float) -> None:
        """A worker that goes gives back what it has not begun, to the page."""
        assert isinstance(replica, Replica)  # noqa: S101 - as it was noted
        for slot in replica.slots if replica.left_s == math.inf else ():
            self.first.extend(slot.held)
            slot.held.clear()
            slot.ahead = 0
            self._cut_short(slot, now)
        self.dispatch(now)

    def _cut_short(self, slot: TaskSlot, now: float) -> None:
        if slot.task is None or slot.task[2] not in (WHOLE, PART):
            return
        job, pages, kind = slot.task
        page_s = self.job_page_s[job]
        done = math.ceil(max(0.0, now - slot.begun_s - self.machine.task_s) / page_s)
        done = max(1, done)
        if done < pages:
            slot.rest, slot.task = (job, pages - done, kind), (job, done, CUT)
            slot.end_s = slot.begun_s + self.machine.task_s + done * page_s
            heappush(self.ends, (slot.end_s, slot.number))

    def _kill(self, replica: object, now: float) -> None:
        assert isinstance(replica, Replica)  # noqa: S101 - as it was noted
        if replica.left_s < math.inf:
            return
        lost: list[Task] = []
        for slot in replica.slots:
            lost += [*self._lost(slot, now), *slot.held]
            slot.task, slot.end_s = None, NEVER
            slot.held.clear()
        self.kills += 1
        self.gone(replica, now, at_once=True)
        self.at(now + self.machine.lease_s, "come_back", lost)

    def _lost(self, slot: TaskSlot, now: float) -> list[Task]:
        """What of a killed slot's task is to be read again; what it took counts as redone."""
        if slot.task is None:
            return []
        job, pages, kind = slot.task
        spent_s = max(0.0, now - slot.begun_s)
        self.busy_s += spent_s
        page_s = self.job_page_s[job]
        kept = int(max(0.0, spent_s - self.machine.task_s) / page_s)
        kept = min(kept, pages) if self.machine.keeps_pages else 0
        self.redone_s += spent_s - kept * page_s
        if slot.rest:  # it was cut short, and killed before it came to that page's end
            _, more, kind = slot.rest
            pages, slot.rest = pages + more, None
        return [(job, pages - kept, kind)]

    def _come_back(self, tasks: object, now: float) -> None:
        assert isinstance(tasks, list)  # noqa: S101 - as it was noted
        self.first.extend(tasks)
        self.dispatch(now)

    def _drop(self, replica: object, now: float) -> None:
        assert isinstance(replica, Replica)  # noqa: S101 - as it was noted
        self.drop(replica, now)

    def _let_idle_go(self, _: object, now: float) -> None:
        """Those that have been without work for long enough leave by themselves."""
        idle_s, self.exit_s = self.machine.idle_exit_s, math.inf
        for replica in list(self.live):
            if replica.slots and not (replica.leaving or replica.busy):
                exit_s = max(slot.begun_s for slot in replica.slots) + idle_s
                if exit_s <= now:
                    for slot in replica.slots:
                        self.idle.remove(slot.number)
                    self.gone(replica, now)
                else:
                    self.exit_s = min(self.exit_s, exit_s)
        if self.exit_s < math.inf:
            self.at(self.exit_s, "let_idle_go")
