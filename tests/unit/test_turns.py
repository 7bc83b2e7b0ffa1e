"""Who waits for its turn to write: not for ever, and not too many."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from pagetide.errors import StoreFailed
from pagetide.server.stores import sqlite, turns
from pagetide.server.stores.sql import open_store
from pagetide.server.stores.turns import FileTurn, Line
from tests.contract.stores import make
from tests.waiting import until

NAME = "pagetide-turn"


def _soon() -> float:
    return time.monotonic() + 60


def _go_through(line: Line) -> None:
    with line.place(_soon()):
        line.go_on()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "turn"
    file.touch()
    return file


def test_where_nothing_moves_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    waiting = [threading.Thread(target=_go_through, args=(line,)) for _ in range(10)]
    with line.place(_soon()):
        for each in waiting[:8]:
            each.start()
        until(lambda: line._waiting == 8)
        monkeypatch.setattr(turns, "STUCK_S", -1.0)
        with pytest.raises(TimeoutError), line.place(_soon()):
            pass
        line.go_on()  # it writes, so the others need not wait for long
        for each in waiting[8:]:
            each.start()
        until(lambda: line._waiting == 10)
    for each in waiting:
        each.join(60)
    assert line._waiting == 0


def test_a_thread_waits_no_longer_than_it_may() -> None:
    line = Line()
    with line.place(_soon()), pytest.raises(TimeoutError), line.place(time.monotonic()):
        pass
    with line.place(time.monotonic()):
        pass


def test_a_thread_that_writes_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE_S", 0.05)
    store = open_store(f"sqlite:///{tmp_path}/jobs.db")
    with store._database.writing(), pytest.raises(StoreFailed, match="busy"):  # type: ignore[attr-defined]
        store.submit(*make())
    store.submit(*make())
    store.close()


def test_waits_that_are_given_up_leave_one_thread(path: Path) -> None:
    ours, theirs = FileTurn(path), FileTurn(path)
    with theirs.held(_soon()):
        for _ in range(5):
            with pytest.raises(TimeoutError), ours.held(time.monotonic()):
                pass
        assert [each.name for each in threading.enumerate()].count(NAME) == 1
    with theirs.held(_soon()):  # which keeps nobody from it once the file is free
        pass
    with ours.held(_soon()):
        pass


def test_who_comes_next_takes_a_wait_over(path: Path) -> None:
    ours, theirs = FileTurn(path), FileTurn(path)
    taken = threading.Event()

    def take() -> None:
        with ours.held(_soon()):
            taken.set()

    with theirs.held(_soon()):
        with pytest.raises(TimeoutError), ours.held(time.monotonic()):
            pass
        waiting = threading.Thread(target=take)
        waiting.start()
        until(lambda: ours._wanted)
        assert [each.name for each in threading.enumerate()].count(NAME) == 1
        assert not taken.is_set()
    assert taken.wait(60)
    waiting.join(60)
