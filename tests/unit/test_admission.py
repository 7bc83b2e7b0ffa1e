"""How many jobs are let in."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import Busy
from pagetide.server.jobs import endings
from pagetide.server.service.submitting.admission import FRESH_S, Admission
from pagetide.server.stores.memory import MemoryStore
from pagetide.settings import Settings
from tests.contract.stores import make


class Gate:
    """An admission over a store, and the jobs that were let in."""

    def __init__(self, *, total: int = 100, per_key: int = 100) -> None:
        self.store, self.now, self.jobs = MemoryStore(), 1000.0, 0
        self.counted: list[str | None] = []
        count = self.store.count_active

        def counted(owner: str | None, limit: int) -> int:
            self.counted.append(owner)
            return count(owner, limit)

        self.store.count_active = counted  # type: ignore[method-assign]
        settings = Settings(max_active=total, max_active_per_key=per_key)
        self.admission = Admission(self.store, settings, lambda: self.now)

    def enter(self, owner: str = "", most: int | None = None) -> bool:
        try:
            self.admission.admit(owner, most)
        except Busy:
            return False
        self.jobs += 1
        self.store.submit(*make(f"job-{self.jobs:04}", owner=owner))
        return True

    def end(self, number: int) -> None:
        job_id = f"job-{number:04}"
        job = self.store.job(job_id)
        assert job
        self.store.change(job_id, None, lambda job, _: endings.cancel(job, self.now))


def test_jobs_are_let_in_up_to_the_cap_of_a_key() -> None:
    gate = Gate(per_key=2)
    assert [gate.enter("ada") for _ in range(3)] == [True, True, False]
    assert gate.enter("bob")


def test_jobs_are_let_in_up_to_the_cap_of_all() -> None:
    gate = Gate(total=3)
    assert [gate.enter(owner) for owner in ("ada", "bob", "ada", "eve")] == [True] * 3 + [False]


def test_who_has_no_key_counts_only_among_all() -> None:
    gate = Gate(per_key=1, total=3)
    assert [gate.enter() for _ in range(4)] == [True, True, True, False]


def test_a_keys_own_cap_replaces_the_usual_one() -> None:
    gate = Gate(per_key=2)
    assert [gate.enter("ada", 1) for _ in range(2)] == [True, False]
    assert [gate.enter("bob", 3) for _ in range(4)] == [True, True, True, False]
    assert not gate.enter("eve", 0)


def test_who_is_refused_takes_nobodys_place() -> None:
    gate = Gate(total=2, per_key=1)
    assert gate.enter("ada")
    assert [gate.enter("ada") for _ in range(5)] == [False] * 5
    assert gate.enter("bob")


def test_who_is_refused_is_told_when_to_come_again() -> None:
    gate = Gate(per_key=0)
    with pytest.raises(Busy, match="0 jobs") as caught:
        gate.admission.admit("ada")
    assert caught.value.retry_after_s > 0
    assert caught.value.retryable


def test_a_place_is_free_as_soon_as_a_job_ends() -> None:
    gate = Gate(per_key=1)
    assert gate.enter("ada")
    assert not gate.enter("ada")
    gate.end(1)
    assert gate.enter("ada")  # within the second


def test_counts_are_kept_for_a_second() -> None:
    gate = Gate()
    for _ in range(20):
        assert gate.enter("ada")
    assert gate.counted == ["ada", None]
    gate.now += FRESH_S * 1.01
    assert gate.enter("ada")
    assert gate.counted == ["ada", None] * 2


def test_owners_that_have_gone_quiet_are_forgotten() -> None:
    gate = Gate()
    for n in range(50):
        gate.enter(f"key-{n}")
    gate.now += 3600
    gate.enter("ada")
    assert set(gate.admission._counts) == {"ada", None}


@given(
    st.lists(
        st.one_of(
            st.sampled_from(["", "ada", "bob"]),  # somebody comes
            st.integers(1, 30),  # a job ends
            st.floats(0, 3),  # time passes
        ),
        max_size=60,
    )
)
def test_one_server_never_lets_in_more_than_the_caps(events: list[str | int | float]) -> None:
    gate = Gate(total=7, per_key=4)
    active: dict[int, str] = {}
    for event in events:
        if isinstance(event, str):
            if gate.enter(event):
                active[gate.jobs] = event
            owners = list(active.values())
            assert len(owners) <= 7
            assert all(owners.count(owner) <= 4 for owner in ("ada", "bob"))
        elif isinstance(event, float):
            gate.now += event
        elif active.pop(event, None) is not None:
            gate.end(event)


def test_many_threads_ask_at_once() -> None:
    gate = Gate(total=1000, per_key=1000)
    start = threading.Barrier(8)
    failed: list[BaseException] = []

    def ask(n: int) -> None:
        start.wait(60)
        try:
            for i in range(50):
                gate.admission.admit(f"key-{(n + i) % 3}")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    total = gate.admission._counts[None]
    assert total.jobs == 400


def test_a_clock_that_is_put_back_or_ahead_breaks_nothing() -> None:
    gate = Gate()
    times = iter([1000.0, 1000.0, 9000.0, 9000.0, 500.0, 500.0, 500.0])
    gate.admission._clock = lambda: next(times)
    for _ in range(3):
        gate.admission.admit("ada")
    assert gate.admission._counts[None].jobs >= 1
