"""The queues on SQS and Azure, as who holds messages and who counts them see them.

`python -m tests.acceptance.test_cloud_queues KIND URL` receives a message, says so, and holds
it until it is killed.
"""

from __future__ import annotations

import base64
import json
import logging
import secrets
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagetide.errors import BadOption, StoreFailed
from pagetide.server.jobs.job import Task
from pagetide.server.ports import Message, Queue, Receiver
from pagetide.server.queues.azure import queue as azure
from pagetide.server.queues.azure import service as azure_service
from pagetide.server.queues.cloud import MOST_RECEIVED
from pagetide.server.queues.sqs import queue as sqs
from tests.parts import cloudformation, forks
from tests.parts.azurite import ACCOUNT, KEY
from tests.parts.moto import REGION
from tests.parts.moto import aws_credentials as aws_credentials
from tests.serving import Place, inspector, pdf, text_of_page
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("patience")

LEASE_S = 2.0
HELD_S = 5.0  # the lease of who must not lose it, however slow the machine
LONG_S = 60.0  # nothing here takes so long, unless it is broken
TASK = Task(id="job.1", job_id="job", kind="read", pool="cpu", due=0.0)
FIRST, NAME = "cpu-first", "cpu-interactive"


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who renews, sends and counts waits for a slow machine: 2 s are enough for a cloud."""
    monkeypatch.setattr(sqs, "ANSWER_S", LONG_S)
    monkeypatch.setitem(azure_service._QUICK, "read_timeout", LONG_S)


class Cloud(ABC):
    """A service as others see it, and queues of ours on it."""

    kind: str
    url: str

    def __init__(self) -> None:
        self.prefix = f"t{secrets.token_hex(4)}"
        self.ends = ExitStack()

    def open(self, more: str = "") -> Queue:
        queue = open_queue(self.kind, self.url + more)
        self.ends.callback(queue.close)
        return queue

    def send(self, task: Task) -> None:
        """Send, until it is there: `Queue.send` waits 2.5 s at most, and `close` to the end."""
        with closing(open_queue(self.kind, self.url)) as queue:
            queue.send([task])

    @abstractmethod
    def counted(self, name: str) -> int:
        """What KEDA's scaler of this service reads of a queue, as it is set by default."""

    @abstractmethod
    def put(self, name: str, body: bytes) -> None:
        """Put this into a queue, as our own messages are."""

    @abstractmethod
    def make(self, name: str) -> None: ...

    @abstractmethod
    def take(self, name: str) -> bytes:
        """The next message of a queue, for good."""


class OnSqs(Cloud):
    kind = "sqs"

    def __init__(self, server: Any) -> None:
        super().__init__()
        self.url = f"sqs://{REGION}/{self.prefix}?endpoint={server.endpoint}"
        self.client = cloudformation.client(server.endpoint, "sqs")
        self.ends.callback(self.client.close)

    def where(self, name: str) -> str:
        found = self.client.get_queue_url(QueueName=f"{self.prefix}-{name}")
        return str(found["QueueUrl"])

    def attributes(self, name: str) -> dict[str, str]:
        asked = self.client.get_queue_attributes(
            QueueUrl=self.where(name), AttributeNames=["All"]
        )
        found: dict[str, str] = asked["Attributes"]
        return found

    def counted(self, name: str) -> int:
        found = self.attributes(name)
        held = int(found["ApproximateNumberOfMessagesNotVisible"])
        return int(found["ApproximateNumberOfMessages"]) + held

    def put(self, name: str, body: bytes) -> None:
        self.client.send_message(QueueUrl=self.where(name), MessageBody=body.decode())

    def make(self, name: str) -> None:
        self.client.create_queue(QueueName=f"{self.prefix}-{name}")

    def take(self, name: str) -> bytes:
        found = self.client.receive_message(QueueUrl=self.where(name))["Messages"][0]
        return str(found["Body"]).encode()


