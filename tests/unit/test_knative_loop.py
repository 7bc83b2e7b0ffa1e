"""Knative's autoscaler: two averages, the panic, the way to zero."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.server.scaling.control_loop import Seen
from pagetide.server.scaling.knative import Average, Knative
from tests.unit.scaling_world import World, changes

ONE_EACH = Knative(utilisation=1.0, most=100)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 50)), min_size=1, max_size=80))
def test_an_average_is_that_of_its_window(told: list[tuple[int, int]]) -> None:
    average, now = Average(20.0), 0.0
    kept: list[tuple[float, int]] = []
    for pause, value in told:
        now += pause
        average.add(now, value)
        kept = [(when, what) for when, what in [*kept, (now, value)] if when > now - 20]
    assert average.value == pytest.approx(sum(what for _, what in kept) / len(kept))


def test_a_rush_is_met_within_its_short_window() -> None:
    world = World(ONE_EACH, [(1.0, 1), (201.0, 20)])
    found = changes(list(world.run(220)))
    assert found[0] == (1.0, 1)
    assert found[-1][1] == 20
    assert found[-1][0] <= 201 + 6 + 1, "the stable average would take a minute"


def test_a_slow_rise_follows_the_stable_average() -> None:
    plan = [(10.0 * step, 20 + step) for step in range(1, 20)]
    before = [(0.5, 20), *plan]
    found = changes(list(World(ONE_EACH, before).run(200)))
    steps = [later - sooner for (_, sooner), (_, later) in pairwise(found[4:])]
    assert steps
    assert max(steps) == 1


def test_nothing_is_taken_in_a_panic() -> None:
    """A panic lasts a stable window after the last sign of a rush."""
    world = World(ONE_EACH, [(1.0, 1), (101.0, 20), (111.0, 1)])
    moments = list(world.run(400))
    panic = [moment for moment in moments if 111 <= moment.seen.now <= 160]
    assert {moment.replicas for moment in panic} == {20}
    assert moments[-1].replicas == 1


def test_pods_are_halved_at_most() -> None:
    policy = Knative(utilisation=1.0, most=100, stable_s=2.0, panic_s=2.0)
    loop, replicas, found = policy.loop(0.0), 64, []
    for tick in range(80):
        found.append(replicas)
        tasks = 64 if tick < 40 else 0
        replicas = loop.step(
            Seen(now=2.0 * tick, waiting=0, leased=tasks, replicas=replicas, ready=replicas)
        )
    assert [later for sooner, later in pairwise(found) if later < sooner] == [
        32,
        16,
        8,
        4,
        2,
        1,
        0,
    ]


def test_the_last_pod_stays_a_window_and_a_grace() -> None:
    found = changes(list(World(ONE_EACH, [(1.0, 1), (100.0, 0)]).run(400)))
    assert found[0] == (1.0, 1)
    assert found[-1][1] == 0
    assert found[-1][0] == pytest.approx(100 + 60 + 30, abs=2 * 2)


def test_who_was_woken_stays_a_window_though_no_average_saw_the_task() -> None:
    found = changes(list(World(ONE_EACH, [(201.0, 1), (201.5, 0)]).run(400)))
    assert found[0] == (201.0, 1)
    assert found[1][0] == pytest.approx(201 + 60 + 30, abs=2 * 2)


def test_work_within_the_grace_keeps_it() -> None:
    world = World(ONE_EACH, [(1.0, 1), (100.0, 0), (175.0, 1), (176.5, 0)])
    found = changes(list(world.run(215)))
    assert found == [(1.0, 1)]


def test_utilisation_leaves_room() -> None:
    world = World(Knative(utilisation=0.7, most=100), [(1.0, 7)])
    assert list(world.run(300))[-1].replicas == 10


def test_what_is_not_known_changes_nothing() -> None:
    blind = Seen(now=0.0, waiting=0, leased=0, replicas=7, ready=7, failed=True)
    assert ONE_EACH.loop(0.0).step(blind) == 7
