"""What `ports.Queue` promises, of every queue of a cluster, with its real server."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from pagetide.errors import BadOption, StoreFailed
from pagetide.server.jobs.job import Task
from pagetide.server.ports import Message, Queue, Receiver
from pagetide.server.queues.azure import service as azure_service
from pagetide.server.queues.celery.application import _SETTINGS
from tests.contract.queues import LASTING_S, LEASE_S, QUEUES, TRACE, Kind, hold, tasks
from tests.parts.moto import aws_credentials as aws_credentials
from tests.parts.sagemaker import own_sagemaker as own_sagemaker
from tests.parts.sagemaker import sagemaker as sagemaker
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("aws_credentials")

LONG_S = 90.0  # nothing here takes so long, unless it is broken
SOON_S = LONG_S / 2  # who waited for an answer, or for his time to be up, would take longer


@dataclass(frozen=True)
class Place:
    """A queue with names of its own on a server, opened once; more may be opened."""

    name: str
    kind: Kind
    server: Any
    url: str
    lease_s: float
    queue: Queue
    ends: ExitStack

    def open(self) -> Queue:
        """The same queue, as another process would open it."""
        queue = self.kind.open(self.url, self.lease_s)
        self.ends.callback(queue.close)
        return queue

    def receiver(self, pool: str = "cpu", concurrency: int = 1) -> Receiver:
        """Closed when the test ends, if not before."""
        receiver = self.queue.receiver(pool, concurrency)
        self.ends.callback(receiver.close)
        return receiver


def told(record: logging.LogRecord) -> str:
    """All that a record says, its exception, too."""
    return logging.Formatter().format(record) + repr(record.args)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers may take their time: beside other tests they take longer than a sender waits."""
    monkeypatch.setattr("pagetide.server.queues.celery.queue.ANSWER_S", LONG_S)
    monkeypatch.setattr("pagetide.server.queues.celery.application.ANSWER_S", LONG_S)
    monkeypatch.setitem(_SETTINGS, "broker_connection_timeout", LONG_S)
    monkeypatch.setitem(azure_service._QUICK, "read_timeout", LONG_S)
    monkeypatch.setattr("pagetide.server.queues.sqs.queue.ANSWER_S", LONG_S)
    monkeypatch.setattr("pagetide.server.queues.sagemaker.queue.ANSWER_S", LONG_S)


@pytest.fixture(params=QUEUES)
def place(request: pytest.FixtureRequest, patient: None) -> Iterator[Place]:
    with opened(request, LASTING_S) as place:
        yield place


@pytest.fixture(params=QUEUES)
def mortal(request: pytest.FixtureRequest, patient: None) -> Iterator[Place]:
    """A place where leases soon run out."""
    with opened(request, LEASE_S) as place:
        yield place


OWN = {"rabbitmq": [pytest.mark.slow("starts a RabbitMQ of its own")]}


@pytest.fixture(params=[pytest.param(each, marks=OWN.get(each, [])) for each in QUEUES])
def fragile(request: pytest.FixtureRequest, patient: None) -> Iterator[Place]:
    """A place on a server that may be stopped."""
    with opened(request, LASTING_S, "own_") as place:
        yield place


@contextmanager
def opened(request: pytest.FixtureRequest, lease_s: float, whose: str = "") -> Iterator[Place]:
    kind = QUEUES[request.param]
    server = request.getfixturevalue(whose + kind.part)
    prefix = f"t{secrets.token_hex(4)}"
    url = kind.url(server, prefix)
    with ExitStack() as ends:
        if kind.part == "rabbitmq" and not whose:
            ends.callback(server.drop, prefix)
        queue = kind.open(url, lease_s)
        ends.callback(queue.close)
        yield Place(request.param, kind, server, url, lease_s, queue, ends)


def take(receiver: Receiver, seconds: float = LONG_S) -> Message:
    """The next message; the test fails where none comes in time."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if message := receiver.receive(left):
            return message
    raise AssertionError(f"no message within {seconds:g} s")


def take_of(*receivers: Receiver) -> Message:
    """The next message of any of these receivers."""
    return until(lambda: next(filter(None, (r.receive(0.05) for r in receivers)), None), LONG_S)


def hears_nothing(receiver: Receiver, seconds: float) -> bool:
    """Whether nothing comes for so long."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if receiver.receive(left):
            return False
    return True


