"""The queue on SageMaker: its URL, its container's server, its waking of endpoints."""

from __future__ import annotations

import json
import logging
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any, cast

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.cli.checks.examination import Steps
from pagetide.cli.checks.queue import check_queue
from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.server.jobs.job import Task
from pagetide.server.queues import wake_text
from pagetide.server.queues.cloud import Parcel
from pagetide.server.queues.sagemaker import queue as sagemaker
from pagetide.server.queues.sagemaker.address import Address, parse_address, task_of
from pagetide.server.queues.sagemaker.capacity import Capacity, woken
from pagetide.server.queues.sagemaker.queue import SageMakerQueue
from pagetide.server.queues.sagemaker.receiver import SageMakerReceiver
from pagetide.server.queues.sagemaker.server import QUIET_S
from pagetide.server.queues.sagemaker.service import EndpointState
from pagetide.settings import Settings
from pagetide.telemetry.logs import FIELDS
from tests.loopback import Loopback, answering, loopback
from tests.parts.moto import aws_credentials as aws_credentials
from tests.parts.server import free_port
from tests.waiting import until

SECRET = "hunter2-of-the-queue"  # noqa: S105 - to be looked for
URL = "sagemaker://eu-west-1/ocr-gpu/wakes?bucket=my-wakes"
TASK = Task(id="job.1", job_id="job", kind="read", pool="gpu", due=0.0)


# Its URL.


def test_an_address_is_read() -> None:
    assert parse_address(URL) == Address("eu-west-1", "ocr-gpu", "wakes", "my-wakes")
    more = "&variant=Blue&port=0&endpoint=http://127.0.0.1:4566"
    found = parse_address(URL + more)
    assert (found.variant, found.port, found.url) == ("Blue", 0, "http://127.0.0.1:4566")
    assert found.name("gpu") == found.name("cpu") == "ocr-gpu"
    assert parse_address(URL.replace("-gpu", "-{pool}")).name("cpu") == "ocr-cpu"


@pytest.mark.parametrize(
    "url",
    [
        "sagemaker://eu-west-1/ocr",
        "sagemaker://eu-west-1/ocr/wakes",
        "sagemaker://eu-west-1//wakes?bucket=b-b",
        "sagemaker://eu-west-1/-ocr/wakes?bucket=b-b",
        "sagemaker://eu-west-1/ocr/wakes/more?bucket=b-b",
        f"sagemaker://eu-west-1/{'o' * 64}/wakes?bucket=b-b",
        f"sagemaker://ada:{SECRET}@eu-west-1/ocr/wakes?bucket=b-b",
        f"{URL}&key={SECRET}",
        f"{URL}&variant={SECRET}%20",
        f"{URL}&port={SECRET}",
        f"{URL}&port=-1",
        f"{URL}&endpoint=http://ada:{SECRET}@h",
        f"{URL}&endpoint=",
        f"{URL}&bucket=other",
        f"{URL}#{SECRET}",
        "sagemaker://[::1/ocr/wakes?bucket=b-b",
    ],
)
def test_a_url_that_says_something_else_is_refused(url: str) -> None:
    with pytest.raises(BadOption) as refused:
        sagemaker.open_queue(url, lease_s=1)
    assert SECRET not in refused.value.message and refused.value.message.endswith(".")


IDS = st.from_regex(r"[A-Za-z0-9_.-]{1,40}", fullmatch=True)


@given(IDS, IDS)
def test_the_place_of_a_wake_text_says_whose_it_is(job: str, task: str) -> None:
    key = parse_address(URL).key(Task(id=task, job_id=job, kind="read", pool="gpu", due=0.0))
    assert task_of(f"s3://my-wakes/{key}") == (job, task)


@given(st.text(max_size=60))
def test_no_other_place_is_taken_for_one(text: str) -> None:
    found = task_of(text)
    assert found is None or text.startswith("s3://")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.config", None)
    with pytest.raises(BadOption, match=re.escape(installing("aws"))):
        sagemaker.open_queue(URL, lease_s=1)


# What its container answers.


@pytest.fixture
def receiver() -> Iterator[SageMakerReceiver]:
    with closing(SageMakerReceiver(free_port(), 2)) as made:
        yield made


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=60) as client:
        yield client


def text_of(name: str) -> str:
    task = Task(id=f"job.{name}", job_id="job", kind="read", pool="gpu", due=0.0)
    return wake_text.write(task, "")


def at(receiver: SageMakerReceiver, path: str) -> str:
    return f"http://127.0.0.1:{receiver.port}{path}"


