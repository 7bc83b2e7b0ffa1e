"""What a server does beside answering: it sweeps, and calls webhooks."""

from __future__ import annotations

import itertools
import json
import os
import re
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace as replace_setting
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from pagetide.errors import DiskFull, JobEnded, JobGone, JobUnknown, StoreFailed
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.jobs import endings, owing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, Owed, Task
from pagetide.server.jobs.losses import FINISH_TRIES, TRIES
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.owing import PAUSES_S
from pagetide.server.jobs.review import Rules
from pagetide.server.maintenance import deliverer as delivering
from pagetide.server.maintenance.deliverer import DELIVERY_LEASE_S, LOOK_S, Deliverer, Post
from pagetide.server.maintenance.maintenance import AWAY, GRACE, Maintenance
from pagetide.server.maintenance.orphans import AGAIN_S, OLD_S, Orphans
from pagetide.server.maintenance.webhook_post import WebhookPost
from pagetide.server.ports import Backlog
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.webhook_secrets import SECRETS_KEPT, WebhookSecrets
from pagetide.telemetry import metrics
from tests.contract.stores import RESULT, make
from tests.serving import Place, Wrapped, pdf
from tests.waiting import until

HOOK = "https://hook.example/told"
DAY_S = 86400.0


@pytest.fixture
def place(tmp_path: Path, inspecting: Inspector) -> Place:
    return Place(tmp_path, inspecting, blobs=ObjectBlobs.in_folder(tmp_path / "blobs"))


def claim(place: Place, worker: str = "w", pool: str = "cpu") -> tuple[Job, Task]:
    now = place.clock()
    until = now + place.settings.lease_s
    taken = place.store.claim(pool, worker, now=now, until=until, token=f"t{now}", beside=False)
    assert taken
    return taken


def end(place: Place, job: Job, *, read: bool = True) -> Job:
    """End a job with one task as a worker would."""
    _, task = claim(place)
    assert task.job_id == job.id
    assert task.lease
    token, now = task.lease.token, place.clock()
    pages = dict.fromkeys(task.pages, read)
    change = place.store.change
    change(job.id, task.id, lambda j, t: moves.record(j, t, token, pages, now + 9))
    change(job.id, task.id, lambda j, t: moves.complete_read(j, t, token, now))
    _, finish = claim(place)
    assert finish.lease
    last = finish.lease.token
    results = {"json": RESULT}
    change(job.id, finish.id, lambda j, t: moves.complete_finish(j, t, last, results, now))
    return place.job(job)