def counts(queue: Queue, number: int, pool: str = "cpu") -> None:
    """Wait until so many messages are ready."""

    def are_ready() -> bool:
        try:
            return queue.ready(pool) == number
        except StoreFailed:  # a server that has just come back
            return False

    until(are_ready, LONG_S, f"never {number} ready")


def test_what_was_sent_is_received_once(place: Place) -> None:
    (task,) = tasks()
    place.queue.send([task], TRACE)
    receiver = place.receiver(concurrency=2)
    message = take(receiver)
    assert (message.job_id, message.task_id) == (task.job_id, task.id)
    assert message.trace == TRACE
    assert hears_nothing(receiver, 0.5)
    message.done()


def test_a_trace_may_be_absent(place: Place) -> None:
    place.queue.send(tasks())
    assert take(place.receiver()).trace == ""


def test_a_receiver_hears_what_is_sent_while_it_waits(place: Place) -> None:
    receiver = place.receiver()
    assert receiver.receive(0.1) is None
    before = time.monotonic()
    place.queue.send(tasks())
    assert take(receiver).task_id == "job.interactive.0"
    assert time.monotonic() - before < SOON_S


def test_nobody_else_gets_a_message_that_is_held(place: Place) -> None:
    one, other = place.receiver(), place.receiver()
    place.queue.send(tasks())
    message = take_of(one, other)
    assert hears_nothing(one, 0.5) and hears_nothing(other, 0.5)
    message.done()


def test_what_is_done_never_comes_again(mortal: Place) -> None:
    mortal.queue.send(tasks())
    first = mortal.receiver()
    take(first).done()
    counts(mortal.queue, 0)
    assert hears_nothing(first, mortal.kind.visible_s * 1.5)
    first.close()
    assert hears_nothing(mortal.receiver(), 1.0)


def test_done_may_be_said_twice_and_late(place: Place) -> None:
    place.queue.send(tasks())
    receiver = place.receiver()
    message = take(receiver)
    message.done()
    message.done()
    message.release()
    message.renew(1.0)
    receiver.close()
    message.done()
    assert hears_nothing(place.receiver(), 1.0)


@pytest.mark.parametrize("delay_s", [0.0, 1.0])
def test_what_is_released_is_not_held(place: Place, delay_s: float) -> None:
    """It comes again or is dropped; if it were held, closing would give it back."""
    place.queue.send(tasks())
    first, other = place.receiver(), place.receiver()
    take_of(first, other).release(delay_s)
    if place.kind.puts_off or not delay_s:
        again = take_of(first, other)
        assert again.task_id == "job.interactive.0"
        again.done()
    else:
        assert hears_nothing(first, 1.0) and hears_nothing(other, 0.5)
    first.close()
    other.close()
    assert hears_nothing(place.receiver(), 1.0)


def test_a_closed_receivers_messages_go_back(place: Place) -> None:
    place.queue.send(tasks(2))
    first = place.receiver(concurrency=2)
    held = {take(first).task_id, take(first).task_id}
    first.close()
    other = place.receiver(concurrency=2)
    again = {take(other).task_id, take(other).task_id}
    assert held == again == {"job.interactive.0", "job.interactive.1"}


def test_a_closed_receiver_gives_back_what_nobody_asked_it_for(place: Place) -> None:
    place.queue.send(tasks(4))
    first = place.receiver(concurrency=4)
    take(first).done()
    first.close()
    other = place.receiver(concurrency=4)
    came = {take(other).task_id for _ in range(3)}
    assert len(came) == 3
    assert hears_nothing(other, 0.5)


def test_a_killed_holders_messages_come_again(mortal: Place) -> None:
    mortal.queue.send(tasks(2))
    process = hold(mortal.name, mortal.url, "cpu")
    with process:
        assert process.stdout is not None
        held = set[str]()
        while len(held) < 2 and (said := process.stdout.readline()):
            held.add(said.strip())  # the first may have come again before the second
        process.kill()
    receiver, came = mortal.receiver(concurrency=2), set[str]()
    while len(came) < 2:
        message = take(receiver)
        came.add(message.task_id)
        message.done()
    assert held == came == {"job.interactive.0", "job.interactive.1"}


