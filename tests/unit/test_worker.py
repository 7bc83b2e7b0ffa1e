"""A worker, with everything in memory and a model that does as it is told."""

from __future__ import annotations

import io
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from pagetide.document import Document, Page
from pagetide.engine import PageImage, PageReading
from pagetide.engines.fake import Behaviour, FakeEngine
from pagetide.engines.models import Weights
from pagetide.engines.ppocr.inference.weights import bundled
from pagetide.errors import DiskFull, EngineFailed, ModelUnavailable, PagetideError, StoreFailed
from pagetide.reading import Reader, ReadOptions, Request
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.losses import FINISH_PAUSE_MAX_S
from pagetide.server.ports import JobQuery
from pagetide.server.queues.store import StoreQueue
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.worker import claims, worker
from pagetide.server.worker import outcomes as outcomes
from pagetide.server.worker.finish_task import FINISH_DEADLINES
from pagetide.server.worker.readers import MOST_READERS, Readers
from pagetide.system.watchdog import Watch
from tests.golden.drawn_scripts import FOLDER
from tests.serving import Place, Working, Wrapped, pdf, reader_of, text_of_page
from tests.waiting import until
from tests.written_pdf import text, written_pdf

OnPage = Callable[[int], object]


@pytest.fixture
def place_of(tmp_path: Path, inspecting: Inspector) -> Callable[..., Place]:
    return lambda **given: Place(tmp_path, inspecting, **given)


@pytest.fixture
def place(tmp_path: Path, place_of: Callable[..., Place]) -> Place:
    return place_of(blobs=ObjectBlobs.in_folder(tmp_path / "blobs"))


class Spy(FakeEngine):
    """An engine that notes the pages it reads, by their numbers in `pdf`, and calls back.

    One that reads ahead takes the next page before it gives the reading of the last.
    """

    def __init__(
        self, on_page: OnPage = lambda _: None, first: int = 200, *, ahead: bool = False
    ) -> None:
        super().__init__(Behaviour())
        self.pages: list[int] = []
        self.readings = 0
        self._on_page, self._first, self._ahead = on_page, first, ahead

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        self.readings += 1
        readings = super().read(images, language)
        last = next(readings, None) if self._ahead else None
        for reading in readings:
            yield last or reading
            last = reading if last else None
        if last:
            yield last

    def _misbehave(self, number: int, width: int) -> None:
        page = (width - self._first) // 2 + 1
        self.pages.append(page)
        self._on_page(page)

    def reader(self, place: Place) -> Callable[[str], Reader]:
        """What opens readers with this engine."""
        return lambda _: Reader(lambda: self, place.settings)


def picture(width: int, height: int = 60) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(written, "PNG")
    return written.getvalue()


def untimed(document: Document) -> Document:
    """Without what is not the same in the library: times, and which worker it was."""
    model = msgspec.structs.replace(document.model, worker="")
    pages = tuple(msgspec.structs.replace(page, timings_ms={}) for page in document.pages)
    return msgspec.structs.replace(document, pages=pages, model=model)


def once(error: Exception, inner: Callable[..., Any], when: Callable[..., bool]) -> Any:
    """A method that fails the first time that it is called in a certain way."""
    failed: list[bool] = []

    def call(*args: Any, **named: Any) -> Any:
        if not failed and when(*args):
            failed.append(True)
            raise error
        return inner(*args, **named)

    return call


def wrapped(inner: Any, **methods: Any) -> Any:
    outer = Wrapped(inner)
    for name, method in methods.items():
        setattr(outer, name, method)
    return outer


