"""What holds for every scaler, and how a command line names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import Observation, Policy
from pagetide.server.scaling.hpa.behaviour import (
    BEHAVIOURS,
    KUBERNETES,
    NEVER_DOWN,
    Behaviour,
    Direction,
)
from pagetide.server.scaling.policies import (
    POLICIES,
    ContainerApp,
    Fallback,
    HpaPods,
    OneBox,
    SageMakerAsync,
    ScaledJob,
    ScaledObject,
    parse_policy,
    policy_text,
)
from pagetide.server.scaling.sliding import Highest, Lowest
from tests.unit.scaling_world import Moment, World, changes

HOUR = 3600.0
LEAST, MOST = st.integers(0, 3), st.integers(3, 40)
SECONDS = st.floats(1, 400)
TARGETS = st.floats(0.5, 20)
SCALED = st.builds(
    ScaledObject,
    least=LEAST,
    most=MOST,
    target=TARGETS,
    polling_s=SECONDS,
    cooldown_s=st.floats(0, 900),
    push=st.booleans(),
    fallback=st.none() | st.just(Fallback()),
    behaviour=st.sampled_from(list(BEHAVIOURS.values())),
)
# Each strategy with the number that suits it: with the other one it never settles.
JOBS = st.builds(
    lambda strategy, **options: ScaledJob(
        strategy=strategy, in_flight=strategy == "default", **options
    ),
    st.sampled_from(["default", "accurate", "eager"]),
    least=LEAST,
    most=MOST,
    target=TARGETS,
    polling_s=st.floats(1, 30),
)
# Those that count what is being done, and jobs, which nobody ends.
WITH_WORK_IN_FLIGHT = st.one_of(
    SCALED,
    JOBS,
    st.builds(ContainerApp, least=LEAST, most=MOST, target=TARGETS, polling_s=SECONDS),
    st.builds(OneBox, least=LEAST, most=MOST, idle_s=SECONDS),
    st.builds(
        SageMakerAsync,
        most=MOST,
        invoker=st.booleans(),
        tracking=st.none() | TARGETS,
        handler_s=st.floats(0, 50),
    ),
)
ALL = WITH_WORK_IN_FLIGHT | st.builds(HpaPods, least=st.integers(1, 3), most=MOST)
# Tasks for a while, then others.
PLANS = st.lists(st.tuples(st.floats(0.5, 500), st.integers(0, 200)), min_size=1, max_size=8)
STARTS = st.sampled_from([0.0, 20.0, 200.0])


def plan(pieces: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    now, found = 0.0, []
    for pause, tasks in pieces:
        now += pause
        found.append((now, tasks))
    return found


@given(ALL, PLANS, STARTS)
def test_it_is_never_over_the_most(
    policy: Policy, pieces: list[tuple[float, int]], start_s: float
) -> None:
    steps = plan(pieces)
    world = World(policy, steps, start_s=start_s)
    for moment in world.run(steps[-1][0] + 300, policy.least):
        assert 0 <= moment.replicas <= policy.most


@given(WITH_WORK_IN_FLIGHT, PLANS, STARTS)
def test_it_is_never_zero_while_a_task_is_leased(
    policy: Policy, pieces: list[tuple[float, int]], start_s: float
) -> None:
    steps = plan(pieces)
    world = World(policy, steps, start_s=start_s)
    for moment in world.run(steps[-1][0] + 300):
        assert moment.replicas or not moment.seen.leased


@given(ALL, PLANS, STARTS)
def test_while_there_is_work_it_never_goes_below_the_least(
    policy: Policy, pieces: list[tuple[float, int]], start_s: float
) -> None:
    """Nor without, but for KEDA's idle number. What is below it from the start may stay so."""
    steps = plan(pieces)
    world = World(policy, steps, start_s=start_s)
    for moment in world.run(steps[-1][0] + 300, policy.least):
        assert moment.replicas >= min(policy.least, moment.seen.replicas)
        if moment.seen.replicas >= policy.least:
            assert moment.replicas >= policy.least