def test_a_message_that_is_renewed_stays_held(mortal: Place) -> None:
    renewed_s = 4 * LEASE_S
    mortal.queue.send(tasks())
    one, another = mortal.receiver(), mortal.open()
    message = take(one)
    message.renew(renewed_s)
    with closing(another.receiver("cpu", 1)) as other:
        deadline = time.monotonic() + 2 * max(renewed_s, mortal.kind.visible_s)
        while time.monotonic() < deadline:
            message.renew(renewed_s)
            assert other.receive(LEASE_S / 3) is None
        message.done()
        assert hears_nothing(other, mortal.kind.visible_s * 1.5)


def test_what_was_lost_comes_first_and_interactive_before_batch(place: Place) -> None:
    place.queue.send(tasks(3, priority="batch"))
    place.queue.send(tasks(2))
    place.queue.send(tasks(2, priority="batch", lost=1))
    counts(place.queue, 7)
    in_hand, came = place.kind.in_hand, []
    receiver = place.receiver(concurrency=7 if in_hand else 1)
    if in_hand:
        until(lambda: in_hand(receiver) == 7, LONG_S)
    for _ in range(7):
        message = take(receiver)
        came.append(message.task_id.split(".")[1])
        message.done()
    assert came == ["lost"] * 2 + ["interactive"] * 2 + ["batch"] * 3


def test_no_more_are_held_than_asked_for(place: Place) -> None:
    place.queue.send(tasks(3) + tasks(3, priority="batch"))
    counts(place.queue, 6)
    greedy, modest = place.receiver(concurrency=2), place.receiver(concurrency=4)
    take(greedy)
    assert len({take(modest).task_id for _ in range(4)}) == 4


def test_pools_are_apart(place: Place) -> None:
    place.queue.send(tasks(pool="gpu", job="other"))
    place.queue.send(tasks())
    cpu, gpu = place.receiver("cpu"), place.receiver("gpu")
    assert take(cpu).job_id == "job"
    assert take(gpu).job_id == "other"
    assert hears_nothing(cpu, 0.3) and hears_nothing(gpu, 0.3)


def test_ready_counts_what_nobody_holds(place: Place) -> None:
    assert place.queue.ready("cpu") == 0
    place.queue.send(tasks(2) + tasks(1, priority="batch"))
    counts(place.queue, 3)
    assert place.queue.ready("gpu") == 0
    receiver = place.receiver(concurrency=1)
    message = take(receiver)
    counts(place.queue, 3 if place.kind.counts_held else 2)
    message.done()
    take(receiver).done()
    take(receiver).done()
    counts(place.queue, 0)


def test_waiting_ends_when_time_is_up(place: Place) -> None:
    receiver = place.receiver()
    before = time.monotonic()
    assert receiver.receive(0.3) is None
    assert receiver.receive(0) is None
    assert 0.25 < time.monotonic() - before < SOON_S


def test_who_waits_is_woken(place: Place) -> None:
    receiver = place.receiver()
    receiver.receive(0.2)
    woken = threading.Event()

    def wait() -> None:
        receiver.receive(LONG_S)
        woken.set()

    thread = threading.Thread(target=wait)
    thread.start()
    before = time.monotonic()
    while not woken.wait(0.1):  # it may not be waiting yet
        receiver.wake()
        assert time.monotonic() - before < LONG_S
    thread.join()
    assert time.monotonic() - before < SOON_S


def test_a_receiver_is_closed_soon_and_may_be_closed_again(place: Place) -> None:
    place.queue.send(tasks())
    receiver = place.receiver()
    take(receiver)
    before, threads = time.monotonic(), threading.active_count()
    receiver.close()
    receiver.close()
    receiver.wake()
    assert time.monotonic() - before < SOON_S
    until(lambda: threading.active_count() <= threads)


