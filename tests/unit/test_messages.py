"""Workers that are woken by messages, each naming a task: held, doubled, late or lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import StoreFailed
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Task
from pagetide.server.maintenance.maintenance import SEND_AGAIN_S, Sweeper
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.worker import worker
from pagetide.server.worker.claims import Claims
from tests.messages import MessageQueue, Wake
from tests.serving import Place, pdf, text_of_page
from tests.unit.test_worker import Spy, wrapped
from tests.waiting import until


@pytest.fixture
def queue() -> MessageQueue:
    return MessageQueue()


@pytest.fixture
def place(tmp_path: Path, inspecting: Inspector, queue: MessageQueue) -> Place:
    made = Place(tmp_path, inspecting, queue=queue, task_pages=2)
    queue.clock = made.clock
    return made


@pytest.fixture
def sweeper(place: Place) -> Sweeper:
    return Sweeper(
        store=place.store,
        blobs=place.blobs,
        notifier=place.notifier,
        settings=place.settings,
        pools=("cpu", SYSTEM),
        clock=place.clock,
    )


def claim(place: Place, seconds: float) -> None:
    """Lease the first task to somebody else, under the token `t`."""
    now, token = place.clock(), "t"
    taken = place.store.claim(
        "cpu", "w", now=now, until=now + seconds, token=token, beside=False
    )
    assert taken
    place.begin(taken[1])


@pytest.fixture
def claims(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Claims]:
    """A worker's claims, with leases of ten minutes that are renewed all the time."""
    monkeypatch.setattr("pagetide.server.worker.claims.RENEWALS_A_LEASE", 600 / 0.05)
    made = claims_of(place, lease_s=600.0)
    yield made
    made.close()


def claims_of(place: Place, lease_s: float) -> Claims:
    return Claims(
        place.store,
        place.notifier,
        pool="cpu",
        worker="w",
        lease_s=lease_s,
        clock=place.clock,
        beat=lambda: None,
    )


def suspect_of(place: Place, queue: MessageQueue, sweeper: Sweeper) -> Wake:
    """The one message of a job whose worker has died, beside those that are held."""
    place.submit(pdf(1, first=500))
    queue.messages.pop()
    claim(place, 1)
    place.lapse(sweeper, 2)  # which sends it anew
    return queue.messages[-1]


def test_a_job_is_a_message_for_every_task(place: Place, queue: MessageQueue) -> None:
    job = place.submit(pdf(5), trace="00-ab-cd-01")
    named = [(wake.job_id, wake.task_id, wake.trace) for wake in queue.messages]
    assert named == [(job.id, f"{job.id}.0000{n}", "00-ab-cd-01") for n in range(3)]
    place.work()
    assert place.texts(job) == [text_of_page(n) for n in range(1, 6)]
    assert queue.left == []
    assert len(queue.messages) == 3  # who reads the last page makes the results


def test_a_message_is_held_as_long_as_its_task(place: Place, queue: MessageQueue) -> None:
    place.submit(pdf(6))
    held: list[int] = []
    spy = Spy(lambda _: held.append(len(queue.left) - queue.ready("cpu")))
    place.work(open_reader=spy.reader(place))
    assert len(held) == 6
    assert min(held) >= 1


def test_messages_are_renewed_with_their_leases(place: Place, queue: MessageQueue) -> None:
    place.submit(pdf(1))
    [wake] = queue.messages
    spy = Spy(lambda _: until(lambda: wake.renewed >= 2))
    place.work(open_reader=spy.reader(place), lease_s=0.3)
    assert wake.renewed >= 2


