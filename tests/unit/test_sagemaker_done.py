"""What is done when an invocation has ended: the store is the truth, notes are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.document import SourceInfo
from pagetide.server.aws_lambda import sagemaker_done
from pagetide.server.aws_lambda.endpoint_size import last_worked
from pagetide.server.aws_lambda.sagemaker_done import AGAIN_S, Completion
from pagetide.server.jobs import endings
from pagetide.server.jobs.job import SYSTEM, Job, JobOptions, Task, TaskKind
from pagetide.server.jobs.moved import Moved
from pagetide.server.service.notifier import Notifier
from pagetide.server.stores.memory import MemoryStore
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.settings import Settings
from tests.messages import MessageQueue

NOW = 1_000_000.0


class Here:
    """A completion over a store with one task."""

    def __init__(self, folder: Path = Path("unused")) -> None:
        self.now = NOW
        self.store, self.queue = MemoryStore(), MessageQueue()
        self.lost: list[str] = []
        self.done = Completion(
            store=self.store,
            notifier=Notifier(MemoryNotifications(), self.queue),
            lose=lambda task: self.lost.append(task.id),
            settings=Settings(data_dir=str(folder)),
            clock=lambda: self.now,
        )
        source = SourceInfo(name="a", sha256="", bytes=1, media_type="x/y", page_count=1)
        job = Job(
            id="job",
            owner="",
            status="queued",
            created_at=NOW,
            expires_at=NOW,
            pool="gpu",
            options=JobOptions(model="fake"),
            source=source,
            input="jobs/job/input",
            page_count=1,
            tasks_open=1,
        )
        self.task = Task(id="job.0", job_id="job", kind="read", pool="gpu", due=NOW, pages=(1,))
        self.store.submit(job, [self.task])

    def lease(self, until: float) -> None:
        given = {"now": NOW, "until": until, "token": "t", "beside": False}
        assert self.store.claim("gpu", "worker", **given)  # type: ignore[arg-type]

    def sent(self) -> int:
        return len(self.queue.messages)


def note(
    status: str = "Failed", place: str = "s3://wakes/p/job/job.0.json", name: str = "ocr-gpu"
) -> str:
    """As SageMaker writes it, with much that is not looked at."""
    said: dict[str, Any] = {
        "awsRegion": "eu-west-1",
        "eventTime": "2026-11-21T18:00:00.000Z",
        "receivedTime": "2026-11-21T17:00:00.000Z",
        "invocationStatus": status,
        "requestParameters": {
            "contentType": "application/json",
            "endpointName": name,
            "inputLocation": place,
        },
        "responseParameters": {"outputLocation": "s3://wakes/answers/1.out"},
        "inferenceId": "job.0",
        "eventVersion": "1.0",
        "eventSource": "aws:sagemaker",
        "eventName": "InferenceResult",
    }
    return json.dumps(said)


@pytest.mark.parametrize("status", ["Completed", "Failed", "strange"])
def test_a_task_that_waits_is_sent_again_but_not_again_and_again(status: str) -> None:
    here = Here()
    assert here.done.settle(note(status)) == "sent"
    assert here.done.settle(note(status)) == "later"
    assert here.sent() == 1
    here.now += AGAIN_S
    assert here.done.settle(note(status)) == "sent"
    assert here.sent() == 2


def test_a_task_that_is_done_or_gone_needs_nothing() -> None:
    here = Here()
    assert here.done.settle(note(place="s3://wakes/p/other/other.1.json")) == "done"
    assert here.done.settle(note(place="s3://wakes/p/job/job.9.json")) == "done"
    here.store.change("job", None, lambda job, _: endings.cancel(job, NOW))
    assert here.done.settle(note()) == "done"
    assert here.sent() == 0


def test_a_task_that_is_held_is_its_holders_until_the_lease_ends() -> None:
    here = Here()
    here.lease(NOW + 30)
    for _ in range(3):
        assert here.done.settle(note()) == "held"
    assert (here.sent(), here.lost) == (0, [])
    here.now = NOW + 31
    assert here.done.settle(note()) == "lost"
    assert (here.sent(), here.lost) == (0, ["job.0"])


def test_a_task_that_is_not_due_is_left_to_the_sweep() -> None:
    here = Here()
    later = replace(here.task, due=NOW + 60)
    move = Moved
    here.store.change("job", "job.0", lambda job, _: move(job=job, tasks=(later,)))
    assert here.done.settle(note()) == "later"
    assert here.sent() == 0


@pytest.mark.parametrize(("kind", "pool"), [("deliver", SYSTEM), ("review", "review/ada")])
def test_neither_a_webhook_nor_a_person_is_work_for_an_endpoint(
    kind: TaskKind, pool: str
) -> None:
    here = Here()
    task = Task(id=f"job.{kind}", job_id="job", kind=kind, pool=pool, due=NOW)
    here.store.change("job", None, lambda job, _: Moved(job=job, tasks=(task,)))
    assert here.done.settle(note(place=f"s3://wakes/p/job/job.{kind}.json")) == "strange"
    assert here.sent() == 0


def test_another_s_endpoint_leaves_no_trace() -> None:
    here = Here()
    strange = note(place="s3://theirs/p/other/other.1.json", name="theirs")
    assert here.done.settle(strange) == "done"
    assert last_worked(here.store, "theirs") == 0


def test_it_is_noted_when_the_endpoint_worked() -> None:
    here = Here()
    here.done.settle(note("Completed"))
    assert last_worked(here.store, "ocr-gpu") == NOW


STRANGE = [
    "",
    "hello",
    "null",
    "[]",
    "{}",
    "[" * 100_000,
    "\ud800",
    note(place="s3://wakes/p/strange.json"),
    note(place="https://elsewhere/job/job.0.json"),
    note(place="s3://wakes/p/../job.0.json" + "a" * 2000),
    note(place="s3://wakes/p/j b/job.0.json"),
    note(name="ocr gpu"),
    note().replace('"Failed"', "7"),
]


@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_what_is_no_note_of_ours_is_put_away(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    here = Here()
    assert here.done.settle(text) == "strange"
    assert here.sent() == 0
    assert [record.msg for record in caplog.records] == ["note put away"]


@given(st.text(max_size=200))
def test_nothing_that_is_written_to_a_topic_raises(text: str) -> None:
    assert Here().done.settle(text) == "strange"


def test_the_function_settles_each_note_and_calls_webhooks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = Here(tmp_path)
    called: list[str] = []
    monkeypatch.setattr(here.done.webhooks, "call_due", lambda: called.append("webhooks"))
    monkeypatch.setattr(sagemaker_done, "completion", lambda: here.done)
    records = [{"Sns": {"Message": note()}}, {"Sns": {"Message": "strange"}}, {}]
    context: Any = None
    assert sagemaker_done.handle({"Records": records}, context) == [
        "sent",
        "strange",
        "strange",
    ]
    assert called == ["webhooks"]
    assert sagemaker_done.handle({}, context) == []


def test_what_is_remembered_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here()
    monkeypatch.setattr(sagemaker_done, "MOST_KNOWN", 3)
    for number in range(9):
        here.now += AGAIN_S
        here.done._remember(f"job.{number}", here.now)
    assert len(here.done._again) <= 3
