"""The queues on SQS and Azure where their services refuse, stall or talk nonsense."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler

import pytest

from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.server.jobs.job import URGENCIES, Priority, Task
from pagetide.server.queues import cloud
from pagetide.server.queues.azure import queue as azure
from pagetide.server.queues.azure import service as azure_service
from pagetide.server.queues.cloud import Address, CloudQueue
from pagetide.server.queues.held import Held, HeldMessages
from pagetide.server.queues.sqs import queue as sqs
from pagetide.server.queues.wake_text import WakeText
from pagetide.telemetry.logs import FIELDS
from tests.loopback import Answering, Loopback, answering, loopback
from tests.parts.moto import aws_credentials as aws_credentials
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("aws_credentials")

SECRET = "hunter2-of-the-queue"  # noqa: S105 - to be looked for
KEY = "aHVudGVyMi1vZi10aGUtcXVldWU="
ACCOUNT = "ada"
# What every log record has; whatever else it has was given as a field.
PLAIN = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setattr(sqs, "ANSWER_S", 60)
    monkeypatch.setitem(azure_service._QUICK, "read_timeout", 60)
    with loopback() as running:
        yield running


def tasks(count: int, priority: Priority = "interactive", pool: str = "cpu") -> list[Task]:
    return [
        Task(id=f"job.{n}", job_id="job", kind="read", pool=pool, due=0.0, priority=priority)
        for n in range(count)
    ]


def sqs_at(server: Loopback, more: str = "") -> CloudQueue:
    endpoint = f"http://127.0.0.1:{server.port}"
    return sqs.open_queue(f"sqs://us-east-1/t?endpoint={endpoint}{more}", lease_s=30)


def azure_at(server: Loopback, more: str = "") -> CloudQueue:
    endpoint = f"http://127.0.0.1:{server.port}/{ACCOUNT}"
    url = f"azurequeue://{ACCOUNT}/t?endpoint={endpoint}{more}"
    return azure.open_queue(url, lease_s=30, key=KEY)


class Sqs:
    """Answers as SQS does: every action as told, else as if all went well."""

    def __init__(self, server: Loopback) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.answers: dict[str, Callable[[dict[str, object]], Answering]] = {}
        self._server = server
        server.answers["/"] = self._answer

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        action = handler.headers["X-Amz-Target"].partition(".")[2]
        asked = json.loads(self._server.here.asked.body)
        self.asked.append((action, asked))
        found = self.answers.get(action, self._well(action))
        found(asked)(handler)

    def _well(self, action: str) -> Callable[[dict[str, object]], Answering]:
        known = {
            "GetQueueUrl": lambda asked: said({"QueueUrl": f"http://q/{asked['QueueName']}"}),
            "SendMessageBatch": lambda asked: said({"Successful": [], "Failed": []}),
        }
        return known.get(action, lambda asked: said({}))

    def count(self, action: str) -> int:
        return [name for name, _ in self.asked].count(action)


def said(body: object, status: int = 200) -> Answering:
    head = {"Content-Type": "application/x-amz-json-1.0"}
    return answering(json.dumps(body).encode(), status, head)


def refusing(code: str, status: int = 400) -> Callable[[dict[str, object]], Answering]:
    text = f"The key {SECRET} is not known"
    return lambda asked: said({"__type": f"com.amazonaws.sqs#{code}", "message": text}, status)


def azure_refusing(code: str, status: int) -> Answering:
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{SECRET}</Message></Error>"
    head = {"x-ms-error-code": code, "Content-Type": "application/xml"}
    return answering(body.encode(), status, head)


SQS_REFUSALS = {
    "ExpiredToken": "the AWS credentials are rejected",
    "AccessDeniedException": "this process is not allowed to do that",
    "InvalidAttributeName": "it refuses the request",
}


@pytest.mark.parametrize("code", SQS_REFUSALS)
def test_what_sqs_refuses_is_said_in_our_words(server: Loopback, code: str) -> None:
    Sqs(server).answers["GetQueueAttributes"] = refusing(code)
    with closing(sqs_at(server)) as queue, pytest.raises(StoreFailed) as failed:
        queue.ready("cpu")
    reason = SQS_REFUSALS[code]
    assert failed.value.message == (f"The SQS queue t-cpu-first cannot be used: {reason}.")
    assert failed.value.__suppress_context__  # or a traceback would show theirs


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("ThrottlingException", 400, "it gets too many requests"),
        ("InternalFailure", 500, "it has an internal error"),
    ],
)
def test_sqs_is_asked_three_times_where_it_may_do_better(
    server: Loopback, code: str, status: int, reason: str
) -> None:
    fake = Sqs(server)
    with closing(sqs_at(server)) as queue, closing(queue.receiver("cpu", 1)) as receiver:
        fake.answers["ReceiveMessage"] = refusing(code, status)
        with pytest.raises(StoreFailed) as failed:
            receiver.receive(0)
    assert failed.value.message.endswith(f"{reason}.")
    assert fake.count("ReceiveMessage") == 3


@pytest.mark.parametrize("body", [b"<html>hello", b"[]", b"null", b"{"])
def test_an_answer_that_is_not_sqss_is_a_failure_or_nothing(
    server: Loopback, body: bytes
) -> None:
    fake = Sqs(server)
    fake.answers["GetQueueAttributes"] = lambda asked: answering(body)
    with closing(sqs_at(server)) as queue:
        try:
            assert queue.ready("cpu") == 0
        except StoreFailed as error:
            assert error.message.endswith(".")


def test_without_aws_credentials_it_is_said(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/nowhere")
    with closing(sqs_at(server)) as queue, pytest.raises(StoreFailed, match="no AWS credent"):
        queue.ready("cpu")


def test_a_profile_that_is_not_there_is_said(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", SECRET)
    with pytest.raises(StoreFailed) as failed:
        sqs_at(server)
    assert SECRET not in failed.value.message


def test_sqs_takes_batches_of_ten_by_queue(server: Loopback) -> None:
    fake = Sqs(server)
    with closing(sqs_at(server)) as queue:
        queue.send([*tasks(12), *tasks(3, "batch"), *tasks(1, pool="gpu")])
    sent = [asked for action, asked in fake.asked if action == "SendMessageBatch"]
    shape = [(asked["QueueUrl"], len(entries_of(asked))) for asked in sent]
    assert sorted(shape) == [
        ("http://q/t-cpu-batch", 3),
        ("http://q/t-cpu-interactive", 2),
        ("http://q/t-cpu-interactive", 10),
        ("http://q/t-gpu-interactive", 1),
    ]


def entries_of(asked: dict[str, object]) -> list[dict[str, str]]:
    entries = asked["Entries"]
    assert isinstance(entries, list)
    return entries


@pytest.mark.parametrize("failures", [1, 2])
def test_what_sqs_did_not_take_is_sent_once_more(
    server: Loopback, caplog: pytest.LogCaptureFixture, failures: int
) -> None:
    fake = Sqs(server)

    def take(asked: dict[str, object]) -> Answering:
        first = fake.count("SendMessageBatch") <= failures
        failed = [{"Id": "1", "Code": "Busy", "SenderFault": False}] if first else []
        return said({"Successful": [], "Failed": failed})

    fake.answers["SendMessageBatch"] = take
    with closing(sqs_at(server)) as queue:
        queue.send(tasks(3))
    sent = [entries_of(asked) for action, asked in fake.asked if action == "SendMessageBatch"]
    texts = [
        [json.loads(entry["MessageBody"])["task"] for entry in entries] for entries in sent
    ]
    assert texts == [["job.0", "job.1", "job.2"], ["job.1"]]
    assert not_sent(caplog) == ([] if failures == 1 else [("job", "cpu", 1)])


def not_sent(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, int]]:
    """Job, pool and count of what was logged as not sent; and nothing secret was logged."""
    found = []
    for record in caplog.records:
        given = {name: value for name, value in vars(record).items() if name not in PLAIN}
        assert SECRET not in record.getMessage() and SECRET not in str(given)
        if record.msg == "wake-up not sent":
            assert given.keys() <= set(FIELDS)
            found.append((given["job"], given["pool"], given["count"]))
    return found


def test_what_sqs_refuses_to_take_is_logged(
    server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    Sqs(server).answers["SendMessageBatch"] = refusing("ExpiredToken")
    with closing(sqs_at(server)) as queue:
        queue.send(tasks(15))
    assert not_sent(caplog) == [("job", "cpu", 15)]


def stalling(server: Loopback) -> Answering:
    return lambda handler: server.closing.wait(60)


@pytest.mark.parametrize("name", ["sqs", "azure"])
def test_a_service_that_never_answers_keeps_nobody_waiting(
    server: Loopback,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(sqs, "ANSWER_S", 2)
    monkeypatch.setitem(azure_service._QUICK, "read_timeout", 2)
    paths = ("/", f"/{ACCOUNT}/t-cpu-interactive/messages")
    server.answers.update(dict.fromkeys(paths, stalling(server)))
    with closing(sqs_at(server) if name == "sqs" else azure_at(server)) as queue:
        before = time.monotonic()
        queue.send(tasks(2000))
        assert time.monotonic() - before < 20.0  # each parcel alone would take two seconds
        assert until(lambda: not_sent(caplog)) == [("job", "cpu", 2000)]
        asked = [one for one in server.received if one.path in paths]
        assert len(asked) <= 12  # the other parcels are not even tried
        server.closing.set()


def test_what_takes_long_is_sent_though_nobody_waits(
    server: Loopback, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cloud, "SEND_S", 0.1)
    fake, go_on = Sqs(server), threading.Event()

    def take(asked: dict[str, object]) -> Answering:
        go_on.wait(60)
        return said({"Successful": [], "Failed": []})

    fake.answers["SendMessageBatch"] = take
    with closing(sqs_at(server)) as queue:
        queue.send(tasks(100))
        assert fake.count("SendMessageBatch") < 10
        go_on.set()
    assert fake.count("SendMessageBatch") == 10
    assert not_sent(caplog) == []


@pytest.mark.parametrize("name", ["sqs", "azure"])
def test_sending_after_closing_is_only_logged(
    server: Loopback, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    queue = sqs_at(server) if name == "sqs" else azure_at(server)
    queue.close()
    queue.send(tasks(2))
    queue.send([])
    assert not_sent(caplog) == [("job", "cpu", 2)]
    assert server.received == []


class Passing(threading.Event):
    """The time, and an event that nobody sets: to wait for it takes none."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.now += timeout
        return False