def test_a_queue_that_does_not_answer_costs_no_lease(
    place: Place, queue: MessageQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.submit(pdf(16))
    renewals: list[str] = []
    gone, late = threading.Event(), []

    def stuck(wake: Wake, seconds: float) -> None:
        renewals.append(wake.task_id)
        gone.wait(0.5)  # all ten of them outlast a lease

    monkeypatch.setattr(Wake, "renew", stuck)
    monkeypatch.setattr("pagetide.server.worker.claims.RENEWALS_A_LEASE", 12)
    with closing(claims_of(place, 4.8)) as claims, closing(queue.receiver("cpu", 8)) as inbox:
        while claims.take(inbox, 0):
            continue
        assert len(claims.held) == 10
        while renewals.count(queue.messages[0].task_id) < 3:
            late.append(bool(place.store.overdue(place.clock())))
            gone.wait(0.02)
        gone.set()
    assert not any(late)


def test_a_message_that_comes_twice_does_nothing(place: Place, queue: MessageQueue) -> None:
    job = place.submit(pdf(3))
    queue.send(place.store.tasks(job.id))
    spy = Spy()
    place.work(open_reader=spy.reader(place))
    assert sorted(spy.pages) == [1, 2, 3]
    assert queue.left == []
    queue.send(place.store.tasks(job.id))  # long after
    place.work()
    assert queue.left == []


def test_a_held_task_is_asked_for_again_when_its_lease_may_end(
    place: Place, queue: MessageQueue
) -> None:
    job = place.submit(pdf(1))
    task = place.task(job, "00000")
    claim(place, 600)
    place.work()
    [wake] = queue.left
    assert wake.released == [pytest.approx(600, abs=60)]
    place.store.change(
        job.id, task.id, lambda job, task: moves.give_back(job, task, "t", place.clock())
    )
    place.clock.ahead = 610
    place.work()
    assert place.job(job).status == "succeeded"


def test_a_cancelled_jobs_messages_go(place: Place, queue: MessageQueue) -> None:
    job = place.submit(pdf(5))
    place.service.cancel(job.id)
    spy = Spy()
    place.work(open_reader=spy.reader(place))
    assert (spy.pages, queue.left) == ([], [])


def test_a_suspect_is_read_alone_though_others_wait(
    place: Place, queue: MessageQueue, sweeper: Sweeper
) -> None:
    suspect, other = place.submit(pdf(2)), place.submit(pdf(4, first=300))
    claim(place, 1)
    queue.lose_all()
    place.lapse(sweeper, 2)  # which sends it anew
    [wake] = queue.left
    queue.lose_all()
    queue.send(place.store.tasks(other.id))
    queue.messages.insert(1, wake)  # between the two of the other job
    beside: list[int] = []
    at_once = Spy(
        lambda page: beside.append(len(place.store.leased_to("worker"))) if page < 3 else None
    )
    place.work(open_reader=at_once.reader(place))
    assert place.job(suspect).status == place.job(other).status == "succeeded"
    assert beside == [1, 1]
    assert queue.left == []


def test_nothing_is_taken_before_a_task_that_must_be_held_alone(
    place: Place, queue: MessageQueue, sweeper: Sweeper, claims: Claims
) -> None:
    place.submit(pdf(1))
    inbox = queue.receiver("cpu", 8)
    first = claims.take(inbox, 0)
    suspect = suspect_of(place, queue, sweeper)
    assert first and claims.take(inbox, 0) is None
    place.submit(pdf(1, first=700))
    assert claims.take(inbox, 0) is None
    assert queue.ready("cpu") == 1
    claims.let_go(first)
    alone = claims.take(inbox, 0)
    assert alone and alone.job.id == suspect.job_id


def test_the_message_of_a_task_that_waits_to_be_held_alone_is_renewed(
    place: Place, queue: MessageQueue, sweeper: Sweeper, claims: Claims
) -> None:
    place.submit(pdf(1))
    [held] = queue.messages
    inbox = queue.receiver("cpu", 8)
    assert claims.take(inbox, 0)
    suspect = suspect_of(place, queue, sweeper)
    assert claims.take(inbox, 0) is None
    before = held.renewed
    until(lambda: held.renewed > before + 3)
    assert suspect.renewed


def test_a_lease_that_was_renewed_outlasts_a_store_that_goes_away(
    place: Place, queue: MessageQueue, monkeypatch: pytest.MonkeyPatch, claims: Claims
) -> None:
    place.submit(pdf(1))
    claim = claims.take(queue.receiver("cpu", 8), 0)
    assert claim
    assert claim.task.lease
    taken, tried = claim.task.lease.until, []

    def away(*_: object, **__: object) -> None:
        tried.append(place.clock())
        raise StoreFailed

    place.clock.ahead = 500
    until(lambda: place.store.leased_to("w") and not place.store.overdue(taken + 400))
    monkeypatch.setattr(place.store, "change", away)
    place.clock.ahead = 700
    until(lambda: claim.lost or (len(tried) > 2 and tried[-3] > taken))
    assert not claim.lost


def test_a_task_whose_lease_ran_out_is_not_asked_for_without_end(
    place: Place, queue: MessageQueue, claims: Claims
) -> None:
    """Until the sweep comes by, nobody may have it: its message waits, too."""
    place.submit(pdf(1))
    claim(place, 1)
    place.clock.ahead += 2
    [wake] = queue.messages
    assert claims.take(queue.receiver("cpu", 1), 0.0) is None
    assert len(wake.released) == 1 and wake.released[0] > 0


def test_after_an_outage_leases_are_renewed_at_once(
    place: Place, queue: MessageQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is half a lease for it then, and one more may fail."""
    place.submit(pdf(1))
    claims = claims_of(place, lease_s=300.0)
    assert claims.take(queue.receiver("cpu", 1), 0.0)
    assert claims.renew() == 100.0
    monkeypatch.setattr(place.store, "change", raising(StoreFailed()))
    assert claims.renew() == 20.0
    monkeypatch.undo()
    assert claims.renew() == 100.0
    claims.close()


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def test_several_suspects_wait_for_their_turns(
    place: Place, queue: MessageQueue, sweeper: Sweeper
) -> None:
    """As after the death of a worker that held a few tasks."""
    suspects = [place.submit(pdf(1, first=500 + n), owner=f"{n}") for n in range(3)]
    for _ in suspects:
        claim(place, 1)
    queue.lose_all()
    place.lapse(sweeper, 2)
    other = place.submit(pdf(4))
    queue.messages.insert(0, queue.messages.pop())  # a task of the other job comes first
    place.work(open_reader=Spy(ahead=True).reader(place))
    assert {place.job(job).status for job in [*suspects, other]} == {"succeeded"}
    assert queue.left == []


@pytest.mark.parametrize("lost", ["all", "some", "none"])
def test_what_nobody_heard_of_is_sent_again(
    place: Place, queue: MessageQueue, sweeper: Sweeper, lost: str
) -> None:
    jobs = [place.submit(pdf(4), owner=f"{n}") for n in range(3)]
    if lost == "all":
        queue.lose_all()
    elif lost == "some":
        del queue.messages[1:4]
    missing = 6 - len(queue.messages)
    sweeper.rescue()
    assert queue.ready("cpu") == 6 - missing  # they may just be on their way
    place.clock.ahead = SEND_AGAIN_S + 1
    assert sweeper.send_again() == missing
    assert queue.ready("cpu") == 6
    assert sweeper.send_again() == 0
    place.clock.ahead = 10 * SEND_AGAIN_S
    while sweeper.send_again() or queue.left:
        place.work()
        place.clock.ahead += SEND_AGAIN_S + 1
    assert {place.job(job).status for job in jobs} == {"succeeded"}
    for job in jobs:
        assert place.texts(job) == [text_of_page(n) for n in range(1, 5)]


def test_what_is_sent_again_is_sent_together(
    place: Place, queue: MessageQueue, sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue that does not answer keeps whoever sends waiting, every time."""
    for n in range(5):
        place.submit(pdf(1), owner=f"{n}")
    queue.lose_all()
    sent: list[int] = []
    send = queue.send

    def counted(tasks: Sequence[Task]) -> None:
        sent.append(len(tasks))
        send(tasks)

    monkeypatch.setattr(queue, "send", counted)
    place.clock.ahead = SEND_AGAIN_S + 1
    assert sweeper.send_again() == 5
    assert sent == [5]


def test_a_queue_that_counts_late_is_not_flooded(
    place: Place, queue: MessageQueue, sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQS may be a minute behind."""
    place.submit(pdf(8))
    monkeypatch.setattr(queue, "ready", lambda pool: 0)
    sent = 0
    for second in range(4, 64, 2):
        place.clock.ahead = second
        sent += sweeper.send_again()
    assert 4 <= sent <= 5 * 4


def test_nothing_is_sent_again_while_there_is_a_message_for_every_task(
    place: Place, queue: MessageQueue, sweeper: Sweeper
) -> None:
    """A few workers that take minutes: as many messages as tasks, and none is left."""
    job = place.submit(pdf(18))
    with closing(queue.receiver("cpu", 1)) as inbox, closing(claims_of(place, 600.0)) as claims:
        for _ in range(3):
            assert claims.take(inbox, 0)
        for second in range(4, 500, 2):
            place.clock.ahead = second
            assert sweeper.send_again() == 0
        assert len(queue.messages) == len(place.store.tasks(job.id)) > 8
        for claim in claims.held:
            token = claim.token
            claims.change(claim, partial(moves.give_back, token=token, due=0.0))
            claims.let_go(claim)
    place.work()
    assert place.job(job).status == "succeeded"
    assert queue.left == []


def test_a_message_that_was_lost_behind_others_keeps_no_task_waiting(
    place: Place, queue: MessageQueue
) -> None:
    """Whatever a message names, its worker takes what is first in line."""
    lost = place.submit(pdf(1))
    queue.lose_all()
    for n in range(3):
        place.submit(pdf(1, first=300), owner=f"{n}")
    with closing(queue.receiver("cpu", 1)) as inbox, closing(claims_of(place, 600.0)) as claims:
        first = claims.take(inbox, 0)
        assert first and first.job.id == lost.id


def test_while_the_store_is_away_no_message_is_taken(
    place: Place, queue: MessageQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that is taken too often is put with the dead letters."""
    monkeypatch.setattr(worker, "RETRY_S", 0.01)
    job = place.submit(pdf(1))
    store = place.store

    def away(*_: object, **__: object) -> None:
        raise StoreFailed

    place.store = wrapped(store, change=away, claim=away, next_due=away)
    place.work(idle_s=0.3)
    [wake] = queue.left
    assert wake.released == [0]
    place.store = store
    place.work()
    assert place.job(job).status == "succeeded"


def test_a_queue_that_is_away_keeps_nobody_from_submitting(
    place: Place, queue: MessageQueue, sweeper: Sweeper, caplog: pytest.LogCaptureFixture
) -> None:
    queue.away = True
    job = place.submit(pdf(1))
    place.clock.ahead = SEND_AGAIN_S + 1
    sweeper.rescue()
    assert "the queue cannot be asked" in caplog.messages
    queue.away = False
    sweeper.rescue()
    assert "wake-ups sent again" in caplog.messages
    place.work()
    assert place.job(job).status == "succeeded"


def test_work_that_is_put_off_is_heard_of_when_it_is_due(
    place: Place, queue: MessageQueue, sweeper: Sweeper
) -> None:
    job = place.submit(pdf(1))
    claim(place, 30)
    now = place.clock()
    queue.lose_all()
    later = now + 60
    place.notifier.moved(
        place.store.change(
            job.id,
            f"{job.id}.00000",
            lambda job, task: moves.give_back(job, task, "t", later),
        )
    )
    assert queue.messages == []
    place.clock.ahead = 30
    assert sweeper.send_again() == 0
    place.clock.ahead = 61 + SEND_AGAIN_S
    assert sweeper.send_again() == 1


def test_the_system_pool_is_not_woken_by_messages(
    place: Place, queue: MessageQueue, sweeper: Sweeper
) -> None:
    place.submit(pdf(1), webhook_url="http://example.com/hook")
    place.work()
    place.clock.ahead = SEND_AGAIN_S + 1
    assert place.service.backlog(SYSTEM).waiting == 1
    assert sweeper.send_again() == 0
    assert all(wake.pool == "cpu" for wake in queue.messages)


def test_interactive_tasks_come_first(place: Place, queue: MessageQueue) -> None:
    batch = place.submit(pdf(1), priority="batch")
    quick = place.submit(pdf(2, first=300), priority="interactive")
    with closing(queue.receiver("cpu", 1)) as inbox:
        first = inbox.receive(0)
        assert first is not None
        assert first.job_id == quick.id
        first.release()
    order: list[int] = []
    place.work(open_reader=Spy(order.append).reader(place))
    assert order[-1] == 1  # a page of the batch job
    assert place.job(batch).status == place.job(quick).status == "succeeded"


def test_wake_ups_are_lost_and_doubled_as_told(place: Place) -> None:
    from pagetide.server.queues.flaky import flaky

    sent: dict[str, int] = {}
    for faults, share in (("1,0", 0), ("0,1", 2), ("0,0", 1)):
        inner = MessageQueue()
        place.notifier.queue = flaky(inner, faults)
        place.submit(pdf(2), owner=faults)
        sent[faults] = len(inner.messages)
        assert sent[faults] == share