def test_it_is_up_as_long_as_it_receives(
    receiver: SageMakerReceiver, http: httpx.Client
) -> None:
    assert http.get(at(receiver, "/ping")).status_code == 200
    assert http.get(at(receiver, "/else")).status_code == 404
    assert http.post(at(receiver, "/else"), content=text_of("1")).status_code == 404
    receiver.close()
    with pytest.raises(httpx.ConnectError):
        http.get(at(receiver, "/ping"))


@pytest.mark.parametrize(("ending", "status"), [("done", 200), ("release", 503)])
def test_an_invocation_is_answered_when_its_message_ends(
    receiver: SageMakerReceiver, http: httpx.Client, ending: str, status: int
) -> None:
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(http.post, at(receiver, "/invocations"), content=text_of("1"))
        message = receiver.receive(60)
        assert message and message.task_id == "job.1"
        message.renew(30)
        assert not asked.done()
        getattr(message, ending)()
        message.done()
        assert asked.result().status_code == status
    assert asked.result().headers["Content-Type"] == "application/json"


def test_the_most_urgent_is_received_first(
    receiver: SageMakerReceiver, http: httpx.Client
) -> None:
    head = "X-Amzn-SageMaker-Custom-Attributes"
    with closing(SageMakerReceiver(0, 4)) as wide, ThreadPoolExecutor(4) as threads:
        for number, urgency in enumerate(("batch", "strange", "first", "interactive")):
            ask = partial(http.post, content=text_of(urgency), headers={head: urgency})
            threads.submit(ask, at(wide, "/invocations"))
            until(lambda n=number: wide.waiting == n + 1)  # type: ignore[misc]
        came = [wide.receive(1) for _ in range(4)]
        names = [message.task_id for message in came if message]
        assert names == ["job.first", "job.strange", "job.interactive", "job.batch"]
        for message in filter(None, came):
            message.done()


def test_more_than_it_holds_are_sent_back(
    receiver: SageMakerReceiver, http: httpx.Client
) -> None:
    with ThreadPoolExecutor(2) as threads:
        held = [
            threads.submit(http.post, at(receiver, "/invocations"), content=text_of(name))
            for name in ("1", "2")
        ]
        messages = [receiver.receive(60), receiver.receive(60)]
        answer = http.post(at(receiver, "/invocations"), content=text_of("3"))
        assert (answer.status_code, answer.json()) == (503, {"status": "busy"})
        receiver.close()
        assert [each.result().status_code for each in held] == [503, 503]
    assert all(messages) and receiver.receive(0) is None


