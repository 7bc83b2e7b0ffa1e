"""A trace replayed against a policy: the policy's own control loop over workers on paper."""

from __future__ import annotations

import math
from heapq import heappop, heappush, heapreplace

import numpy as np

from pagetide.server.scaling.control_loop import Policy
from pagetide.server.simulate.fleet import Fleet
from pagetide.server.simulate.machine import Machine
from pagetide.server.simulate.measures import FREE, Measures, Price
from pagetide.server.simulate.task_slots import FINISH, PART, WHOLE, Task
from pagetide.server.simulate.traces import DAY_S, Trace

PUSH_GAP_S = 0.25  # who announces work does not do so more often, however much comes
SAMPLES = 400
SETTLE_S = 3600.0  # for so long the workers that are too many are waited for
STUCK_S = DAY_S  # work that nobody has taken up for so long will never be
_CHUNK = 65_536


def replay(
    trace: Trace,
    policy: Policy,
    machine: Machine,
    *,
    price: Price = FREE,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Measures:
    """What a policy makes of a trace.

    It goes on until the trace's span is over, every job has ended, and the workers that are
    too many have left, for which it waits an hour at most, which counts. A job whose work
    nobody takes up for a day is given up; `Measures.unfinished` counts them.

    Args:
        trace: The jobs.
        policy: Decides how many workers there are.
        machine: What a worker is.
        price: What a worker costs.
        seed: Of the documents' page times, where `machine.page_spread` is not 0.
        samples: How many points in time of the span are kept, about.
    """
    job_page_s = _page_times(trace, machine, seed)
    fleet = Fleet(policy, machine, job_page_s)
    every_s = max(trace.span_s / samples, 0.1)
    fleet.at(0.0, "sample", every_s)
    ended, end_s = _play(trace, fleet)
    fleet.count_paid(end_s)
    return Measures.of(trace, fleet, np.array(ended), end_s, price)


def _page_times(trace: Trace, machine: Machine, seed: int) -> list[float]:
    if not machine.page_spread:
        return [machine.page_s] * len(trace.at_s)
    sigma = math.sqrt(math.log1p(machine.page_spread**2))  # so that the mean stays page_s
    random = np.random.default_rng(seed)
    factors = random.lognormal(-(sigma**2) / 2, sigma, len(trace.at_s))
    times: list[float] = (factors * machine.page_s).tolist()
    return times


def _play(trace: Trace, fleet: Fleet) -> tuple[list[float], float]:  # noqa: C901, PLR0915 - one loop: a call for each task would double its time
    """When each job ended (NaN where it did not), and when everything was over."""
    machine, policy = fleet.machine, fleet.policy
    lanes, ends, idle, opened = fleet.lanes, fleet.ends, fleet.idle, fleet.open
    first, waiting, begun, job_page_s = (
        fleet.first,
        fleet.waiting,
        fleet.begun,
        fleet.job_page_s,
    )
    cut, task_s, finish_s = machine.cut, machine.task_s, machine.finish_s
    whole_s, most, alone = task_s + finish_s, policy.most, policy.one_task_each
    ahead = 0 if alone else machine.ahead
    ahead_pages, hear_s = machine.ahead_pages, machine.hear_s
    leaves = machine.idle_exit_s < math.inf
    jobs = len(trace.at_s)
    ended: list[float] = [math.nan] * jobs
    left: dict[int, int] = {}  # tasks of a job that are not done
    arrivals = _Arrivals(trace)
    at_s, job = arrivals.next_s, 0
    size = done = 0
    busy_s = 0.0
    push_s, pushed_s, moved_s, now = -math.inf, -math.inf, 0.0, 0.0
    rare_s = fleet.next_s
    inf = math.inf
    stuck_s = STUCK_S + machine.task_pages * max(job_page_s, default=0.0)
    while True:
        end_s = ends[0][0] if ends else inf
        if end_s <= at_s and end_s <= rare_s:
            number = ends[0][1]
            lane = lanes[number]
            if lane.end_s != end_s:  # it was cut short or killed
                heappop(ends)
                continue
            now = moved_s = end_s
            task = lane.task
            assert task  # noqa: S101 - it has an end, so it has a task
            job_done, pages, kind = task
            busy_s += now - lane.begun_s
            following: Task | None = None
            if kind == WHOLE:
                ended[job_done] = now
                done += 1
                size -= 1
            elif kind == PART:
                left[job_done] -= 1
                if left[job_done]:
                    size -= 1
                else:
                    following = (job_done, 0, FINISH)
                    if alone:
                        first.append(following)
                        following = None
            elif kind == FINISH:
                ended[job_done] = now
                done += 1
                size -= 1
            else:
                assert lane.rest  # noqa: S101 - what is cut short has a rest
                first.append(lane.rest)
                lane.rest = None
            held = lane.held
            if following is None:
                if held:
                    following = held.popleft()
                    lane.ahead -= following[1]
                elif lane.replica.leaving or alone:
                    pass
                elif first:
                    following = first.popleft()
                elif waiting:
                    following = waiting.popleft()
            if following is None:
                heappop(ends)
                if not (lane.replica.leaving or alone or leaves):
                    lane.task, lane.begun_s = None, now
                    opened.pop(number, None)
                    idle.append(number)
                    continue
                fleet.size, fleet.busy_s = size, busy_s
                fleet.rest(lane, now)
                if first:
                    fleet.dispatch(now)
                rare_s = fleet.next_s
                continue
            job_next, pages, kind = following
            lane.task, lane.begun_s = following, now
            if begun[job_next] < 0.0:
                begun[job_next] = now
            if kind == WHOLE:
                end_s = now + whole_s + pages * job_page_s[job_next]
            elif kind == FINISH:
                end_s = now + finish_s
            else:
                end_s = now + task_s + pages * job_page_s[job_next]
            lane.end_s = end_s
            heapreplace(ends, (end_s, number))
            if ahead and not lane.replica.leaving:
                while len(held) < ahead and lane.ahead < ahead_pages:
                    if first:
                        following = first.popleft()
                    elif waiting:
                        following = waiting.popleft()
                    else:
                        opened[number] = None
                        break
                    held.append(following)
                    lane.ahead += following[1]
        elif at_s <= rare_s and at_s < inf:
            now = at_s
            parts = cut(arrivals.pages)
            kind = WHOLE
            if len(parts) > 1:
                kind = PART
                left[job] = len(parts)
            for pages in parts:
                task = (job, pages, kind)
                size += 1
                if first or waiting:
                    waiting.append(task)
                elif idle:
                    number = idle.popleft()
                    lane = lanes[number]
                    lane.task, lane.begun_s = task, now + hear_s
                    if begun[job] < 0.0:
                        begun[job] = now + hear_s
                    work_s = (whole_s if kind == WHOLE else task_s) + pages * job_page_s[job]
                    lane.end_s = end_s = now + hear_s + work_s
                    heappush(ends, (end_s, number))
                    if ahead:
                        opened[number] = None
                elif opened:
                    number, _ = opened.popitem(last=False)
                    lane = lanes[number]
                    lane.held.append(task)
                    lane.ahead += pages
                    if len(lane.held) < ahead and lane.ahead < ahead_pages:
                        opened[number] = None
                else:
                    waiting.append(task)
            job += 1
            at_s = arrivals.step()
            if now >= push_s:
                fleet.size, fleet.busy_s = size, busy_s
                fleet.announce(now)
                pushed_s, rare_s = now, fleet.next_s
                push_s = now + PUSH_GAP_S if fleet.asked < most else inf
        else:
            if rare_s == inf:
                break
            now = rare_s
            fleet.size, fleet.busy_s = size, busy_s
            fleet.happen(now)
            busy_s = fleet.busy_s  # a worker may have been killed
            rare_s = fleet.next_s
            push_s = pushed_s + PUSH_GAP_S if fleet.asked < most else inf
            if at_s == inf and now >= trace.span_s:
                still_s = now - max(moved_s, trace.span_s)
                settled = len(fleet.live) <= policy.least or still_s > SETTLE_S
                if (done == jobs and settled) or still_s > stuck_s:
                    break
    fleet.size, fleet.busy_s = size, busy_s
    last_left_s = max((r.left_s for r in fleet.replicas if r.left_s < inf), default=0.0)
    settled = len(fleet.live) <= policy.least
    over_s = max(trace.span_s, moved_s, last_left_s)
    return ended, over_s if done == jobs and settled else now


class _Arrivals:
    """The jobs in order, as Python's own numbers, without holding all of them twice."""

    def __init__(self, trace: Trace) -> None:
        self._trace, self._from = trace, 0
        self._times: list[float] = []
        self._counts: list[int] = []
        self._place = -1
        self.pages = 0
        self.next_s = self.step()

    def step(self) -> float:
        """When the next job comes, whose pages are in `pages`; infinity after the last."""
        self._place += 1
        if self._place == len(self._times):
            chunk = slice(self._from, self._from + _CHUNK)
            self._times = self._trace.at_s[chunk].tolist()
            self._counts = self._trace.pages[chunk].tolist()
            self._from, self._place = chunk.stop, 0
            if not self._times:
                self._place = -1
                return math.inf
        self.pages = self._counts[self._place]
        return self._times[self._place]