class TestReading:
    def test_results_are_what_the_library_reads(self, place: Place) -> None:
        documents = [pdf(3), picture(320), pdf(2, first=400), written_pdf(text(b"own words"))]
        jobs = [place.submit(content, name=f"{n}.x") for n, content in enumerate(documents)]
        assert place.work() == "idle"
        with Reader(lambda: FakeEngine(Behaviour()), place.settings) as reader:
            for n, (job, content) in enumerate(zip(jobs, documents, strict=True)):
                path = place.uploads / f"{n}.x"
                path.write_bytes(content)
                expected = untimed(reader.read(path, ReadOptions()))
                assert untimed(place.document(job)) == expected
                assert place.document(job).model.worker == version("pagetide")
                ended = place.job(job)
                assert (ended.status, ended.pages_done) == ("succeeded", len(expected.pages))

    def test_jobs_that_wait_are_read_in_one_window(self, place: Place) -> None:
        jobs = [place.submit(picture(300 + n)) for n in range(6)]
        spy = Spy()
        place.work(open_reader=spy.reader(place))
        assert (spy.readings, len(spy.pages)) == (1, 6)
        texts = [place.texts(job) for job in jobs]
        assert texts == [[f"{300 + n} by 60"] for n in range(6)]

    @pytest.mark.parametrize(("ahead", "readings"), [(False, 2), (True, 1)])
    def test_results_are_made_between_pages(
        self, place_of: Callable[..., Place], ahead: bool, readings: int
    ) -> None:
        """They end no window in which pages are read, and wait for no page still to come."""
        place = place_of(task_pages=2)
        before = place.submit(pdf(2))
        place.work()
        there: list[bool] = []

        def ask(page: int) -> None:
            if page == 1:
                name = f"{before.id}.finish-md"
                place.store.change(
                    before.id, name, lambda job, task: moves.add_format(job, task, "md", 0)
                )
            there.append("md" in place.job(before).results)

        job = place.submit(pdf(8))
        spy = Spy(ask, ahead=ahead)
        place.work(open_reader=spy.reader(place))
        assert (spy.readings, len(spy.pages)) == (readings, 8)
        assert there.index(True) == 2 + ahead
        assert place.job(job).status == "succeeded"

    def test_each_job_keeps_its_own_options(self, place: Place) -> None:
        options = [
            {"dpi": 72.0},
            {"pages": "2"},
            {"languages": ("de",)},
            {"text_layer": "only"},
            {},
        ]
        jobs = [place.submit(pdf(2), options=given) for given in options]
        place.work()
        documents = [place.document(job) for job in jobs]
        assert [page.text for page in documents[0].pages] == ["100 by 100", "101 by 100"]
        assert [page.number for page in documents[1].pages] == [2]
        assert [doc.model.language for doc in documents] == ["en", "en", "de", "en", "en"] or (
            documents[2].model.language == "de"
        )
        assert [doc.model.name for doc in documents[2:]] == ["fake", "text-layer", "fake"]
        assert place.texts(jobs[4]) == [text_of_page(1), text_of_page(2)]

    def test_models_may_change_in_a_window(self, place: Place) -> None:
        models = ["fake", "fake?lines=2", "text-layer", "fake", "fake?lines=3"]
        jobs = []
        for model in models:
            place.clock.ahead += 1
            jobs.append(place.submit(pdf(2), options={"model": model}, owner=model))
        place.work()
        lines = [[len(page.lines) for page in place.document(job).pages] for job in jobs]
        assert lines == [[1, 1], [2, 2], [0, 0], [1, 1], [3, 3]]
        assert {place.job(job).status for job in jobs} == {"succeeded"}

    def test_urgent_tasks_come_first(self, place_of: Callable[..., Place]) -> None:
        place = place_of(task_pages=1)
        place.submit(pdf(2), priority="batch")
        place.submit(pdf(2, first=300))
        spy = Spy()
        place.work(open_reader=spy.reader(place))
        assert spy.pages == [51, 52, 1, 2]

    def test_every_format_asked_for_is_there_when_the_job_ends(self, place: Place) -> None:
        job = place.submit(pdf(2), options={"formats": ("md", "pdf", "md")})
        place.work()
        assert set(place.job(job).results) == {"json", "raw", "md", "pdf"}
        for info in place.job(job).results.values():
            assert len(place.blobs.get(info.key)) == info.bytes

    def test_only_results_and_input_are_kept(self, place: Place) -> None:
        job = place.submit(pdf(20), options={"formats": ("txt",)})
        place.work()
        names = ["document.json", "document.txt", "pages.idx", "raw.json"]
        assert place.blob_keys(job) == ["input", *(f"results/{name}" for name in names)]

    def test_pages_that_a_dead_worker_read_are_not_read_again(self, place: Place) -> None:
        job = place.submit(pdf(5))
        spy = Spy(lambda page: fail_at(page, 3))
        with pytest.raises(ZeroDivisionError):
            place.work(open_reader=spy.reader(place))
        again = Spy()
        place.work(open_reader=again.reader(place))
        assert (spy.pages, again.pages) == ([1, 2, 3], [3, 4, 5])
        assert place.texts(job) == [text_of_page(n) for n in range(1, 6)]

    @pytest.mark.parametrize("notified", ["lost", "doubled", "once"])
    def test_several_workers_share_the_work(
        self, place_of: Callable[..., Place], notified: str
    ) -> None:
        place = place_of(task_pages=2, idle_s=600.0)
        notifications = place.notifications
        place.notifier.queue = StoreQueue(notifications, 0.02 if notified == "lost" else 600.0)

        def rung(topic: str, text: str = "") -> None:
            for _ in range({"lost": 0, "doubled": 2, "once": 1}[notified]):
                notifications.publish(topic, text)

        place.notifier.notifications = wrapped(notifications, publish=rung)
        spy = Spy()
        with (
            place.working("a", open_reader=spy.reader(place)),
            place.working("b", open_reader=spy.reader(place)),
            place.working("c", open_reader=spy.reader(place)),
        ):
            jobs = [place.submit(pdf(5), owner=f"{n}") for n in range(4)]
            until(lambda: all(place.job(job).status == "succeeded" for job in jobs))
        assert sorted(spy.pages) == sorted([1, 2, 3, 4, 5] * 4)
        for job in jobs:
            assert place.texts(job) == [text_of_page(n) for n in range(1, 6)]


def fail_at(page: int, number: int) -> None:
    if page == number:
        raise ZeroDivisionError("a mistake of ours")