class OnAzure(Cloud):
    kind = "azure"

    def __init__(self, server: Any) -> None:
        from azure.core.credentials import AzureNamedKeyCredential
        from azure.storage.queue import QueueServiceClient

        super().__init__()
        self.url = f"azurequeue://{ACCOUNT}/{self.prefix}?endpoint={server.queue_endpoint}"
        self.service = QueueServiceClient(
            server.queue_endpoint, credential=AzureNamedKeyCredential(ACCOUNT, KEY)
        )
        self.ends.callback(self.service.close)

    def queue(self, name: str, **policies: Any) -> Any:
        return self.service.get_queue_client(f"{self.prefix}-{name}", **policies)

    def counted(self, name: str) -> int:
        return int(self.queue(name).get_queue_properties().approximate_message_count)

    def put(self, name: str, body: bytes) -> None:
        self.queue(name).send_message(base64.b64encode(body).decode())

    def make(self, name: str) -> None:
        self.queue(name).create_queue()

    def take(self, name: str) -> bytes:
        return base64.b64decode(self.queue(name).receive_message().content)


CLOUDS: dict[str, tuple[str, type[Any]]] = {
    "sqs": ("moto", OnSqs),
    "azure": ("azurite", OnAzure),
}


@pytest.fixture(params=CLOUDS)
def cloud(request: pytest.FixtureRequest) -> Iterator[Cloud]:
    yield from running(request, request.param)


@pytest.fixture
def on_azure(request: pytest.FixtureRequest) -> Iterator[Any]:
    yield from running(request, "azure")


@pytest.fixture
def on_sqs(request: pytest.FixtureRequest) -> Iterator[Any]:
    yield from running(request, "sqs")


def running(request: pytest.FixtureRequest, name: str) -> Iterator[Cloud]:
    part, kind = CLOUDS[name]
    server = request.getfixturevalue(part)
    request.getfixturevalue("aws_credentials")  # after Moto's own, which last for the session
    on: Cloud = kind(server)
    with on.ends:
        yield on


@pytest.fixture
def receiver(cloud: Cloud) -> Iterator[Receiver]:
    with closing(cloud.open().receiver("cpu", 1)) as receiver:
        yield receiver


def open_queue(kind: str, url: str) -> Queue:
    if kind == "sqs":
        return sqs.open_queue(url, lease_s=LEASE_S)
    return azure.open_queue(url, lease_s=LEASE_S, key=KEY)


def take(receiver: Receiver, seconds: float = LONG_S) -> Message:
    message = receiver.receive(seconds)
    assert message is not None
    return message


class Counting:
    """What an autoscaler reads of a queue, ten times a second."""

    def __init__(self, cloud: Cloud) -> None:
        self.read: list[int] = []
        self._cloud, self._ended = cloud, threading.Event()
        self._thread = threading.Thread(target=self._count)

    def __enter__(self) -> Counting:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _count(self) -> None:
        while not self._ended.wait(0.1):
            self.read.append(self._cloud.counted(NAME))


def test_a_held_message_is_nobody_elses_and_is_counted_until_its_holder_dies(
    cloud: Cloud, receiver: Receiver
) -> None:
    cloud.send(TASK)
    command = [sys.executable, "-m", __name__, cloud.kind, cloud.url]
    with (
        Counting(cloud) as counting,
        forks.Popen(command, stdout=subprocess.PIPE, text=True) as holder,
    ):
        try:
            assert holder.stdout and holder.stdout.readline() == "job.1\n"
            began = time.monotonic()
            while time.monotonic() - began < 1.5 * HELD_S:
                assert receiver.receive(0.5) is None
        finally:
            holder.kill()
        message = take(receiver)
        assert message.task_id == "job.1"
        message.renew(LEASE_S)
        until(lambda: len(counting.read) > 20)
    assert set(counting.read) == {1}
    message.done()
    assert cloud.counted(NAME) == 0


