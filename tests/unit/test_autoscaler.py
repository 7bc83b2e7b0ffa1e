"""The autoscaler in a world of its own: it obeys its policy and never harms who is busy."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.cli.scaling.autoscaler import work_of
from pagetide.client import Client, PoolBacklog
from pagetide.server.ports import Backlog
from pagetide.server.supervisor.autoscaler import LOOK_S, Autoscaler
from pagetide.server.supervisor.drivers.replicas import Replicas
from pagetide.server.supervisor.restarts import EARLY_S, PAUSE_S, Restarts
from tests.unit.autoscaler_world import POOL, Rule, World

GRACE_S = 60.0


def scaled(world: World, rule: Rule, *, drain: bool = False) -> Autoscaler:
    names = itertools.count()
    driver = Replicas(
        world,
        {POOL: rule.most},
        grace_s=GRACE_S,
        leave_idle=() if drain else (POOL,),
        token=lambda: f"{next(names)}",
    )
    return Autoscaler({POOL: rule}, driver, world.read, now=world.now)


def live(world: World, scaling: Autoscaler, seconds: float) -> Iterator[None]:
    """So many seconds pass, in rounds; a look at each of them."""
    until = world.now + seconds
    while world.now < until:
        wait = scaling.tick(world.now)
        assert 0 <= wait <= LOOK_S
        yield
        world.pass_time(max(wait, 0.01))


def pass_by(world: World, scaling: Autoscaler, seconds: float) -> None:
    for _ in live(world, scaling, seconds):
        pass


def test_from_nothing_to_many_and_back_to_nothing() -> None:
    world, rule = World(), Rule(most=3)
    scaling = scaled(world, rule)
    pass_by(world, scaling, 5)
    assert (world.alive, world.started) == ([], [])
    submitted, world.waiting = world.now, [4.0] * 9
    peak = max(len(world.alive) for _ in live(world, scaling, 60))
    assert (peak, world.done, world.alive, world.told) == (3, 9, [], {})
    assert world.started[0] - submitted <= 1.0


@given(st.floats(0.0, 3.0), st.floats(0.6, 300.0))
def test_a_submit_wakes_within_a_second_whatever_the_policy(at: float, every_s: float) -> None:
    world = World()
    scaling = scaled(world, Rule(every_s=every_s))
    pass_by(world, scaling, at)
    submitted, world.waiting = world.now, [1.0]
    pass_by(world, scaling, 2)
    assert world.started and world.started[0] - submitted <= 1.0


def test_more_work_is_told_to_the_policy_between_its_own_looks() -> None:
    world, rule = World(idle_s=None), Rule(most=3, every_s=100.0)
    rule.push = lambda seen: min(rule.most, seen.size)  # type: ignore[method-assign]
    scaling = scaled(world, rule)
    for tasks in (1, 1, 1):
        world.waiting += [50.0] * tasks
        pass_by(world, scaling, 1.5)
    assert len(world.started) == 3
    assert len(rule.seen) == 1


def test_at_rest_it_asks_no_more_than_twice_a_second() -> None:
    world = World()
    pass_by(world, scaled(world, Rule()), 60)
    assert 100 <= world.reads <= 121


def test_with_all_its_workers_it_asks_as_often_as_the_policy_wants() -> None:
    world = World(idle_s=None)
    pass_by(world, scaled(world, Rule(least=1, most=1, every_s=15.0)), 60)
    assert world.reads <= 5


@given(
    work=st.lists(
        st.tuples(st.floats(0.0, 8.0), st.lists(st.floats(0.1, 20.0), max_size=6)), max_size=6
    ),
    deaths=st.lists(st.integers(0, 3), max_size=4),
    most=st.integers(1, 4),
    least=st.integers(0, 2),
    every_s=st.floats(0.2, 5.0),
    cold_s=st.floats(0.0, 5.0),
    drain=st.booleans(),
)
def test_never_too_many_and_nobody_busy_is_harmed_and_it_settles(
    work: Sequence[tuple[float, list[float]]],
    deaths: Sequence[int],
    most: int,
    least: int,
    every_s: float,
    cold_s: float,
    drain: bool,
) -> None:
    world = World(cold_s, idle_s=None if drain else 2.0)
    rule = Rule(most=max(most, least), least=least, every_s=every_s)
    scaling = scaled(world, rule, drain=drain)
    dying = list(deaths)
    for seconds, tasks in work:
        for _ in live(world, scaling, seconds):
            assert len(world.alive) <= rule.most
        world.waiting += tasks
        if dying:
            world.die(dying.pop())
    total = world.done + len(world.waiting) + world.leased
    for _ in live(world, scaling, total * 25 + 60):
        assert len(world.alive) <= rule.most
    assert (world.done, world.waiting, world.killed) == (total, [], {})
    if not drain:
        assert not world.told
    settled, told = len(world.started), len(world.told)
    if drain:
        pass_by(world, scaling, 30)
        assert len(world.alive) == least
        assert (len(world.started), len(world.told)) == (settled, told)


@given(st.integers(0, 6), st.integers(0, 6))
def test_no_more_are_told_to_go_than_the_policy_wants_gone(short: int, long: int) -> None:
    world, rule = World(idle_s=None), Rule(most=12)
    scaling = scaled(world, rule, drain=True)
    world.waiting = [500.0] * long + [5.0] * short
    pass_by(world, scaling, 3)
    assert len(world.alive) == long + short
    pass_by(world, scaling, 20)
    assert len(world.told) == short
    assert (world.done, world.leased, world.killed) == (short, long, {})


def test_the_ones_that_have_not_begun_go_first_then_the_youngest() -> None:
    world, rule = World(idle_s=None), Rule(most=4, least=1)
    scaling = scaled(world, rule, drain=True)
    pass_by(world, scaling, 2)
    rule.least = 2
    pass_by(world, scaling, 2)
    world.cold_s, rule.least = 100.0, 3
    pass_by(world, scaling, 2)
    for left in (2, 1):
        rule.least = left
        pass_by(world, scaling, 3)
    assert list(world.told) == ["cpu-2", "cpu-1"]


def test_one_that_is_leaving_takes_up_room_until_it_is_gone() -> None:
    world, rule = World(idle_s=None), Rule(most=1)
    scaling = scaled(world, rule, drain=True)
    world.waiting = [30.0]
    pass_by(world, scaling, 2)
    [hand] = world.alive
    rule.tasks = 100_000
    rule.least = rule.most = 0
    pass_by(world, scaling, 2)
    assert world.told
    rule.tasks, rule.most = 1, 1
    world.waiting = [1.0]
    for _ in live(world, scaling, 25):
        assert len(world.alive) == 1
    assert hand.busy_until is not None
    pass_by(world, scaling, 20)
    assert (world.done, world.killed) == (2, {})


def test_who_does_not_go_is_killed_after_the_grace_and_not_before() -> None:
    world, rule = World(idle_s=None), Rule(most=1)
    scaling = scaled(world, rule, drain=True)
    world.waiting = [1e9]
    pass_by(world, scaling, 2)
    rule.most = 0
    pass_by(world, scaling, GRACE_S + 10)
    [told], [killed] = world.told.values(), world.killed.values()
    assert GRACE_S < killed - told <= GRACE_S + 2 * LOOK_S


def test_while_the_backlog_cannot_be_read_the_workers_stay(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world, rule = World(idle_s=None), Rule(most=3)
    scaling = scaled(world, rule, drain=True)
    world.waiting = [2.0] * 3
    pass_by(world, scaling, 1)
    world.blind = True
    caplog.set_level(logging.INFO)
    pass_by(world, scaling, 30)
    assert (world.done, world.told, len(world.alive)) == (3, {}, 3)
    assert rule.seen[-1].failed
    [line] = [r for r in caplog.records if "cannot be read" in r.message]
    assert line.levelno == logging.ERROR and line.__dict__["code"] == "server_unreachable"
    world.blind = False
    pass_by(world, scaling, 5)
    assert (len(world.told), world.alive) == (3, [])
    assert [r for r in caplog.records if "read again" in r.message]


def test_a_fallback_of_the_policy_is_obeyed_while_blind() -> None:
    world = World(idle_s=None)
    world.blind = True
    scaling = scaled(world, Rule(most=3, fallback=2))
    pass_by(world, scaling, 3)
    assert len(world.alive) == 2


def test_a_pool_that_the_server_does_not_know_is_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    driver = Replicas(world, {"gpu": 1}, grace_s=1)
    scaling = Autoscaler({"gpu": Rule()}, driver, world.read, now=0.0)
    pass_by(world, scaling, 3)
    [line] = [r for r in caplog.records if "cannot be read" in r.message]
    assert "no pool 'gpu'; did you mean cpu?" in line.__dict__["reason"]


def test_one_that_dies_is_started_again_and_those_that_keep_dying_with_pauses() -> None:
    world = World(idle_s=None)
    scaling = scaled(world, Rule(least=1))
    pass_by(world, scaling, 20)
    world.die(0)
    pass_by(world, scaling, 2)
    assert len(world.started) == 2 and len(world.alive) == 1
    world.stillborn = 64
    world.die(0)
    pass_by(world, scaling, 300)
    assert 25 <= len(world.started) <= 45  # one in ten seconds in the end
    gaps = [b - a for a, b in itertools.pairwise(world.started)]
    assert gaps[-1] == pytest.approx(PAUSE_S[-1], abs=2 * LOOK_S)
    world.stillborn = None
    pass_by(world, scaling, 15)
    assert len(world.alive) == 1


def test_one_that_left_idle_is_not_missed_until_the_policy_says_so() -> None:
    world, rule = World(idle_s=2.0), Rule(most=1, every_s=60.0)
    scaling = scaled(world, rule)
    world.waiting = [1.0]
    pass_by(world, scaling, 40)
    assert (len(world.started), world.alive) == (1, [])


def test_workers_that_are_there_already_are_taken_over() -> None:
    world, rule = World(), Rule(most=3)
    world.start(POOL, "cpu-old")
    world.waiting = [5.0]
    world.pass_time(1.0)
    scaling = scaled(world, rule)
    pass_by(world, scaling, 2)
    assert list(world.hands) == ["cpu-old"]


def test_workers_that_cannot_be_seen_are_neither_missed_nor_forgotten() -> None:
    world = World(idle_s=None)
    scaling = scaled(world, Rule(least=1))
    pass_by(world, scaling, 2)
    world.unseen = True
    pass_by(world, scaling, 20)
    world.unseen = False
    pass_by(world, scaling, 2)
    assert len(world.started) == 1


def test_the_end_is_waited_for_and_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    world, rule = World(idle_s=None), Rule(most=2)
    scaling = scaled(world, rule)
    world.waiting = [20.0, 30.0, 5.0]
    pass_by(world, scaling, 2)
    monkeypatch.setattr("pagetide.server.supervisor.autoscaler.time.sleep", world.pass_time)
    scaling.stop()
    scaling.run(leave=False, clock=lambda: world.now)
    assert (world.done, world.waiting, world.hands) == (2, [5.0], {})
    assert (len(world.told), world.killed) == (2, {})


def test_workers_are_told_to_go_though_the_autoscaler_itself_breaks() -> None:
    world = World(idle_s=None)
    scaling = scaled(world, Rule(least=2))
    pass_by(world, scaling, 2)
    world.broken = True
    with pytest.raises(ZeroDivisionError):
        scaling.run(leave=False, clock=lambda: world.now)
    assert len(world.told) == 2


def test_one_that_cannot_even_be_started_is_tried_again_after_pauses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(idle_s=None)
    scaling = scaled(world, Rule(least=1))
    world.full = True
    pass_by(world, scaling, 30)
    assert 5 <= sum("cannot be started" in line.message for line in caplog.records) <= 10
    world.full = False
    pass_by(world, scaling, 11)
    assert len(world.alive) == 1


def test_workers_that_are_left_are_not_told() -> None:
    world, rule = World(idle_s=None), Rule(most=2)
    scaling = scaled(world, rule)
    world.waiting = [20.0]
    pass_by(world, scaling, 2)
    scaling.stop()
    scaling.run(leave=True, clock=lambda: world.now)
    assert (len(world.alive), world.told) == (1, {})


def test_each_decision_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world, rule = World(), Rule(most=3)
    scaling = scaled(world, rule)
    world.waiting = [3.0]
    pass_by(world, scaling, 2)
    world.waiting = [3.0, 3.0]
    pass_by(world, scaling, 20)
    said = [
        (line.__dict__["was"], line.__dict__["replicas"], line.__dict__["reason"])
        for line in caplog.records
        if line.message == "scaled"
    ]
    assert said[:2] == [(0, 1, "there is work"), (1, 3, "there is more work")]
    assert said[-1][1:] == (0, "there is no work")


def test_workers_that_always_stay_are_not_called_work(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world = World(idle_s=None)
    pass_by(world, scaled(world, Rule(least=1)), 5)
    said = [line.__dict__["reason"] for line in caplog.records if line.message == "scaled"]
    assert said == ["so many always stay"]


def test_a_pool_that_the_server_does_not_know_takes_nothing_from_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world, rules = World(), {POOL: Rule(), "cpux": Rule()}
    driver = Replicas(world, {POOL: 3, "cpux": 3}, grace_s=GRACE_S, leave_idle=(POOL,))
    scaling = Autoscaler(rules, driver, world.read, now=world.now)
    world.waiting = [1.0, 1.0]
    pass_by(world, scaling, 20)
    assert (world.done, world.alive, len(world.started)) == (2, [], 2)
    said = [line.__dict__["reason"] for line in caplog.records if line.levelname == "ERROR"]
    assert said == ["The server knows no pool 'cpux'; did you mean cpu?"]


def test_what_kept_workers_are_worth_is_work_that_waits() -> None:
    told = {
        "cpu": PoolBacklog(size=7, waiting=5, leased=2),
        "gpu": PoolBacklog(size=8, waiting=0, leased=3),
    }
    client = cast(Client, SimpleNamespace(backlog=lambda: told))
    assert work_of(client) == {
        "cpu": Backlog(waiting=5, leased=2),
        "gpu": Backlog(waiting=5, leased=3),
    }


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=20))
def test_pauses_grow_with_early_deaths_and_end_with_a_good_end(lives: list[float]) -> None:
    restarts, row = Restarts(), 0
    for lived in lives:
        row = row + 1 if lived < EARLY_S else 0
        pause = PAUSE_S[min(row, len(PAUSE_S) - 1)]
        restarts.died(POOL, 0.0, lived, was_ready=True)
        assert [restarts.pause_s(POOL, now) for now in (0.0, pause)] == [pause, 0.0]
    restarts.left(POOL)
    assert restarts.pause_s(POOL, 0.0) == 0.0
    restarts.died(POOL, 0.0, 0.0, was_ready=False)
    assert restarts.pause_s(POOL, 0.0) == 0.0
