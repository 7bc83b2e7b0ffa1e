"""What reviewers are promised, of every store: none twice, none lost, gone with the job."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial

import pytest
from msgspec.structs import replace

from pagetide.errors import JobUnknown, LeaseLost
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.jobs import endings, review_task
from pagetide.server.jobs.job import SYSTEM, Job, Owed
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.review import Correction, Review, Rules
from pagetide.server.ports import Store
from pagetide.server.service.reviews import Claimed, Reviews
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.settings import Settings
from tests.contract.stores import LASTING, NOW, RESULT, STORES, Places, make, new_place, sweep
from tests.serving import notifier_by

LEASE_S = 60.0
HOOK = "https://hook.example/"
CORRECTION = Correction(
    page=1, line=0, old="l2", new="12", polygon=((0, 0), (9, 0), (9, 5), (0, 5)), dpi=144
)


@pytest.fixture
def places(request: pytest.FixtureRequest) -> Places:
    """Gives an empty place for a store of a kind."""
    return partial(new_place, request=request)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, places: Places) -> Iterator[Store]:
    opened = STORES[request.param](places(request.param))
    yield opened
    opened.close()


def reviews_of(store: Store, now: float = NOW) -> Reviews:
    return Reviews(
        store=store,
        blobs=ObjectBlobs.in_memory(),
        notifier=notifier_by(MemoryNotifications()),
        settings=Settings(review_lease_s=LEASE_S),
        clock=lambda: now,
    )


def keep(store: Store, job_id: str, owner: str = "ada", at: float = NOW) -> Job:
    """A job that has ended, with a result to review."""
    job, _ = make(job_id, owner=owner, review=Review(rules=Rules(sample=1)))
    job = replace(job, status="succeeded", results={"json": RESULT}, tasks_open=0)
    job, tasks = review_task.asked(job, ("sampled",), at)
    return store.submit(job, tasks)


def claimed(reviews: Reviews, by: str = "Ann", owner: str = "ada") -> Claimed:
    found = reviews.next(owner, by)
    assert found is not None
    return found


def state(store: Store, job_id: str) -> str:
    job = store.job(job_id)
    assert job is not None
    return review_task.state(job, reviews_of(store).task(job))


def test_what_has_waited_longest_is_claimed_first(store: Store) -> None:
    for place in range(3):
        keep(store, f"job{place}", at=NOW - place)
    reviews = reviews_of(store)
    assert reviews.counts("ada").waiting == 3
    assert sorted(job.id for job, _ in reviews.waiting("ada", 10)) == ["job0", "job1", "job2"]
    assert [claimed(reviews).job.id for _ in range(3)] == ["job2", "job1", "job0"]
    assert reviews.next("ada", "Ann") is None
    assert reviews.counts("ada").leased == 3


def test_nobody_is_given_another_keys_documents(store: Store) -> None:
    keep(store, "job")
    reviews = reviews_of(store)
    assert reviews.next("eve", "Eve") is None
    assert reviews.counts("eve").waiting == 0
    assert claimed(reviews).job.owner == "ada"


def test_reviewers_at_once_never_get_the_same_one_and_none_is_lost(store: Store) -> None:
    """Three work at once; one dies with each document that it is given."""
    for place in range(20):
        keep(store, f"job{place:02}")
    reviews, closed = reviews_of(store), Counter[str]()
    gate = threading.Barrier(3)

    def work(by: str) -> None:
        gate.wait(60)
        while found := reviews.next("ada", by):
            if by != "dying":
                reviews.close(found.job, found.token, ())
                closed[found.job.id] += 1

    people = [threading.Thread(target=work, args=(by,)) for by in ("Ann", "Ben", "dying")]
    for one in people:
        one.start()
    for one in people:
        one.join(300)
    left = 20 - len(closed)
    assert reviews.counts("ada").leased == left
    later = NOW + LEASE_S + 1
    assert sweep(store, later) == left
    after = reviews_of(store, later)
    while found := after.next("ada", "Ann"):
        after.close(found.job, found.token, ())
        closed[found.job.id] += 1
    assert set(closed.values()) == {1}
    assert len(closed) == 20


def test_who_is_too_late_changes_nothing(store: Store) -> None:
    keep(store, "job")
    reviews, later = reviews_of(store), reviews_of(store, NOW + LEASE_S + 1)
    dead = claimed(reviews, "dead")
    sweep(store, NOW + LEASE_S + 1)
    alive = claimed(later, "Ben")
    for late in (later.renew, later.give_back):
        with pytest.raises(LeaseLost):
            late(dead.job, dead.token)
    with pytest.raises(LeaseLost):
        later.close(dead.job, dead.token, [CORRECTION])
    closed = later.close(alive.job, alive.token, ()).review
    assert closed
    assert (closed.outcome, closed.by, closed.corrections) == ("accepted", "Ben", 0)


def test_who_renews_keeps_it(store: Store) -> None:
    keep(store, "job")
    mine = claimed(reviews_of(store))
    later = reviews_of(store, NOW + LEASE_S - 1)
    lease = later.renew(mine.job, mine.token).lease
    assert lease is not None
    assert lease.until == NOW + 2 * LEASE_S - 1
    assert sweep(store, NOW + LEASE_S + 1) == 0
    assert state(store, "job") == "claimed"


def test_what_is_given_back_comes_last(store: Store) -> None:
    keep(store, "job0", at=NOW - 2)
    keep(store, "job1", at=NOW - 1)
    reviews = reviews_of(store)
    first = claimed(reviews)
    reviews.give_back(first.job, first.token)
    assert [claimed(reviews).job.id for _ in range(2)] == ["job1", "job0"]


def test_closing_twice_with_one_token_counts_once(store: Store) -> None:
    keep(store, "job")
    reviews = reviews_of(store)
    mine = claimed(reviews)
    first = reviews.close(mine.job, mine.token, [CORRECTION])
    again = reviews.close(mine.job, mine.token, [CORRECTION])
    assert first.review == again.review
    assert state(store, "job") == "corrected"
    assert [(job.id, each) for job, each in reviews.corrections("ada")] == [("job", CORRECTION)]
    assert list(reviews.corrections("eve")) == []


def test_who_closed_it_may_change_their_mind_and_nobody_else(store: Store) -> None:
    keep(store, "job")
    keep(store, "other")
    reviews = reviews_of(store)
    mine, other = claimed(reviews), claimed(reviews, "Ben")
    reviews.close(mine.job, mine.token, ())
    assert state(store, mine.job.id) == "accepted"
    reviews.close(mine.job, mine.token, [CORRECTION])
    assert state(store, mine.job.id) == "corrected"
    with pytest.raises(LeaseLost):
        reviews.close(mine.job, other.token, ())
    reviews.close(mine.job, mine.token, ())
    assert state(store, mine.job.id) == "accepted"
    assert list(reviews.corrections("ada")) == []


def test_a_review_goes_with_its_job(store: Store) -> None:
    for job_id in ("claimed", "corrected", "waiting"):
        keep(store, job_id)
    reviews = reviews_of(store)
    held = [claimed(reviews), claimed(reviews)]
    reviews.close(held[1].job, held[1].token, [CORRECTION])
    for job_id in ("claimed", "corrected", "waiting"):
        store.change(job_id, None, lambda job, _: endings.erase(job, NOW))
        store.change(job_id, None, lambda job, _: endings.cleared(job))
    with pytest.raises(LeaseLost):
        reviews.renew(held[0].job, held[0].token)
    assert reviews.next("ada", "Ben") is None
    assert list(reviews.corrections("ada")) == []
    store.forget(NOW + 1)
    with pytest.raises((LeaseLost, JobUnknown)):
        reviews.close(held[0].job, held[0].token, ())


@pytest.mark.parametrize("name", LASTING)
def test_a_claim_outlives_the_server(name: str, places: Places) -> None:
    place = places(name)
    before = STORES[name](place)
    keep(before, "job")
    mine = claimed(reviews_of(before))
    before.close()
    after = STORES[name](place)
    try:
        assert reviews_of(after).next("ada", "Ben") is None
        assert reviews_of(after).close(mine.job, mine.token, [CORRECTION]).review
        assert state(after, "job") == "corrected"
    finally:
        after.close()


def test_a_review_that_nobody_closed_is_told_when_the_job_goes(store: Store) -> None:
    for name in ("open", "closed", "quiet"):
        keep(store, name)
    for name in ("open", "closed"):
        store.change(name, None, lambda job, _: Moved(job=replace(job, webhook_url=HOOK)))
    reviews = reviews_of(store)
    mine = {}
    while found := reviews.next("ada", "Ann"):
        mine[found.job.id] = found
    reviews.close(mine["closed"].job, mine["closed"].token, ())
    gone = {
        name: store.change(name, f"{name}.deliver", endings.expire)
        for name in ("open", "closed", "quiet")
    }
    assert {name: moved.review_expired for name, moved in gone.items()} == {
        "open": True,
        "closed": False,
        "quiet": True,
    }
    [task] = store.tasks("open")
    assert (task.kind, task.tells) == ("deliver", "review_expired")
    assert task.owed == Owed(url=HOOK, status="succeeded")
    assert store.tasks("closed") == store.tasks("quiet") == ()
    taken = store.claim(
        SYSTEM,
        "w",
        now=task.due,
        until=task.due + LEASE_S,
        token="t",  # noqa: S106
        beside=False,
    )
    assert taken and taken[1].id == task.id
    assert reviews.counts("ada").waiting == 0
    with pytest.raises((LeaseLost, JobUnknown)):
        reviews.close(mine["open"].job, mine["open"].token, ())
    again = store.change("open", "open.deliver", endings.expire)
    assert not again.review_expired
