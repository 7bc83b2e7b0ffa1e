"""Which webhooks may be called now: shares of owners and hosts, and hosts that hang."""

from __future__ import annotations

from pagetide.server.jobs.job import Delivery
from pagetide.server.maintenance.call_limits import (
    HANGS,
    KNOWN_HOSTS,
    LONGEST_S,
    PER_HOST,
    CallLimits,
)
from tests.contract.stores import NOW

ANSWERED = Delivery(at=NOW, elapsed_ms=100, status=500)
REFUSED = Delivery(at=NOW, elapsed_ms=1, error="No connection.")
HUNG = Delivery(at=NOW, elapsed_ms=15_000, error="The server took too long.")


def _fill(limits: CallLimits, owner: str, host: str) -> int:
    """Begin as many calls as may be; how many."""
    count = 0
    while limits.room and limits.later(owner, host, NOW) is None:
        limits.began(owner, host)
        count += 1
    return count


def _hang(limits: CallLimits, host: str) -> None:
    for _ in range(HANGS):
        limits.began("ada", host)
        limits.ended("ada", host, HUNG)


def test_a_host_has_a_few_at_once() -> None:
    limits = CallLimits()
    assert _fill(limits, "ada", "a") == PER_HOST
    assert _fill(limits, "bob", "a") == 0
    assert _fill(limits, "ada", "b") == PER_HOST
    limits.ended("ada", "a", ANSWERED)
    assert _fill(limits, "bob", "a") == 1


def test_an_owner_leaves_as_many_free_as_it_has() -> None:
    limits = CallLimits(in_flight=12, per_host=100)
    assert [_fill(limits, owner, owner) for owner in ("a", "b", "c", "d")] == [6, 3, 2, 1]
    assert not limits.room
    for _ in range(6):
        limits.ended("a", "a", ANSWERED)
    assert limits.room


def test_one_place_is_enough_to_begin() -> None:
    limits = CallLimits(in_flight=1)
    assert _fill(limits, "ada", "a") == 1
    limits.ended("ada", "a", None)
    assert _fill(limits, "bob", "b") == 1


def test_a_host_that_hangs_is_tried_singly_until_it_answers() -> None:
    limits = CallLimits()
    _hang(limits, "a")
    assert limits.hangs("a")
    assert _fill(limits, "ada", "a") == 1
    limits.ended("ada", "a", HUNG)
    assert _fill(limits, "ada", "a") == 1
    limits.ended("ada", "a", ANSWERED)
    assert not limits.hangs("a")
    assert _fill(limits, "ada", "a") == PER_HOST


def test_time_outs_count_in_a_row() -> None:
    limits = CallLimits()
    for delivery in (HUNG, HUNG, ANSWERED, HUNG, HUNG):
        limits.began("ada", "a")
        limits.ended("ada", "a", delivery)
    assert not limits.hangs("a")


def test_who_refuses_at_once_does_not_hang() -> None:
    limits = CallLimits()
    for _ in range(2 * HANGS):
        limits.began("ada", "a")
        limits.ended("ada", "a", REFUSED)
    assert not limits.hangs("a")


def test_what_is_put_off_comes_when_its_turn_does() -> None:
    limits = CallLimits()
    _hang(limits, "a")
    limits.began("ada", "a")
    waits = [(limits.later("ada", "a", NOW) or NOW) - NOW for _ in range(40)]
    assert waits[:3] == [15, 30, 45]
    assert waits[-1] == LONGEST_S
    limits.ended("ada", "a", ANSWERED)
    _fill(limits, "ada", "a")
    due = limits.later("ada", "a", NOW + 1)
    assert due is not None and due - NOW < 2  # what was promised is not waited for any more


def test_hosts_without_number_are_not_all_known() -> None:
    limits = CallLimits()
    for n in range(KNOWN_HOSTS + 1):
        limits.began("ada", f"{n}")
        limits.ended("ada", f"{n}", HUNG)
    assert len(limits._hosts) == 0
