"""A trace replayed: small cases by hand, an oracle for a queue, and what always holds."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import ControlLoop, Observation
from pagetide.server.scaling.policies import Policy
from pagetide.server.scaling.simulate.measures import Measures, Price, percentile
from pagetide.server.scaling.simulate.plain import Fixed, PerCall
from pagetide.server.scaling.simulate.replay import replay
from pagetide.server.scaling.simulate.setups import parse
from pagetide.server.scaling.simulate.traces import Load, Trace, made, trace_of
from pagetide.server.scaling.simulate.workers.machine import Machine

ALONE = Machine(page_s=1.0, held=1)


@dataclass(frozen=True, kw_only=True)
class Told:
    """A policy whose numbers of workers a test writes down: (from when, how many)."""

    plan: tuple[tuple[float, int], ...]
    least: int = 0
    most: int = 99
    kills_busy: bool = True
    grace_s: float = 30.0
    one_task_each: bool = False

    def loop(self, now: float) -> ControlLoop:
        return ToldLoop(self.plan)


class ToldLoop:
    def __init__(self, plan: tuple[tuple[float, int], ...]) -> None:
        self._plan = plan
        self.due = plan[0][0] if plan else math.inf
        self.seen: list[Observation] = []

    def step(self, seen: Observation) -> int:
        self.seen.append(seen)
        wanted = [count for at_s, count in self._plan if at_s <= seen.now][-1]
        self.due = min((at for at, _ in self._plan if at > seen.now), default=math.inf)
        return wanted

    def push(self, seen: Observation) -> int:
        return seen.replicas


def waits(measures: Measures) -> list[float]:
    return [round(float(wait), 6) for wait in measures.waits_s]


class TestByHand:
    def test_one_job_after_another(self) -> None:
        trace = trace_of([0, 1, 10], [2, 3, 1])
        measures = replay(trace, Fixed(), ALONE)
        assert waits(measures) == [2, 4, 1]
        assert (measures.busy_s, measures.replica_s, measures.span_s) == (6, 11, 11)
        assert measures.idle_share == pytest.approx(5 / 11)
        assert (measures.wait_p50_s, measures.wait_p95_s) == (2, 4)

    def test_each_part_of_a_job_takes_its_time(self) -> None:
        machine = replace(ALONE, task_s=0.5, finish_s=0.25, hear_s=0.125, task_pages=8)
        trace = trace_of([0], [20])  # tasks of 8, 8 and 4
        measures = replay(trace, Fixed(), machine)
        assert measures.tasks == 3
        assert waits(measures) == [0.125 + 20 + 3 * 0.5 + 0.25]
        assert measures.begun_p95_s == 0.125

    def test_a_long_job_is_read_by_all(self) -> None:
        measures = replay(trace_of([0], [24]), Fixed(replicas=3), ALONE)
        assert waits(measures) == [8]

    def test_a_cold_start_is_waited_for_and_paid_for(self) -> None:
        machine = replace(ALONE, cold_start_s=30)
        measures = replay(
            trace_of([5], [2]),
            Told(plan=((10, 1), (60, 0))),
            machine,
            price=Price(usd_an_hour=36),
        )
        assert waits(measures) == [37]
        [life] = measures.lives
        assert (life.asked_s, life.ready_s, life.left_s) == (10, 40, 60)
        assert measures.cost_usd == pytest.approx(0.5)
        assert measures.usd_a_1000_pages == pytest.approx(250)

    def test_a_function_is_paid_by_the_call_and_its_start(self) -> None:
        machine = replace(ALONE, cold_start_s=2, idle_exit_s=100)
        price = Price(usd_an_hour=3600, usd_a_million_tasks=1e6, only_busy=True)
        measures = replay(trace_of([0, 50], [3, 4]), PerCall(), machine, price=price)
        assert (measures.starts, measures.replica_s) == (1, 154)
        assert measures.cost_usd == pytest.approx(2 + 7 + 2)  # start, reading, two requests

    def test_a_worker_holds_some_ahead_and_others_cannot_have_them(self) -> None:
        machine = Machine(page_s=10, held=3, ahead_pages=9, cold_start_s=0)
        trace = trace_of([0, 0, 0, 0], [1, 1, 1, 1])
        later = Told(plan=((0, 1), (1, 2)))
        assert waits(replay(trace, later, machine)) == [10, 20, 30, 11]
        assert waits(replay(trace, later, replace(machine, held=1))) == [10, 11, 20, 21]
        assert waits(replay(trace, later, replace(machine, ahead_pages=1))) == [10, 20, 11, 21]

    def test_workers_that_are_ready_together_share_what_waits(self) -> None:
        machine = Machine(page_s=10, held=4, cold_start_s=5)
        measures = replay(trace_of([0] * 4, [1] * 4), Told(plan=((0, 2),)), machine)
        assert waits(measures) == [15, 15, 25, 25]

    def test_lanes_read_at_once(self) -> None:
        machine = Machine(page_s=10, lanes=2, held=2)
        measures = replay(trace_of([0] * 4, [1] * 4), Fixed(), machine)
        assert waits(measures) == [10, 10, 20, 20]
        assert (measures.busy_s, measures.idle_share) == (20, 0)

    def test_who_is_idle_for_long_enough_leaves(self) -> None:
        machine = replace(ALONE, idle_exit_s=7)
        measures = replay(
            trace_of([0, 5], [1, 2]), Told(plan=((0, 2),), kills_busy=False), machine
        )
        assert sorted(life.left_s for life in measures.lives) == [8, 14]

    def test_to_leave_takes_its_time_and_is_paid_for(self) -> None:
        machine = replace(ALONE, idle_exit_s=7, leave_s=2)
        measures = replay(trace_of([0], [1]), Told(plan=((0, 1),), kills_busy=False), machine)
        assert [life.left_s for life in measures.lives] == [10]
        assert measures.replica_s == 10
        assert measures.samples[-1].paid_s == pytest.approx(10, abs=0.2)

    def test_starts_at_the_same_time_take_longer(self) -> None:
        machine = replace(ALONE, cold_start_s=4, start_beside_s=1.5)
        measures = replay(trace_of([0, 0], [9, 9]), Told(plan=((0, 3), (20, 0))), machine)
        assert [life.ready_s for life in measures.lives] == [7, 7, 7]

    def test_what_a_loop_is_told(self) -> None:
        policy = Told(plan=((0, 2), (10, 2)))
        loop = ToldLoop(policy.plan)
        told = replace(policy)
        object.__setattr__(told, "loop", lambda now: loop)
        machine = Machine(page_s=10, held=1, cold_start_s=5)
        replay(trace_of([0] * 5, [1] * 5), told, machine)
        first, second = loop.seen
        assert (first.waiting, first.leased, first.replicas, first.ready) == (5, 0, 0, 0)
        assert (second.waiting, second.leased, second.replicas, second.ready) == (3, 2, 2, 2)
        assert second.utilisation == pytest.approx(50)  # two workers, five of ten seconds

    def test_a_loop_that_does_not_move_on_is_an_error(self) -> None:
        class Stuck(ToldLoop):
            def step(self, seen: Observation) -> int:
                return 0

        policy = Told(plan=((0, 1),))
        object.__setattr__(policy, "loop", lambda now: Stuck(((0.0, 1),)))
        with pytest.raises(RuntimeError, match="does not move"):
            replay(trace_of([1], [1]), policy, ALONE)


class TestGoing:
    """Scale-in while work is done: a task of 8 pages, 10 s each; told to go after 25 s."""

    trace = trace_of([0], [8])
    machine = Machine(page_s=10.0, held=1, drain_s=100.0)

    def go(self, grace_s: float, **machine: float | bool) -> Measures:
        policy = Told(plan=((0, 1), (25, 0), (26, 1)), grace_s=grace_s)
        return replay(self.trace, policy, replace(self.machine, **machine))  # type: ignore[arg-type]

    def test_with_time_enough_it_ends_its_task(self) -> None:
        measures = self.go(grace_s=900, drain_s=900)
        assert waits(measures) == [80]
        assert (measures.kills, measures.redone_s) == (0, 0)

    def test_with_little_it_gives_back_what_it_has_not_begun(self) -> None:
        measures = self.go(grace_s=20)  # halted at 25 + 0.6 * 20 = 37, in the fourth page
        assert (measures.kills, measures.redone_s) == (0, 0)
        assert measures.lives[0].left_s == 40
        assert waits(measures) == [80]  # the second takes it up at once
        assert measures.busy_s == 80

    def test_with_less_than_a_page_it_is_killed(self) -> None:
        measures = self.go(grace_s=2, lease_s=30)  # killed at 27: 7 s of the third page
        assert measures.kills == 1
        assert measures.redone_s == pytest.approx(7)
        assert waits(measures) == [27 + 30 + 60]
        assert measures.busy_s == pytest.approx(87)

    def test_a_worker_as_others_build_them_loses_all_of_it(self) -> None:
        measures = self.go(grace_s=20, keeps_pages=False, lease_s=30)
        assert measures.kills == 1
        assert measures.redone_s == pytest.approx(45)  # from 0 to the kill at 45
        assert waits(measures) == [45 + 30 + 80]

    def test_a_policy_that_ends_nobody_waits_for_them(self) -> None:
        policy = Told(plan=((0, 1), (25, 0), (90, 0)), kills_busy=False)
        measures = replay(self.trace, policy, self.machine)
        assert waits(measures) == [80]
        assert measures.lives[0].left_s == 90

    def test_who_starts_goes_first_then_who_is_idle_then_the_youngest(self) -> None:
        plan = ((0, 1), (1, 2), (20, 3), (22, 2), (24, 1))
        machine = replace(self.machine, cold_start_s=5, spares_busy=True)
        measures = replay(self.trace, Told(plan=plan, grace_s=900), machine)
        assert [life.left_s for life in measures.lives][1:] == [24, 22]
        assert measures.lives[2].ready_s == math.inf
        assert waits(measures) == [85]

    def test_one_task_for_each_worker(self) -> None:
        policy = Told(plan=((0, 2), (5, 2)), one_task_each=True)
        measures = replay(trace_of([0, 0], [1, 2]), policy, self.machine)
        assert [life.left_s for life in measures.lives] == [10, 20]


class TestTraps:
    """What the facts measured: scalers that do not count work in flight kill it."""

    trace = trace_of([10.0 * n for n in range(10)], [1] * 10)
    naive = Machine(page_s=600, held=1, keeps_pages=False, cold_start_s=5, spares_busy=False)

    def test_without_work_in_flight_long_tasks_are_killed_for_ever(self) -> None:
        policy = parse("keda:target=1,in_flight=no,push=no,cooldown_s=30,grace_s=30")
        measures = replay(self.trace, policy, self.naive)
        assert measures.unfinished > 0
        assert measures.kills > 100

    def test_with_it_none_is(self) -> None:
        policy = parse("keda:target=1,cooldown_s=30,grace_s=30,behaviour=kubernetes")
        measures = replay(self.trace, policy, replace(self.naive, spares_busy=True))
        assert (measures.unfinished, measures.kills) == (0, 0)

    @pytest.mark.parametrize(
        "scaler", ["keda:target=1,grace_s=30", "container-apps:most=15,grace_s=60"]
    )
    def test_our_worker_loses_no_page_though_its_grace_is_short(self, scaler: str) -> None:
        """60 short documents and three of twenty minutes: the scaler sees only their number."""
        starts_s = [5.0 * n for n in range(60)] + [3, 100, 200]
        trace = trace_of(starts_s, [1] * 60 + [400] * 3)
        ours = Machine(page_s=3.0, cold_start_s=20, drain_s=25, held=1)
        theirs = replace(ours, keeps_pages=False, task_pages=400)
        policy = parse(scaler)
        safe, lost = replay(trace, policy, ours), replay(trace, policy, theirs)
        spared = replay(trace, policy, replace(theirs, spares_busy=True))
        assert (safe.kills, safe.redone_s, safe.unfinished) == (0, 0, 0)
        assert lost.kills >= 3
        assert lost.redone_s > 1000
        assert spared.kills == 0  # as with `pod-deletion-cost`

    def test_the_described_endpoint_is_billed_for_ever_after_a_short_job(self) -> None:
        """A job that ends before the alarm's next point leaves the instance up."""
        trace = trace_of([5.0], [1], span_s=5400)
        machine = Machine(page_s=20, cold_start_s=5)
        hole = replay(trace, parse("sagemaker:recheck=no,reaper=no,step_out=no"), machine)
        ours = replay(trace, parse("sagemaker"), machine)
        assert hole.replica_s > 3 * ours.replica_s


