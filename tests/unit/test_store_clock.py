"""Leases are counted by the store's time, however wrong a machine's clock is."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from pagetide.errors import StoreFailed
from pagetide.server import wiring
from pagetide.server.ports.store_clock import EVERY_S, SOON_S, StoreClock
from pagetide.server.stores.memory import MemoryStore
from pagetide.settings import Settings
from tests.contract.stores import LEASE_S, NOW, make
from tests.waiting import until

OFF_S = 600.0


class World:
    """A store's clock, and a machine whose own is off."""

    def __init__(self, off_s: float) -> None:
        self.passed, self.off_s, self.trip_s = 0.0, off_s, 0.0
        self.away = False
        self.asked = 0

    def ask(self) -> float:
        self.asked += 1
        if self.away:
            raise StoreFailed
        self.passed += self.trip_s
        return NOW + self.passed

    def clock(self) -> StoreClock:
        return StoreClock(
            self.ask,
            own=lambda: NOW + self.passed + self.off_s,
            monotonic=lambda: 77 + self.passed,
        )


def _settled(clock: StoreClock, world: World, asked: int) -> float:
    """The time, once a question that was due has been answered."""
    clock()
    until(lambda: world.asked == asked and not clock._asking.locked())
    return clock()


@pytest.mark.parametrize("off_s", [OFF_S, -OFF_S])
def test_it_is_the_stores(off_s: float, caplog: pytest.LogCaptureFixture) -> None:
    world = World(off_s)
    with caplog.at_level(logging.WARNING):
        clock = world.clock()
    assert clock() == NOW
    assert "clock is off" in caplog.text
    world.passed += 50
    assert clock() == NOW + 50
    assert world.asked == 1


def test_one_that_is_near_enough_is_our_own() -> None:
    assert World(0.5).clock()() == NOW + 0.5


def test_a_clock_that_is_set_is_not_followed() -> None:
    world = World(0.0)
    clock = world.clock()
    world.off_s = OFF_S
    assert clock() == NOW
    world.passed += EVERY_S
    assert _settled(clock, world, 2) == NOW + EVERY_S


def test_while_the_store_is_away_what_was_known_holds() -> None:
    world = World(OFF_S)
    clock = world.clock()
    world.away = True
    world.passed += EVERY_S
    assert _settled(clock, world, 2) == NOW + EVERY_S
    world.passed += EVERY_S
    assert _settled(clock, world, 3) == NOW + 2 * EVERY_S


def test_an_answer_that_came_late_says_nothing() -> None:
    world = World(OFF_S)
    clock = world.clock()
    world.trip_s = 10.0
    world.passed += EVERY_S
    assert _settled(clock, world, 2) == NOW + EVERY_S + 10


def test_a_first_answer_that_comes_late_tells_of_a_clock_that_is_far_off() -> None:
    world = World(OFF_S)
    world.trip_s = 10.0
    clock = world.clock()
    assert abs(clock() - (NOW + 10)) <= 10 / 2
    world.trip_s = 0.0
    world.passed += EVERY_S
    assert _settled(clock, world, 2) == NOW + 10 + EVERY_S


def test_a_store_that_was_away_at_first_is_asked_again_soon() -> None:
    world = World(OFF_S)
    world.away = True
    clock = world.clock()
    assert clock() == NOW + OFF_S  # nobody knows better
    world.away = False
    world.passed += SOON_S
    assert _settled(clock, world, 2) == NOW + SOON_S
    world.passed += SOON_S
    clock()
    assert world.asked == 2


def test_nobody_waits_for_the_answer() -> None:
    world, go_on = World(OFF_S), threading.Event()
    clock = world.clock()
    clock._ask = lambda: float(go_on.wait(60)) + NOW
    world.passed += EVERY_S
    assert clock() == NOW + EVERY_S
    assert clock() == NOW + EVERY_S  # nor asks beside who does
    go_on.set()
    until(lambda: not clock._asking.locked())


@pytest.mark.parametrize("off_s", [OFF_S, -OFF_S])
def test_who_is_minutes_off_neither_steals_nor_holds(off_s: float) -> None:
    store, right, wrong = MemoryStore(), World(0.0).clock(), World(off_s).clock()
    store.submit(*make(due=NOW))
    at = wrong()
    taken = store.claim(
        "cpu",
        "wrong",
        now=at,
        until=at + LEASE_S,
        token="t",  # noqa: S106
        beside=False,
    )
    assert taken
    assert store.overdue(right()) == ()  # it holds
    assert store.overdue(right() + LEASE_S)  # but not for longer than others
    assert store.overdue(wrong()) == ()


def test_a_store_on_this_machine_has_its_clock(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    store = wiring.open_store(settings)
    assert not isinstance(wiring.clock_of(store, settings), StoreClock)
    remote = Settings(store="postgresql://nowhere/x")
    assert isinstance(wiring.clock_of(MemoryStore(), remote), StoreClock)
    store.close()