@given(st.integers(2, 5), st.integers(1, 100), SECONDS)
def test_an_idle_number_gives_way_to_the_least(
    least: int, tasks: int, polling_s: float
) -> None:
    policy = ScaledObject(least=least, idle=0, polling_s=polling_s, push=False)
    for moment in World(policy, [(0.0, tasks)]).run(HOUR):
        assert moment.pushed or moment.replicas >= least


@settings(max_examples=40)
@given(ALL, st.integers(0, 200), STARTS)
@example(
    ScaledJob(most=15, target=15.0, polling_s=1.0, strategy="accurate", in_flight=False),
    15,
    200.0,
)
def test_under_a_constant_load_it_settles(policy: Policy, tasks: int, start_s: float) -> None:
    """Where one replica waits for the one before to start, only when the last has started."""
    end = HOUR + min(tasks, policy.most) * start_s
    moments = list(World(policy, [(1.0, tasks)], start_s=start_s).run(end, policy.least))
    late = {moment.replicas for moment in moments if moment.seen.now > end - HOUR / 4}
    assert len(late) == 1
    if tasks and not isinstance(policy, HpaPods):
        assert late != {0}


@settings(max_examples=40)
@given(WITH_WORK_IN_FLIGHT, st.integers(1, 200), STARTS)
def test_without_work_it_only_ever_falls_and_to_the_least(
    policy: Policy, tasks: int, start_s: float
) -> None:
    world = World(policy, [(1.0, tasks), (600.0, 0)], start_s=start_s)
    after = [moment.replicas for moment in world.run(HOUR) if moment.seen.now > 600]
    assert all(later <= sooner for sooner, later in pairwise(after))
    falls = getattr(policy, "behaviour", None) != NEVER_DOWN or not policy.least
    assert after[-1] == policy.least or not falls


@given(ALL, PLANS)
def test_a_late_step_is_taken_like_one_in_time(
    policy: Policy, pieces: list[tuple[float, int]]
) -> None:
    """Who calls may be late; then all that is due is done at once, and `due` lies ahead."""
    loop, now, replicas = policy.loop(0.0), 0.0, policy.least
    for pause, tasks in pieces:
        now = max(now, loop.due) + pause
        leased = min(tasks, replicas)
        replicas = loop.step(
            Observation(
                now=now,
                waiting=tasks - leased,
                leased=leased,
                replicas=replicas,
                ready=replicas,
                utilisation=50.0,
            )
        )
        assert loop.due > now
        assert 0 <= replicas <= policy.most


def test_two_loops_of_a_policy_know_nothing_of_each_other() -> None:
    for kind in POLICIES.values():
        policy = kind()
        first = record(policy, [(10.0, 50), (500.0, 0)])
        assert record(policy, [(10.0, 50), (500.0, 0)]) == first


def record(policy: Policy, steps: list[tuple[float, int]]) -> list[Moment]:
    return list(World(policy, steps).run(HOUR, policy.least))


# One box


def test_the_workers_of_a_box_start_at_once_and_leave_when_idle() -> None:
    box = OneBox(most=4, tasks_a_worker=1, idle_s=30)
    found = changes(list(World(box, [(10.5, 3), (100.5, 1), (200.5, 0)]).run(400)))
    assert found == [(10.5, 3), (130.0, 1), (230.0, 0)]


def test_a_box_that_cannot_count_leaves_its_workers() -> None:
    blind = Observation(now=100.0, waiting=0, leased=0, replicas=3, ready=3, failed=True)
    assert OneBox(most=4).loop(0.0).step(blind) == 3


# Windows


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-20, 20)), max_size=80),
    st.integers(0, 30),
)
def test_the_extremes_of_a_window(told: list[tuple[int, int]], window: int) -> None:
    highest, lowest, now = Highest(window), Lowest(window), 0
    kept: list[tuple[int, int]] = []
    for pause, value in told:
        now += pause
        lately = [what for when, what in kept if when > now - window] + [value]
        assert highest.of(now, value) == max(lately)
        assert lowest.of(now, value) == min(lately)
        highest.add(now, value)
        lowest.add(now, value)
        kept.append((now, value))