# Whatever comes, whoever scales.
JOBS = st.lists(st.tuples(st.floats(0, 3000), st.integers(1, 40)), min_size=1, max_size=40)
MACHINES = st.builds(
    Machine,
    page_s=st.sampled_from([0.25, 2.0, 20.0]),
    cold_start_s=st.sampled_from([0.0, 7.0, 90.0]),
    leave_s=st.sampled_from([0.0, 3.0]),
    idle_exit_s=st.sampled_from([math.inf, 20.0]),
    lanes=st.sampled_from([1, 2]),
    held=st.sampled_from([1, 4]),
    task_pages=st.sampled_from([1, 8]),
    drain_s=st.sampled_from([10.0, 900.0]),
    keeps_pages=st.booleans(),
    spares_busy=st.booleans(),
)
POLICIES = st.sampled_from(
    [
        "fixed:replicas=1",
        "fixed:replicas=5",
        "per-call:most=7",
        "one-box:most=3",
        "keda:target=2,cooldown_s=60",
        "keda:target=1,least=2,most=3,push=no",
        "keda:target=4,grace_s=900,behaviour=kubernetes",
        "keda-job:most=5",
        "hpa:least=1,most=4",
        "container-apps:most=4",
        "sagemaker:most=2",
    ]
).map(parse)
SURE = 1e-6