def test_many_messages_by_many_receivers_each_once(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """Twice only where a broker under load cut a receiver off, which is said."""
    many = tasks(150) + tasks(50, priority="batch")
    came: list[str] = []
    enough = threading.Event()

    def read(receiver: Receiver) -> None:
        while not enough.is_set():
            if message := receiver.receive(0.2):
                came.append(message.task_id)
                message.done()
            if len(set(came)) >= len(many):
                enough.set()

    receivers = [place.receiver(concurrency=2) for _ in range(4)]
    threads = [threading.Thread(target=read, args=(receiver,)) for receiver in receivers]
    for thread in threads:
        thread.start()
    place.queue.send(many)
    enough.wait(LONG_S)
    counts(place.queue, 0)
    enough.set()
    for thread in threads:
        thread.join(LONG_S)
    assert set(came) == {task.id for task in many}
    cut_off = "Connection to broker lost" in caplog.text
    assert cut_off or len(came) == len(many)


def test_what_is_not_ours_stops_nobody(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    receiver = place.receiver()
    place.queue.send(tasks())
    take(receiver).done()  # so that the queue is there
    for body in (b"hello", b"\xff\x00", b"{}", b'{"job_id": 1}', b"[[1], {}, {}]"):
        place.kind.put(place.url, "cpu", body)
    (task,) = tasks(job="ours")
    place.queue.send([task])
    message = take(receiver)
    assert message.task_id == task.id
    message.done()
    counts(place.queue, 0)
    assert any(record.levelname in ("WARNING", "ERROR") for record in caplog.records)


def test_sending_to_a_server_that_is_away_neither_raises_nor_waits(
    fragile: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """And when it is there again, everything goes on by itself."""
    receiver = fragile.receiver()
    fragile.queue.send(tasks(job="before"))
    take(receiver).done()
    counts(fragile.queue, 0)
    fragile.server.stop()
    try:
        caplog.clear()
        before = time.monotonic()
        fragile.queue.send(tasks(20, job="away"), TRACE)
        assert time.monotonic() - before < SOON_S
        said = until(lambda: [r for r in caplog.records if r.msg == "wake-up not sent"])
        assert [record.levelname for record in said] == ["WARNING"]
        with pytest.raises(StoreFailed):
            fragile.queue.ready("cpu")
    finally:
        fragile.server.start()
    (task,) = tasks(job="after")
    until(lambda: _sent(fragile.queue, task, caplog), LONG_S)
    message = take_named(receiver, "after")
    message.done()
    counts(fragile.queue, 0)


def _sent(queue: Queue, task: Task, caplog: pytest.LogCaptureFixture) -> bool:
    caplog.clear()
    queue.send([task])
    return not [record for record in caplog.records if record.msg == "wake-up not sent"]


def take_named(receiver: Receiver, job: str) -> Message:
    """The next message of a job; those of others are done with."""
    deadline = time.monotonic() + LONG_S
    while (message := take(receiver, deadline - time.monotonic())).job_id != job:
        message.done()
    return message


def test_a_receiver_is_closed_soon_when_the_server_is_away(fragile: Place) -> None:
    fragile.queue.send(tasks())
    receiver = fragile.receiver()
    message = take(receiver)
    fragile.server.stop()
    try:
        before = time.monotonic()
        receiver.close()
        message.done()
        assert time.monotonic() - before < SOON_S
    finally:
        fragile.server.start()


def test_what_was_sent_outlives_the_server(fragile: Place) -> None:
    if fragile.kind.lasting:
        fragile.queue.send(tasks(3))
        counts(fragile.queue, 3)
    fragile.server.stop()
    fragile.server.start()
    other = fragile.open()
    if not fragile.kind.lasting:
        other.send(tasks(3))
    with closing(other.receiver("cpu", 4)) as receiver:
        assert len({take(receiver).task_id for _ in range(3)}) == 3


def test_what_a_url_may_not_say_is_refused(place: Place) -> None:
    bare = place.url.partition("?")[0]
    for ending in place.kind.refused:
        with pytest.raises(BadOption) as refused:
            place.kind.open(bare + ending, LASTING_S)
        assert refused.value.message.endswith(".")


def test_no_secret_is_shown(
    place: Place, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not where it is refused as a URL, nor where the server refuses it."""
    scheme, _, rest = place.url.partition("://")
    sesame = "hunter2-of-the-queue"
    url = f"{scheme}://ada:{sesame}@{rest.rpartition('@')[2]}"
    with pytest.raises((BadOption, StoreFailed)) as refused:
        queue = place.kind.open(url, LASTING_S)
        place.ends.callback(queue.close)
        assert sesame not in repr(queue) + repr(vars(queue))
        queue.send(tasks())
        receiver = queue.receiver("cpu", 1)
        place.ends.callback(receiver.close)
        assert receiver.receive(1.5) is None
        assert sesame not in repr(receiver) + repr(vars(receiver))
        queue.ready("cpu")
    with pytest.raises(BadOption) as unknown:
        place.kind.open(f"{url}{'&' if '?' in url else '?'}password={sesame}", LASTING_S)
    shown = [repr(error.value) + error.value.message for error in (refused, unknown)]
    shown += [told(record) for record in caplog.records]
    assert sesame not in "".join((*shown, *capfd.readouterr()))