class TestLeases:
    def test_one_that_has_run_out_is_taken_back(self, place: Place) -> None:
        job = place.submit(pdf(3))
        claim(place)
        listener = place.notifications.subscribe("cpu", "jobs")
        place.sweeper.take_back()
        assert place.service.backlog("cpu").leased == 1
        place.lapse()
        [task] = place.store.tasks(job.id)
        assert (task.state, task.attempts, task.alone, task.lease) == (
            "waiting",
            0,
            False,
            None,
        )
        assert set(listener.wait(0)) == {("cpu", job.id), ("jobs", job.id)}
        listener.close()

    def test_one_whose_work_had_begun_is_a_try(self, place: Place) -> None:
        job = place.submit(pdf(3))
        _, held = claim(place)
        place.begin(held)
        place.lapse()
        [task] = place.store.tasks(job.id)
        assert (task.state, task.attempts, task.alone, task.lease) == ("waiting", 1, True, None)

    def test_a_holder_that_renews_after_an_outage_keeps_it(self, place: Place) -> None:
        job = place.submit(pdf(3))
        _, held = claim(place)
        assert held.lease
        place.begin(held)
        place.clock.ahead += 10 * place.settings.lease_s
        place.sweeper.take_back()
        until, token = place.clock() + place.settings.lease_s, held.lease.token
        place.store.change(job.id, held.id, lambda j, t: moves.renew(j, t, token, until))
        place.clock.ahead += place.settings.lease_s * GRACE + 1
        place.sweeper.take_back()
        [task] = place.store.tasks(job.id)
        assert (task.state, task.attempts) == ("leased", 0)

    def test_two_outages_after_each_other_charge_nobody(self, place: Place) -> None:
        """As where the store goes away once more before the holder could renew."""
        job = place.submit(pdf(3))
        _, held = claim(place)
        place.begin(held)
        for _ in range(2):
            place.clock.ahead += place.settings.lease_s + 1
            place.sweeper.take_back()
        [task] = place.store.tasks(job.id)
        assert (task.state, task.attempts) == ("leased", 0)

    def test_one_that_cannot_be_changed_keeps_no_other(self, place: Place) -> None:
        jobs = [place.submit(pdf(1), owner=f"{n}") for n in range(4)]
        bad = {claim(place)[1].job_id for _ in jobs[:1]}
        for _ in jobs[1:]:
            claim(place)
        place.clock.ahead += place.settings.lease_s + 1
        outer: Any = Wrapped(place.store)

        def change(job_id: str, *given: Any) -> Any:
            if job_id in bad:
                raise StoreFailed
            return place.store.change(job_id, *given)

        outer.change = change
        place.sweeper._store = outer
        for _ in range(5):
            with pytest.raises(StoreFailed):
                place.sweeper.take_back()
            place.clock.ahead += place.settings.lease_s * GRACE / 3
        assert place.service.backlog("cpu").waiting == 3
        assert place.service.backlog("cpu").leased == 1

    def test_a_store_that_is_away_is_not_asked_for_each(self, place: Place) -> None:
        for n in range(6):
            place.submit(pdf(1), owner=f"{n}")
            claim(place)
        place.clock.ahead += place.settings.lease_s + 1
        outer: Any = Wrapped(place.store)
        asked: list[str] = []

        def change(job_id: str, *given: Any) -> Any:
            asked.append(job_id)
            raise StoreFailed

        outer.change = change
        place.sweeper._store = outer
        with pytest.raises(StoreFailed):
            place.sweeper.take_back()
        assert len(asked) == AWAY

    def test_those_of_a_dead_worker_are_taken_at_once(self, place: Place) -> None:
        for n in range(3):
            place.submit(pdf(1), owner=f"{n}")
        for worker in ("dead", "dead", "alive"):
            claim(place, worker)
        assert place.sweeper.take_from("dead") == 2
        assert place.sweeper.take_from("dead") == 0
        assert place.service.backlog("cpu").waiting == 2
        assert len(place.store.leased_to("alive")) == 1

    def test_a_page_on_which_all_died_is_given_up(self, place: Place) -> None:
        job = place.submit(pdf(1))
        for _ in range(2 * TRIES):
            assert not place.store.tasks(job.id)[0].failures
            place.begin(claim(place)[1])
            place.sweeper.take_from("w")
        place.work()
        ended = place.job(job)
        assert ended.error
        assert (ended.status, ended.error.code) == ("failed", "worker_lost")
        assert (ended.pages_done, ended.pages_failed) == (1, 1)

    def test_results_come_without_the_format_that_nobody_could_make(self, place: Place) -> None:
        job = place.submit(pdf(1), options={"formats": ("md",)})
        place.work(recycle_pages=1)
        for _ in range(FINISH_TRIES):
            place.clock.ahead += FINISH_TRIES**2
            place.begin(claim(place)[1])
            place.sweeper.take_from("w")
        place.clock.ahead += FINISH_TRIES**2
        place.work()
        ended = place.job(job)
        assert (ended.status, sorted(ended.results)) == ("partial", ["json", "raw"])
        assert ended.error
        assert ended.error.code == "worker_lost" and "md" in ended.error.message

    def test_a_task_that_is_gone_meanwhile_is_let_be(self, place: Place) -> None:
        job = place.submit(pdf(1))
        _, task = claim(place)
        place.service.cancel(job.id)
        place.sweeper.lose(task)
        assert place.job(job).status == "cancelled"
        assert place.store.tasks(job.id) == ()

    def test_a_job_that_is_forgotten_meanwhile_is_let_be(self, place: Place) -> None:
        job = place.submit(pdf(1))
        _, task = claim(place)
        place.service.erase(job.id)
        place.store.forget(place.clock() + 100 * DAY_S)
        place.sweeper.lose(task)
        assert place.store.job(job.id) is None


def reviews_expired() -> float:
    """How often it was counted so far."""
    told = metrics.render().decode()
    found = re.search(r"^pagetide_reviews_expired_total (\S+)$", told, re.M)
    return float(found[1]) if found else 0.0


