"""A log that nobody reads keeps nobody waiting; what is dropped is counted and said."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import pytest

from pagetide.telemetry import metrics
from pagetide.telemetry.log_queue import MOST, Queued
from tests.waiting import until


@contextmanager
def _pipe() -> Iterator[tuple[TextIO, TextIO]]:
    reading, writing = os.pipe()
    with os.fdopen(reading) as source, os.fdopen(writing, "w") as target:
        yield source, target


def _say(handler: Queued, count: int, text: str = "x" * 100) -> None:
    for n in range(count):
        handler.handle(logging.makeLogRecord({"msg": f"{n} {text}", "levelno": 20}))


def test_lines_come_in_their_order() -> None:
    with _pipe() as (source, target):
        handler = Queued(target)
        _say(handler, 50)
        assert [source.readline().split()[0] for _ in range(50)] == [str(n) for n in range(50)]
        handler.flush()


def test_nobody_waits_for_a_reader_and_what_is_dropped_is_said() -> None:
    with _pipe() as (source, target):
        handler = Queued(target)
        _say(handler, MOST + 5000)
        dropped = handler.dropped
        assert 0 < dropped <= 5000
        seen: list[str] = []

        def read() -> None:
            for line in source:
                seen.append(line)
                if line == "last\n":
                    return

        reader = threading.Thread(target=read)
        reader.start()
        until(lambda: len(seen) > MOST - 100)
        handler.handle(logging.makeLogRecord({"msg": "last"}))
        reader.join(60)
        assert seen[-1] == "last\n"
        assert "dropped" in seen[-2]
        assert len(seen) == MOST + 5000 - dropped + 2


def test_a_process_that_was_forked_says_its_own() -> None:
    with _pipe() as (source, target):
        handler = Queued(target)
        _say(handler, 1, "parent")
        handler.flush()
        if not (child := os.fork()):
            _say(handler, 1, "child")
            handler.flush()
            os._exit(0)
        os.waitpid(child, 0)
        assert [source.readline() for _ in range(2)] == ["0 parent\n", "0 child\n"]


def test_a_reader_that_is_gone_is_no_trouble(recwarn: pytest.WarningsRecorder) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    target = os.fdopen(writing, "w")
    handler = Queued(target)
    _say(handler, 3)
    handler.flush()
    assert handler.dropped == 0
    with suppress(BrokenPipeError):
        target.close()


def test_what_is_dropped_is_counted_once() -> None:
    name = b"pagetide_log_lines_dropped_total "
    before = _value(name, metrics.render())
    with _pipe() as (source, target):
        handler = Queued(target, most=10)
        _say(handler, 5000)  # more than a pipe holds, whoever of the two threads is the faster
        counted = _value(name, metrics.render())
        assert counted > before
        assert _value(name, metrics.render()) == counted
        source.close()  # whoever waits to write finds that nobody reads


def _value(name: bytes, text: bytes) -> float:
    return next(float(x.split()[1]) for x in text.splitlines() if x.startswith(name))