def test_a_job_is_read_by_workers_that_hear_of_it_twice(cloud: Cloud, tmp_path: Path) -> None:
    queue = cloud.open()
    with closing(inspector()) as inspecting:
        place = Place(
            tmp_path, inspecting, queue=queue, idle_s=9.0, lease_s=LEASE_S, task_pages=2
        )
        job = place.submit(pdf(7))
        queue.send(place.store.tasks(job.id))
        with place.working("one"), place.working("other"):
            until(lambda: place.job(job).ended, LONG_S)
            until(lambda: cloud.counted(NAME) == 0, LONG_S, "messages are left")
    assert place.job(job).status == "succeeded"
    assert place.texts(job) == [text_of_page(number) for number in range(1, 8)]
    assert max(task.attempts for task in place.store.tasks(job.id)) == 0


def test_two_threads_may_renew_and_a_third_be_done(cloud: Cloud, receiver: Receiver) -> None:
    cloud.send(TASK)
    message = take(receiver)
    with ThreadPoolExecutor(3) as threads:
        renewals = [threads.submit(message.renew, LEASE_S) for _ in range(30)]
        until(lambda: any(renewal.done() for renewal in renewals))
        threads.submit(message.done)
    assert cloud.counted(NAME) == 0


def test_a_renewal_holds_from_now_on(
    cloud: Cloud, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    cloud.send(TASK)
    message = take(receiver)
    message.renew(30 * LONG_S)
    message.renew(1.0)
    again = take(receiver)
    message.renew(30 * LONG_S)  # what it was is gone
    message.done()
    again.done()
    assert cloud.counted(NAME) == 0
    assert caplog.records == []


GARBAGE = {
    "no JSON": b"hello",
    "nothing of ours": b"{}",
    "another's": b'{"job": "a", "task": "b", "pool": "cpu"}',
    "wrong types": b'{"job": 1, "task": ["b"]}',
    "a list": b"[[1], {}, {}]",
    "huge": b'{"job": "' + b"a" * 40_000 + b'"}',
    "markup": "<QueueMessage>&é</QueueMessage>".encode(),
}


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE.keys())
def test_what_is_not_ours_is_put_away(
    cloud: Cloud, receiver: Receiver, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    cloud.put(NAME, body)
    cloud.send(TASK)
    assert take(receiver).task_id == "job.1"
    assert (cloud.counted("dead"), cloud.counted(NAME)) == (1, 1)
    assert cloud.take("dead") == body
    said = [(record.levelname, record.msg) for record in caplog.records]
    assert said == [("WARNING", "wake-up put away")]


@pytest.mark.parametrize("text", ["hello", "aGVsbG8", "aGVs bG8=", "é", ""])
def test_what_is_not_base64_is_put_away(on_azure: OnAzure, text: str) -> None:
    with closing(on_azure.open().receiver("cpu", 1)) as receiver:
        on_azure.queue(NAME).send_message(text)
        on_azure.send(TASK)
        assert take(receiver).task_id == "job.1"
    (dead,) = on_azure.queue("dead").peek_messages()
    assert (dead.content or "") == text


def test_much_garbage_is_put_away_without_an_end_of_time(
    cloud: Cloud, receiver: Receiver
) -> None:
    for n in range(25):
        cloud.put(NAME, b"%d" % n)
    cloud.send(TASK)
    assert take(receiver).task_id == "job.1"
    assert cloud.counted("dead") == 25


def test_what_has_come_too_often_is_put_away(cloud: Cloud, receiver: Receiver) -> None:
    cloud.send(TASK)
    for _ in range(MOST_RECEIVED):
        take(receiver).release()
    assert receiver.receive(1.5) is None
    assert (cloud.counted("dead"), cloud.counted(NAME)) == (1, 0)
    assert json.loads(cloud.take("dead"))["task"] == "job.1"


def test_a_long_documents_tasks_reach_a_queue_that_is_not_there_yet(
    cloud: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    many = [replace(TASK, id=f"job.{n}") for n in range(80)]
    queue = cloud.open()
    queue.send(many)  # waits 2.5 s at most: what takes longer is sent meanwhile
    until(lambda: queue.ready("cpu") == len(many))
    assert cloud.counted(NAME) == len(many)
    assert caplog.records == []


def test_others_can_read_what_is_sent_to_azure(on_azure: OnAzure) -> None:
    from azure.storage.queue import TextBase64DecodePolicy

    on_azure.send(TASK)
    queue = on_azure.queue(NAME, message_decode_policy=TextBase64DecodePolicy())
    text = queue.receive_message().content
    assert json.loads(text) == {"job": "job", "task": "job.1", "traceparent": ""}


def test_the_queues_that_are_made_on_sqs(on_sqs: OnSqs) -> None:
    on_sqs.send(TASK)
    made, dead = on_sqs.attributes(NAME), on_sqs.attributes("dead")
    assert made["VisibilityTimeout"] == "2"
    policy = json.loads(made["RedrivePolicy"])
    assert policy["deadLetterTargetArn"] == dead["QueueArn"]
    assert int(policy["maxReceiveCount"]) == MOST_RECEIVED
    assert dead["MessageRetentionPeriod"] == str(14 * 86400)


def test_queues_that_somebody_else_made_are_used_as_they_are(cloud: Cloud) -> None:
    for name in (FIRST, NAME, "cpu-batch"):
        cloud.make(name)
    queue = cloud.open("&create=no")
    with closing(queue.receiver("cpu", 1)) as receiver:
        queue.send([TASK])
        take(receiver).done()
    assert cloud.counted(NAME) == 0


def test_nothing_is_made_where_that_is_not_wanted(
    cloud: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    queue = cloud.open("&create=no")
    assert queue.ready("cpu") == 0
    queue.send([TASK])
    until(lambda: caplog.records)
    assert [record.msg for record in caplog.records] == ["wake-up not sent"]
    with pytest.raises(StoreFailed, match=f"{cloud.prefix}-{FIRST} is missing, and create=no"):
        queue.receiver("cpu", 1)
    cloud.make(NAME)
    assert cloud.counted(NAME) == 0


def test_a_connection_string_is_enough(on_azure: OnAzure, azurite: Any) -> None:
    url = f"azurequeue://{ACCOUNT}/{on_azure.prefix}"
    string = azurite.connection_string
    with closing(azure.open_queue(url, lease_s=LEASE_S, connection=string)) as queue:
        queue.send([TASK])
        until(lambda: queue.ready("cpu") == 1)
    with pytest.raises(BadOption):
        azure.open_queue(on_azure.url, lease_s=LEASE_S, connection=string)


def test_no_key_and_no_text_of_azures_is_shown(
    on_azure: OnAzure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = base64.b64encode(b"hunter2").decode()
    with closing(azure.open_queue(on_azure.url, lease_s=1, key=wrong)) as queue:
        with pytest.raises(StoreFailed) as failed:
            queue.receiver("cpu", 1)
        queue.send([TASK])
    assert failed.value.message in (
        f"The Azure queue {on_azure.prefix}-{FIRST} cannot be used: {reason}."
        for reason in (
            "the Azure credentials are rejected",
            "this process is not allowed to do that",
        )
    )
    on_azure.send(TASK)
    assert "wake-up not sent" in caplog.text
    assert not [secret for secret in (wrong, KEY, "hunter2") if secret in caplog.text]


def _hold(queue: Queue) -> None:
    message = take(queue.receiver("cpu", 1))
    message.renew(HELD_S)
    print(message.task_id, flush=True)  # noqa: T201
    pause = threading.Event()
    while not pause.wait(HELD_S / 3):
        message.renew(HELD_S)


if __name__ == "__main__":
    _hold(open_queue(*sys.argv[1:]))
