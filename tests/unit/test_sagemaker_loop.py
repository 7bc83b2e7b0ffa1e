"""SageMaker's endpoint for asynchronous calls: the alarm, the two holes, what closes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import Observation
from pagetide.server.scaling.sagemaker.alarm import Alarm
from pagetide.server.scaling.sagemaker.loop import SageMakerAsync
from tests.unit.scaling_world import World, changes

DESCRIBED = SageMakerAsync(recheck=False, reaper=False, step_out=False)
HOUR = 3600.0


def low(value: float) -> bool:
    return value < 0.1


def told(alarm: Alarm, points: str) -> list[bool]:
    """Whether each point turned it to ALARM: `x` breaches, `o` does not, `-` is missing."""
    return [alarm.observe({"x": 0.0, "o": 1.0, "-": None}[point]) for point in points]


@pytest.mark.parametrize(
    ("missing", "points", "state"),
    [
        ("breaching", "---", "ALARM"),
        ("breaching", "-x-", "ALARM"),
        ("breaching", "--o", "OK"),
        ("breaching", "o---", "ALARM"),
        ("breaching", "xox", "OK"),
        ("notBreaching", "---", "OK"),
        ("notBreaching", "x-x", "OK"),
        ("notBreaching", "xxx", "ALARM"),
        ("missing", "---", "INSUFFICIENT_DATA"),
        ("missing", "xxx---", "INSUFFICIENT_DATA"),
        ("missing", "xxx--", "ALARM"),  # not decided: as it was
        ("missing", "xxxo--", "OK"),
        ("missing", "--o", "OK"),
        ("ignore", "---", "INSUFFICIENT_DATA"),
        ("ignore", "xxx---", "ALARM"),
        ("ignore", "xxxo---", "OK"),
        ("ignore", "oooxx-", "OK"),
    ],
)
def test_three_of_three_points(missing: Any, points: str, state: str) -> None:
    alarm = Alarm(low, periods=3, missing=missing)
    told(alarm, points)
    assert alarm.state == state


@pytest.mark.parametrize(
    ("missing", "points", "state"),
    [
        ("breaching", "oxoxo", "OK"),
        ("breaching", "oxoxx", "ALARM"),
        ("breaching", "oxo-x", "ALARM"),
        ("notBreaching", "oxo-x", "OK"),
        ("notBreaching", "xx-x-", "ALARM"),
        ("missing", "xx-x-", "ALARM"),
        ("missing", "ooo--", "OK"),
    ],
)
def test_three_of_five_points(missing: Any, points: str, state: str) -> None:
    alarm = Alarm(low, periods=5, points=3, missing=missing)
    told(alarm, points)
    assert alarm.state == state


def test_it_tells_only_when_it_turns() -> None:
    alarm = Alarm(low, periods=3, missing="breaching")
    assert told(alarm, "ooxxxxxoxxx") == [False] * 4 + [True] + [False] * 5 + [True]


@given(st.text("xo-", max_size=60), st.integers(1, 6), st.sampled_from(["breaching", "ignore"]))
def test_it_never_tells_twice_without_having_been_ok(
    points: str, periods: int, missing: Any
) -> None:
    alarm, ready = Alarm(low, periods=periods, missing=missing), True
    for point in points:
        turned = told(alarm, point)[0]
        assert ready or not turned
        ready = alarm.state != "ALARM"


def test_a_long_call_is_scaled_in_by_the_alarm() -> None:
    """Ten points without a call after the last one that saw it, then the handler."""
    found = changes(list(World(DESCRIBED, [(30.0, 1), (400.0, 0)]).run(HOUR)))
    assert found == [(30.0, 1), (365.0 + 600.0, 0)]


# The first hole: a call that no point of the alarm has seen


def test_a_short_call_leaves_an_instance_for_ever() -> None:
    world = World(DESCRIBED, [(61.0, 1), (110.0, 0)])
    assert changes(list(world.run(24 * HOUR))) == [(61.0, 1)]


def test_a_short_call_that_ends_before_the_instance_is_up_too() -> None:
    """Without an instance there are no points, so that a long start makes the hole wide."""
    world = World(DESCRIBED, [(61.0, 1), (350.0, 0)], start_s=300.0)
    assert changes(list(world.run(24 * HOUR))) == [(61.0, 1)]


def test_missing_points_that_do_not_breach_close_it() -> None:
    """Then the alarm is OK while there is no instance, and turns whenever one is idle."""
    world = World(replace(DESCRIBED, missing="notBreaching"), [(61.0, 1), (110.0, 0)])
    found = changes(list(world.run(24 * HOUR)))
    assert found == [(61.0, 1), (120.0 + 9 * 60 + 5, 0)]


def test_the_reaper_ends_it() -> None:
    world = World(replace(DESCRIBED, reaper=True), [(61.0, 1), (110.0, 0)])
    found = changes(list(world.run(24 * HOUR)))
    assert [replicas for _, replicas in found] == [1, 0]
    assert 600 <= found[1][0] - 61.0 <= 900


# The second hole: a call between the alarm and its handler


BETWEEN = [(30.0, 1), (400.0, 0), (962.0, 1)]  # the alarm tells at 960, the handler acts at 965


def test_a_call_between_alarm_and_handler_waits_for_ever() -> None:
    moments = list(World(DESCRIBED, BETWEEN).run(24 * HOUR))
    assert changes(moments) == [(30.0, 1), (965.0, 0)]
    assert moments[-1].seen.waiting == 1


@pytest.mark.parametrize(
    ("closed", "woken"),
    [({"recheck": True}, 965.0), ({"step_out": True}, 1080.0), ({"reaper": True}, 1200.0)],
)
def test_each_of_three_measures_saves_it(closed: dict[str, Any], woken: float) -> None:
    moments = list(World(replace(DESCRIBED, **closed), BETWEEN).run(24 * HOUR))
    late = [moment for moment in moments if moment.seen.now >= woken]
    assert all(moment.replicas == 1 for moment in late)


def test_a_blind_handler_that_looks_again_takes_nothing() -> None:
    loop = replace(DESCRIBED, recheck=True).loop(0.0)
    for minute in range(1, 12):
        tasks = int(minute == 1)
        loop.step(Observation(now=60.0 * minute, waiting=0, leased=tasks, replicas=1, ready=1))
    blind = Observation(now=loop.due, waiting=0, leased=0, replicas=1, ready=1, failed=True)
    assert blind.now == 665.0
    assert loop.step(blind) == 1


def test_while_nothing_is_known_the_reaper_takes_nothing() -> None:
    loop, replicas = SageMakerAsync(recheck=True).loop(0.0), 1
    while loop.due < 2 * HOUR:
        replicas = loop.step(
            Observation(now=loop.due, waiting=0, leased=0, replicas=1, ready=1, failed=True)
        )
        assert replicas == 1


# Waking


def test_without_whoever_calls_two_points_without_capacity_wake_it() -> None:
    world = World(SageMakerAsync(invoker=False, reaper=False), [(70.0, 1)])
    assert changes(list(world.run(400)))[0] == (180.0, 1)


def test_without_that_the_reaper_wakes_it() -> None:
    world = World(SageMakerAsync(invoker=False, step_out=False), [(70.0, 1)])
    assert changes(list(world.run(400)))[0] == (300.0, 1)


def test_with_none_of_them_nothing_does() -> None:
    world = World(replace(DESCRIBED, invoker=False), [(70.0, 1)])
    assert changes(list(world.run(24 * HOUR))) == []


# Target tracking


def test_tracking_follows_the_calls_an_instance() -> None:
    policy = SageMakerAsync(most=6, tracking=5)
    found = changes(list(World(policy, [(0.0, 24), (HOUR, 8), (2 * HOUR, 0)]).run(4 * HOUR)))
    assert [replicas for _, replicas in found] == [1, 5, 2, 0]
    assert found[1][0] == 180.0, "three points above"
    assert found[2][0] - HOUR == pytest.approx(15 * 60, abs=60), "fifteen points below"


def test_tracking_pauses_between_two_steps_down() -> None:
    policy = SageMakerAsync(most=6, tracking=5)
    plan = [(0.0, 24), (HOUR, 13), (HOUR + 930, 4)]
    found = changes(list(World(policy, plan).run(2 * HOUR)))
    assert [replicas for _, replicas in found] == [1, 5, 3, 1]
    assert found[3][0] - found[2][0] == 300.0


def test_tracking_alone_never_leaves_zero() -> None:
    alone = replace(DESCRIBED, invoker=False, most=6, tracking=5.0)
    assert changes(list(World(alone, [(0.0, 22)]).run(4 * HOUR))) == []


def test_options_are_refused_that_nothing_can_obey() -> None:
    for wrong in ({"points": 11}, {"points": 0}, {"tracking": 0.0}, {"period_s": 0.0}):
        with pytest.raises(BadOption):
            replace(SageMakerAsync(), **wrong)