def trace(jobs: list[tuple[float, int]]) -> Trace:
    return trace_of([at for at, _ in jobs], [pages for _, pages in jobs])


def apt(machine: Machine, policy: Policy) -> Machine:
    """The worker as it is replayed: one that leaves after a task reads one at a time."""
    return replace(machine, lanes=1) if policy.one_task_each else machine


@given(JOBS, POLICIES, MACHINES)
def test_what_always_holds(
    jobs: list[tuple[float, int]], policy: Policy, machine: Machine
) -> None:
    machine = apt(machine, policy)
    price = Price(usd_an_hour=3600.0)
    measures = replay(trace(jobs), policy, machine, price=price)
    again = replay(trace(jobs), policy, machine, price=price)
    assert measures == again  # the same comes to the same
    if machine.keeps_pages:
        assert measures.unfinished == 0
    ended = measures.waits_s[~np.isnan(measures.waits_s)]
    assert (ended >= machine.page_s - SURE).all()
    assert measures.cost_usd is not None
    assert measures.cost_usd >= measures.busy_s - SURE
    assert measures.replica_s >= measures.busy_s - SURE
    assert 0 <= measures.idle_share <= 1
    assert measures.most_replicas <= max(policy.most, policy.least) or policy.kills_busy
    if not measures.unfinished:
        work_s = sum(pages for _, pages in jobs) * machine.page_s
        assert measures.busy_s * machine.lanes == pytest.approx(
            work_s + measures.redone_s * machine.lanes
        )
    assert all(life.asked_s <= life.left_s <= measures.span_s for life in measures.lives)
    assert all(a.paid_s <= b.paid_s + SURE for a, b in pairwise(measures.samples))