class TestExpiry:
    def test_what_has_outlived_its_time_is_gone(self, place: Place) -> None:
        job = place.submit(pdf(2), ttl_s=1000, webhook_url=HOOK, metadata={"a": "b"})
        place.clock.ahead += 500
        place.work()
        ended = place.job(job)
        place.clock.ahead += 900
        place.sweeper.expire()
        assert place.job(job) == ended
        place.clock.ahead += 101
        place.sweeper.expire()
        gone = place.job(job)
        assert (gone.status, gone.erased, gone.metadata) == ("expired", True, {})
        assert place.blob_keys(job) == []
        assert gone.webhook_url is None
        [task] = place.store.tasks(job.id)  # what is owed outlives it
        assert task.owed == Owed(url=HOOK, status="succeeded")
        with pytest.raises(JobGone, match="expired"):
            place.service.job(job.id)

    def test_a_review_that_nobody_closed_is_said(
        self, place: Place, caplog: pytest.LogCaptureFixture
    ) -> None:
        rules = Rules(sample=1)
        seen, unseen = (place.submit(pdf(1), ttl_s=100, review=rules) for _ in range(2))
        place.work()
        while found := place.service.reviews.next(seen.owner, "Ann"):
            if found.job.id == seen.id:
                place.service.reviews.close(found.job, found.token, ())
        before = reviews_expired()
        place.clock.ahead += 101
        place.sweeper.expire()
        place.sweeper.expire()
        warned = [vars(r)["job"] for r in caplog.records if "before its review" in r.message]
        assert warned == [unseen.id]
        assert reviews_expired() == before + 1

    def test_a_job_that_runs_does_not_expire(self, place: Place) -> None:
        job = place.submit(pdf(1), ttl_s=10)
        place.clock.ahead += 1000
        place.sweeper.expire()
        assert place.service.job(job.id).status == "queued"
        assert place.blob_keys(job) == ["input"]
        place.work()
        place.sweeper.expire()  # its time begins when it ends
        assert place.service.job(job.id).status == "succeeded"

    def test_after_long_nobody_knows_that_it_was(self, place: Place) -> None:
        job = place.submit(pdf(1), ttl_s=10)
        end(place, job)
        place.clock.ahead += 11
        place.sweeper.expire()
        place.clock.ahead += place.settings.forget_s - 60
        place.sweeper.expire()
        with pytest.raises(JobGone):
            place.service.job(job.id)
        place.clock.ahead += 120
        place.sweeper.expire()
        with pytest.raises(JobUnknown):
            place.service.job(job.id)

    def test_many_expire_at_once(self, place: Place) -> None:
        for n in range(120):
            job = kept_job(place, f"job-{n:03}")
            place.blobs.put(f"{job.prefix}input", b"x")
        place.clock.ahead += 3601
        for _ in range(2):
            place.sweeper.expire()
        assert place.blob_keys() == []


def kept_job(place: Place, job_id: str) -> Job:
    """A job that has just ended."""
    job, _ = make(job_id, due=place.clock())
    ended = replace(job, status="succeeded", finished_at=place.clock(), tasks_open=0)
    return place.store.submit(ended, ())


class TestOrphans:
    def test_old_blobs_that_nobody_knows_are_removed(self, place: Place) -> None:
        known = place.submit(pdf(1))
        place.blobs.put("jobs/job_never/input", b"x")
        place.blobs.put("jobs/job_never/pages/1-a.jsonl", b"x")
        kept = place.blob_keys(known)
        assert place.sweeper.remove_orphans() == 0
        place.clock.ahead += OLD_S + 10
        assert place.sweeper.remove_orphans() == 0
        place.clock.ahead += AGAIN_S
        assert place.sweeper.remove_orphans() == 1
        assert place.blob_keys() == [f"{known.prefix}{key}" for key in kept]

    def test_young_ones_may_belong_to_a_job_that_is_about_to_be(self, place: Place) -> None:
        place.blobs.put("jobs/job_new/input", b"x")
        place.clock.ahead += OLD_S - 60
        assert place.sweeper.remove_orphans() == 0
        assert place.blob_keys() == ["jobs/job_new/input"]

    def test_what_was_written_for_a_job_after_its_end_goes_too(self, place: Place) -> None:
        job = place.submit(pdf(1))
        place.service.erase(job.id)
        place.blobs.put(f"{job.prefix}pages/1-late.jsonl", b"x")
        place.clock.ahead += OLD_S + 10
        assert place.sweeper.remove_orphans() == 1
        assert place.blob_keys() == []

    def test_uploads_that_were_broken_off_go_too(self, place: Place) -> None:
        old, young = place.uploads / "old", place.uploads / "young"
        folder = place.uploads / "folder"
        folder.mkdir()
        (folder / "part").write_bytes(b"x")
        (place.uploads / "gone meanwhile").symlink_to("nowhere")
        for path in (old, young):
            path.write_bytes(b"x")
        long_ago = time.time() - 2 * OLD_S
        for path in (old, folder):
            os.utime(path, (long_ago, long_ago))
        place.sweeper.remove_orphans()
        assert young.exists()
        assert not old.exists()
        assert not folder.exists()

    def test_they_are_looked_for_once_an_hour(self, place: Place) -> None:
        looked: list[int] = []
        place.sweeper.remove_orphans = lambda: looked.append(1) or 1  # type: ignore[method-assign, func-returns-value]
        for ahead in (0.0, 60.0, 3500.0, 60.0, 60.0):
            place.clock.ahead += ahead
            place.sweeper.tidy()
        assert len(looked) == 2


