"""How many workers there should be, and how the crew follows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from ctypes import c_double
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.server.ports import Backlog
from pagetide.server.scaling.one_box import OneBox
from pagetide.server.service.load.demand import Demand, Warm, keep_warm
from pagetide.server.supervisor.forked_workers import (
    EARLY_S,
    SILENT_LEASES,
    STARTING_S,
    ForkedWorkers,
)
from pagetide.server.supervisor.restarts import PAUSE_S
from pagetide.settings import Settings
from tests.contract.stores import claim, make

COUNTS = st.integers(0, 10_000)
POLICIES = st.builds(
    lambda least, more, tasks: OneBox(
        least=least, most=max(1, least + more), tasks_a_worker=tasks
    ),
    st.integers(0, 20),
    st.integers(0, 20),
    st.integers(1, 9),
)


@given(COUNTS, POLICIES)
def test_it_stays_within_its_bounds(tasks: int, policy: OneBox) -> None:
    assert policy.least <= policy.worth(tasks) <= policy.most


@given(POLICIES)
def test_no_work_is_worth_no_worker(policy: OneBox) -> None:
    assert policy.worth(0) == policy.least


@given(st.integers(1, 10_000), POLICIES)
def test_any_work_is_worth_a_worker(tasks: int, policy: OneBox) -> None:
    assert policy.worth(tasks) >= 1


@given(COUNTS, st.integers(0, 100), POLICIES)
def test_more_work_is_never_worth_fewer(tasks: int, more: int, policy: OneBox) -> None:
    assert policy.worth(tasks + more) >= policy.worth(tasks)


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_to_claim_a_task_changes_nothing(waiting: int, leased: int) -> None:
    """Else a worker would be thought too many for having taken its work."""
    before = Demand(backlog=Backlog(waiting=waiting + 1, leased=leased))
    after = Demand(backlog=Backlog(waiting=waiting, leased=leased + 1))
    assert before.size() == after.size()


@given(COUNTS)
def test_the_oldest_tasks_age_counts_for_nothing(waiting: int) -> None:
    old = Demand(backlog=Backlog(waiting=waiting, oldest_s=1e6))
    assert old.size() == Demand(backlog=Backlog(waiting=waiting)).size()


@pytest.mark.parametrize(("tasks", "workers"), [(1, 1), (4, 1), (5, 2), (8, 2), (99, 8)])
def test_one_for_every_four_tasks(tasks: int, workers: int) -> None:
    assert OneBox(most=8).worth(tasks) == workers


class Process:
    """A worker's process on paper, which a test ends."""

    def __init__(self, *, args: tuple[Any, ...], **_: object) -> None:
        self.settings: Settings = args[0]
        self.exitcode: int | None = None
        self.killed = False

    def start(self) -> None:
        pass

    def is_alive(self) -> bool:
        return self.exitcode is None

    def kill(self) -> None:
        self.killed = True
        self.exitcode = -9

    def terminate(self) -> None:
        self.exitcode = 0

    def wait(self, timeout_s: float) -> bool:
        return self.exitcode is not None

    def close(self) -> int | None:
        return self.exitcode


class Paper:
    """What a crew starts its processes with."""

    Process = Process

    def RawValue(self, kind: type[c_double], value: float) -> c_double:
        return kind(value)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=f"sqlite:///{tmp_path}/jobs.db", data_dir=str(tmp_path))


@pytest.fixture
def crew_of(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., ForkedWorkers]]:
    """Makes crews whose workers are on paper."""
    monkeypatch.setattr(
        "pagetide.server.supervisor.forked_workers.ChildProcess", lambda process: process
    )
    made = []

    def of(pools: tuple[str, ...] = ("cpu",), **given: Any) -> ForkedWorkers:
        crew = ForkedWorkers(replace(settings, **given), pools)
        crew._context = cast(Any, Paper())
        made.append(crew)
        return crew

    yield of
    for crew in made:
        crew.stop()


def end(crew: ForkedWorkers, index: int, code: int) -> None:
    cast(Process, crew._members[index].process).exitcode = code


def add(
    crew: ForkedWorkers, number: int, *, pool: str = "cpu", due: float | None = None
) -> None:
    for n in range(number):
        crew._store.submit(
            *make(f"job-{pool}-{n}", pool=pool, due=time.time() - 1 if due is None else due)
        )


Crews = Callable[..., ForkedWorkers]