@given(JOBS, MACHINES, st.integers(1, 6))
def test_more_workers_never_make_anybody_wait_longer(
    jobs: list[tuple[float, int]], machine: Machine, replicas: int
) -> None:
    """Where none holds work that another could do."""
    machine = replace(machine, held=1)
    fewer = replay(trace(jobs), Fixed(replicas=replicas), machine)
    more = replay(trace(jobs), Fixed(replicas=replicas + 1), machine)
    assert more.wait_p95_s <= fewer.wait_p95_s + SURE
    assert (more.waits_s <= fewer.waits_s + SURE).all()


@given(JOBS, st.integers(1, 6))
def test_a_fixed_number_is_as_a_plain_queue_says(
    jobs: list[tuple[float, int]], replicas: int
) -> None:
    """Each task goes to whoever is free first: worked out by itself, without any event."""
    given_trace = trace(jobs)
    machine = Machine(page_s=2.0, task_s=0.5, held=1)
    free = [0.0] * replicas
    expected = []
    for at_s, pages in zip(given_trace.at_s.tolist(), given_trace.pages.tolist(), strict=True):
        ends = []
        for part in machine.cut(pages):
            begin_s = max(at_s, heapq.heappop(free))
            ends.append(begin_s + 0.5 + part * 2.0)
            heapq.heappush(free, ends[-1])
        expected.append(max(ends) - at_s)
    measures = replay(given_trace, Fixed(replicas=replicas), machine)
    assert np.allclose(measures.waits_s, expected)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 100))
