"""The client for threads is what `make sync-client` writes."""

from __future__ import annotations

from tests.docs.sync_client import TARGETS, written


def test_the_client_for_threads_is_written_from_that_for_event_loops() -> None:
    there = {path: path.read_text() for path in TARGETS.glob("*.py")}
    assert there == written(), "write it anew: make sync-client"


def test_nothing_of_an_event_loop_is_left_in_it() -> None:
    words = ("async", "await", "anyio", "tasks")
    code = [line for text in written().values() for line in text.splitlines()[2:]]
    assert [line for line in code if any(word in line.lower() for word in words)] == []