class TestLeaving:
    def test_idle(self, place_of: Callable[..., Place]) -> None:
        place = place_of(idle_s=0.2)
        began = time.monotonic()
        assert place.work() == "idle"
        assert time.monotonic() - began >= 0.2

    def test_a_ring_wakes_it(self, place_of: Callable[..., Place]) -> None:
        place = place_of(idle_s=600.0)
        place.notifier.queue = StoreQueue(place.notifications, 600.0)
        with place.working() as running:
            assert isinstance(running, Working)
            for n in (1, 2):
                job = place.submit(pdf(n))
                until(lambda job=job: place.job(job).ended)  # type: ignore[misc]

    def test_after_so_many_pages(self, place_of: Callable[..., Place]) -> None:
        place = place_of(recycle_pages=3)
        for n in range(4):
            place.submit(pdf(2), owner=f"{n}")
        assert place.work() == "recycled after 4 pages"
        assert place.service.backlog("cpu").leased == 0
        assert place.work() == "recycled after 4 pages"
        assert place.work() == "idle"
        statuses = {job.status for job in place.store.jobs(JobQuery())}
        assert statuses == {"succeeded"}

    def test_when_it_has_swollen(self, place_of: Callable[..., Place]) -> None:
        place = place_of(recycle_mb=1)
        first, second = place.submit(pdf(1), owner="a"), place.submit(pdf(1), owner="b")
        assert place.work().startswith("recycled at ")
        assert [place.job(job).pages_done for job in (first, second)] == [1, 0]

    def test_a_drained_worker_finishes_what_it_has_in_hand(self, place: Place) -> None:
        first, second = place.submit(pdf(4)), place.submit(pdf(3))
        running: list[worker.Worker] = []
        spy = Spy(lambda page: running[0].stop())
        running.append(place.worker(open_reader=spy.reader(place)))
        assert running[0].run() == "stopped"
        running[0].close()
        assert spy.pages == [1, 2, 3, 4]
        assert place.job(first).pages_done == 4
        assert place.job(second).status == "queued"
        place.work()
        assert place.texts(first) == [text_of_page(n) for n in (1, 2, 3, 4)]

    def test_who_reads_the_last_page_makes_the_results(self, place: Place) -> None:
        taken: list[Task] = []

        def noting(*args: Any, **named: Any) -> Any:
            found = claim(*args, **named)
            taken.extend([found[1]] if found else [])
            return found

        claim = place.store.claim
        place.store = wrapped(place.store, claim=noting)
        job = place.submit(pdf(3))
        place.work()
        assert place.texts(job) == [text_of_page(n) for n in (1, 2, 3)]
        assert [task.kind for task in taken] == ["read"]

    def test_one_that_is_out_of_time_keeps_the_pages_done(self, place: Place) -> None:
        job = place.submit(pdf(8))
        running: list[worker.Worker] = []

        def stop(page: int) -> None:
            if page == 3:
                running[0].stop()
                assert running[0]._leaving.halted.wait(60)

        spy = Spy(stop)
        running.append(place.worker(open_reader=spy.reader(place), drain_s=0.02))
        assert running[0].run() == "stopped"
        running[0].close()
        [task] = place.store.tasks(job.id)
        assert (task.state, task.attempts, task.alone) == ("waiting", 0, False)
        assert task.pages_left == tuple(range(max(spy.pages) + 1, 9))
        assert 3 <= place.job(job).pages_done <= 4
        place.work()
        assert place.texts(job) == [text_of_page(n) for n in range(1, 9)]

    def test_closing_gives_back_what_is_held(self, place: Place) -> None:
        job = place.submit(pdf(2))
        working = place.worker()
        assert working._claims.take(place.queue.receiver("cpu", 1), 0.0)
        working.close()
        [task] = place.store.tasks(job.id)
        assert (task.state, task.attempts) == ("waiting", 0)