def test_a_percentile_is_one_of_the_values(values: list[float], percent: float) -> None:
    found = percentile(np.array([*values, math.nan]), percent)
    assert found in values
    assert sum(value <= found for value in values) >= percent / 100 * len(values) - SURE


def test_no_value_has_no_percentile() -> None:
    assert percentile(np.array([math.nan]), 95) == 0


def test_documents_differ_as_the_seed_says() -> None:
    given_trace = made("poisson", Load(pages_a_month=3e5, seed=1))
    machine = Machine(page_s=2.0, page_spread=0.5)
    one, same, other = (
        replay(given_trace, Fixed(replicas=3), machine, seed=seed) for seed in (1, 1, 2)
    )
    assert one == same
    assert one.busy_s != other.busy_s
    assert one.busy_s == pytest.approx(given_trace.page_count * 2.0, rel=0.05)


@pytest.mark.parametrize(
    "wrong", [{"page_s": 0}, {"lanes": 0}, {"cold_start_s": -1}, {"task_pages": 0}]
)
def test_a_worker_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(BadOption):
        Machine(**wrong)  # type: ignore[arg-type]


def test_where_idle_time_is_free_it_is_no_share_of_what_is_paid_for() -> None:
    price = Price(usd_an_hour=3600.0, only_busy=True)
    machine = Machine(page_s=10.0, cold_start_s=5.0, held=1, idle_exit_s=30.0)
    measures = replay(trace_of([0.0], [1]), PerCall(), machine, price=price)
    assert (measures.replica_s, measures.cost_usd) == (45.0, 15.0)
    assert measures.idle_share == pytest.approx(5 / 15)


def test_workers_that_always_stay_are_not_started_again_and_again() -> None:
    policy = parse("one-box:least=1,most=2,tasks_a_worker=1,idle_s=30")
    machine = Machine(page_s=10.0, cold_start_s=20.0, held=1)
    measures = replay(trace_of([0, 200, 200, 400], [1] * 4, span_s=500), policy, machine)
    assert (measures.starts, measures.wait_p50_s) == (2, 10.0)
    assert measures.replica_s < 600  # the second one is gone after its idle time


def test_workers_that_stay_too_long_are_paid_for_as_long_as_they_are_waited_for() -> None:
    policy = parse("keda:target=1,cooldown_s=7200")
    measures = replay(trace_of([0.0], [1]), policy, Machine(page_s=10.0))
    assert 3600 <= measures.replica_s <= 3700
    assert measures.span_s == measures.replica_s