# By name


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("one-box", OneBox()),
        ("one-box:most=4,idle_s=2.5", OneBox(most=4, idle_s=2.5)),
        ("keda", ScaledObject()),
        ("keda:", ScaledObject()),
        (
            "keda:least=2,idle=0,push=no,behaviour=kubernetes,fallback=2/5/static",
            ScaledObject(
                least=2,
                idle=0,
                push=False,
                behaviour=KUBERNETES,
                fallback=Fallback(failures=2, replicas=5, behaviour="static"),
            ),
        ),
        ("keda:fallback=none,in_flight=false", ScaledObject(fallback=None, in_flight=False)),
        ("keda:idle=none,metric=Value", ScaledObject(metric="Value")),
        (
            "keda-job:strategy=accurate,in_flight=no",
            ScaledJob(strategy="accurate", in_flight=False),
        ),
        ("hpa:target=60,most=3", HpaPods(target=60, most=3)),
        ("container-apps:most=15", ContainerApp(most=15)),
        ("sagemaker:reaper=no,points=8", SageMakerAsync(reaper=False, points=8)),
    ],
)
def test_a_policy_by_name(text: str, policy: Policy) -> None:
    assert parse_policy(text) == policy


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kedda", "did you mean keda"),
        ("", "known: container-apps, hpa, keda"),
        ("keda:polling=3", "did you mean polling_s"),
        ("keda:xyz=3", "known: activation, behaviour, cooldown_s"),
        ("keda:least", "least must be a whole number"),
        ("keda:least=1.5", "least must be a whole number"),
        ("keda:target=many", "target must be a number"),
        ("keda:target=nan", "target must be a number"),
        ("keda:target=inf", "target must be a number"),
        ("keda:push=maybe", "push cannot be 'maybe': did you mean yes"),
        ("keda:behaviour=swift", "behaviour cannot be 'swift': known: container-apps"),
        ("keda:metric=Average", "did you mean AverageValue"),
        ("keda:fallback=3", "FAILURES/REPLICAS/BEHAVIOUR"),
        ("keda:fallback=3/1/statik", "did you mean static"),
        ("keda:least=1,least=2", "given twice"),
        ("keda:least=4,most=2", "have 4 to 2"),
        ("keda:least=none", "least must be a whole number"),
        ("keda-job:strategy=eagre", "did you mean eager"),
        ("sagemaker:missing=bad", "breaching"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(text: str, complaint: str) -> None:
    with pytest.raises(BadOption, match=complaint):
        parse_policy(text)


@given(ALL)
def test_what_a_policy_is_written_as_makes_it_again(policy: Policy) -> None:
    assert parse_policy(policy_text(policy)) == policy


def test_what_has_no_name_is_not_written() -> None:
    odd = Behaviour(up=Direction(window_s=7))
    with pytest.raises(BadOption, match="no name"):
        policy_text(ScaledObject(behaviour=odd))

    class Odd:
        least, most, kills_busy, grace_s, one_task_each = 0, 1, False, 0.0, False
        loop: Callable[[float], Any]

    with pytest.raises(BadOption, match="Odd has no name"):
        policy_text(Odd())


@pytest.mark.parametrize("name", POLICIES)
def test_every_number_has_bounds_that_are_checked(name: str) -> None:
    """No option takes a number below 0."""
    kind = POLICIES[name]
    numbers = [
        option.name
        for option in fields(kind)
        if isinstance(getattr(kind(), option.name), int | float)
        and not isinstance(getattr(kind(), option.name), bool)
    ]
    assert "most" in numbers
    for number in numbers:
        with pytest.raises(BadOption):
            parse_policy(f"{name}:{number}=-1")