class TestCancel:
    def test_reading_stops_within_a_page(self, place: Place) -> None:
        job = place.submit(pdf(20))

        def cancel(page: int) -> None:
            if page == 3:
                place.service.cancel(job.id)

        spy = Spy(cancel)
        place.work(open_reader=spy.reader(place))
        assert len(spy.pages) <= 4
        cancelled = place.job(job)
        assert (cancelled.status, cancelled.pages_done) == ("cancelled", 2)
        assert place.blob_keys(job) == ["input"]
        assert place.store.tasks(job.id) == ()

    def test_the_others_in_the_window_go_on(self, place: Place) -> None:
        first = place.submit(pdf(8))
        second = place.submit(pdf(3))
        spy = Spy(lambda page: place.service.cancel(first.id))
        place.work(open_reader=spy.reader(place))
        assert place.job(first).status == "cancelled"
        assert place.job(second).status == "succeeded"
        assert len(spy.pages) <= 2 + 3

    def test_erased_while_it_is_read(self, place: Place) -> None:
        job = place.submit(pdf(20))

        def erase(page: int) -> None:
            if page == 3:
                place.service.erase(job.id)

        place.work(open_reader=Spy(erase).reader(place))
        assert place.blob_keys(job) == []
        assert place.job(job).erased

    def test_what_a_worker_removes_of_an_erased_job_is_what_workers_write(
        self, place: Place
    ) -> None:
        """Its role in a cloud allows no more: the document is removed by who erases."""
        job = place.submit(pdf(20))
        removed: list[str] = []

        def delete_under(prefix: str) -> None:
            removed.append(prefix)

        place.blobs = wrapped(place.blobs, delete_under=delete_under)

        def erase(page: int) -> None:
            if page == 3:
                place.service.erase(job.id)

        place.work(open_reader=Spy(erase).reader(place))
        assert {prefix.removeprefix(job.prefix) for prefix in removed} == {"pages/", "results/"}

    @pytest.mark.parametrize("moment", ["document.json", "raw.json", "document.md"])
    def test_erased_while_it_is_finished(self, place: Place, moment: str) -> None:
        job = place.submit(pdf(2), options={"formats": ("md",)})
        put = place.blobs.put

        def erasing(key: str, data: Any, **named: Any) -> Any:
            if key.endswith(moment):
                place.service.erase(job.id)
            return put(key, data, **named)

        place.blobs = wrapped(place.blobs, put=erasing)
        place.work()
        assert place.blob_keys(job) == []

    def test_erased_before_it_is_opened_takes_nobody_along(self, place: Place) -> None:
        # Blank pages wait until those before them are read: they are still in hand then.
        first = place.submit(pdf(2, blank=1))
        second, third = place.submit(pdf(3)), place.submit(pdf(4))
        claim = place.store.claim

        def erasing(*args: Any, **named: Any) -> Any:
            taken = claim(*args, **named)
            if taken and taken[0].id == second.id:
                place.service.erase(second.id)
            return taken

        place.store = wrapped(place.store, claim=erasing)
        place.work()
        assert [place.job(job).status for job in (first, third)] == ["succeeded"] * 2
        assert place.job(second).erased