class TestWorkerProcesses:
    def test_no_work_no_workers(self, crew_of: Crews) -> None:
        crew = crew_of(max_workers=4)
        crew.scale()
        assert crew.count == 0

    def test_the_first_job_starts_one(self, crew_of: Crews) -> None:
        crew = crew_of(max_workers=4)
        add(crew, 1)
        for _ in range(3):
            crew.scale()
            assert crew.count == 1

    def test_up_to_the_most(self, crew_of: Crews) -> None:
        crew = crew_of(max_workers=3)
        add(crew, 100)
        crew.scale()
        assert crew.count == 3

    def test_some_are_kept_without_work(self, crew_of: Crews) -> None:
        crew = crew_of(min_workers=2, max_workers=1)
        crew.scale()
        assert crew.count == 2

    def test_those_that_are_kept_do_not_leave_when_idle(self, crew_of: Crews) -> None:
        crew = crew_of(min_workers=1, max_workers=3)
        crew.scale()
        add(crew, 12)
        crew.scale()
        told = [cast(Process, member.process).settings.idle_s for member in crew._members]
        assert told == [math.inf, crew._settings.idle_s, crew._settings.idle_s]

    def test_those_that_are_kept_no_more_are_told_to_go(self, crew_of: Crews) -> None:
        crew = crew_of(min_workers=1, max_workers=3)
        keep_warm(crew._store, "cpu", Warm(workers=3, until=time.time() + 1000))
        crew.scale()
        assert crew.count == 3
        keep_warm(crew._store, "cpu", Warm())
        crew.scale()
        ended = [cast(Process, member.process).exitcode for member in crew._members]
        assert ended == [None, 0, 0]
        crew.reap()
        crew.scale()
        assert crew.count == 1

    def test_each_pool_by_itself(self, crew_of: Crews) -> None:
        crew = crew_of(("cpu", "gpu"), max_workers=4)
        add(crew, 8, pool="gpu")
        crew.scale()
        assert [member.pool for member in crew._members] == ["gpu", "gpu"]

    def test_work_of_later_is_waited_for(
        self, crew_of: Crews, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pagetide.server.supervisor.forked_workers.LOOK_S", 600.0)
        crew = crew_of()
        add(crew, 1, due=time.time() + 60)
        wait = crew.scale()
        assert crew.count == 0
        assert 0 < wait <= 60

    def test_a_long_backlog_is_not_looked_at_all_the_time(self, crew_of: Crews) -> None:
        crew = crew_of(max_workers=1)
        add(crew, 9)
        assert crew.scale() >= 1
        assert crew.scale() >= 1

    def test_who_leaves_is_forgotten(self, crew_of: Crews) -> None:
        crew = crew_of()
        add(crew, 1)
        crew.scale()
        end(crew, 0, 0)
        assert crew.reap() == []
        assert crew.count == 0
        crew.scale()
        assert crew.count == 1  # for the work is still there

    def test_who_dies_is_told_and_replaced(self, crew_of: Crews) -> None:
        crew = crew_of()
        add(crew, 1)
        crew.scale()
        [member] = crew._members
        end(crew, 0, -9)
        assert crew.reap() == [member]
        crew.scale()
        assert crew.count == 1

    def test_those_that_die_at_once_are_not_started_all_the_time(self, crew_of: Crews) -> None:
        crew = crew_of()
        add(crew, 1)
        started = 0
        for _ in range(20):
            wait = crew.scale()
            started += crew.count
            if not crew.count:
                assert 0 < wait <= max(PAUSE_S)
                break
            end(crew, 0, 1)
            crew.reap()
        assert 2 <= started < 20

    def test_those_that_have_worked_before_they_die_are_replaced_at_once(
        self, crew_of: Crews
    ) -> None:
        crew = crew_of()
        add(crew, 1)
        for _ in range(10):
            crew.scale()
            [member] = crew._members
            member.beat.value = time.monotonic()
            member.born -= EARLY_S
            end(crew, 0, 1)
            crew.reap()

    def test_who_hangs_is_killed(self, crew_of: Crews) -> None:
        crew = crew_of(max_workers=2, lease_s=5.0)
        add(crew, 8)
        crew.scale()
        works, hangs = (cast(Process, member.process) for member in crew._members)
        crew.kill_hung()
        assert not hangs.killed
        crew._members[1].beat.value -= SILENT_LEASES * 5.0 + 1
        crew.kill_hung()
        assert (works.killed, hangs.killed) == (False, True)

    def test_leased_tasks_keep_their_workers(self, crew_of: Crews) -> None:
        crew = crew_of(max_workers=2)
        add(crew, 5)
        crew.scale()
        for n in range(5):
            assert claim(crew._store, f"w{n}", now=time.time())
        crew.scale()
        assert crew.count == 2


def test_who_starts_slowly_is_not_taken_for_hung(crew_of: Crews) -> None:
    crew = crew_of(max_workers=1, lease_s=5.0)
    add(crew, 1)
    crew.scale()
    [member] = crew._members
    process = cast(Process, member.process)
    member.born -= SILENT_LEASES * 5.0 + 1  # it has said nothing since
    crew.kill_hung()
    assert not process.killed
    member.born -= STARTING_S
    crew.kill_hung()
    assert process.killed
