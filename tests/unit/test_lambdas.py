"""What functions of AWS Lambda do with the time that they have, and with answers too large."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from pagetide.server.aws_lambda import read_tasks, webhooks
from pagetide.server.aws_lambda.answers import MOST_BYTES, Answers
from pagetide.server.aws_lambda.read_tasks import Reading
from pagetide.server.aws_lambda.sweep import Sweeping
from pagetide.server.aws_lambda.webhooks import Webhooks
from pagetide.server.jobs.job import Delivery, Job, Task
from pagetide.settings import Settings
from tests.unit.api_fake import Desk

DAY = 1_700_006_400.0  # 00:00
MINUTE_S, HOUR_S = 60.0, 3600.0


class Context:
    """Lambda's, of a call with so much time left."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def spend(self, seconds: float) -> None:
        self._until -= seconds

    def get_remaining_time_in_millis(self) -> int:
        return int((self._until - time.monotonic()) * 1000)


def orphan(folder: Path, name: str) -> Path:
    """A blob of a job that never came to be, of yesterday."""
    path = folder / "blobs" / "jobs" / name / "input"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"%PDF")
    os.utime(path, (DAY - 86400, DAY - 86400))
    return path


def swept(folder: Path, now: float, seconds: float) -> None:
    """One call of the sweep, by a process that has not been called before."""
    settings = Settings(data_dir=str(folder))
    with closing(Sweeping(settings, clock=lambda: now)) as sweeping:
        sweeping.sweep(Context(seconds))


def test_orphans_are_looked_for_once_an_hour_however_many_processes_there_are(
    tmp_path: Path,
) -> None:
    """Who looked whenever it is new would never come to an end: so Lambda begins one more."""
    swept(tmp_path, DAY - HOUR_S + 5, 900)  # the blobs are claimed
    path = orphan(tmp_path, "job_1")
    swept(tmp_path, DAY + 5, 900)  # sighted
    for minute in (1, 2, 30, 59):
        swept(tmp_path, DAY + minute * MINUTE_S, 900)
    assert path.exists()
    swept(tmp_path, DAY + HOUR_S + 5, 30)  # too late to begin
    assert path.exists()
    swept(tmp_path, DAY + 2 * HOUR_S + 5, 900)
    assert not path.exists()


class SlowWorker:
    """One that has work until it is stopped, and is opened in half of its function's time."""

    def __init__(self, context: Context) -> None:
        context.spend(context.get_remaining_time_in_millis() / 2000)
        self._context, self._stopped, self.left_s = context, threading.Event(), 0.0

    def run(self) -> str:
        assert self._stopped.wait(60)
        return "stopped"

    def stop(self) -> None:
        self.left_s = self._context.get_remaining_time_in_millis() / 1000
        self._stopped.set()

    def close(self) -> None: ...


def test_a_worker_that_is_opened_slowly_is_stopped_in_time_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context, opened = Context(4.0), list[SlowWorker]()

    def open_slowly(*_: object, **__: object) -> SlowWorker:
        opened.append(SlowWorker(context))
        return opened[0]

    monkeypatch.setattr(read_tasks, "open_queue", Mock())
    monkeypatch.setattr(read_tasks, "open_notifications", Mock())
    monkeypatch.setattr(read_tasks, "Source", Mock())
    monkeypatch.setattr(read_tasks, "Batch", Mock())
    monkeypatch.setattr(read_tasks, "open_worker", open_slowly)
    Reading(Settings()).read({"Records": [{"eventSourceARN": "arn"}]}, context)
    assert opened[0].left_s > 0.1


class Calls:
    """Stands for the webhooks' owners."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def __call__(self, job: Job, task: Task) -> Delivery:
        self.told.append(job.id)
        return Delivery(at=time.time(), elapsed_ms=1.0, status=204)


def test_no_webhook_is_called_that_may_outlast_the_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, calls = Desk(tmp_path), Calls()
    monkeypatch.setattr(webhooks, "open_store", lambda _: desk.service.store)
    monkeypatch.setattr(webhooks, "WebhookPost", lambda *_: calls)
    jobs = {desk.submit(webhook_url="https://example.com/").id for _ in range(6)}
    for job_id in jobs:
        desk.service.cancel(job_id)
    calling = Webhooks(desk.settings)
    calling.call_due(webhooks.CALL_S - 1)
    assert calls.told == []
    calling.call_due(60)
    assert sorted(calls.told) == sorted(jobs)


@pytest.mark.parametrize(("method", "otherwise"), [("GET", "Range"), ("POST", "/v1/jobs")])
def test_an_answer_too_large_for_lambda_is_refused_in_words(
    method: str, otherwise: str
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(bytes(MOST_BYTES + 1))(scope, receive, send)

    said = answered(Answers(app), method, "/v1/read")
    assert said[0]["status"] == 413
    assert otherwise.encode() in said[1]["body"]


def answered(app: Callable[..., object], method: str, path: str) -> list[Message]:
    """What an application sends."""
    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": []}
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return said