class TestLosing:
    def test_a_stale_holders_pages_are_thrown_away(self, place: Place) -> None:
        job = place.submit(pdf(5))
        other: list[Any] = []

        def lose(page: int) -> None:
            if page == 3:
                [task] = place.store.tasks(job.id)
                place.sweeper.lose(task)
                now = place.clock()
                other.append(
                    place.store.claim(
                        "cpu", "other", now=now, until=now + 60, token=OTHER, beside=False
                    )
                )

        spy = Spy(lose)
        place.work(open_reader=spy.reader(place))
        assert len(spy.pages) <= 4
        [task] = place.store.tasks(job.id)
        assert task.lease
        assert (task.lease.token, sorted(task.done)) == (OTHER, [1, 2])
        kept = [key for key in place.blob_keys(job) if key.startswith("pages/")]
        assert sorted(int(key.split("/")[1].split("-")[0]) for key in kept) == [1, 2]
        place.lapse()
        place.lapse()
        place.work()
        assert place.job(job).pages_done == 5
        assert place.texts(job) == [text_of_page(n) for n in range(1, 6)]

    def test_a_stale_holder_cannot_finish(self, place: Place) -> None:
        job = place.submit(pdf(2), webhook_url="https://hook.example/")
        blobs, put = place.blobs, place.blobs.put

        def stale(key: str, data: Any, **named: Any) -> Any:
            if key.endswith("raw.json") and not place.job(job).ended:
                place.blobs = blobs
                place.sweeper.lose(place.task(job, "finish"))
                place.clock.ahead += 1  # it is not tried again at once
                place.work(name="other")
                assert place.job(job).status == "succeeded"
            return put(key, data, **named)

        place.blobs = wrapped(place.blobs, put=stale)
        place.work()
        ended = place.job(job)
        assert (ended.status, ended.pages_done) == ("succeeded", 2)
        assert [t.kind for t in place.store.tasks(job.id) if t.state == "waiting"] == [
            "deliver"
        ]
        for info in ended.results.values():
            assert len(place.blobs.get(info.key)) == info.bytes

    def test_leases_are_renewed_while_a_page_takes_long(
        self, place_of: Callable[..., Place]
    ) -> None:
        place = place_of(lease_s=0.09)
        job = place.submit(pdf(2))

        def wait(page: int) -> None:
            [task] = [t for t in place.store.tasks(job.id) if t.kind == "read"]
            assert task.lease
            began = task.lease.until
            until(lambda: lease_of(place, job) > began + 0.1)

        spy = Spy(wait)
        place.work(open_reader=spy.reader(place))
        assert place.job(job).status == "succeeded"

    @pytest.mark.parametrize("error", [DiskFull, StoreFailed])
    def test_a_renewal_that_fails_is_made_the_next_time(
        self, place: Place, error: type[PagetideError], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(claims, "RENEWALS_A_LEASE", 300)  # soon, of a lease that is long
        job = place.submit(pdf(1))
        failures: list[str] = []
        change = place.store.change

        def failing(*args: Any, **named: Any) -> Any:
            if threading.current_thread().name == "pagetide-lease" and not failures:
                failures.append("renewal")
                raise error
            return change(*args, **named)

        def wait(page: int) -> None:
            began = lease_of(place, job)
            until(lambda: lease_of(place, job) > began)

        place.store = wrapped(place.store, change=failing)
        place.work(open_reader=Spy(wait).reader(place))
        assert failures == ["renewal"]
        assert place.job(job).status == "succeeded"

    def test_renewals_do_not_disturb_the_reading(
        self, place_of: Callable[..., Place], caplog: pytest.LogCaptureFixture
    ) -> None:
        """They come a thousand times as often here as they ever do."""
        place = place_of(lease_s=0.001, task_pages=2)
        jobs = [place.submit(pdf(6), owner=f"{n}") for n in range(15)]
        with caplog.at_level(logging.WARNING):
            place.work()
        assert caplog.messages == []
        assert {place.job(job).status for job in jobs} == {"succeeded"}
        assert not [key for key in place.blob_keys() if "/pages/" in key]

    def test_it_beats_as_long_as_it_lives(self, place_of: Callable[..., Place]) -> None:
        place = place_of(lease_s=0.03, idle_s=600.0)
        beats: list[float] = []
        with place.working(beat=lambda: beats.append(0)):
            until(lambda: len(beats) > 3)


OTHER = "0ther"


def lease_of(place: Place, job: Job) -> float:
    """When the lease on a job's reading ends."""
    leases = [task.lease for task in place.store.tasks(job.id) if task.lease]
    return leases[0].until if leases else 0.0


class TestFailures:
    @pytest.mark.parametrize(
        ("content", "code"),
        [(b"%PDF-1.7 and then nothing", "damaged"), (b"no document", "unsupported_type")],
    )
    def test_a_document_that_the_worker_cannot_open(
        self, place: Place, content: bytes, code: str
    ) -> None:
        first, broken, last = (place.submit(pdf(n)) for n in (2, 3, 4))
        place.blobs.put(broken.input, content)
        place.work()
        failed = place.job(broken)
        assert failed.error
        assert (failed.status, failed.error.code) == ("failed", code)
        assert place.store.tasks(broken.id) == ()
        assert [place.job(job).status for job in (first, last)] == ["succeeded"] * 2

    def test_a_missing_document_takes_nobody_along(self, place: Place) -> None:
        first, broken, last = (place.submit(pdf(n, blank=1)) for n in (2, 3, 4))
        place.blobs.delete(broken.input)
        place.work()
        failed = place.job(broken)
        assert failed.error
        assert (failed.status, failed.error.code) == ("failed", "blob_missing")
        assert [place.job(job).status for job in (first, last)] == ["succeeded"] * 2

    def test_a_page_that_fails_is_said_in_the_result(self, place: Place) -> None:
        job = place.submit(pdf(3), options={"model": "fake?fail=2"})
        place.work()
        assert place.job(job).status == "partial"
        errors = [page.error and page.error.code for page in place.document(job).pages]
        assert errors == [None, "engine_failed", None]

    def test_a_page_in_a_script_that_is_not_read_makes_the_job_partial(
        self, place: Place
    ) -> None:
        job = place.submit((FOLDER / "russian.png").read_bytes(), options={"model": "pp-ocrv6"})
        place.work()
        assert (place.job(job).status, place.job(job).pages_failed) == ("partial", 0)
        (page,) = place.document(job).pages
        assert page.is_in_part and page.lines_left_out == 9

    def test_a_job_without_a_page_that_could_be_read_has_failed(self, place: Place) -> None:
        job = place.submit(pdf(1), options={"model": "fake?fail=1"})
        place.work()
        failed = place.job(job)
        assert failed.error
        assert (failed.status, failed.error.code) == ("failed", "engine_failed")
        assert failed.pages_failed == 1

    def test_a_page_that_breaks_the_engine_fails_alone(self, place: Place) -> None:
        job = place.submit(pdf(8))
        other = place.submit(pdf(2, first=600))

        def break_(page: int) -> None:
            if page == 3:
                raise EngineFailed("It broke.")

        spy = Spy(break_)
        place.work(open_reader=spy.reader(place))
        ended = place.job(job)
        assert (ended.status, ended.pages_done, ended.pages_failed) == ("partial", 8, 1)
        pages = place.document(job).pages
        assert [page.number for page in pages] == list(range(1, 9))
        assert [page.number for page in pages if page.error] == [3]
        assert pages[2].error
        assert pages[2].error.code == "engine_failed"
        assert 3 < spy.pages.count(3) < 10
        assert all(spy.pages.count(n) == 1 for n in (1, 2, 4, 5, 6, 7, 8))
        assert place.job(other).status == "succeeded"

    def test_an_engine_that_breaks_now_and_then_fails_no_page(self, place: Place) -> None:
        job = place.submit(pdf(6), options={"model": "fake?break=3"})
        place.work()
        assert place.job(job).status == "succeeded"
        assert place.texts(job) == [text_of_page(n) for n in range(1, 7)]

    def test_our_own_mistake_on_a_page_is_not_made_for_ever(self, place: Place) -> None:
        job = place.submit(pdf(4))
        deaths = 0
        while not place.job(job).ended and deaths < 20:
            try:
                place.work(open_reader=Spy(lambda page: fail_at(page, 2)).reader(place))
            except ZeroDivisionError:
                deaths += 1
        assert 3 < deaths < 10
        ended = place.job(job)
        assert (ended.status, ended.pages_failed) == ("partial", 1)
        error = place.document(job).pages[1].error
        assert error
        assert error.code == "internal"
        assert "mistake of ours" not in error.message

    @pytest.mark.parametrize("error", [DiskFull, StoreFailed])
    @pytest.mark.parametrize("what", ["/pages/", "document.json", "raw.json", "document.txt"])
    def test_a_full_disk_loses_nothing(
        self, place: Place, error: type[PagetideError], what: str
    ) -> None:
        jobs = [place.submit(pdf(3), options={"formats": ("txt",)}, owner=n) for n in "abc"]
        put = place.blobs.put
        failing = once(error(), put, lambda key, _: what in key)
        place.blobs = wrapped(place.blobs, put=failing)
        place.work()
        waiting = [job for job in jobs if not place.job(job).ended]
        assert waiting
        place.work()  # it is not tried again at once
        assert [job for job in jobs if not place.job(job).ended] == waiting
        place.clock.ahead += 60
        place.work()
        for job in jobs:
            assert place.job(job).status == "succeeded"
            assert place.texts(job) == [text_of_page(n) for n in (1, 2, 3)]
        assert {t.attempts for job in jobs for t in place.store.tasks(job.id)} <= {0}

    @pytest.mark.parametrize("error", [DiskFull, StoreFailed])
    @pytest.mark.parametrize("last", ["record", "complete_finish"])
    def test_a_store_that_goes_away_ends_no_worker(
        self, place: Place, error: type[PagetideError], last: str
    ) -> None:
        job = place.submit(pdf(3))
        away: list[bool] = []
        change = place.store.change

        def failing(job_id: str, task_id: str, move: Any, **named: Any) -> Any:
            finishes = task_id.endswith(".finish")
            if away or finishes == (last == "complete_finish"):
                away.append(True)
                raise error
            return change(job_id, task_id, move, **named)

        place.store = wrapped(inner := place.store, change=failing)
        assert place.work() == "idle"
        assert len(away) >= 2 or last == "complete_finish"
        assert [t.state for t in inner.tasks(job.id) if t.state == "leased"] == ["leased"]
        place.store = inner
        place.lapse()
        place.work()
        assert place.job(job).status == "succeeded"
        assert place.texts(job) == [text_of_page(n) for n in (1, 2, 3)]

    @pytest.mark.parametrize("error", [DiskFull, StoreFailed])
    @pytest.mark.parametrize("last", ["record", "complete_finish", "complete_read"])
    def test_a_store_that_comes_back_is_told_what_was_done(
        self,
        place: Place,
        error: type[PagetideError],
        last: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The holder lives: nothing is charged, and results that were made stand."""
        ends: list[str] = []
        monkeypatch.setattr(
            "pagetide.telemetry.metrics.job_moved", lambda *, state, model: ends.append(state)
        )
        job = place.submit(pdf(3))
        change, failed = place.store.change, 0

        def failing(job_id: str, task_id: str, move: Any, **named: Any) -> Any:
            nonlocal failed
            code = getattr(move, "func", move).__code__
            if failed < 3 and (failed or last in (code.co_name, *code.co_names)):
                failed += 1
                raise error
            return change(job_id, task_id, move, **named)

        made: list[str] = []
        put = place.blobs.put

        def noted(key: str, *given: Any, **named: Any) -> Any:
            made.append(key.rpartition("/")[2])
            return put(key, *given, **named)

        place.blobs = wrapped(place.blobs, put=noted)
        place.store = wrapped(inner := place.store, change=failing)
        with closing(place.worker(lease_s=0.3, idle_s=60.0)) as working:
            running = threading.Thread(target=working.run)
            running.start()
            until(lambda: failed == 3)
            place.clock.ahead += outcomes.PUT_OFF_S  # it is not tried again at once
            until(lambda: place.service.job(job.id).ended)
            working.stop()
            running.join(60.0)
        assert place.job(job).status == "succeeded"
        assert {task.attempts for task in inner.tasks(job.id)} <= {0}
        assert place.texts(job) == [text_of_page(n) for n in (1, 2, 3)]
        assert last != "complete_finish" or made.count("document.json") == 1
        assert ends.count("succeeded") == 1

    @pytest.mark.parametrize("error", [DiskFull, StoreFailed])
    def test_a_store_that_gives_no_task_is_asked_again(
        self, place: Place, error: type[PagetideError], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(worker, "RETRY_S", 0.01)
        job = place.submit(pdf(1))
        inner = place.store
        failing = once(error(), inner.claim, lambda *_: True)
        place.store = wrapped(inner, claim=failing)
        assert place.work() == "idle"
        place.work()
        assert place.job(job).status == "succeeded"

    @pytest.mark.parametrize("error", [DiskFull, StoreFailed])
    def test_pages_that_cannot_be_removed_end_no_worker(
        self, place: Place, error: type[PagetideError]
    ) -> None:
        job = place.submit(pdf(2))
        place.work(recycle_pages=1)
        assert place.task(job, "finish").state == "waiting"

        def refuse(*_: object) -> None:
            raise error

        place.blobs = wrapped(place.blobs, delete=refuse, delete_under=refuse)
        assert place.work() == "idle"
        assert place.job(job).status == "succeeded"

    def test_a_format_that_cannot_be_made_later_is_said(self, place: Place) -> None:
        job = place.submit(pdf(2))
        place.work()
        place.blobs.delete(job.input)
        place.store.change(
            job.id, f"{job.id}.finish-pdf", lambda j, t: moves.add_format(j, t, "pdf", 0)
        )
        place.work()
        assert place.job(job).status == "succeeded"
        error = place.task(job, "finish-pdf").error
        assert error
        assert error.code == "blob_missing"


class TestWatching:
    def test_a_worker_that_hangs_is_ended_and_says_at_what(
        self, place_of: Callable[..., Place], caplog: pytest.LogCaptureFixture
    ) -> None:
        place = place_of(page_deadline_s=0.1)
        place.submit(pdf(2))
        aborted = threading.Event()
        spy = Spy(lambda page: aborted.wait(60) or pytest.fail("not ended"))
        place.work(open_reader=spy.reader(place), abort=aborted.set)
        assert aborted.is_set()
        [said] = [vars(one) for one in caplog.records if one.message == "worker hangs"]
        assert said["task"].startswith("job_") and said["pool"] == "cpu"
        assert "no page was done within" in said["reason"]

    @pytest.mark.parametrize("model", ["fake", "fake?break=1", "fake?fail=1"])
    def test_an_idle_one_is_not(
        self, place: Place, monkeypatch: pytest.MonkeyPatch, model: str
    ) -> None:
        calls: list[str] = []

        class Noted(Watch):
            def alive(self, times: int = 1) -> None:
                calls.append("alive")

            def rest(self) -> None:
                calls.append("rest")

        monkeypatch.setattr(worker, "Watch", Noted)
        place.submit(pdf(2), options={"model": model})
        assert place.work() == "idle"
        assert calls[0] == "alive"
        assert calls[-1] == "rest"

    def test_results_may_take_longer_than_a_page(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        allowed: list[int] = []

        class Noted(Watch):
            def alive(self, times: int = 1) -> None:
                allowed.append(times)

        put, at_export = place.blobs.put, []

        def noting(key: str, data: Any, **named: Any) -> Any:
            if key.endswith("document.md"):
                at_export.append(allowed[-1])
            return put(key, data, **named)

        monkeypatch.setattr(worker, "Watch", Noted)
        place.blobs = wrapped(place.blobs, put=noting)
        place.submit(pdf(3), options={"formats": ("txt", "md")})
        place.work()
        assert at_export == [FINISH_DEADLINES]


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("before", [pdf(2), pdf(0, blank=2)])
def test_a_task_that_was_lost_is_read_alone(place: Place, ahead: bool, before: bytes) -> None:
    suspect = place.submit(pdf(3, first=400), priority="batch")
    now = place.clock()
    taken = place.store.claim("cpu", "w", now=now, until=now + 9, token=OTHER, beside=False)
    assert taken
    place.begin(taken[1])
    place.sweeper.lose(place.store.tasks(suspect.id)[0])
    jobs = [place.submit(pdf(2), owner=f"{n}", priority="batch") for n in range(3)]
    jobs.append(place.submit(before, owner="first of all"))
    together: list[set[str]] = []
    claim = place.store.claim

    def noting(*args: Any, **named: Any) -> Any:
        taken = claim(*args, **named)
        together.append({task.job_id for task in place.store.leased_to("worker")})
        return taken

    place.store = wrapped(place.store, claim=noting)
    spy = Spy(ahead=ahead)
    place.work(open_reader=spy.reader(place))
    assert {suspect.id} in together
    assert all(len(held) == 1 for held in together if suspect.id in held)
    assert spy.readings < 1 + len(jobs)  # for the others are not read alone
    assert {place.job(job).status for job in (suspect, *jobs)} == {"succeeded"}


def test_what_was_just_let_go_is_not_renewed(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    job = place.submit(pdf(1))
    claims = place.worker()._claims
    claim = claims.take(place.queue.receiver("cpu", 1), 0.0)
    assert claim
    place.service.cancel(job.id)
    claims.let_go(claim)
    claims._renew_one(claim)
    assert (claim.lost, caplog.messages) == (False, [])
    claims.close()


@pytest.mark.parametrize("stalled", ["change", "tasks"])
def test_a_stalled_holder_writes_nothing_over_the_results(place: Place, stalled: str) -> None:
    """Its lease ran out, another one made the results, and the tasks of the pages are gone."""
    job = place.submit(pdf(3))
    store = place.store
    held: list[Task] = []

    def overtaken(*args: Any, **named: Any) -> Any:
        leased = store.leased_to("slow")
        if not held and any(task.kind == "finish" for task in leased):
            held.extend(leased)
            place.store = store
            place.lapse()
            place.clock.ahead += FINISH_PAUSE_MAX_S
            place.work()
        return getattr(store, stalled)(*args, **named)

    place.store = wrapped(store, **{stalled: overtaken})
    with closing(place.worker("slow")) as slow:
        slow.run()
    assert [task.kind for task in held] == ["finish"]
    assert place.job(job).status == "succeeded"
    assert place.texts(job) == [text_of_page(n) for n in (1, 2, 3)]


def test_the_pages_are_those_of_the_document(place: Place) -> None:
    job = place.submit(pdf(3))
    place.work()
    for number in (1, 2, 3):
        page = msgspec.json.decode(place.service.pages.json(place.job(job), number), type=Page)
        assert page == place.document(job).pages[number - 1]


@pytest.mark.parametrize(
    "languages", [["en", "de"], ["en", "de", "de", "en"], ["de", "en", "de"]]
)
def test_languages_may_change_from_page_to_page(
    place_of: Callable[..., Place], languages: list[str]
) -> None:
    spy = Spy()
    requests = [
        Request(source=pdf(2), options=ReadOptions(language=code), tag=n)
        for n, code in enumerate(languages)
    ]
    with spy.reader(place_of())("") as reader:
        read = [(item.request.tag, item.page, item.model) for item in reader.stream(requests)]
    expected = [(n, page) for n in range(len(languages)) for page in (1, 2)]
    assert [(tag, page and page.number) for tag, page, _ in read] == expected
    assert [model and model.language for _, _, model in read] == [
        languages[n] for n, _ in expected
    ]


def test_a_reading_that_breaks_leaves_nobody_at_work(place_of: Callable[..., Place]) -> None:
    """Else pages would be rendered in a sandbox that is being closed, which starts another."""

    def break_(page: int) -> None:
        if page == 2:
            raise EngineFailed

    request = Request(source=pdf(8), options=ReadOptions())
    with Spy(break_).reader(place_of())("") as reader:
        try:
            list(reader.stream([request]))
        except EngineFailed:  # whose traceback keeps everything alive that it passed
            names = [thread.name for thread in threading.enumerate()]
            assert not [name for name in names if name.startswith("pagetide-page")]
        else:
            pytest.fail("it did not break")


def own_network(place: Place) -> Path:
    """A recogniser of somebody's own, pulled; its file."""
    given = place.uploads.parent / "given" / "mine_rec"
    given.mkdir(parents=True)
    shutil.copy(bundled().recogniser, given / "inference.onnx")
    weights = Weights(place.settings)
    return weights.pull("mine_rec", lambda _: None, folder=given.parent, trust=True)


@pytest.mark.parametrize(
    ("damaged", "code"), [(False, "model_unavailable"), (True, "engine_failed")]
)
def test_a_network_that_went_bad_after_submission_fails_the_job(
    place_of: Callable[..., Place], tmp_path: Path, damaged: bool, code: str
) -> None:
    place = place_of(models_dir=str(tmp_path / "models"), cache_dir="off", offline=True)
    folder = own_network(place)
    mine = place.submit(picture(300), options={"model": "pp-ocrv6?recogniser=mine_rec"})
    other = place.submit(pdf(1), owner="b")
    if damaged:
        network = folder / "inference.onnx"
        network.write_bytes(b"\0" * network.stat().st_size)
    else:
        shutil.rmtree(folder)
    assert place.work() == "idle"
    job = place.job(mine)
    assert job.status == "failed" and job.error and job.error.code == code
    assert str(tmp_path) not in job.error.message
    assert place.job(other).status == "succeeded"


def test_models_without_number_leave_few_open(place: Place) -> None:
    opened: list[str] = []
    closed: list[str] = []

    def open_reader(model: str) -> Reader:
        inner = reader_of(model, settings=place.settings)
        opened.append(model)
        close = inner.close

        def noted() -> None:
            closed.append(model)
            close()

        inner.close = noted  # type: ignore[method-assign]
        return inner

    jobs = [
        place.submit(pdf(1), owner=f"{n}", options={"model": f"fake?slow={n / 1000}"})
        for n in range(6)
    ]
    with closing(place.worker(open_reader=open_reader)) as running:
        running.run()
        assert len(opened) == 6 and len(closed) == 6 - MOST_READERS
    assert sorted(closed) == sorted(opened)
    assert {place.job(job).status for job in jobs} == {"succeeded"}


def test_only_a_text_layer_may_be_in_any_language(
    place_of: Callable[..., Place], tmp_path: Path
) -> None:
    place = place_of(models_dir=str(tmp_path / "models"))
    asked = {"model": "structure-lite", "languages": ("hi",)}
    with pytest.raises(ModelUnavailable):
        place.submit(pdf(1), options=asked)
    place.submit(pdf(1), options={**asked, "text_layer": "only"})


def test_a_reader_that_failed_while_it_was_opened_can_be_dropped() -> None:
    def fails(model: str) -> Reader:
        raise EngineFailed("The networks of this model crashed.")

    readers = Readers(fails)
    with pytest.raises(EngineFailed):
        readers.of("pp-ocrv6")
    readers.drop("pp-ocrv6")
