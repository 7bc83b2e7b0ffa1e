"""KEDA: when it wakes and ends a deployment, what it does when it is blind, its jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import Observation
from pagetide.server.scaling.hpa.behaviour import KUBERNETES
from pagetide.server.scaling.keda.container_apps import ContainerApp
from pagetide.server.scaling.keda.scaled_job import ScaledJob, Worth, added
from pagetide.server.scaling.keda.scaled_object import Fallback, ScaledObject, request
from tests.unit.scaling_world import World, changes

PLAIN = ScaledObject(fallback=None)
LEAST_2 = ScaledObject(least=2, fallback=None)
IDLE_0 = ScaledObject(least=2, idle=0, fallback=None)
FALLS_BACK = ScaledObject(fallback=Fallback(replicas=3))
FALLS_TO_0 = ScaledObject(fallback=Fallback(replicas=0))


def seen(now: float, tasks: int, replicas: int, **others: Any) -> Observation:
    """Replicas that are all up; tasks that are being done as far as there are replicas."""
    leased = min(tasks, replicas)
    fields = {"waiting": tasks - leased, "leased": leased, "ready": replicas, **others}
    return Observation(now=now, replicas=replicas, **fields)


@pytest.mark.parametrize(
    ("policy", "replicas", "active", "failed", "cooled", "expected"),
    [
        # active: it wakes, and never more than that
        (PLAIN, 0, True, False, False, 1),
        (PLAIN, 0, True, True, False, 1),
        (PLAIN, 5, True, False, True, 5),
        (PLAIN, 5, True, True, True, 5),
        (LEAST_2, 0, True, False, False, 2),
        (LEAST_2, 1, True, False, False, 1),  # the autoscaler's business
        (IDLE_0, 0, True, False, False, 2),
        (IDLE_0, 1, True, False, False, 2),
        (IDLE_0, 3, True, False, False, 3),
        # nothing to do: from any number to none at once, but only when it has cooled down
        (PLAIN, 9, False, False, False, 9),
        (PLAIN, 9, False, False, True, 0),
        (PLAIN, 0, False, False, True, 0),
        (LEAST_2, 9, False, False, True, 9),
        (LEAST_2, 1, False, False, False, 2),
        (LEAST_2, 0, False, False, False, 2),
        (IDLE_0, 9, False, False, True, 0),
        (IDLE_0, 9, False, False, False, 9),
        (IDLE_0, 0, False, False, True, 0),
        # nothing is known: nothing changes, unless the fallback is none
        (PLAIN, 9, False, True, True, 9),
        (PLAIN, 0, False, True, True, 0),
        (LEAST_2, 1, False, True, True, 1),
        (FALLS_BACK, 9, False, True, True, 9),
        (FALLS_TO_0, 9, False, True, True, 0),
        (FALLS_TO_0, 9, False, True, False, 9),
    ],
)
def test_what_keda_itself_asks_for(
    policy: ScaledObject,
    replicas: int,
    active: bool,
    failed: bool,
    cooled: bool,
    expected: int,
) -> None:
    asked = request(policy, replicas, active=active, failed=failed, cooled=cooled)
    assert asked == expected


def test_the_first_poll_is_at_once_and_the_rest_as_often_as_told() -> None:
    policy = ScaledObject(polling_s=20, sync_s=1000)
    moments = list(World(policy, []).run(61))
    assert [moment.seen.now for moment in moments] == [0, 20, 40, 60]


def test_a_push_wakes_one_at_once_and_the_autoscaler_the_rest() -> None:
    world = World(ScaledObject(target=1), [(100.0, 12)])
    assert changes(list(world.run(130))) == [(100.0, 1), (112.5, 12)]


def test_without_a_push_it_waits_for_the_poll() -> None:
    world = World(ScaledObject(target=1, push=False, polling_s=30), [(100.0, 12)])
    assert changes(list(world.run(130))) == [(120.0, 1), (127.5, 12)]


def test_the_cooldown_ends_only_after_it_is_over() -> None:
    """A poll exactly when it ends is too soon: the original compares strictly."""
    policy = ScaledObject(polling_s=10, cooldown_s=30, push=False)
    world = World(policy, [(0.0, 1), (15.0, 0)])
    assert changes(list(world.run(100))) == [(0.0, 1), (50.0, 0)]


def test_work_within_the_cooldown_begins_it_again() -> None:
    policy = ScaledObject(polling_s=10, cooldown_s=30, push=False)
    world = World(policy, [(0.0, 1), (15.0, 0), (35.0, 1), (45.0, 0)])
    assert changes(list(world.run(100))) == [(0.0, 1), (80.0, 0)]


def test_all_go_in_one_step_whatever_the_autoscaler_may_take() -> None:
    world = World(ScaledObject(target=1, cooldown_s=60), [(0.0, 15), (60.0, 0)])
    found = changes(list(world.run(400)))
    assert found[-1][1] == 0
    assert found[-2][1] == 15, "no tenth a minute here"


def test_who_was_never_active_is_ended_at_the_first_poll_after_its_making() -> None:
    loop = ScaledObject(polling_s=15).loop(0.0)
    assert loop.step(seen(0.0, 0, 1)) == 1  # strictly later
    assert loop.step(seen(15.0, 0, 1)) == 0


def test_the_initial_cooldown_keeps_it_for_so_long() -> None:
    loop = ScaledObject(initial_cooldown_s=60, sync_s=1000).loop(0.0)
    asked = [loop.step(seen(now, 0, 1)) for now in (0.0, 15.0, 30.0, 45.0, 60.0, 75.0)]
    assert asked == [1, 1, 1, 1, 1, 0]


def test_an_idle_number_holds_instead_of_the_least() -> None:
    policy = ScaledObject(least=2, idle=0, cooldown_s=30, polling_s=10)
    world = World(policy, [(5.0, 3), (20.0, 0)])
    assert changes(list(world.run(100))) == [(5.0, 2), (50.0, 0)]


@pytest.mark.parametrize(("tasks", "expected"), [(5, 0), (6, 1)])
def test_it_wakes_only_above_its_activation(tasks: int, expected: int) -> None:
    assert ScaledObject(activation=5).loop(0.0).step(seen(0.0, tasks, 0)) == expected


@pytest.mark.parametrize(
    ("behaviour", "replicas", "expected"),
    [
        ("static", 2, 4),
        ("static", 9, 4),
        ("currentReplicas", 2, 2),
        ("currentReplicas", 9, 9),
        ("currentReplicasIfHigher", 2, 4),
        ("currentReplicasIfHigher", 9, 9),
        ("currentReplicasIfLower", 2, 2),
        ("currentReplicasIfLower", 9, 4),
    ],
)
def test_what_a_fallback_is_about(behaviour: Any, replicas: int, expected: int) -> None:
    assert Fallback(replicas=4, behaviour=behaviour).of(replicas) == expected


def failing(policy: ScaledObject, replicas: int, times: int) -> list[int]:
    """Replicas after each look, none of which can read the number."""
    loop, found = policy.loop(0.0), []
    for _ in range(times):
        replicas = loop.step(seen(loop.due, 0, replicas, failed=True))
        found.append(replicas)
    return found


def test_the_fallback_holds_after_so_many_failures_of_polls_and_syncs_together() -> None:
    """Poll, sync, poll fail and are let be; the fourth, a sync, asks for four."""
    fallback = Fallback(failures=3, replicas=4, behaviour="static")
    assert failing(ScaledObject(fallback=fallback), 1, 6) == [1, 1, 1, 4, 4, 4]


def test_a_fallback_wakes_what_is_at_rest() -> None:
    """There only polls read, so it takes as many of them; then it counts as active."""
    fallback = Fallback(failures=2, replicas=4, behaviour="static")
    assert failing(ScaledObject(fallback=fallback), 0, 7) == [0, 0, 0, 0, 1, 4, 4]


def test_a_fallback_counts_as_active_however_low_its_number() -> None:
    fallback = Fallback(failures=0, replicas=4, behaviour="static")
    policy = ScaledObject(fallback=fallback, activation=100)
    assert failing(policy, 0, 2) == [1, 4]


def test_one_good_reading_forgets_the_failures() -> None:
    loop = ScaledObject(fallback=Fallback(failures=1, replicas=4), sync_s=1000).loop(0.0)
    for now, failed in ((0.0, True), (15.0, False), (30.0, True)):
        assert loop.step(seen(now, 0, 0, failed=failed)) == 0
    assert loop.step(seen(45.0, 0, 0, failed=True)) == 1


def test_without_a_fallback_nothing_changes_while_blind() -> None:
    assert failing(ScaledObject(fallback=None), 7, 200) == [7] * 200
    assert failing(ScaledObject(fallback=None), 0, 200) == [0] * 200


def test_as_shipped_nobody_is_taken_while_blind() -> None:
    assert failing(ScaledObject(), 7, 200) == [7] * 200


def test_a_value_falls_back_only_where_something_is_ready() -> None:
    fallback = Fallback(failures=0, replicas=6, behaviour="static")
    policy = ScaledObject(metric="Value", fallback=fallback, polling_s=1000)
    loop = policy.loop(0.0)
    loop.step(seen(0.0, 0, 3, failed=True))
    assert loop.step(seen(7.5, 0, 3, failed=True, ready=0)) == 3
    assert loop.step(seen(22.5, 0, 3, failed=True, ready=3)) == 6


def test_a_value_is_the_number_that_is_aimed_at() -> None:
    """Twice as many tasks as there should be: twice as many replicas."""
    loop = ScaledObject(metric="Value", target=10, polling_s=1000).loop(0.0)
    loop.step(seen(0.0, 20, 3))
    assert loop.step(seen(7.5, 20, 3)) == 6


def test_bounds_are_refused_that_nothing_can_obey() -> None:
    for wrong in ({"least": 4, "most": 3}, {"most": 0}, {"least": -1}, {"target": 0.0}):
        with pytest.raises(BadOption):
            replace(ScaledObject(), **wrong)
    for idle in (0, 2):
        with pytest.raises(BadOption, match="idle"):
            ScaledObject(least=0, idle=idle)
    with pytest.raises(BadOption, match="replicas"):
        Fallback(replicas=-1)
    with pytest.raises(BadOption, match="known: static"):
        Fallback(behaviour="sometimes")  # type: ignore[arg-type]


# A trap: a number that leaves out what is being done


def test_a_number_of_what_waits_ends_workers_that_work() -> None:
    """As with the rabbitmq trigger over AMQP, or the length of a Redis list.

    A task that takes longer than the cooldown is begun again and again, and never done.
    """
    world = World(ScaledObject(target=1, in_flight=False), [(0.0, 1)])
    ended = [moment for moment in world.run(3600) if moment.seen.leased and not moment.replicas]
    assert ended[0].seen.now == 315, "nothing waits since the poll at 0, which saw it wait"
    assert len(ended) >= 10


def test_a_number_of_all_tasks_does_not() -> None:
    world = World(ScaledObject(target=1), [(0.0, 4)])
    assert all(moment.replicas >= 1 for moment in world.run(3600))
    assert changes(list(World(ScaledObject(target=1), [(0.0, 4)]).run(3600)))[-1][1] == 4


# Container Apps


def test_container_apps_poll_and_climb() -> None:
    app = ContainerApp(most=40)
    found = changes(list(World(app, [(10.0, 40)]).run(200)))
    assert found == [(30.0, 1), (37.5, 4), (52.5, 8), (67.5, 16), (82.5, 32), (97.5, 40)]


def test_container_apps_fall_to_zero_after_the_cooldown() -> None:
    found = changes(list(World(ContainerApp(), [(0.0, 8), (200.0, 0)]).run(1000)))
    assert found[-1] == (510.0, 0)  # the poll at 180 saw tasks; that at 480 is not yet past


def test_container_apps_without_work_in_flight_end_workers_that_work() -> None:
    world = World(ContainerApp(in_flight=False), [(0.0, 1)])
    assert any(moment.seen.leased and not moment.replicas for moment in world.run(3600))


# Jobs


@pytest.mark.parametrize(
    ("strategy", "tasks", "running", "pending", "expected"),
    [
        # the number holds what is in work: the jobs there are are taken off
        ("default", 3, 0, 0, 3),
        ("default", 3, 2, 0, 1),
        ("default", 3, 3, 3, 0),
        ("default", 3, 5, 0, 0),
        ("default", 30, 4, 0, 6),
        # the number holds only what waits: jobs that work are not taken off, others are
        ("accurate", 3, 0, 0, 3),
        ("accurate", 3, 2, 0, 3),
        ("accurate", 3, 2, 2, 1),
        ("accurate", 30, 4, 0, 6),
        ("accurate", 9, 4, 0, 6),
        ("accurate", 6, 4, 0, 6),
        ("accurate", 6, 5, 1, 5),
        ("accurate", 7, 5, 1, 5),
        ("accurate", 6, 5, 2, 4),
        # as many as there is room for, if there is work for them
        ("eager", 3, 0, 0, 3),
        ("eager", 3, 8, 0, 2),
        ("eager", 3, 6, 2, 2),
        ("eager", 30, 0, 0, 10),
        ("eager", 30, 10, 0, 0),
    ],
)
def test_how_many_jobs_are_added(
    strategy: Any, tasks: int, running: int, pending: int, expected: int
) -> None:
    policy = ScaledJob(strategy=strategy, most=10)
    worth = Worth(tasks=tasks, jobs=min(tasks, 10))
    assert added(policy, running, pending, worth) == expected


@pytest.mark.parametrize(
    ("deduct", "share", "tasks", "running", "expected"),
    [
        (0, 0.0, 4, 2, 4),
        (1, 0.0, 4, 2, 3),
        (1, 0.5, 4, 3, 2),  # half of three is one
        (0, 1.0, 4, 4, 0),
        (0, 0.0, 30, 10, 10),  # in all twice as many as may be: as in KEDA
        (9, 0.0, 4, 0, 0),
    ],
)
def test_jobs_as_one_likes(
    deduct: int, share: float, tasks: int, running: int, expected: int
) -> None:
    policy = ScaledJob(strategy="custom", most=10, deduct=deduct, share=share)
    assert added(policy, running, 0, Worth(tasks=tasks, jobs=min(tasks, 10))) == expected


@pytest.mark.parametrize(
    ("running", "tasks", "expected"),
    [(0, 0, 2), (1, 0, 1), (2, 0, 0), (0, 9, 2), (2, 9, 8), (4, 9, 6), (2, 3, 3)],
)
def test_a_least_number_of_jobs_comes_first(running: int, tasks: int, expected: int) -> None:
    """The jobs that are always there are not counted: there is room for eight more."""
    policy = ScaledJob(least=2, most=10)
    worth = Worth(tasks=tasks, jobs=min(tasks, 8)) if tasks else None
    assert added(policy, running, 0, worth) == expected


def test_part_of_a_job_is_a_job() -> None:
    policy = ScaledJob(target=4.0, most=10)
    loop = policy.loop(0.0)
    assert loop.step(seen(0.0, 9, 0)) == 3


@pytest.mark.parametrize(("strategy", "expected"), [("default", 3), ("eager", 6)])
def test_only_eager_jobs_may_be_more_than_the_tasks(strategy: Any, expected: int) -> None:
    policy = ScaledJob(strategy=strategy, target=0.5)
    assert policy.loop(0.0).step(seen(0.0, 3, 0)) == expected


@pytest.mark.parametrize(("tasks", "expected"), [(5, 0), (6, 6)])
def test_jobs_are_added_only_above_their_activation(tasks: int, expected: int) -> None:
    assert ScaledJob(activation=5).loop(0.0).step(seen(0.0, tasks, 0)) == expected


def test_blind_it_adds_no_job_but_the_least() -> None:
    assert ScaledJob().loop(0.0).step(seen(0.0, 9, 3, failed=True)) == 3
    assert ScaledJob(least=4).loop(0.0).step(seen(0.0, 9, 3, failed=True)) == 4


def test_nothing_is_pushed_to_jobs() -> None:
    assert ScaledJob().loop(0.0).push(seen(0.0, 9, 3)) == 3


def test_each_strategy_has_the_number_that_suits_it() -> None:
    """With the other one, `accurate` starts too many and `default` too few."""

    def jobs(policy: ScaledJob) -> int:
        return list(World(policy, [(0.0, 5)], start_s=15.0).run(100))[-1].replicas

    assert jobs(ScaledJob()) == 5
    assert jobs(ScaledJob(strategy="accurate", in_flight=False)) == 5
    busy = Observation(now=0.0, waiting=3, leased=4, replicas=4, ready=4)
    assert ScaledJob(strategy="accurate").loop(0.0).step(busy) == 11, "seven tasks"
    assert ScaledJob(in_flight=False).loop(0.0).step(busy) == 4, "three tasks wait"


def test_the_autoscaler_below_a_scaled_object_keeps_one() -> None:
    """Between the last task and the end of the cooldown."""
    policy = ScaledObject(target=1, cooldown_s=2000, behaviour=KUBERNETES)
    found = changes(list(World(policy, [(0.0, 9), (100.0, 0)]).run(2000)))
    assert found[-1][1] == 1