HOSTILE = {
    "nothing": b"",
    "no JSON": b"hello",
    "another's": b'{"job": "a", "task": "b", "pool": "cpu"}',
    "no id": b'{"job": "a/b", "task": "b"}',
    "deep": b"[" * 900,
    "long": b'{"job": "' + b"a" * 4000 + b'"}',
    "bytes": b"\xff\x00",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_not_ours_is_refused(
    receiver: SageMakerReceiver, http: httpx.Client, body: bytes
) -> None:
    answer = http.post(at(receiver, "/invocations"), content=body)
    assert (answer.status_code, answer.json()) == (400, {"status": "not ours"})
    assert receiver.receive(0) is None


RAW = {
    "no length": b"",
    "a length that is none": b"Content-Length: many\r\n",
    "less than nothing": b"Content-Length: -5\r\n",
    "a gigabyte": b"Content-Length: 1073741824\r\n",
    "chunks that are none": b"Transfer-Encoding: chunked\r\n",
}


@pytest.mark.parametrize("head", RAW.values(), ids=RAW.keys())
def test_a_body_that_is_not_as_announced_is_refused(
    receiver: SageMakerReceiver, head: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", receiver.port), timeout=60) as connection:
        connection.sendall(b"POST /invocations HTTP/1.1\r\nHost: a\r\n" + head + b"\r\nzz\r\n")
        assert connection.recv(64).startswith(b"HTTP/1.1 400 ")


def test_a_body_may_come_in_chunks(receiver: SageMakerReceiver, http: httpx.Client) -> None:
    text, url = text_of("1").encode(), at(receiver, "/invocations")

    def pieces(sizes: list[int]) -> Iterator[bytes]:
        left = text
        for size in [*sizes, len(text)]:
            if left[:size]:
                yield left[:size]
            left = left[size:]

    with ThreadPoolExecutor(1) as threads:

        @given(st.lists(st.integers(1, 40), max_size=12))
        def check(sizes: list[int]) -> None:
            asked = threads.submit(http.post, url, content=pieces(sizes))
            message = receiver.receive(60)
            assert message and message.task_id == "job.1"
            message.done()
            assert asked.result().status_code == 200

        check()


def test_who_says_nothing_does_not_keep_it_from_closing(receiver: SageMakerReceiver) -> None:
    before = set(threading.enumerate()) - {receiver._thread}
    with socket.create_connection(("127.0.0.1", receiver.port), timeout=60) as silent:
        silent.sendall(b"POST /invocations HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        until(lambda: set(threading.enumerate()) - before - {receiver._thread})
        began = time.monotonic()
        receiver.close()
        assert time.monotonic() - began < QUIET_S / 2
        assert set(threading.enumerate()) <= before


def test_a_port_that_is_taken_is_named(receiver: SageMakerReceiver) -> None:
    with pytest.raises(BadOption, match=f"port {receiver.port} for SageMaker"):
        SageMakerReceiver(receiver.port, 1)


# Whom it wakes, and how it sends.


class Endpoint:
    """An endpoint that can be looked at and resized; each look or write may fail."""

    def __init__(self, *fails: str, desired: int = 0) -> None:
        self.fails, self.desired, self.asked = iter(fails), desired, list[str]()

    def seen(self, name: str) -> EndpointState:
        self._next("look")
        return EndpointState(status="InService", desired=self.desired, changed=0.0)

    def resize(self, name: str, instances: int) -> bool:
        if self._next("write") == "changing":
            return False
        self.desired = instances
        return True

    def _next(self, what: str) -> str:
        self.asked.append(what)
        how = next(self.fails, "")
        if how == "away":
            raise StoreFailed("It is away.")
        return how


def test_only_an_endpoint_that_sleeps_is_woken() -> None:
    for desired in (1, 3):
        endpoint = Endpoint(desired=desired)
        assert woken(endpoint, "gpu")
        assert (endpoint.asked, endpoint.desired) == (["look"], desired)
    asleep = Endpoint()
    assert woken(asleep, "gpu") and woken(asleep, "gpu")
    assert (asleep.asked, asleep.desired) == (["look", "write", "look"], 1)


@given(st.lists(st.sampled_from(["", "away", "changing"]), max_size=6))
def test_whatever_fails_it_is_awake_in_the_end(fails: list[str]) -> None:
    endpoint = Endpoint(*fails)
    with closing(Capacity(endpoint, pause_s=0.001)) as capacity:
        capacity.wake("gpu")
        capacity.wake("gpu")
        until(lambda: endpoint.desired == 1)


def test_who_wakes_waits_for_no_second_try() -> None:
    endpoint = Endpoint("away")
    with closing(Capacity(endpoint, pause_s=3600)) as capacity:
        capacity.wake("gpu")
        assert (endpoint.asked, endpoint.desired) == (["look"], 0)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        yield running


def refusing(code: str, status: int = 400) -> Any:
    said = json.dumps({"__type": code, "message": f"The key {SECRET} is not known"}).encode()
    head = {"Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": code}
    return answering(said, status, head)


REFUSALS = {
    "AccessDeniedException": "this process is not allowed to do that",
    "ThrottlingException": "it gets too many requests",
    "ExpiredTokenException": "the AWS credentials are rejected",
    "ResourceLimitExceeded": "the account's limit is reached",
    "ValidationException": "it refuses the request",
}


@pytest.mark.usefixtures("aws_credentials")
@pytest.mark.parametrize("code", REFUSALS)
def test_what_is_refused_is_said_in_our_words(
    server: Loopback,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
) -> None:
    monkeypatch.setattr(sagemaker, "Capacity", partial(Capacity, pause_s=3600))  # tries once
    server.answers["/"] = refusing(code)
    url = f"{URL}&endpoint=http://127.0.0.1:{server.port}"
    with closing(sagemaker.open_queue(url, lease_s=1)) as queue:
        with pytest.raises(StoreFailed) as failed:
            queue.ready("gpu")
        queue.send([TASK])
    said = f"The SageMaker endpoint ocr-gpu cannot be used: {REFUSALS[code]}."
    assert failed.value.message == said and failed.value.__suppress_context__
    assert [record.msg for record in caplog.records] == [
        "endpoint not woken",
        "wake-up not sent",
    ]
    plain = set(vars(logging.LogRecord("", 0, "", 0, "", (), None)))
    for record in caplog.records:
        assert set(vars(record)) - plain - {"message", "asctime"} <= set(FIELDS)
        assert SECRET not in str(vars(record))


@pytest.mark.usefixtures("aws_credentials")
def test_an_endpoint_that_is_being_changed_is_no_failure(server: Loopback) -> None:
    changing = {
        "EndpointStatus": "Updating",
        "LastModifiedTime": 1.0,
        "EndpointName": "ocr-gpu",
    }
    changing |= {"ProductionVariants": [{"VariantName": "AllTraffic"}]}

    def answer(handler: Any) -> None:
        action = handler.headers["X-Amz-Target"]
        well = answering(json.dumps(changing).encode())
        (well if "Describe" in action else refusing("ValidationException"))(handler)

    server.answers["/"] = answer
    url = f"{URL}&endpoint=http://127.0.0.1:{server.port}"
    with closing(sagemaker.open_service(parse_address(url))) as service:
        assert service.resize("ocr-gpu", 1) is False
        changing["EndpointStatus"] = "InService"
        with pytest.raises(StoreFailed, match="refuses the request"):
            service.resize("ocr-gpu", 1)
        changing["EndpointStatus"] = "Failed"  # and stays so, however often that is tried
        with pytest.raises(StoreFailed, match=r"endpoint ocr-gpu is Failed\.$"):
            service.resize("ocr-gpu", 1)
        changing["ProductionVariants"] = []
        changing["EndpointStatus"] = "Creating"
        assert service.seen("ocr-gpu").desired == 0 and not service.resize("ocr-gpu", 1)
        changing["EndpointStatus"] = "Updating"
        with pytest.raises(StoreFailed, match="has no variant AllTraffic"):
            service.seen("ocr-gpu")


@pytest.mark.usefixtures("aws_credentials")
def test_a_change_that_ends_while_it_is_looked_at_is_followed_by_ours(server: Loopback) -> None:
    variant = {"VariantName": "AllTraffic", "DesiredInstanceCount": 0}
    settled = {
        "EndpointStatus": "InService",
        "LastModifiedTime": 1.0,
        "EndpointName": "ocr-gpu",
    }
    settled |= {"ProductionVariants": [variant]}
    changes = iter((refusing("ValidationException"), answering(b"{}")))

    def answer(handler: Any) -> None:
        looked = "Describe" in handler.headers["X-Amz-Target"]
        (answering(json.dumps(settled).encode()) if looked else next(changes))(handler)

    server.answers["/"] = answer
    url = f"{URL}&endpoint=http://127.0.0.1:{server.port}"
    with closing(sagemaker.open_service(parse_address(url))) as service:
        assert service.resize("ocr-gpu", 1) is True


def test_doctor_looks_at_no_endpoint_of_a_pool_that_has_another_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    class Examined(Counted):
        def examine(self, pool: str) -> str:
            seen.append(pool)
            return "seen"

    monkeypatch.setattr(sagemaker, "open_queue", lambda url, lease_s: Examined())
    url = URL.replace("-gpu", "-{pool}")
    pools = {"cpu": ("pp-ocrv6",), "gpu": ("pp-structurev3",), "vl": ("paddleocr-vl",)}
    settings = Settings(queue=url, queues={"cpu": "store:", "vl": URL}, pools=pools)
    check_queue(settings, Steps(until=time.monotonic() + 20))
    assert seen == ["gpu", "vl"]


@pytest.mark.usefixtures("aws_credentials")
def test_a_bucket_that_refuses_is_named(server: Loopback) -> None:
    url = f"{URL}&endpoint=http://127.0.0.1:{server.port}"
    with (
        closing(sagemaker.open_service(parse_address(url))) as service,
        pytest.raises(StoreFailed, match=r"^The bucket my-wakes cannot be used: "),
    ):
        service.keep("wakes/a.json", "{}")


@pytest.mark.usefixtures("aws_credentials")
def test_sending_after_closing_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    queue = sagemaker.open_queue(f"{URL}&endpoint=http://127.0.0.1:9", lease_s=1)
    queue.close()
    queue.send([TASK])
    queue.send([])
    assert [record.msg for record in caplog.records] == ["wake-up not sent"]


class Counted:
    """A service that takes some of what it is given, and knows what CloudWatch told."""

    def __init__(self) -> None:
        self.told, self.unsent = (0, 0.0), 0

    def counted(self, name: str, now: float) -> tuple[int, float]:
        return self.told

    def post(self, parcel: Parcel, trace: str) -> int:
        return self.unsent

    def seen(self, name: str) -> EndpointState:
        return EndpointState(status="InService", desired=1, changed=0.0)

    def close(self) -> None:
        pass


def test_what_cloudwatch_has_not_seen_yet_is_counted() -> None:
    """Or the sweep would take it for lost, and send it every few seconds."""
    service, now = Counted(), [100.0]
    address = parse_address(URL.replace("-gpu", "-{pool}"))
    queue = SageMakerQueue(address, cast(Any, service), lambda: now[0])
    with closing(queue):
        queue.send([TASK])
        until(lambda: queue.ready("gpu") == 1)
        assert queue.ready("cpu") == 0
        service.unsent = 1
        queue.send([TASK, TASK])
        until(lambda: queue.ready("gpu") == 2)
        service.told = (7, 99.0)
        assert queue.ready("gpu") == 9
        service.told = (7, 100.0)
        assert queue.ready("gpu") == 7
