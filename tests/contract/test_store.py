"""What `ports.Store` promises, of every store, without an exception."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.errors import JobUnknown, LeaseLost
from pagetide.server.jobs import endings
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, Owed, Result, Task
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Backlog, JobQuery, Store
from tests.contract.stores import (
    LASTING,
    LEASE_S,
    NOW,
    RESULT,
    STORES,
    Held,
    Places,
    claim,
    held,
    make,
    new_place,
    start,
    sweep,
)

T = TypeVar("T")
LONG_S = 300.0  # nothing here takes so long, unless it is broken
LONG = {"dynamodb": "lives on Moto, which answers some 150 requests a second"}
EXAMPLES = {"dynamodb": 8}  # Moto answers some 150 requests a second; a history has 400
KEY = ApiKey(id="k1", name="one", sha256="0" * 64, created_at=NOW)


@pytest.fixture
def places(request: pytest.FixtureRequest) -> Places:
    """Gives an empty place for a store of a kind."""
    return partial(new_place, request=request)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, places: Places) -> Iterator[Store]:
    opened = STORES[request.param](places(request.param))
    yield opened
    opened.close()


def at_once(calls: list[Callable[[], T]]) -> list[T]:
    """Call all at the same moment, each in a thread of its own; what they gave."""
    gate = threading.Barrier(len(calls))
    results: list[T] = []

    def run(call: Callable[[], T]) -> None:
        gate.wait(LONG_S)
        results.append(call())

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    assert len(results) == len(calls)
    return results


def submit(
    store: Store, job_id: str = "job", *ranges: tuple[int, ...], **details: object
) -> Job:
    job, tasks = make(job_id, *ranges, **details)  # type: ignore[arg-type]
    return store.submit(job, tasks)


def job_of(store: Store, job_id: str = "job") -> Job:
    job = store.job(job_id)
    assert job is not None
    return job


def read_all(store: Store, now: float = NOW) -> list[str]:
    """Do all that waits; the ids of the tasks in the order they were claimed."""
    ids = []
    while claimed := claim(store, now=now):
        ids.append(claimed.task.id)
        claimed.finish(now) if claimed.task.kind == "finish" else claimed.read()
    return ids


# Submitting and looking


def test_what_was_submitted_is_there(store: Store) -> None:
    job, tasks = make(
        "job",
        (1, 2),
        (3,),
        password="geheim",  # noqa: S106
        metadata={"name": "Zoë's “file”\0"},
        webhook_url="https://example.org/",
        idempotency_key="one",
    )
    assert store.submit(job, tasks) == job
    assert store.job("job") == job
    kept = store.tasks("job")
    assert tuple(replace(task, turn=0.0) for task in kept) == tasks
    assert 0 < kept[0].turn < kept[1].turn


def test_a_jobs_version_is_another_once_it_has_changed(store: Store) -> None:
    many = [f"job{number}" for number in range(3)]
    for job_id in many:
        submit(store, job_id)
    before = store.versions([*many, "nobody"])
    assert set(before) == set(many)
    assert before == {job_id: job_of(store, job_id).version for job_id in many}
    changed = held(store)
    for change in (changed.renew, changed.record, changed.read):
        now = store.versions(many)
        assert [one for one in many if now[one] != before[one]] == [changed.job.id]
        before[changed.job.id] = now[changed.job.id]
        change()
    assert store.versions(many) != before
    assert store.versions([]) == {}


def test_a_job_that_never_was_is_not_there(store: Store) -> None:
    assert store.job("job") is None
    assert store.tasks("job") == ()
    with pytest.raises(JobUnknown):
        store.change("job", None, lambda job, _: Moved(job=job))


def test_an_idempotency_key_gives_the_owners_earlier_job(store: Store) -> None:
    first = submit(store, "a", idempotency_key="one")
    assert submit(store, "b", idempotency_key="one") == first
    assert submit(store, "c", idempotency_key="one", owner="bob").id == "c"
    assert submit(store, "d", idempotency_key="two").id == "d"
    assert submit(store, "e").id == "e"
    assert submit(store, "f").id == "f"
    assert store.job("b") is None
    assert store.tasks("b") == ()


def test_a_job_is_found_by_its_owners_idempotency_key_until_it_is_erased(store: Store) -> None:
    assert store.named("ada", "one") is None
    first = submit(store, "a", idempotency_key="one")
    assert store.named("ada", "one") == first
    assert store.named("ada", "two") is None
    assert store.named("bob", "one") is None
    store.change("a", None, lambda job, _: endings.erase(job, NOW))
    assert store.named("ada", "one") is None


def test_of_eight_that_use_an_idempotency_key_at_once_one_makes_a_job(store: Store) -> None:
    names = [f"job-{n}" for n in range(8)]
    jobs = at_once([partial(submit, store, name, idempotency_key="one") for name in names])
    assert len({job.id for job in jobs}) == 1
    assert [job.id for job in store.jobs(JobQuery())] == [jobs[0].id]
    assert store.backlog("cpu", NOW).waiting == 1


def test_jobs_are_listed_the_newest_first_and_by_filter(store: Store) -> None:
    for name, owner in (("a", "ada"), ("b", "bob"), ("c", "ada"), ("d", "ada")):
        submit(store, name, owner=owner, priority="batch" if name == "c" else "interactive")
    held(store).read()
    assert job_of(store, "a").status == "running"

    def listed(**query: object) -> str:
        return "".join(job.id for job in store.jobs(JobQuery(**query)))  # type: ignore[arg-type]

    assert listed() == "dcba"
    assert listed(limit=2) == "dc"
    assert listed(limit=2, before="c") == "ba"
    assert listed(owner="ada") == "dca"
    assert listed(owner="ada", status="running") == "a"
    assert listed(status="queued") == "dcb"
    assert listed(owner="eve") == ""


def test_the_same_job_is_the_newest_that_succeeded(store: Store) -> None:
    for name in ("a", "b", "c", "d"):
        submit(store, name, fingerprint="same", due=NOW + ord(name))
    submit(store, "e", fingerprint="same", owner="bob")
    submit(store, "f", fingerprint="other")
    assert store.same_job("ada", "same") is None
    for name in ("a", "b", "c"):
        _finish(store, name)
    store.change("c", None, lambda job, _: endings.erase(job, NOW))
    found = store.same_job("ada", "same")
    assert found is not None
    assert found.id == "b"
    assert found.results == {"json": RESULT}
    assert store.same_job("ada", "unheard of") is None
    assert store.same_job("bob", "same") is None


def test_active_jobs_are_counted_up_to_a_limit(store: Store) -> None:
    for name, owner in (("a", "ada"), ("b", "ada"), ("c", "ada"), ("d", "bob")):
        submit(store, name, owner=owner)
    answered, _ = make("e", owner="ada")
    store.submit(replace(answered, status="succeeded", tasks_open=0), ())
    assert store.count_active("ada", 10) == 3
    assert store.count_active(None, 10) == 4
    assert store.count_active(None, 2) == 2
    assert store.count_active("eve", 10) == 0
    _finish(store, "a")
    store.change("b", None, lambda job, _: endings.cancel(job, NOW))
    store.change("b", None, lambda job, _: endings.cancel(job, NOW))
    store.change("b", None, lambda job, _: endings.erase(job, NOW))
    store.change("d", None, lambda job, _: endings.erase(job, NOW))
    assert store.count_active("ada", 10) == 1
    assert store.count_active("bob", 10) == 0
    assert store.count_active(None, 10) == 1


# Claiming


def claimed(store: Store, count: int) -> list[str]:
    """The ids of the next tasks, in the order of their claims."""
    return [held(store).task.id for _ in range(count)]


def test_of_a_key_interactive_tasks_come_first_then_the_earlier_submitted(
    store: Store,
) -> None:
    submit(store, "a", (1,), (2,), priority="batch")
    submit(store, "b", (1,), (2,))
    submit(store, "c")
    submit(store, "d", pool="gpu")
    assert claimed(store, 5) == ["b.0", "b.1", "c.0", "a.0", "a.1"]
    assert claim(store) is None
    assert claim(store, pool="gpu") is not None


def test_keys_take_turns_however_much_one_has_waiting(store: Store) -> None:
    for n in range(20):
        submit(store, f"a{n:02}", (1,), (2,), owner="ada")
    assert claimed(store, 2) == ["a00.0", "a00.1"]
    for n in range(3):
        submit(store, f"b{n}", owner="bob")
        submit(store, f"c{n}", owner="cem")
    wanted = [f"{o}{n}.0" for n in range(3) for o in "bc"]
    got = claimed(store, 9)
    assert [task_id for task_id in got if task_id in wanted] == wanted
    assert [task_id for task_id in got if task_id not in wanted] == ["a01.0", "a01.1", "a02.0"]


def test_a_key_that_has_rested_is_owed_no_more_than_its_turn(store: Store) -> None:
    for n in range(6):
        submit(store, f"a{n}", owner="ada")
    claimed(store, 6)
    later = NOW + 60
    for n in range(4):
        submit(store, f"x{n}", owner="ada", due=later)
    for n in range(4):
        submit(store, f"y{n}", owner="bob", due=later)
    order = [held(store, now=later).task.id for _ in range(8)]
    assert order == ["x0.0", "y0.0", "x1.0", "y1.0", "x2.0", "y2.0", "x3.0", "y3.0"]


def test_a_batch_gets_its_turns_beside_interactive_tasks_without_end(store: Store) -> None:
    submit(store, "batch", priority="batch", owner="bob")
    for n in range(40):
        submit(store, f"a{n:02}", owner="ada")
    assert 30 < claimed(store, 41).index("batch.0") < 35


def test_a_key_of_twice_the_weight_gets_two_turns(store: Store) -> None:
    for n in range(9):
        submit(store, f"a{n}", owner="ada", weight=2.0)
        submit(store, f"b{n}", owner="bob")
    assert sorted(name[0] for name in claimed(store, 6)) == ["a"] * 4 + ["b"] * 2


def test_a_page_counts_as_a_page_however_it_is_cut(store: Store) -> None:
    for n in range(6):
        submit(store, f"a{n}", tuple(range(1, 5)), owner="ada")
    for n in range(8):
        submit(store, f"b{n}", owner="bob")
    assert sorted(name[0] for name in claimed(store, 10)) == ["a"] * 2 + ["b"] * 8


def test_what_is_tried_again_keeps_its_turn(store: Store) -> None:
    submit(store, "a", owner="ada")
    first = held(store)
    for n in range(3):
        submit(store, f"b{n}", owner="bob")
    first.lose()
    assert claimed(store, 2) == ["a.0", "b0.0"]


def test_a_task_is_not_claimed_before_it_is_due(store: Store) -> None:
    submit(store, "later", due=NOW + 5)
    submit(store, "batch", due=NOW, priority="batch")
    assert claim(store, now=NOW - 1) is None
    assert held(store, now=NOW).task.id == "batch.0"
    assert claim(store, now=NOW + 4) is None
    assert held(store, now=NOW + 5).task.id == "later.0"


def test_claiming_makes_the_job_run_and_gives_the_lease(store: Store) -> None:
    submit(store, "job", (1,), (2,))
    first = held(store, "anna")
    assert first.job.status == "running"
    assert first.job.started_at == NOW
    assert first.task.lease is not None
    assert first.task.lease.worker == "anna"
    assert first.task.lease.until == NOW + LEASE_S
    assert first.task.lease.token == first.token
    assert (store.job("job"), store.tasks("job")[0]) == (first.job, first.task)
    second = held(store, "bert", now=NOW + 1)
    assert second.job.started_at == NOW
    assert second.job.version == first.job.version + 1


def test_beside_others_nothing_is_claimed_before_a_task_that_must_be_alone(
    store: Store,
) -> None:
    submit(store, "a")
    submit(store, "b", due=NOW + 1)
    submit(store, "c", priority="batch")
    held(store).lose()
    assert claim(store, now=NOW + 1, beside=True) is None
    alone = claim(store, now=NOW + 1)
    assert alone is not None
    assert alone.task.id == "a.0"
    beside = [claim(store, now=NOW + 1, beside=True) for _ in range(3)]
    assert [each and each.task.id for each in beside] == ["b.0", "c.0", None]


def test_of_sixteen_that_claim_a_task_one_gets_it(store: Store) -> None:
    submit(store)
    claims = at_once([partial(claim, store, f"worker-{n}") for n in range(16)])
    assert len([claimed for claimed in claims if claimed]) == 1


def test_eight_threads_claim_each_task_once(store: Store) -> None:
    for n in range(60):
        submit(store, f"job-{n:03}", *((page,) for page in range(1, 6)))

    def work() -> list[str]:
        ids = []
        while claimed := claim(store):
            ids.append(claimed.task.id)
        return ids

    ids = list(itertools.chain(*at_once([work] * 8)))
    assert len(ids) == 300
    assert len(set(ids)) == 300


@pytest.mark.parametrize("name", LASTING)
def test_two_processes_claim_each_task_once(name: str, places: Places) -> None:
    place = places(name)
    store = STORES[name](place)
    for n in range(40):
        submit(store, f"job-{n:03}", (1,), (2,), (3,))
    workers = [start("claim", name, place, worker) for worker in ("anna", "bert")]
    lines = [
        line for worker in workers for line in worker.communicate(timeout=LONG_S)[0].split()
    ]
    assert [worker.returncode for worker in workers] == [0, 0]
    read = [task.id for job in store.jobs(JobQuery()) for task in store.tasks(job.id)]
    assert sorted(id_ for id_ in lines if "finish" not in id_) == sorted(
        id_ for id_ in read if "finish" not in id_
    )
    assert sum(job.pages_done for job in store.jobs(JobQuery())) == 120
    store.close()


# Leases


def test_a_lease_is_renewed(store: Store) -> None:
    submit(store)
    mine = held(store)
    mine.renew(NOW + 100)
    assert store.overdue(NOW + 99) == ()
    assert [task.id for task in store.overdue(NOW + 100)] == ["job.0"]


def test_overdue_tasks_are_those_that_nobody_renewed(store: Store) -> None:
    for name in ("a", "b", "c"):
        submit(store, name)
    tasks = [held(store, now=NOW + n) for n in range(3)]
    assert store.overdue(NOW + LEASE_S - 1) == ()
    tasks[0].renew(NOW + 99)
    assert [task.id for task in store.overdue(NOW + LEASE_S + 2)] == ["b.0", "c.0"]
    assert [task.id for task in store.overdue(NOW + LEASE_S + 2, limit=1)] == ["b.0"]
    tasks[1].read()
    tasks[2].give_back()
    assert store.overdue(NOW + 98) == ()


def test_what_a_worker_holds_is_known(store: Store) -> None:
    submit(store, "job", (1,), (2,), (3,))
    anna, _, _ = held(store, "anna"), held(store, "bert"), held(store, "anna")
    assert [task.id for task in store.leased_to("anna")] == ["job.0", "job.2"]
    anna.read()
    assert [task.id for task in store.leased_to("anna")] == ["job.2"]
    assert store.leased_to("cora") == ()


def test_who_reads_the_last_page_goes_on_with_the_finish(store: Store) -> None:
    submit(store, "job", (1,), (2, 3))
    first, last = held(store, "anna"), held(store, "bert")
    assert first.go_on(1).task.state == "done"
    last.record(2)
    finish = last.go_on(3, until=NOW + 3 * LEASE_S)
    assert (finish.task.kind, finish.job.pages_done) == ("finish", 3)
    assert [task.id for task in store.leased_to("bert")] == [finish.task.id]
    assert claim(store, "anna") is None
    assert store.overdue(NOW + 2 * LEASE_S) == ()
    assert sweep(store, NOW + 3 * LEASE_S) == 1  # if it dies, another one finishes
    again = held(store, "anna", now=NOW + 30 * LEASE_S)
    assert again.task.id == finish.task.id
    with pytest.raises(LeaseLost):
        finish.finish()
    assert again.finish().job.status == "succeeded"


def test_a_holder_that_lost_its_lease_is_refused(store: Store) -> None:
    submit(store, "job", (1, 2))
    stale = held(store, "anna")
    stale.record(1)
    assert sweep(store, NOW + LEASE_S) == 1
    fresh = held(store, "bert", now=NOW + LEASE_S)
    assert fresh.task.id == stale.task.id
    assert fresh.task.pages_left == (2,)
    before = (store.job("job"), store.tasks("job"))
    refused: list[Callable[[], object]] = [
        stale.renew,
        lambda: stale.record(2),
        stale.complete,
        stale.finish,
        stale.give_back,
    ]
    for call in refused:
        with pytest.raises(LeaseLost):
            call()
    assert (store.job("job"), store.tasks("job")) == before
    stale.lose()
    assert store.tasks("job") == before[1]
    fresh.record(2)
    assert fresh.complete().job.pages_done == 2


def test_a_task_given_back_waits_with_what_is_done(store: Store) -> None:
    submit(store, "job", (1, 2, 3))
    first = held(store)
    first.record(1, 2)
    first.give_back(NOW + 1)
    assert store.leased_to("worker") == ()
    assert claim(store, now=NOW) is None
    second = held(store, now=NOW + 1)
    assert second.task.pages_left == (3,)
    assert second.task.attempts == 0
    assert second.task.done == {1: first.token, 2: first.token}


def test_a_page_that_kills_its_workers_fails_alone(store: Store) -> None:
    submit(store, "job", tuple(range(1, 9)))
    deaths = 0
    for turn in range(100):
        now = NOW + turn * LEASE_S
        sweep(store, now)
        while claimed := claim(store, now=now):
            if claimed.task.kind == "finish":
                claimed.finish(now)
            elif 5 in claimed.task.pages_left:
                claimed.record(*(n for n in claimed.task.pages_left if n < 5), now=now)
                deaths += 1
                break
            else:
                claimed.read()
    job = job_of(store)
    assert job.status == "partial"
    assert (job.pages_done, job.pages_failed) == (8, 1)
    assert 3 <= deaths <= 9
    assert store.backlog("cpu", NOW * 2) == Backlog()


def test_the_range_is_halved_until_the_killer_is_alone(store: Store) -> None:
    """As above, with a worker that keeps nothing of a range in which it dies."""
    submit(store, "job", tuple(range(1, 9)))
    failed: dict[int, str] = {}
    read: Counter[int] = Counter()
    while claimed := claim(store):
        if 5 in claimed.task.pages_left:
            moved = claimed.lose()
            failed |= {n: f.code for task in moved.tasks for n, f in task.failures.items()}
        elif claimed.task.kind == "read":
            read.update(claimed.task.pages_left)
            claimed.read()
        else:
            claimed.finish()
    assert failed == {5: "worker_lost"}
    assert read == dict.fromkeys([1, 2, 3, 4, 6, 7, 8], 1)
    assert job_of(store).status == "partial"


# Ending


def test_of_eight_that_complete_at_once_one_is_last(store: Store) -> None:
    submit(store, "job", *((page,) for page in range(1, 9)))
    holders = [held(store, f"worker-{n}") for n in range(8)]
    for holder in holders:
        holder.record(*holder.task.pages_left)
    moved = at_once([holder.complete for holder in holders])
    assert [len(each.tasks) for each in moved].count(2) == 1
    assert [task.id for task in store.tasks("job") if task.kind == "finish"] == ["job.finish"]
    assert job_of(store).tasks_open == 0
    finishing = held(store)
    assert finishing.task.kind == "finish"
    assert finishing.finish().job.status == "succeeded"
    assert [task.kind for task in store.tasks("job")] == ["finish"]


def test_a_job_with_a_webhook_ends_with_a_delivery(store: Store) -> None:
    submit(store, webhook_url="https://example.org/")
    assert read_all(store) == ["job.0", "job.finish"]
    delivery = claim(store, pool=SYSTEM)
    assert delivery is not None
    assert delivery.task.kind == "deliver"


def test_cancelling_takes_the_tasks_from_their_holders(store: Store) -> None:
    submit(store, "job", (1,), (2,), webhook_url="https://example.org/")
    holder = held(store)
    store.change("job", None, lambda job, _: endings.cancel(job, NOW), durable=True)
    refused: list[Callable[[], object]] = [
        holder.renew,
        lambda: holder.record(1),
        holder.complete,
    ]
    for call in refused:
        with pytest.raises(LeaseLost):
            call()
    assert claim(store) is None
    assert [task.kind for task in store.tasks("job")] == ["deliver"]
    assert job_of(store).status == "cancelled"
    assert store.leased_to("worker") == ()
    assert store.backlog("cpu", NOW) == Backlog()


def test_expired_jobs_are_found_emptied_and_forgotten(store: Store) -> None:
    for name in ("a", "b", "c"):
        submit(store, name, metadata={"secret": "yes"}, idempotency_key=name)
    _finish(store, "a")
    _finish(store, "b", NOW + 10)
    end = NOW + 3600
    assert store.expired(end - 1) == ()
    assert [job.id for job in store.expired(end)] == ["a"]
    assert [job.id for job in store.expired(end + 10)] == ["a", "b"]  # c has not ended
    assert [job.id for job in store.expired(end + 10, limit=1)] == ["a"]
    store.change("a", None, lambda job, _: endings.expire(job))
    assert [job.id for job in store.expired(end + 10)] == ["a", "b"]  # its blobs may be left
    assert store.forget(end + 1) == 0
    store.change("a", None, lambda job, _: endings.cleared(job))
    assert [job.id for job in store.expired(end + 10)] == ["b"]
    tombstone = job_of(store, "a")
    assert (tombstone.status, tombstone.erased) == ("expired", True)
    assert (tombstone.metadata, tombstone.results) == ({}, {})
    assert store.tasks("a") == ()
    assert store.forget(end) == 0
    assert store.forget(end + 1) == 1
    assert store.job("a") is None
    assert store.job("b") is not None
    assert store.forget(end + 1) == 0
    assert submit(store, "d", idempotency_key="a").id == "d"


def test_what_an_expired_job_owes_its_webhook_stays(store: Store) -> None:
    submit(store, "a", webhook_url="https://hook.example/")
    store.change("a", None, lambda job, _: endings.cancel(job, NOW))
    taken = store.claim(
        SYSTEM,
        "w",
        now=NOW,
        until=NOW + LEASE_S,
        token="t",  # noqa: S106
        beside=False,
    )
    assert taken
    store.change("a", "a.deliver", endings.expire)
    assert job_of(store, "a").webhook_url is None
    failed = Delivery(at=NOW, elapsed_ms=1, status=500)
    store.change("a", "a.deliver", lambda job, task: moves.delivered(job, task, "t", failed, 0))
    [task] = store.waiting(SYSTEM, NOW + 60, 9)
    assert task.owed == Owed(url="https://hook.example/", status="cancelled")
    assert store.claim(SYSTEM, "w", now=NOW + 60, until=NOW + 90, token="u", beside=False)  # noqa: S106
    store.change("a", None, lambda job, _: endings.erase(job, NOW))
    assert store.tasks("a") == ()


def test_an_erased_job_leaves_nothing_to_do(store: Store) -> None:
    submit(store, "a", (1,), (2,), idempotency_key="one", password="geheim")  # noqa: S106
    holder = held(store)
    store.change("a", None, lambda job, _: endings.erase(job, NOW))
    with pytest.raises(LeaseLost):
        holder.renew()
    assert claim(store) is None
    assert job_of(store, "a").erased
    assert job_of(store, "a").password is None
    assert submit(store, "b", idempotency_key="one").id == "b"
    assert [job.clearing for job in store.expired(NOW)] == [True]
    assert store.forget(NOW * 2, limit=1) == 0
    store.change("a", None, lambda job, _: endings.cleared(job))
    assert store.expired(NOW) == ()
    assert store.forget(NOW * 2, limit=1) == 1


def test_as_many_are_forgotten_as_asked(store: Store) -> None:
    for n in range(5):
        submit(store, f"job-{n}")
        store.change(f"job-{n}", None, lambda job, _: endings.erase(job, NOW))
        store.change(f"job-{n}", None, lambda job, _: endings.cleared(job))
    assert [store.forget(NOW * 2, limit=2) for _ in range(4)] == [2, 2, 1, 0]


# Changing


def test_a_change_is_given_the_task_or_none(store: Store) -> None:
    submit(store)
    seen: list[Task | None] = []

    def look(job: Job, task: Task | None) -> Moved:
        seen.append(task)
        return Moved(job=job)

    store.change("job", "job.0", look)
    store.change("job", "no such task", look)
    store.change("job", None, look)
    assert seen == [store.tasks("job")[0], None, None]


@pytest.mark.parametrize("durable", [False, True])
def test_every_change_counts(store: Store, durable: bool) -> None:
    submit(store)
    returned = [
        store.change("job", None, lambda job, _: Moved(job=job), durable=durable)
        for _ in range(3)
    ]
    assert [moved.job.version for moved in returned] == [1, 2, 3]
    assert job_of(store).version == 3


def test_a_move_that_raises_changes_nothing(store: Store) -> None:
    def breaking(job: Job, _: Task | None) -> Moved:
        return Moved(job=replace(job, pages_done=1 // 0))

    submit(store, "job", (1,), (2,))
    holder = held(store)
    before = (store.job("job"), store.tasks("job"))
    with pytest.raises(ZeroDivisionError):
        store.change("job", "job.0", breaking)
    with pytest.raises(ValueError, match="not done"):
        holder.complete()
    assert (store.job("job"), store.tasks("job")) == before
    holder.read()


def test_drop_takes_read_tasks_or_all_and_then_writes(store: Store) -> None:
    def adding_finish(job: Job, _: Task | None) -> Moved:
        new = Task(id=f"{job.id}.finish", job_id=job.id, kind="finish", pool="cpu", due=NOW)
        return Moved(job=job, tasks=(new,))

    def dropping(drop: str) -> Callable[[Job, Task | None], Moved]:
        def move(job: Job, _: Task | None) -> Moved:
            new = Task(id=f"{job.id}.new", job_id=job.id, kind="deliver", pool=SYSTEM, due=NOW)
            return Moved(job=job, tasks=(new,), drop=drop)  # type: ignore[arg-type]

        return move

    for name in ("a", "b", "c"):
        submit(store, name, (1,), (2,))
        store.change(name, None, adding_finish)
    drops = {"a": "none", "b": "read", "c": "all"}
    for name, drop in drops.items():
        store.change(name, None, dropping(drop))
    left = {name: [task.id[2:] for task in store.tasks(name)] for name in drops}
    assert left == {"a": ["0", "1", "finish", "new"], "b": ["finish", "new"], "c": ["new"]}
    assert store.backlog("cpu", NOW).waiting == 4
    assert store.backlog(SYSTEM, NOW).waiting == 3


def test_changes_from_many_threads_all_count(store: Store) -> None:
    submit(store)

    def count() -> None:
        for _ in range(25):
            store.change(
                "job",
                None,
                lambda job, _: Moved(job=replace(job, pages_done=job.pages_done + 1)),
            )

    at_once([count] * 8)
    assert (job_of(store).pages_done, job_of(store).version) == (200, 200)


# What autoscalers and users ask


def test_the_backlog_counts_what_waits_and_what_is_held(store: Store) -> None:
    assert store.backlog("cpu", NOW) == Backlog()
    submit(store, "a", (1,), (2,), due=NOW - 7)
    submit(store, "b", priority="batch", due=NOW - 20)
    submit(store, "c", due=NOW + 60)
    submit(store, "d", pool="gpu", due=NOW - 99)
    assert store.backlog("cpu", NOW) == Backlog(waiting=3, leased=0, oldest_s=20)
    assert held(store).task.id == "b.0"
    assert store.backlog("cpu", NOW) == Backlog(waiting=2, leased=1, oldest_s=7)
    assert store.backlog("gpu", NOW) == Backlog(waiting=1, leased=0, oldest_s=99)
    assert store.backlog("cpu", NOW + 60).waiting == 3


def test_the_next_due_task_of_a_pool_is_known(store: Store) -> None:
    assert store.next_due("cpu") is None
    submit(store, "a", due=NOW + 5)
    submit(store, "b", due=NOW + 3, priority="batch")
    submit(store, "c", due=NOW + 1, pool="gpu")
    assert store.next_due("cpu") == NOW + 3
    held(store, now=NOW + 3)
    assert store.next_due("cpu") == NOW + 5
    held(store, now=NOW + 5)
    assert store.next_due("cpu") is None


def test_what_waits_is_listed_in_the_order_of_claims(store: Store) -> None:
    submit(store, "a", (1,), (2,), due=NOW - 9)
    submit(store, "b", due=NOW - 1, owner="bob")
    submit(store, "c", due=NOW - 2)
    submit(store, "d", due=NOW + 1, owner="dan")
    submit(store, "e", due=NOW - 3, pool="gpu")
    assert store.waiting("cpu", NOW - 10, 9) == ()
    order = ["a.0", "b.0", "a.1", "c.0"]
    assert [task.id for task in store.waiting("cpu", NOW, 9)] == order
    assert [task.id for task in store.waiting("cpu", NOW, 3)] == order[:3]
    assert store.waiting("cpu", NOW, 1) == store.tasks("a")[:1]
    assert held(store).task.id == "a.0"
    later = [task.id for task in store.waiting("cpu", NOW + 1, 9)]
    assert later == ["b.0", "d.0", "a.1", "c.0"]


def test_the_store_tells_the_time(store: Store) -> None:
    before = time.time()
    told = store.clock()
    assert before - 5 < told < time.time() + 5  # a server's clock may be a little off
    assert store.clock() >= told


def test_how_many_are_ahead_of_a_task_is_counted_up_to_a_limit(store: Store) -> None:
    submit(store, "a", (1,), (2,))
    submit(store, "b")
    submit(store, "c")
    submit(store, "d", pool="gpu", due=NOW - 1)
    tasks = {task.id: task for name in "abc" for task in store.tasks(name)}

    def ahead(limit: int = 100) -> dict[str, int]:
        return {name: store.ahead(task, limit) for name, task in tasks.items()}

    assert ahead() == {"a.0": 0, "a.1": 1, "b.0": 2, "c.0": 3}
    assert ahead(limit=2) == {"a.0": 0, "a.1": 1, "b.0": 2, "c.0": 2}
    held(store)
    assert {**ahead(), "a.0": None} == {"a.0": None, "a.1": 0, "b.0": 1, "c.0": 2}


# Keys and secrets


def test_keys_are_kept_and_replaced_the_oldest_first(store: Store) -> None:
    assert store.keys() == ()
    newer = replace(
        KEY,
        id="k0",
        created_at=NOW + 1,
        max_active=3,
        scopes=("read",),
        expires_at=NOW + 9,
        previous_sha256="1" * 64,
        previous_until=NOW + 5,
    )
    store.put_key(newer)
    store.put_key(KEY)
    assert store.keys() == (KEY, newer)
    revoked = replace(KEY, revoked_at=NOW + 2)
    store.put_key(revoked)
    assert store.keys() == (revoked, newer)


def test_a_secret_is_the_first_proposed_until_it_is_replaced(store: Store) -> None:
    store.check_writable()
    assert store.value("links", b"one\0\xff") == b"one\0\xff"
    assert store.value("links", b"two") == b"one\0\xff"
    assert store.value("hooks", b"two") == b"two"
    store.put_value("links", b"three")
    store.put_value("new", b"four")
    assert store.value("links", b"one") == b"three"
    assert store.value("new", b"one") == b"four"


def test_of_eight_that_propose_a_secret_at_once_all_get_the_same(store: Store) -> None:
    proposals = [f"secret {n}".encode() for n in range(8)]
    given = at_once([partial(store.value, "links", value) for value in proposals])
    assert len(set(given)) == 1
    assert given[0] in proposals


# Lasting


@pytest.mark.parametrize("name", LASTING)
def test_a_store_opened_again_has_everything(name: str, places: Places) -> None:
    place = places(name)
    store = STORES[name](place)
    submit(store, "a", (1,), (2,), idempotency_key="one", webhook_url="https://example.org/")
    submit(store, "b", priority="batch")
    holder = held(store)
    store.put_key(KEY)
    store.put_value("links", b"one")
    before = _all(store)
    store.close()
    again = STORES[name](place)
    assert _all(again) == before
    assert again.submit(*make("c", idempotency_key="one")).id == "a"
    assert Held(again, holder.job, holder.task, holder.token).read().job.pages_done == 1
    assert again.count_active(None, 9) == 2
    again.close()


@pytest.mark.parametrize("name", LASTING)
def test_a_process_that_is_killed_loses_no_job_it_was_told_is_kept(
    name: str, places: Places
) -> None:
    place = places(name)
    store = STORES[name](place)
    for turn in range(3):
        process = start("submit", name, place, f"turn-{turn}")
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(20 + turn)]
        os.kill(process.pid, signal.SIGKILL)
        told += process.stdout.readlines()  # the last line may be cut short
        process.wait(LONG_S)
        process.stdout.close()
        ids = [line.strip() for line in told if line.endswith("\n")]
        assert len(ids) >= 20
        for job_id in ids:
            assert job_of(store, job_id).status == "queued"
            assert len(store.tasks(job_id)) == 1
    kept = store.jobs(JobQuery(limit=100_000))
    assert all(len(store.tasks(job.id)) == 1 for job in kept)  # a job is there whole
    store.close()


# A queue that loses, doubles and reorders


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow(why)] if (why := LONG.get(name)) else [])
        for name in STORES
    ],
)
def test_whatever_the_queue_does_every_job_ends_once(name: str, places: Places) -> None:
    @settings(max_examples=EXAMPLES.get(name, 25))
    @given(schedule=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=80))
    def live(schedule: list[tuple[int, int]]) -> None:
        store = STORES[name](places(name))
        try:
            town = Town(store)
            for action, choice in schedule:
                town.act(action, choice)
            town.calm_down()
        finally:
            store.close()

    live()


class Town:
    """Three workers, five jobs, and a queue that does what it likes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.now = NOW
        self.wakes: list[str] = []
        self.holding: list[Held] = []
        self.stalled: list[Held] = []
        self.ended: Counter[str] = Counter()
        self.read: Counter[tuple[str, int]] = Counter()
        self.ranges = [((1, 2, 3), (4, 5)), ((1,),), ((1, 2),), ((1,), (2,)), ((1, 2, 3, 4),)]
        for n, ranges in enumerate(self.ranges):
            submit(store, f"job-{n}", *ranges, priority="batch" if n % 2 else "interactive")
            self.wakes.append("cpu")

    def act(self, action: int, choice: int) -> None:
        """One thing that may happen."""
        self.now += 1
        if action <= 2 and self.wakes:
            self.wake(self.wakes.pop(choice % len(self.wakes)))  # in any order
        elif action == 3 and self.wakes:
            self.wakes.pop(choice % len(self.wakes))
        elif action == 4 and self.wakes:
            self.wakes.append(self.wakes[choice % len(self.wakes)])
        elif action in (5, 6) and self.holding:
            self.work(self.holding[choice % len(self.holding)], choice % 3)
        elif action == 7 and self.holding:
            self.stalled.append(self.holding.pop(choice % len(self.holding)))
        elif action == 8 and self.stalled:
            self.work(self.stalled[choice % len(self.stalled)], choice % 3)
        elif action == 9:
            self.now += choice
            sweep(self.store, self.now)

    def wake(self, pool: str) -> None:
        claimed = claim(self.store, pool=pool, now=self.now) if len(self.holding) < 3 else None
        if claimed:
            self.holding.append(claimed)

    def work(self, mine: Held, what: int) -> None:
        """Go on with a task; the holder finds out whether it is still its own."""
        try:
            if mine.task.kind == "finish":
                self.note(mine.finish(self.now), mine)
            elif what == 0 or not (left := _left(mine)):
                self.note(mine.complete(self.now), mine)
            else:
                mine.record(left[0], now=self.now)
                self.read[mine.job.id, left[0]] += 1
        except LeaseLost:
            self.drop(mine)
        except ValueError:
            assert _left(mine)

    def note(self, moved: Moved, mine: Held) -> None:
        self.ended[moved.job.id] += moved.job.ended
        self.wakes.extend(moved.wakes)
        self.drop(mine)

    def drop(self, mine: Held) -> None:
        for tasks in (self.holding, self.stalled):
            if mine in tasks:
                tasks.remove(mine)

    def calm_down(self) -> None:
        """No ring is heard any more: the sweep alone must bring everything to its end."""
        for _ in range(20):
            self.now += LEASE_S * 2
            sweep(self.store, self.now)
            self.holding.clear()
            while claimed := claim(self.store, now=self.now):
                for _ in range(9):
                    self.holding = [claimed]
                    self.work(claimed, 1)
                    if not self.holding:
                        break
        for each in self.stalled[:]:
            self.work(each, 1)
        self.check()

    def check(self) -> None:
        names = [f"job-{n}" for n in range(len(self.ranges))]
        assert self.ended == dict.fromkeys(names, 1)
        for name, ranges in zip(names, self.ranges, strict=True):
            job = job_of(self.store, name)
            pages = [page for numbers in ranges for page in numbers]
            assert job.pages_done == len(pages)
            assert sum(self.read[name, page] for page in pages) == len(pages) - job.pages_failed
            expected = {0: "succeeded", len(pages): "failed"}
            assert job.status == expected.get(job.pages_failed, "partial")
        assert self.store.count_active(None, 99) == 0
        assert self.store.backlog("cpu", self.now) == Backlog()


def _left(mine: Held) -> tuple[int, ...]:
    """What the store says is left of a task; a holder that lost it sees what it had."""
    for task in mine.store.tasks(mine.job.id):
        if task.id == mine.task.id and task.lease and task.lease.token == mine.token:
            return task.pages_left
    return mine.task.pages_left


def _finish(store: Store, job_id: str, now: float = NOW) -> None:
    """Bring a job to its end, without regard to who holds what."""
    results: dict[str, Result] = {"json": RESULT}

    def finish(job: Job, _: Task | None) -> Moved:
        task = Task(id=f"{job.id}.finish", job_id=job.id, kind="finish", pool="cpu", due=now)
        leased = moves.lease(job, task, "w", "t", now, now)
        return moves.complete_finish(leased.job, leased.tasks[0], "t", results, now)

    store.change(job_id, None, finish)


def _all(store: Store) -> object:
    jobs = store.jobs(JobQuery())
    tasks = [store.tasks(job.id) for job in jobs]
    return jobs, tasks, store.keys(), store.value("links", b"?"), store.backlog("cpu", NOW)