def test_an_idle_sqs_receiver_asks_once_a_second(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, passing = Sqs(server), Passing()
    monkeypatch.setattr(sqs, "time", passing)

    def poll(asked: dict[str, object]) -> Answering:
        seconds = asked["WaitTimeSeconds"]
        assert isinstance(seconds, int)
        passing.wait(seconds)
        return said({})

    fake.answers["ReceiveMessage"] = poll
    with closing(sqs_at(server)) as queue, closing(queue.receiver("cpu", 1)) as receiver:
        assert receiver.receive(0) is None
        assert fake.count("ReceiveMessage") == 3
        assert receiver.receive(2.0) is None
        assert receiver.receive(2.0) is None
    assert fake.count("ReceiveMessage") == 9
    polled = [asked for action, asked in fake.asked if action == "ReceiveMessage"]
    assert [asked["WaitTimeSeconds"] for asked in polled] == [0] * 3 + [0, 1, 1] * 2
    assert {asked["VisibilityTimeout"] for asked in polled} == {30}
    assert {asked["MaxNumberOfMessages"] for asked in polled} == {1}


def test_an_idle_azure_receiver_asks_less_and_less_often(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = Passing()
    monkeypatch.setattr(azure, "time", passing)
    empty = answering(
        b"<?xml version='1.0'?><QueueMessagesList />",
        headers={"Content-Type": "application/xml"},
    )
    paths = [f"/{ACCOUNT}/t-cpu-{name}/messages" for name in URGENCIES]
    server.answers.update(dict.fromkeys(paths, empty))
    with closing(azure_at(server)) as queue, closing(queue.receiver("cpu", 1)) as receiver:
        monkeypatch.setattr(receiver, "_woken", passing)
        assert len(server.received) == 3  # to see whether the queues are there
        receiver.receive(1.6)  # after 0, 0.1, 0.3, 0.7 and 1.5 s, and at its end
        early = len(server.received) - 3
        receiver.receive(2.0)  # every second
        late = len(server.received) - 3 - early
    assert early <= 18
    assert late <= 9


AZURE_REFUSALS = [
    ("AuthenticationFailed", 403, "the Azure credentials are rejected"),
    ("AuthorizationPermissionMismatch", 403, "this process is not allowed to do that"),
    ("QueueBeingDeleted", 409, "it is just being deleted"),
    ("OutOfRangeQueryParameterValue", 400, "it refuses the request"),
    ("ServerBusy", 503, "it gets too many requests"),
    ("InternalError", 500, "it has an internal error"),
]


@pytest.mark.parametrize(("code", "status", "reason"), AZURE_REFUSALS)
def test_what_azure_refuses_is_said_in_our_words(
    server: Loopback, code: str, status: int, reason: str
) -> None:
    server.answers[f"/{ACCOUNT}/t-cpu-first"] = azure_refusing(code, status)
    with closing(azure_at(server)) as queue, pytest.raises(StoreFailed) as failed:
        queue.ready("cpu")
    assert failed.value.message == (f"The Azure queue t-cpu-first cannot be used: {reason}.")
    assert failed.value.__suppress_context__  # or a traceback would show theirs
    assert len(server.received) == 1


def test_an_answer_that_is_not_azures_is_a_failure(server: Loopback) -> None:
    path = f"/{ACCOUNT}/t-cpu-first/messages"
    server.answers[path] = answering(b"<html>", headers={"Content-Type": "application/xml"})
    with closing(azure_at(server)) as queue, pytest.raises(StoreFailed, match="cannot be used"):
        queue.receiver("cpu", 1)


def test_what_azure_refuses_to_take_is_logged(
    server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    path = f"/{ACCOUNT}/t-cpu-first/messages"
    server.answers[path] = azure_refusing("ServerBusy", 503)
    with closing(azure_at(server)) as queue:
        queue.send(tasks(15))
    assert not_sent(caplog) == [("job", "cpu", 15)]
    assert len(server.received) == 1  # what fails is not asked for the others


@pytest.mark.parametrize("name", ["sqs", "azure"])
def test_a_receiver_needs_its_queue(server: Loopback, name: str) -> None:
    Sqs(server).answers["GetQueueUrl"] = refusing("QueueDoesNotExist")
    path = f"/{ACCOUNT}/t-cpu-first/messages"
    server.answers[path] = azure_refusing("QueueNotFound", 404)
    at, kind = (sqs_at, "SQS") if name == "sqs" else (azure_at, "Azure")
    with closing(at(server, "&create=no")) as queue, pytest.raises(StoreFailed) as failed:
        queue.receiver("cpu", 1)
    assert failed.value.message == (
        f"The {kind} queue t-cpu-first is missing, and create=no is set: create it first."
    )


def test_a_queue_that_may_not_be_made_is_named(server: Loopback) -> None:
    fake = Sqs(server)
    fake.answers["GetQueueUrl"] = refusing("QueueDoesNotExist")
    fake.answers["CreateQueue"] = refusing("AccessDenied", 403)
    with closing(sqs_at(server)) as queue, pytest.raises(StoreFailed) as failed:
        queue.receiver("cpu", 1)
    assert failed.value.message == (
        "The SQS queue t-dead is missing, and this process may not create it."
    )


def test_a_queue_that_somebody_else_has_just_made_is_taken(server: Loopback) -> None:
    fake = Sqs(server)

    def find(asked: dict[str, object]) -> Answering:
        if fake.count("CreateQueue"):
            return said({"QueueUrl": "http://q/theirs"})
        return refusing("QueueDoesNotExist")(asked)

    fake.answers["GetQueueUrl"] = find
    fake.answers["CreateQueue"] = refusing("QueueNameExists")
    with closing(sqs_at(server)) as queue:
        queue.send(tasks(1))
    assert [asked["QueueUrl"] for name, asked in fake.asked if name == "SendMessageBatch"] == [
        "http://q/theirs"
    ]


@pytest.mark.parametrize(
    ("module", "opening", "extra"),
    [
        ("botocore.config", lambda: sqs.open_queue("sqs://us-east-1/t", lease_s=1), "aws"),
        (
            "azure.storage.queue",
            lambda: azure.open_queue("azurequeue://ada/t", lease_s=1, key=KEY),
            "azure",
        ),
        (
            "azure.identity",
            lambda: azure.open_queue("azurequeue://ada/t", lease_s=1),
            "azure",
        ),
    ],
)
def test_without_the_extra_it_is_named(
    monkeypatch: pytest.MonkeyPatch, module: str, opening: Callable[[], object], extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BadOption, match=re.escape(installing(extra))):
        opening()


def test_an_address_is_read() -> None:
    form, place, prefix = "FORM", "[a-z0-9-]+", "[a-z-]+"
    url = "sqs://eu-west-1/ocr-prod?endpoint=http://127.0.0.1:9324/a&create=no"
    address = cloud.parse_address(url, form, place, prefix)
    assert address == Address("eu-west-1", "ocr-prod", "http://127.0.0.1:9324/a", False)
    assert address.names("gpu") == (
        "ocr-prod-gpu-first",
        "ocr-prod-gpu-interactive",
        "ocr-prod-gpu-batch",
    )
    assert address.dead == "ocr-prod-dead"
    plain = cloud.parse_address("sqs://eu-west-1/ocr", form, place, prefix)
    assert plain == Address("eu-west-1", "ocr", "", True)


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "us-east-1",
        "us-east-1/",
        "/t",
        "us-east-1/t/u",
        "us-east-1/t u",
        "us-east-1/t%20u",
        "us-east-1:80/t",
        f"ada:{SECRET}@us-east-1/t",
        f"us-east-1/t?key={SECRET}",
        f"us-east-1/t?{SECRET}",
        f"us-east-1/t?create={SECRET}",
        f"us-east-1/t?endpoint=http://ada:{SECRET}@h",
        f"us-east-1/t?endpoint=http://h?sig={SECRET}",
        "us-east-1/t?endpoint=",
        "us-east-1/t?endpoint=http://",
        "us-east-1/t?endpoint=http://h:x",
        "us-east-1/t?endpoint=http://[::1",
        "us-east-1/t?create=no&create=no",
        f"us-east-1/t#{SECRET}",
        "us-east-1/" + "t" * 41,
        "[/t",
    ],
)
def test_a_url_that_says_something_else_is_refused(rest: str) -> None:
    for scheme, opening in (("sqs", sqs.open_queue), ("azurequeue", azure.open_queue)):
        account = rest.replace("us-east-1", "ada")
        with pytest.raises(BadOption) as refused:
            opening(f"{scheme}://{rest if scheme == 'sqs' else account}", lease_s=1)
        assert SECRET not in refused.value.message


@pytest.mark.parametrize(
    "rest", ["ad/t", "Ada/t", "ada/T", "ada/-t", "ada/t-", "ada/a--b", "ada/a_b"]
)
def test_what_azure_cannot_name_is_refused(rest: str) -> None:
    with pytest.raises(BadOption, match="lacks a place and prefix"):
        azure.open_queue(f"azurequeue://{rest}", lease_s=1, key=KEY)


@pytest.mark.parametrize(
    ("more", "given", "why"),
    [
        ("", {"key": f"{SECRET}!"}, "not Base64"),
        ("", {"connection": SECRET}, "is invalid"),
        ("", {"connection": f"AccountName=bob;AccountKey={KEY}"}, "a different account"),
        (
            "?endpoint=http://h",
            {"connection": f"AccountName=ada;AccountKey={KEY}"},
            "remove endpoint",
        ),
        ("?endpoint=http://h", {}, "over https"),
    ],
)
def test_azure_credentials_that_cannot_be_are_refused(
    more: str, given: dict[str, str], why: str
) -> None:
    with pytest.raises(BadOption, match=why) as refused:
        azure.open_queue(f"azurequeue://ada/t{more}", lease_s=1, **given)
    assert SECRET not in refused.value.message and KEY not in refused.value.message


def test_nothing_shows_the_key(server: Loopback) -> None:
    with closing(azure_at(server)) as queue:
        assert KEY not in repr(queue)
        assert all(KEY not in repr(value) for value in vars(queue).values())


class Told:
    """A handle that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.failing: Exception | None = None

    def hide(self, seconds: int) -> None:
        self.told.append(seconds)
        if self.failing:
            raise self.failing

    def delete(self) -> None:
        self.told.append("deleted")
        if self.failing:
            raise self.failing


@pytest.fixture
def handle() -> Told:
    return Told()


@pytest.fixture
def held(handle: Told) -> Held:
    return HeldMessages().hold(WakeText("job", "job.1"), handle)


def test_times_are_rounded_up(handle: Told, held: Held) -> None:
    for seconds in (0.0, 0.2, 1.0, 1.01, 1e9):
        held.renew(seconds)
    held.release(0.1)
    assert handle.told == [1, 1, 1, 2, 43200, 1]


def test_what_is_let_go_is_told_nothing_more(handle: Told, held: Held) -> None:
    held.release()
    for late in (held.done, held.release, lambda: held.renew(5.0)):
        late()
    assert handle.told == [0]


@pytest.mark.parametrize("error", [StoreFailed(SECRET), RuntimeError(SECRET)])
def test_no_failure_reaches_who_holds_it(
    handle: Told, held: Held, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    handle.failing = error
    held.renew(3.0)
    held.done()
    assert handle.told == [3, "deleted"]
    assert len(caplog.records) == 2
    assert not_sent(caplog) == []


def test_a_renewal_under_way_does_not_outlast_the_release() -> None:
    began, go_on, told = threading.Event(), threading.Event(), list[int]()

    class Slow(Told):
        def hide(self, seconds: int) -> None:
            began.set()
            if seconds:
                go_on.wait(60)
            told.append(seconds)

    held = HeldMessages().hold(WakeText("job", "job.1"), Slow())
    with ThreadPoolExecutor(2) as threads:
        threads.submit(held.renew, 30.0)
        assert began.wait(60)
        released = threads.submit(held.release)
        assert not released.done()
        go_on.set()
    assert told == [30, 0]


def test_a_receivers_end_lets_go_of_what_it_holds() -> None:
    messages, one, other = HeldMessages(), Told(), Told()
    messages.hold(WakeText("job", "job.1"), one)
    messages.hold(WakeText("job", "job.2"), other).done()
    messages.release()
    messages.release()
    assert (one.told, other.told) == ([0], ["deleted"])


def test_what_is_let_go_is_forgotten(handle: Told) -> None:
    messages = HeldMessages()
    held = messages.hold(WakeText("job", "job.1"), handle)
    forgotten = weakref.ref(held)
    held.done()
    del held
    assert forgotten() is None


def test_azure_is_asked_three_times_where_it_may_do_better(server: Loopback) -> None:
    path = f"/{ACCOUNT}/t-cpu-first/messages"
    server.answers[path] = azure_refusing("ServerBusy", 503)
    with (
        closing(azure_at(server)) as queue,
        pytest.raises(StoreFailed, match="too many requests"),
    ):
        queue.receiver("cpu", 1)
    assert len(server.received) == 3


def test_a_wake_up_ends_the_wait(server: Loopback) -> None:
    fake = Sqs(server)
    fake.answers["ReceiveMessage"] = lambda asked: said({})
    with closing(sqs_at(server)) as queue, closing(queue.receiver("cpu", 1)) as receiver:
        thread = threading.Thread(target=receiver.receive, args=(600,))
        thread.start()
        until(lambda: fake.count("ReceiveMessage") > 2)
        receiver.wake()
        thread.join(60)
        assert not thread.is_alive()
