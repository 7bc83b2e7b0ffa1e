"""Who opens documents: each owner has a share of the sandboxes, and none has them all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import Busy
from pagetide.inputs import Limits, open_input
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.submitting.sandboxes import AT_ONCE, OF_AN_OWNER, Sandboxes
from pagetide.system import cancellation
from tests.serving import pdf
from tests.waiting import until

PATIENCE_S = 60.0


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


class Borrower:
    """Borrows in a thread, until it is told to give back."""

    def __init__(self, threads: ThreadPoolExecutor, of: Sandboxes, owner: str) -> None:
        self.has, self._done = threading.Event(), threading.Event()
        self.mark = cancellation.Cancellation()
        self.future: Future[None] = threads.submit(self._borrow, of, owner)

    def _borrow(self, of: Sandboxes, owner: str) -> None:
        with cancellation.work() as self.mark, of.lent(owner):
            self.has.set()
            assert self._done.wait(PATIENCE_S)

    def give_back(self) -> None:
        self._done.set()
        self.future.result(PATIENCE_S)


def wait_for(sandboxes: Sandboxes, count: int) -> None:
    until(lambda: len(sandboxes._waiting) == count)


def test_one_owner_leaves_a_sandbox_to_the_others(threads: ThreadPoolExecutor) -> None:
    sandboxes = Sandboxes(Limits())
    mine = [Borrower(threads, sandboxes, "ada") for _ in range(AT_ONCE + 2)]
    until(lambda: sum(each.has.is_set() for each in mine) == OF_AN_OWNER)
    wait_for(sandboxes, len(mine) - OF_AN_OWNER)
    other = Borrower(threads, sandboxes, "bob")
    assert other.has.wait(PATIENCE_S)
    assert sum(each.has.is_set() for each in mine) == OF_AN_OWNER
    other.give_back()
    for each in mine:
        each.give_back()


def test_who_holds_the_fewest_is_next_and_among_those_who_waits_longest(
    threads: ThreadPoolExecutor,
) -> None:
    sandboxes = Sandboxes(Limits())
    ada = [Borrower(threads, sandboxes, "ada") for _ in range(OF_AN_OWNER)]
    bob = Borrower(threads, sandboxes, "bob")
    assert all(each.has.wait(PATIENCE_S) for each in (*ada, bob))
    line = []
    for place, owner in enumerate(("bob", "eve", "dan"), 1):
        line.append(Borrower(threads, sandboxes, owner))
        wait_for(sandboxes, place)
    more_of_bob, eve, dan = line
    ada[0].give_back()
    assert eve.has.wait(PATIENCE_S)
    assert not dan.has.is_set() and not more_of_bob.has.is_set()
    ada[1].give_back()
    assert dan.has.wait(PATIENCE_S)
    assert not more_of_bob.has.is_set()
    for each in (bob, more_of_bob, eve, dan):
        each.give_back()


def test_nobody_waits_for_ever() -> None:
    sandboxes = Sandboxes(Limits(), patience_s=0.0)
    with ExitStack() as held:
        for _ in range(OF_AN_OWNER):
            held.enter_context(sandboxes.lent("ada"))
        with pytest.raises(Busy), sandboxes.lent("ada"):
            pass
        held.enter_context(sandboxes.lent("bob"))
    with sandboxes.lent("ada"):
        pass


def test_who_leaves_gives_up_his_place(threads: ThreadPoolExecutor) -> None:
    sandboxes = Sandboxes(Limits())
    held = [Borrower(threads, sandboxes, "ada") for _ in range(OF_AN_OWNER)]
    assert all(each.has.wait(PATIENCE_S) for each in held)
    leaves = Borrower(threads, sandboxes, "ada")
    wait_for(sandboxes, 1)
    leaves.mark.cancel()
    with pytest.raises(cancellation.Cancelled):
        leaves.future.result(PATIENCE_S)
    wait_for(sandboxes, 0)
    for each in held:
        each.give_back()


def test_another_owners_document_is_inspected_beside_slow_ones(
    tmp_path: Path, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens, opening, really = threading.Event(), threading.Semaphore(0), open_input
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf(3))

    def slow(*given: Any, **how: Any) -> Any:
        if how["name"] == "slow.pdf":
            opening.release()
            assert opens.wait(PATIENCE_S)
        return really(*given, **how)

    monkeypatch.setattr("pagetide.server.service.submitting.inspection.open_input", slow)
    with closing(Inspector(Limits())) as inspector:
        try:
            waiting = [
                threads.submit(inspector.inspect, path, "slow.pdf", None, "ada")
                for _ in range(12)
            ]
            for _ in range(OF_AN_OWNER):
                assert opening.acquire(timeout=PATIENCE_S)
            other = threads.submit(inspector.inspect, path, "quick.pdf", None, "bob")
            assert other.result(PATIENCE_S).page_count == 3
        finally:
            opens.set()
        assert {each.result(PATIENCE_S).page_count for each in waiting} == {3}
