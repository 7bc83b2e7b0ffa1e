"""The text of a wake-up message: one JSON object.

    {"job": "job_…", "task": "job_….1", "traceparent": "00-…-…-01"}

Anybody who may write to the queue may have written it.
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from pagetide.server.jobs.job import Task

MOST_BYTES = 1024  # of a text; ours have at most 400
_FORM = r"[A-Za-z0-9_.-]{1,128}"
_ID = Annotated[str, msgspec.Meta(pattern=rf"^{_FORM}\Z")]
_TRACE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


class WakeText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wake-up message: which task waits.

    Attributes:
        job: The job's id.
        task: The task's id.
        traceparent: The job's W3C `traceparent`, or empty.
    """

    job: _ID
    task: _ID
    traceparent: Annotated[str, msgspec.Meta(pattern=rf"^({_TRACE.pattern})?\Z")] = ""


_from_json = msgspec.json.Decoder(WakeText).decode


def write(task: Task, trace: str) -> str:
    """A task's message; a trace that is no `traceparent` is left out."""
    known = trace if _TRACE.fullmatch(trace) else ""
    text = WakeText(job=task.job_id, task=task.id, traceparent=known)
    return msgspec.json.encode(text).decode()


def is_id(text: object) -> bool:
    """Whether it may be the id of a job or a task: stores choke on some of what is text."""
    return isinstance(text, str) and bool(re.fullmatch(_FORM, text))


def parse(text: str | bytes) -> WakeText | None:
    """A message's content; None if it is not one of ours."""
    if len(text) > MOST_BYTES:
        return None
    try:
        return _from_json(text)
    except (ValueError, RecursionError):
        return None