class Hook:
    """A webhook that answers as told, and notes when it was called."""

    def __init__(self, place: Place, *statuses: int | None) -> None:
        self._place, self._statuses = place, itertools.chain(statuses, itertools.repeat(200))
        self.calls: list[tuple[str, str]] = []

    async def __call__(self, job: Job, task: Task) -> Delivery:
        self.calls.append((job.id, task.id))
        status = next(self._statuses)
        error = "" if status == 200 else "It does not answer."
        return Delivery(at=self._place.clock(), elapsed_ms=1.0, status=status, error=error)


def deliver(deliverer: Deliverer) -> int:
    """Call the webhooks that are due; how many."""
    return anyio.run(deliverer.deliver_due)


class TestDeliveries:
    def test_an_ended_job_is_told(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        hook = Hook(place)
        deliverer = place.deliverer(hook)
        assert deliver(deliverer) == 0
        end(place, job)
        listener = place.notifications.subscribe("jobs")
        assert deliver(deliverer) == 1
        assert deliver(deliverer) == 0
        assert hook.calls == [(job.id, f"{job.id}.deliver")]
        assert listener.wait(0) == (("jobs", job.id),)
        listener.close()
        [delivery] = place.service.deliveries(job)
        assert (delivery.status, delivery.succeeded) == (200, True)
        assert place.task(job, "deliver").state == "done"

    @pytest.mark.parametrize("status", [None, 300, 404, 500])
    def test_who_does_not_take_it_is_called_again(
        self, place: Place, status: int | None
    ) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        end(place, job)
        hook = Hook(place, status)
        deliverer = place.deliverer(hook)
        assert deliver(deliverer) == 1
        assert deliver(deliverer) == 0
        [first] = place.service.deliveries(job)
        assert place.task(job, "deliver").due == first.at + PAUSES_S[0]
        assert 0 < deliverer.pause_s() <= PAUSES_S[0]
        place.clock.ahead += PAUSES_S[0] + 0.1
        assert deliverer.pause_s() == 0
        assert deliver(deliverer) == 1
        log = place.service.deliveries(job)
        assert [delivery.status for delivery in log] == [status, 200]
        assert log[0].error
        assert place.task(job, "deliver").attempts == 0

    def test_it_is_called_for_a_day_ever_more_rarely(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK, ttl_s=7 * DAY_S)
        end(place, job)
        deliverer = place.deliverer(Hook(place, *[500] * 99))
        while (task := place.task(job, "deliver")).state == "waiting":
            place.clock.ahead += max(0, task.due - place.clock()) + 0.001
            assert deliver(deliverer) == 1
        times = [delivery.at for delivery in place.service.deliveries(job)]
        pauses = [after - before for before, after in itertools.pairwise(times)]
        assert pauses == pytest.approx(PAUSES_S, abs=1)
        assert pauses == sorted(pauses)
        assert 0.9 * DAY_S < times[-1] - times[0] < 1.25 * DAY_S
        assert deliver(deliverer) == 0
        assert place.service.backlog(SYSTEM) == Backlog()

    def test_it_is_called_again_when_asked(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        with pytest.raises(JobEnded):
            place.service.redeliver(job)
        ended = end(place, job)
        hook = Hook(place)
        deliverer = place.deliverer(hook)
        assert deliver(deliverer) == 1
        listener = place.notifications.subscribe(SYSTEM)
        place.service.redeliver(ended)
        assert listener.wait(0) == ((SYSTEM, job.id),)
        listener.close()
        assert deliver(deliverer) == 1
        assert len(hook.calls) == 2
        assert hook.calls[0] == hook.calls[1]  # with the same id, by which it is known again
        assert len(place.service.deliveries(ended)) == 2

    def test_one_that_was_cached_is_told_too(self, place: Place) -> None:
        place.submit(pdf(1))
        place.work()
        again = place.submit(pdf(1), webhook_url=HOOK)
        hook = Hook(place)
        assert deliver(place.deliverer(hook)) == 1
        assert hook.calls == [(again.id, f"{again.id}.deliver")]

    def test_a_deliverer_that_dies_is_replaced(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        end(place, job)

        async def die(*_: object) -> Delivery:
            raise ZeroDivisionError

        assert deliver(place.deliverer(die)) == 1
        hook = Hook(place)
        assert deliver(place.deliverer(hook)) == 0
        place.clock.ahead += DELIVERY_LEASE_S + 1
        place.lapse()
        assert deliver(place.deliverer(hook)) == 1
        assert len(hook.calls) == 1

    def test_where_the_store_takes_nothing_it_pauses(self, place: Place) -> None:
        end(place, place.submit(pdf(1), webhook_url=HOOK))
        ended, pauses = threading.Event(), list[float]()

        class Ears:
            def wait(self, timeout_s: float) -> tuple[tuple[str, str], ...]:
                pauses.append(timeout_s)
                ended.set()
                return ()

        def full(*_: object, **__: object) -> None:
            raise DiskFull

        outer: Any = Wrapped(place.store)
        outer.claim, place.store = full, outer
        anyio.run(place.deliverer(Hook(place)).run, Ears(), ended)  # type: ignore[arg-type]
        assert pauses == [LOOK_S]  # a webhook is due, but asking at once would help nobody

    def test_one_that_is_erased_meanwhile_is_let_be(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        end(place, job)

        async def erase(*_: object) -> Delivery:
            place.service.erase(job.id)
            return Delivery(at=0, elapsed_ms=1, status=200)

        assert deliver(place.deliverer(erase)) == 1
        assert place.store.tasks(job.id) == ()

    def test_one_that_is_erased_before_is_not_called(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        end(place, job)
        place.service.erase(job.id)
        hook = Hook(place)
        assert deliver(place.deliverer(hook)) == 0
        assert hook.calls == []
        assert place.store.tasks(job.id) == ()

    def test_what_is_owed_outlives_the_document(self, place: Place) -> None:
        place.sweeper._settings = replace_setting(place.settings, forget_s=0.0)
        job = place.submit(pdf(1), webhook_url=HOOK, ttl_s=20)
        end(place, job)
        hook = Hook(place, 500, 500, 500)
        deliverer = place.deliverer(hook)
        for _ in range(4):
            place.clock.ahead += max(0, place.task(job, "deliver").due - place.clock()) + 0.001
            assert deliver(deliverer) == 1
            place.sweeper.expire()
        assert place.job(job).cleared
        assert place.blob_keys(job) == []
        assert len(hook.calls) == 4
        told = place.task(job, "deliver")
        assert (told.state, told.owed) == ("done", None)
        place.clock.ahead += owing.OWED_S + 1
        place.sweeper.expire()
        assert place.store.job(job.id) is None

    def test_one_that_is_called_while_its_job_expires_is_called_once(
        self, place: Place
    ) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK, ttl_s=60)
        end(place, job)
        hook = Hook(place)

        async def expiring(job: Job, task: Task) -> Delivery:
            place.clock.ahead += 61
            place.sweeper.expire()
            return await hook(job, task)

        assert deliver(place.deliverer(expiring)) == 1
        assert place.job(job).cleared
        assert place.task(job, "deliver").state == "done"
        assert len(hook.calls) == 1


class TestHouse:
    @pytest.fixture
    def open_maintenance(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Callable[[Post], Maintenance]]:
        monkeypatch.setattr(delivering, "LOOK_S", 600.0)
        opened: list[Maintenance] = []

        def of(post: Post) -> Maintenance:
            opened.append(
                Maintenance(place.sweeper, place.deliverer(post), place.notifications, 0.02)
            )
            return opened[-1]

        yield of
        for one in opened:
            one.close()
        assert not [t for t in threading.enumerate() if t.name == "pagetide-maintenance"]

    def test_it_sweeps(
        self, place: Place, open_maintenance: Callable[[Post], Maintenance]
    ) -> None:
        place.submit(pdf(1))
        claim(place)
        open_maintenance(Hook(place))
        place.clock.ahead += place.settings.lease_s + 1
        until(lambda: place.service.backlog("cpu").waiting == 1)

    def test_it_calls_webhooks_at_once(
        self, place: Place, open_maintenance: Callable[[Post], Maintenance]
    ) -> None:
        hook = Hook(place)
        open_maintenance(hook)
        for n in range(3):
            job = place.submit(pdf(1), webhook_url=HOOK, owner=f"{n}")
            place.work()
            until(lambda job=job: place.service.deliveries(job))  # type: ignore[misc]
        assert len(hook.calls) == 3

    def test_a_long_clean_up_keeps_no_lease_from_being_taken_back(
        self, place: Place, open_maintenance: Callable[[Post], Maintenance]
    ) -> None:
        began, go_on = threading.Event(), threading.Event()

        def slow(*_: object) -> Iterator[Any]:
            began.set()
            go_on.wait(600)
            return iter(())

        outer: Any = Wrapped(place.sweeper._blobs)
        outer.under = slow
        place.sweeper._orphans = Orphans(place.store, outer)
        try:
            open_maintenance(Hook(place))
            assert began.wait(60)
            place.submit(pdf(1))
            claim(place)
            place.clock.ahead += place.settings.lease_s + 1
            until(lambda: place.service.backlog("cpu").waiting == 1)
        finally:
            go_on.set()

    def test_errors_do_not_end_it(
        self, place: Place, open_maintenance: Callable[[Post], Maintenance]
    ) -> None:
        failures: list[str] = []
        overdue = place.store.overdue

        def failing(*args: Any) -> Any:
            if len(failures) < 2:
                failures.append("sweep")
                raise StoreFailed if len(failures) == 1 else ZeroDivisionError
            return overdue(*args)

        outer: Any = Wrapped(place.store)
        outer.overdue = failing
        place.sweeper._store = outer
        open_maintenance(Hook(place))
        place.submit(pdf(1))
        claim(place)
        place.clock.ahead += place.settings.lease_s + 1
        until(lambda: place.service.backlog("cpu").waiting == 1)
        assert failures == ["sweep"] * 2


class Received:
    """What a webhook's server was sent."""

    def __init__(self) -> None:
        self.notes: list[tuple[dict[str, str], bytes]] = []
        self.status = 204


@contextmanager
def receiving() -> Iterator[tuple[str, Received]]:
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received.notes.append((headers, body))
            self.send_response(received.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/told", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def opens(secret: bytes, note: tuple[dict[str, str], bytes]) -> bool:
    headers, body = note
    try:
        Webhook(b64encode(secret).decode()).verify(body.decode(), headers)
    except WebhookVerificationError:
        return False
    return True


class TestSecrets:
    @pytest.fixture
    def told(self, tmp_path: Path, inspecting: Inspector) -> Place:
        return Place(
            tmp_path, inspecting, allow_hosts=("127.0.0.1",), public_url="https://p.test"
        )

    def test_a_note_is_signed_with_the_owners_secret(self, told: Place) -> None:
        secrets = WebhookSecrets(told.store)
        with receiving() as (url, received):
            delivery = posted(told, *ended(told, url, "ada"))
        assert (delivery.status, delivery.succeeded, delivery.error) == (204, True, "")
        assert opens(secrets.of("ada")[0], received.notes[0])
        assert not opens(secrets.of("bob")[0], received.notes[0])

    def test_while_they_are_rotated_both_open_it(self, told: Place) -> None:
        secrets = WebhookSecrets(told.store)
        [old] = secrets.of("ada")
        new = secrets.rotate("ada")
        assert secrets.of("ada") == (new, old)
        with receiving() as (url, received):
            posted(told, *ended(told, url, "ada"))
        assert len(received.notes[0][0]["webhook-signature"].split()) == SECRETS_KEPT == 2
        assert opens(old, received.notes[0])
        assert opens(new, received.notes[0])

    def test_the_next_rotation_ends_the_oldest(self, told: Place) -> None:
        secrets = WebhookSecrets(told.store)
        [first] = secrets.of("ada")
        second, third = secrets.rotate("ada"), secrets.rotate("ada")
        assert secrets.of("ada") == (third, second)
        with receiving() as (url, received):
            posted(told, *ended(told, url, "ada"))
        opened = [opens(secret, received.notes[0]) for secret in (first, second, third)]
        assert opened == [False, True, True]

    def test_everybody_makes_the_same_one(self, told: Place) -> None:
        assert WebhookSecrets(told.store).of("ada") == WebhookSecrets(told.store).of("ada")

    def test_a_refusal_is_said_in_the_log(self, told: Place) -> None:
        with receiving() as (url, received):
            received.status = 503
            delivery = posted(told, *ended(told, url, "ada"))
        assert (delivery.status, delivery.succeeded) == (503, False)
        assert "503" in delivery.error

    def test_an_address_that_is_not_allowed_is_not_called(self, place: Place) -> None:
        with receiving() as (url, received):
            delivery = posted(place, *ended(place, url, "ada"))
        assert delivery.status is None
        assert delivery.error
        assert received.notes == []

    def test_after_its_time_the_end_is_told_and_no_more(self, told: Place) -> None:
        with receiving() as (url, received):
            job, task = ended(told, url, "ada")
            gone = endings.expire(replace(job, metadata={"patient": "Zoë"}), task)
            delivery = posted(told, gone.job, gone.tasks[0])
        assert delivery.succeeded
        note = json.loads(received.notes[0][1])
        assert (note["type"], note["data"]["status"]) == ("job.succeeded", "succeeded")
        assert note["data"]["metadata"] == {}
        assert note["data"]["links"] == {"self": f"https://p.test/v1/jobs/{job.id}"}

    def test_a_review_that_nobody_closed_is_told_when_the_time_is_over(
        self, told: Place
    ) -> None:
        with receiving() as (url, received):
            job = told.submit(pdf(1), owner="ada", review=Rules(sample=1), ttl_s=100)
            hooked = replace(job, webhook_url=url)  # submitting refuses addresses of our own
            told.store.change(job.id, None, lambda _, __: Moved(job=hooked))
            told.work()
            call = told.deliverer(WebhookPost(told.store, told.settings, told.clock))
            anyio.run(call.deliver_due)
            told.clock.ahead += 101
            told.sweeper.expire()
            anyio.run(call.deliver_due)
        ended, expired = (json.loads(body) for _, body in received.notes)
        assert (ended["type"], expired["type"]) == ("job.succeeded", "job.review_expired")
        assert expired["data"]["status"] == "succeeded"
        assert (expired["data"]["links"].keys(), expired["data"]["metadata"]) == ({"self"}, {})
        assert datetime.fromisoformat(expired["timestamp"]).timestamp() == pytest.approx(
            told.job(job).expires_at, abs=1
        )
        assert told.store.next_due(SYSTEM) is None

    def test_a_review_is_told_apart_from_the_end(self, told: Place) -> None:
        with receiving() as (url, received):
            job = told.submit(pdf(1), owner="ada", review=Rules(sample=1), metadata={"a": "b"})
            hooked = replace(job, webhook_url=url)  # submitting refuses addresses of our own
            told.store.change(job.id, None, lambda _, __: Moved(job=hooked))
            told.work()
            call = told.deliverer(WebhookPost(told.store, told.settings, told.clock))
            anyio.run(call.deliver_due)
            claimed = told.service.reviews.next("ada", "Ann")
            assert claimed
            told.service.reviews.close(claimed.job, claimed.token, ())
            anyio.run(call.deliver_due)
        ended, reviewed = (json.loads(body) for _, body in received.notes)
        assert (ended["type"], reviewed["type"]) == ("job.succeeded", "job.reviewed")
        assert "review" not in ended["data"]
        assert reviewed["data"]["metadata"] == {"a": "b"}
        assert reviewed["data"]["review"] == {
            "outcome": "accepted",
            "reasons": ["sampled"],
            "by": "Ann",
            "corrections": 0,
        }
        ids = {headers["webhook-id"] for headers, _ in received.notes}
        assert len(ids) == 2
        assert len(told.service.deliveries(told.job(job))) == 2


def posted(place: Place, job: Job, task: Task) -> Delivery:
    """What came of telling a webhook."""
    return anyio.run(WebhookPost(place.store, place.settings), job, task)


def ended(place: Place, url: str, owner: str) -> tuple[Job, Task]:
    """A job that has ended, and the task of telling so."""
    job = place.submit(pdf(1), owner=owner)
    job = replace(end(place, job), webhook_url=url)
    [task] = owing.delivery(job, place.clock())
    return job, task
