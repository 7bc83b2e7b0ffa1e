"""The watch over a worker's progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from pagetide.system.watchdog import Watch, resident_mb

SHORT_S = 0.05
LONG_S = 600.0


class Notifications:
    """Something to call at the end."""

    def __init__(self) -> None:
        self.rung = threading.Event()
        self.times: list[float] = []

    def __call__(self) -> None:
        self.times.append(time.monotonic())
        self.rung.set()


@contextmanager
def watching(deadline_s: float) -> Iterator[tuple[Watch, Notifications]]:
    notifications = Notifications()
    watch = Watch(deadline_s, notifications)
    try:
        yield watch, notifications
    finally:
        watch.close()


class Hand:
    """The time by a clock that a test moves; whoever waits still waits by the real one."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    made = Hand()
    monkeypatch.setattr("pagetide.system.watchdog.time", SimpleNamespace(monotonic=made))
    return made


def test_who_makes_no_progress_is_ended() -> None:
    with watching(SHORT_S) as (watch, notifications):
        began = time.monotonic()
        watch.alive()
        assert notifications.rung.wait(60)
        assert notifications.times[0] - began >= SHORT_S


def test_only_once() -> None:
    with watching(SHORT_S) as (watch, notifications):
        watch.alive()
        assert notifications.rung.wait(60)
        notifications.rung.clear()
        assert not notifications.rung.wait(3 * SHORT_S)
        watch.alive()
        assert notifications.rung.wait(60)
        assert len(notifications.times) == 2


@pytest.mark.parametrize("at_rest", [True, False])
def test_who_has_nothing_in_hand_is_left_alone(at_rest: bool, hand: Hand) -> None:
    with watching(SHORT_S) as (watch, notifications):
        if at_rest:
            watch.alive()
            watch.rest()
        hand.now += LONG_S
        assert not notifications.rung.wait(3 * SHORT_S)


def test_progress_puts_the_end_off(hand: Hand) -> None:
    with watching(SHORT_S) as (watch, notifications):
        for _ in range(5):
            watch.alive()
            hand.now += 0.9 * SHORT_S
            assert not notifications.rung.wait(SHORT_S)
        hand.now += SHORT_S
        assert notifications.rung.wait(60)


def test_long_work_may_take_longer() -> None:
    with watching(SHORT_S) as (watch, notifications):
        began = time.monotonic()
        watch.alive(6)
        assert notifications.rung.wait(60)
        assert notifications.times[0] - began >= 6 * SHORT_S


def test_a_deadline_may_come_nearer() -> None:
    with watching(SHORT_S) as (watch, notifications):
        watch.alive(int(LONG_S / SHORT_S))
        assert not notifications.rung.wait(SHORT_S)  # so that its thread sleeps by now
        watch.alive()
        assert notifications.rung.wait(60)


def test_a_closed_one_ends_nobody() -> None:
    with watching(SHORT_S) as (watch, notifications):
        watch.close()
        watch.alive()
        assert not notifications.rung.wait(3 * SHORT_S)


def test_memory_is_in_megabytes() -> None:
    assert 10 < resident_mb() < 100_000
    before = resident_mb()
    kept = bytearray(b"\1") * (256 << 20)
    # A machine may take back pages of ours meanwhile, of files that nobody looks at.
    assert 128 < resident_mb() - before < 320
    del kept
