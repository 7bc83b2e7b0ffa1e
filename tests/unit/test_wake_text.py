from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.server.jobs.job import Task
from pagetide.server.queues.wake_text import MOST_BYTES, WakeText, parse, write
from pagetide.server.service.submitting.submission import new_job_id

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def task(job: str = "job_1", name: str = "job_1.1") -> Task:
    return Task(id=name, job_id=job, kind="read", pool="cpu", due=0.0)


def test_a_text_says_what_was_written() -> None:
    assert parse(write(task(), TRACE)) == WakeText("job_1", "job_1.1", TRACE)
    assert json.loads(write(task(), TRACE)) == {
        "job": "job_1",
        "task": "job_1.1",
        "traceparent": TRACE,
    }


def test_our_longest_ids_fit() -> None:
    job = new_job_id(1.7e9)
    text = write(task(job, f"{job}.finish-{'searchable-pdf' * 3}"), TRACE)
    assert len(text) < 400
    assert parse(text) is not None


@pytest.mark.parametrize(
    "trace", ["", "hello", TRACE + "-more", TRACE.upper(), TRACE + "\n", '"}', "é" * 55]
)
def test_a_trace_that_is_none_is_left_out(trace: str) -> None:
    text = parse(write(task(), trace))
    assert text is not None and text.traceparent == ""


REFUSED = {
    "nothing": b"",
    "no JSON": b"hello",
    "no UTF-8": b'{"job": "a", "task": "\xff"}',
    "a list": b'["a", "b"]',
    "no task": b'{"job": "a"}',
    "no job": b'{"task": "a"}',
    "null": b'{"job": "a", "task": null}',
    "a number": b'{"job": 1, "task": "b"}',
    "an object": b'{"job": {"id": "a"}, "task": "b"}',
    "one field more": b'{"job": "a", "task": "b", "pool": "cpu"}',
    "empty ids": b'{"job": "", "task": ""}',
    "an id with a slash": b'{"job": "../a", "task": "b"}',
    "an id with a line's end": b'{"job": "a\\n", "task": "b"}',
    "an id of other letters": '{"job": "ä", "task": "b"}'.encode(),
    "a long id": b'{"job": "' + b"a" * 129 + b'", "task": "b"}',
    "a trace that is none": b'{"job": "a", "task": "b", "traceparent": "x"}',
    "something behind it": b'{"job": "a", "task": "b"} {}',
    "too much space": b'{"job": "a", "task": "b"}' + b" " * MOST_BYTES,
    "deep": b"[" * MOST_BYTES,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_ours_is_refused(text: bytes) -> None:
    assert parse(text) is None
    assert parse(text.decode("utf-8", "surrogateescape")) is None


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_nothing_that_is_written_there_raises(text: bytes | str) -> None:
    assert parse(text) is None


@given(
    st.dictionaries(
        st.sampled_from(["job", "task", "traceparent", "more"]),
        st.none()
        | st.integers()
        | st.text(max_size=140)
        | st.sampled_from(["a", "b.1", TRACE]),
    )
)
def test_only_what_could_have_been_written_is_taken(said: dict[str, object]) -> None:
    text = parse(json.dumps(said))
    if text is not None:
        named = Task(id=text.task, job_id=text.job, kind="read", pool="cpu", due=0.0)
        assert parse(write(named, text.traceparent)) == text
        assert {"traceparent": "", **said} == {
            "job": text.job,
            "task": text.task,
            "traceparent": text.traceparent,
        }
