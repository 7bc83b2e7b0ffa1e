"""The service, as its users see it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pagetide import errors
from pagetide.document import Page
from pagetide.document.kinds import RESULT_FORMATS
from pagetide.errors import (
    ActivePagesReached,
    BadOption,
    BlobMissing,
    Busy,
    DiskFull,
    IdempotencyConflict,
    JobEnded,
    JobGone,
    JobUnknown,
    NotFound,
    PageOutOfRange,
    PagesPerDayReached,
    PasswordNeeded,
    PasswordWrong,
    ResultNotReady,
    SecretMissing,
    StoreFailed,
    TooManyPages,
)
from pagetide.inputs import Limits
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.allowances import DAY_S, Allowance, Usage
from pagetide.server.jobs.job import SYSTEM, Job, page_key
from pagetide.server.ports import Backlog, JobQuery
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.submitting.submission import new_job_id, task_ranges
from pagetide.settings import Settings
from tests.documents import page_of
from tests.serving import Place, Wrapped, pdf, text_of_page

PNG = b"\x89PNG"
HOOK = "https://hook.example/told"
WORD, OWNERS = "open sesame", "of the owner"
HELD = "aa"
FOUR, FOUR_A_DAY = Allowance(active_pages=4), Allowance(pages_per_day=4)
PAGE_1, PAGE_2 = (msgspec.json.encode(page_of([], number=number)) for number in (1, 2))


@pytest.fixture
def place_of(tmp_path: Path, inspecting: Inspector) -> Callable[..., Place]:
    return lambda **given: Place(tmp_path, inspecting, **given)


@pytest.fixture
def place(place_of: Callable[..., Place]) -> Place:
    return place_of()


def page_text(place: Place, job: Job, number: int) -> str:
    return msgspec.json.decode(place.service.pages.json(job, number), type=Page).text


def swap(place: Place, **ports: Any) -> None:
    """Give the service, its intake and its pages other ports."""
    for name, port in ports.items():
        setattr(place.service, name, port)
        setattr(place.service._submitter, f"_{name}", port)
        setattr(place.service.pages, f"_{name}", port)


@pytest.mark.parametrize("pages", [1, 8, 9, 32, 33, 41, 100, 400])
def test_a_long_documents_last_ranges_are_small(pages: int) -> None:
    ranges = task_ranges(range(1, pages + 1), 8)
    assert [number for each in ranges for number in each] == list(range(1, pages + 1))
    assert all(1 <= len(each) <= 8 for each in ranges)
    if pages > 32:
        assert all(len(each) <= 2 for each in ranges[-8:])
    else:
        assert len(ranges) == -(-pages // 8)


class TestSubmit:
    def test_a_job_is_cut_into_tasks(self, place_of: Callable[..., Place]) -> None:
        place = place_of(task_pages=4)
        job = place.submit(pdf(10), metadata={"order": "7"}, priority="batch", owner="ada")
        assert (job.status, job.page_count, job.tasks_open, job.pool) == (
            "queued",
            10,
            3,
            "cpu",
        )
        assert (job.owner, job.metadata, job.source.name) == ("ada", {"order": "7"}, "scan.pdf")
        tasks = place.store.tasks(job.id)
        assert [task.pages for task in tasks] == [(1, 2, 3, 4), (5, 6, 7, 8), (9, 10)]
        assert {(t.kind, t.state, t.pool, t.priority) for t in tasks} == {
            ("read", "waiting", "cpu", "batch")
        }
        assert place.blob_keys(job) == ["input"]
        assert place.blobs.get(job.input) == pdf(10)

    def test_only_the_pages_asked_for_are_read(self, place_of: Callable[..., Place]) -> None:
        place = place_of(task_pages=2)
        job = place.submit(pdf(9), options={"pages": "2-3,-1"})
        assert (job.page_count, job.source.page_count) == (3, 9)
        assert [task.pages for task in place.store.tasks(job.id)] == [(2, 3), (9,)]

    def test_the_pool_is_rung(self, place: Place) -> None:
        listener = place.notifications.subscribe("cpu")
        job = place.submit(pdf(1))
        assert listener.wait(0) == (("cpu", job.id),)
        listener.close()

    def test_the_upload_is_gone(self, place: Place) -> None:
        place.submit(pdf(1))
        assert list(place.uploads.iterdir()) == []

    def test_time_to_live_is_the_jobs_or_as_the_settings_say(self, place: Place) -> None:
        short, usual = place.submit(pdf(1), ttl_s=60), place.submit(pdf(2))
        assert short.expires_at - short.created_at == pytest.approx(60)
        assert usual.expires_at - usual.created_at == pytest.approx(place.settings.ttl_s)

    @pytest.mark.parametrize(
        ("error", "content", "asked"),
        [
            ("UnsupportedType", b"plain text is no document", {}),
            ("Damaged", b"%PDF-1.7\nand then nothing", {}),
            ("PasswordNeeded", pdf(1, password=WORD), {}),
            ("PasswordWrong", pdf(1, password=WORD), {"password": WORD[1:]}),
            ("PasswordWrong", pdf(1, password=WORD), {"password": f"{WORD}\0and more"}),
            ("TooManyPages", pdf(3), {"max_pages": 2}),
            ("PageOutOfRange", pdf(3), {"options": {"pages": "4"}}),
            ("BadOption", pdf(3), {"options": {"pages": "3-2"}}),
            ("BadOption", pdf(3), {"options": {"formats": ("docx",)}}),
            ("BadOption", pdf(3), {"options": {"model": "text-layer?lines=2"}}),
            ("UnknownModel", pdf(3), {"options": {"model": "fax"}}),
            ("UnknownLanguage", pdf(3), {"options": {"languages": ("en", "tlh")}}),
            ("AddressRefused", pdf(3), {"webhook_url": "http://127.0.0.1/"}),
            ("Busy", pdf(3), {"owner": "ada", "max_active": 0}),
        ],
    )
    def test_what_is_refused_leaves_nothing(
        self, place: Place, error: str, content: bytes, asked: dict[str, Any]
    ) -> None:
        with pytest.raises(getattr(errors, error)) as caught:
            place.submit(content, **asked)
        assert type(caught.value).__name__ == error
        assert_nothing_left(place)

    def test_models_for_tests_are_unknown_to_others(
        self, place_of: Callable[..., Place]
    ) -> None:
        with pytest.raises(errors.UnknownModel, match="pp-ocrv6"):
            place_of(test_models=False).submit(pdf(1))

    def test_a_document_over_the_servers_limit_is_refused(
        self, tmp_path: Path, inspecting: Inspector
    ) -> None:
        small = Inspector(Limits(max_pages=2, max_bytes=100_000))
        place = Place(tmp_path, small)
        with pytest.raises(errors.TooManyPages):
            place.submit(pdf(3))
        with pytest.raises(errors.TooLarge):
            place.submit(pdf(1) + bytes(100_000))
        assert_nothing_left(place)
        small.close()

    def test_a_store_that_refuses_leaves_nothing(self, place: Place) -> None:
        def refuse(*_: object) -> Job:
            raise DiskFull

        swap(place, store=wrapped(place.store, submit=refuse))
        with pytest.raises(DiskFull):
            place.submit(pdf(1))
        assert_nothing_left(place)

    def test_an_answer_that_is_lost_leaves_the_document(self, place: Place) -> None:
        store = place.store

        def lose(*given: Any) -> Job:
            store.submit(*given)
            raise StoreFailed

        swap(place, store=wrapped(store, submit=lose))
        with pytest.raises(StoreFailed):
            place.submit(pdf(1))
        swap(place, store=store)
        place.work()
        [job] = store.jobs(JobQuery())
        assert place.texts(job) == [text_of_page(1)]

    def test_a_commit_that_lands_after_its_answer_was_given_up_finds_the_document(
        self, place: Place
    ) -> None:
        store, late = place.store, list[tuple[Any, ...]]()

        def give_up(*given: Any) -> Job:
            late.append(given)
            raise StoreFailed

        swap(place, store=wrapped(store, submit=give_up))
        with pytest.raises(StoreFailed):
            place.submit(pdf(1), idempotency_key="again")
        swap(place, store=store)
        assert store.jobs(JobQuery()) == ()
        store.submit(*late[0])
        again = place.submit(pdf(1), idempotency_key="again")
        place.work()
        [job] = store.jobs(JobQuery())
        assert job.id == again.id
        assert place.texts(job) == [text_of_page(1)]

    def test_a_password_opens_and_is_forgotten_at_the_end(self, place: Place) -> None:
        job = place.submit(pdf(1, password=WORD), password=WORD)
        assert WORD not in repr(job)
        place.work()
        ended = place.job(job)
        assert (ended.status, ended.password) == ("succeeded", None)
        assert place.texts(job) == [text_of_page(1)]

    def test_pictures_of_a_job_that_ended_need_its_password(self, place: Place) -> None:
        job = place.submit(pdf(1, password=WORD), password=WORD)
        place.work()
        ended = place.job(job)
        with pytest.raises(PasswordNeeded):
            place.service.pages.image(ended, 1)
        with pytest.raises(PasswordWrong):
            place.service.pages.image(ended, 1, password=WORD[1:])
        assert place.service.pages.image(ended, 1, password=WORD).startswith(PNG)

    def test_a_password_is_encrypted_before_it_reaches_the_store(self, place: Place) -> None:
        job = place.submit(pdf(1, password=WORD), password=WORD)
        kept = place.job(job).password
        assert kept
        assert WORD not in kept
        assert place.service.pages.image(place.job(job), 1).startswith(PNG)

    def test_a_store_of_many_machines_takes_no_password_without_a_secret(
        self, place_of: Callable[..., Place]
    ) -> None:
        place = place_of(store_url="postgresql://elsewhere")
        with pytest.raises(SecretMissing):
            place.submit(pdf(1, password=WORD), password=WORD)
        assert_nothing_left(place)
        place.submit(pdf(1))
        place.work()

    @pytest.mark.parametrize("secret", ["", "x" * 32])
    def test_a_worker_without_its_secret_ends_the_job(
        self, place_of: Callable[..., Place], secret: str
    ) -> None:
        place = place_of(store_url="postgresql://elsewhere", secret="s" * 32)
        job = place.submit(pdf(1, password=WORD), password=WORD)
        plain = place.submit(pdf(1))
        place.work(secret=secret)
        ended = place.job(job)
        assert ended.error
        told = "secret_wrong" if secret else "secret_missing"
        assert (ended.status, ended.error.code, ended.password) == ("failed", told, None)
        assert place.job(plain).status == "succeeded"

    def test_a_new_secret_reads_what_the_old_one_hid(
        self, place_of: Callable[..., Place]
    ) -> None:
        place = place_of(store_url="postgresql://elsewhere", secret="s" * 32)
        job = place.submit(pdf(1, password=WORD), password=WORD, options={"formats": ("pdf",)})
        place.work(secret=f"{'n' * 32} {'s' * 32}")
        assert place.texts(job) == [text_of_page(1)]
        assert "pdf" in place.job(job).results


def assert_nothing_left(place: Place) -> None:
    assert place.blob_keys() == []
    assert list(place.uploads.iterdir()) == []
    assert place.store.jobs(JobQuery()) == ()
    assert place.service.backlog("cpu") == Backlog()


def wrapped(inner: Any, **methods: Any) -> Any:
    outer = Wrapped(inner)
    for name, method in methods.items():
        setattr(outer, name, method)
    return outer


class TestIdempotency:
    def test_the_same_request_gives_the_same_job(self, place: Place) -> None:
        first = place.submit(pdf(2), idempotency_key="k", metadata={"a": "1"})
        again = place.submit(pdf(2), idempotency_key="k", metadata={"a": "1"})
        assert again == first
        assert place.blob_keys() == [first.input]
        assert place.service.backlog("cpu").waiting == 1

    def test_also_once_it_has_been_read(self, place: Place) -> None:
        first = place.submit(pdf(2), idempotency_key="k")
        place.work()
        kept = place.blob_keys()
        assert place.submit(pdf(2), idempotency_key="k") == place.job(first)
        assert place.blob_keys() == kept

    @pytest.mark.parametrize(
        "other",
        [
            {"content": pdf(3)},
            {"options": {"dpi": 200.0}},
            {"options": {"formats": ("md",)}},
            {"webhook_url": HOOK},
            {"metadata": {"b": "2"}},
            {"priority": "batch"},
        ],
    )
    def test_another_request_is_a_conflict(self, place: Place, other: dict[str, Any]) -> None:
        first = place.submit(pdf(2), idempotency_key="k")
        with pytest.raises(IdempotencyConflict):
            place.submit(**{"content": pdf(2), "idempotency_key": "k", **other})
        assert place.blob_keys() == [first.input]
        assert list(place.uploads.iterdir()) == []

    def test_another_owner_has_keys_of_its_own(self, place: Place) -> None:
        ada = place.submit(pdf(2), idempotency_key="k", owner="ada")
        bob = place.submit(pdf(3), idempotency_key="k", owner="bob")
        assert ada.id != bob.id


class TestCache:
    def test_the_same_document_is_answered_at_once(self, place: Place) -> None:
        first = place.submit(pdf(2), owner="ada", options={"formats": ("md",)})
        place.work()
        again = place.submit(pdf(2), owner="ada")
        assert (again.status, again.cached_from) == ("succeeded", first.id)
        assert (again.pages_done, again.tasks_open) == (2, 0)
        assert again.finished_at == again.created_at
        assert place.store.tasks(again.id) == ()
        for name, info in place.job(first).results.items():
            copy = place.service.result(again, name)
            assert copy.key == info.key.replace(first.id, again.id)
            assert b"".join(place.service.stream(copy)) == place.blobs.get(info.key)
        assert place.service.pages.json(again, 2) == place.service.pages.json(
            place.job(first), 2
        )

    @pytest.mark.parametrize(
        "other",
        [
            {"owner": "bob"},
            {"name": "other.pdf"},
            {"options": {"model": "fake?lines=2"}},
            {"options": {"dpi": 200.0}},
            {"options": {"pages": "1"}},
            {"options": {"languages": ("de",)}},
            {"options": {"text_layer": "never"}},
            {"content": pdf(2, first=300)},
        ],
    )
    def test_another_request_is_read(self, place: Place, other: dict[str, Any]) -> None:
        place.submit(pdf(2), owner="ada")
        place.work()
        again = place.submit(**{"content": pdf(2), "owner": "ada", **other})
        assert (again.status, again.cached_from) == ("queued", None)

    def test_nothing_kept_lets_a_forgotten_password_be_guessed(self, place: Place) -> None:
        """Two passwords open the document: what is kept of the jobs is the same for both."""
        locked = pdf(1, password=WORD, owner=OWNERS)
        first = place.submit(locked, password=WORD, idempotency_key="one")
        place.work()
        again = place.submit(locked, password=OWNERS)
        assert (again.status, again.cached_from) == ("succeeded", first.id)
        assert again.request_hash == first.request_hash
        assert again.fingerprint == first.fingerprint
        assert place.submit(locked, password=OWNERS, idempotency_key="one").id == first.id

    def test_a_password_is_needed_again_for_the_same_document(self, place: Place) -> None:
        locked = pdf(1, password=WORD)
        place.submit(locked, password=WORD)
        place.work()
        with pytest.raises(errors.PasswordWrong):
            place.submit(locked, password=WORD[1:])
        with pytest.raises(errors.PasswordNeeded):
            place.submit(locked)

    def test_it_can_be_off(self, place_of: Callable[..., Place]) -> None:
        place = place_of(cache=False)
        place.submit(pdf(2))
        place.work()
        assert place.submit(pdf(2)).status == "queued"

    def test_only_what_was_read_whole_is_given_again(self, place: Place) -> None:
        options = {"model": "fake?fail=1"}
        assert place.job(place.submit(pdf(2), options=options)).status == "queued"
        place.work()
        assert place.submit(pdf(2), options=options).status == "queued"

    def test_what_was_erased_is_read_again(self, place: Place) -> None:
        first = place.submit(pdf(2))
        place.work()
        place.service.erase(first.id)
        assert place.submit(pdf(2)).status == "queued"

    def test_a_copy_outlives_its_original(self, place: Place) -> None:
        first = place.submit(pdf(2))
        place.work()
        again = place.submit(pdf(2))
        place.service.erase(first.id)
        assert place.blob_keys(first) == []
        assert page_text(place, again, 1) == text_of_page(1)
        assert place.service.pages.image(again, 1).startswith(b"\x89PNG")
        third = place.submit(pdf(2))
        assert third.cached_from == again.id

    def test_results_that_go_meanwhile_are_made_again(self, place: Place) -> None:
        first = place.submit(pdf(2))
        place.work()
        place.blobs.delete(place.job(first).results["raw"].key)
        again = place.submit(pdf(2))
        assert (again.status, again.cached_from) == ("queued", None)
        assert place.blob_keys(again) == ["input"]

    @pytest.mark.parametrize("method", ["copy", "put_file"])
    def test_a_full_disk_leaves_nothing(self, place: Place, method: str) -> None:
        first = place.submit(pdf(2))
        place.work()
        kept, calls = place.blob_keys(), []

        def fill(*given: Any) -> Any:
            calls.append(given)
            if len(calls) > (method == "copy"):
                raise DiskFull
            return getattr(place.blobs, method)(*given)

        swap(place, blobs=wrapped(place.blobs, **{method: fill}))
        with pytest.raises(DiskFull):
            place.submit(pdf(2))
        assert place.blob_keys() == kept
        assert place.store.jobs(JobQuery()) == (place.job(first),)

    def test_the_webhook_is_called_all_the_same(self, place: Place) -> None:
        place.submit(pdf(2))
        place.work()
        listener = place.notifications.subscribe(SYSTEM)
        again = place.submit(pdf(2), webhook_url=HOOK)
        assert again.status == "succeeded"
        assert listener.wait(0) == ((SYSTEM, again.id),)
        listener.close()
        assert [task.kind for task in place.store.tasks(again.id)] == ["deliver"]
        assert place.service.backlog(SYSTEM).waiting == 1
        assert again.tasks_open == 0


class TestJobs:
    def test_a_key_sees_only_its_own(self, place: Place) -> None:
        job = place.submit(pdf(1), owner="ada")
        assert place.service.job(job.id, "ada") == job
        assert place.service.job(job.id, None) == job
        for method in (place.service.job, place.service.cancel, place.service.erase):
            with pytest.raises(JobUnknown):
                method(job.id, "bob")
        assert place.job(job) == job

    def test_never_was_is_not_the_same_as_gone(self, place: Place) -> None:
        with pytest.raises(JobUnknown):
            place.service.job("job_never")
        job = place.submit(pdf(1), owner="ada")
        place.service.erase(job.id, "ada")
        with pytest.raises(JobGone, match="was erased"):
            place.service.job(job.id, "ada")
        with pytest.raises(JobGone):
            place.service.erase(job.id, "ada")
        with pytest.raises(JobGone):
            place.service.cancel(job.id, "ada")
        with pytest.raises(JobUnknown):  # nobody learns that another's job was
            place.service.job(job.id, "bob")

    def test_they_are_listed_newest_first(self, place: Place) -> None:
        jobs = []
        for n in range(3):
            place.clock.ahead += 1
            jobs.append(place.submit(pdf(n + 1), owner="ada"))
        place.submit(pdf(1), owner="bob")
        assert place.service.jobs(JobQuery(owner="ada")) == tuple(reversed(jobs))

    @given(st.lists(st.floats(0, 4e9), min_size=2, max_size=5))
    def test_ids_are_unlike_and_grow_with_time(self, times: list[float]) -> None:
        ids = [new_job_id(now) for now in sorted(times)]
        assert len(set(ids)) == len(ids)
        millis = [int(now * 1000) for now in sorted(times)]
        for (i, a), (j, b) in zip(
            zip(ids, millis, strict=True), list(zip(ids, millis, strict=True))[1:], strict=False
        ):
            assert a == b or i < j

    def test_position_counts_what_waits_before(self, place: Place) -> None:
        first = place.submit(pdf(1), priority="batch")
        place.clock.ahead += 1
        second = place.submit(pdf(2), priority="batch")
        assert [place.service.position(job) for job in (first, second)] == [0, 1]
        place.clock.ahead += 1
        urgent = place.submit(pdf(3), priority="interactive")
        jobs = (urgent, first, second)
        assert [place.service.position(job) for job in jobs] == [0, 1, 2]
        place.work()
        assert place.service.position(place.job(first)) is None

    def test_backlog_knows_its_pools(self, place: Place) -> None:
        place.submit(pdf(1))
        assert place.service.backlog("cpu").waiting == 1
        assert place.service.backlog(SYSTEM) == Backlog()
        with pytest.raises(NotFound, match="cpu"):
            place.service.backlog("cpus")


class TestPages:
    def test_a_page_is_there_as_soon_as_it_is_read(self, place: Place) -> None:
        job = place.submit(pdf(3))
        with pytest.raises(ResultNotReady):
            place.service.pages.json(job, 1)
        read_pages(place, job, 1)
        running = place.job(job)
        assert (running.status, running.pages_done) == ("running", 1)
        assert place.service.pages.json(running, 1) == PAGE_1
        with pytest.raises(ResultNotReady):
            place.service.pages.json(running, 2)
        with pytest.raises(PageOutOfRange):
            place.service.pages.json(running, 4)

    def test_afterwards_it_comes_out_of_the_result(self, place: Place) -> None:
        job = place.submit(pdf(4), options={"pages": "2,4"})
        place.work()
        assert not [key for key in place.blob_keys(job) if key.startswith("pages/")]
        ended = place.job(job)
        assert page_text(place, ended, 2) == text_of_page(2)
        assert page_text(place, ended, 4) == text_of_page(4)
        for number in (1, 3, 5):
            with pytest.raises(PageOutOfRange):
                place.service.pages.json(ended, number)

    def test_a_job_seen_just_before_its_end_still_gives_its_pages(self, place: Place) -> None:
        job = place.submit(pdf(2))
        read_pages(place, job, 1)
        running = place.job(job)

        def ends_first(key: str) -> bytes:
            swap(place, blobs=place.blobs)
            place.lapse()
            place.work()
            return place.blobs.get(key)

        swap(place, blobs=wrapped(place.blobs, get=ends_first))
        assert place.service.pages.json(running, 1) == PAGE_1
        assert place.job(job).status == "succeeded"

    def test_a_cancelled_job_has_none(self, place: Place) -> None:
        job = place.submit(pdf(2))
        cancelled = place.service.cancel(job.id)
        with pytest.raises(JobEnded, match="cancelled"):
            place.service.pages.json(cancelled, 1)

    def test_a_page_that_failed_says_why(self, place: Place) -> None:
        job = place.submit(pdf(2), options={"model": "fake?fail=2"})
        place.work()
        ended = place.job(job)
        assert (ended.status, ended.pages_done, ended.pages_failed) == ("partial", 2, 1)
        assert b"engine_failed" in place.service.pages.json(ended, 2)
        assert page_text(place, ended, 1) == text_of_page(1)

    def test_a_picture_of_it(self, place: Place) -> None:
        job = place.submit(pdf(2))
        whole, small = (place.service.pages.image(job, 2, width) for width in (None, 60))
        assert whole.startswith(PNG)
        assert Image.open(io.BytesIO(small)).width == 60 < Image.open(io.BytesIO(whole)).width
        least = place.service.pages.image(job, 2, 400)  # nothing is made larger than it is
        assert Image.open(io.BytesIO(least)).width <= Image.open(io.BytesIO(whole)).width
        with pytest.raises(PageOutOfRange):
            place.service.pages.image(job, 3)

    def test_a_picture_of_it_as_jpeg(self, place: Place) -> None:
        job = place.submit(pdf(2))
        exact, soft = (
            Image.open(io.BytesIO(place.service.pages.image(job, 2, None, ending)))
            for ending in ("png", "jpeg")
        )
        assert soft.format == "JPEG"
        assert soft.size == exact.size


def read_pages(place: Place, job: Job, *numbers: int) -> str:
    """Record pages as a worker would that dies afterwards; its token."""
    now = place.clock()
    until = now + place.settings.lease_s
    claimed = place.store.claim("cpu", "w", now=now, until=until, token=HELD, beside=False)
    assert claimed
    for number in numbers:
        place.blobs.put(page_key(job, number, HELD), (PAGE_1, PAGE_2)[number - 1] + b"\n{}")
    read = dict.fromkeys(numbers, True)
    place.store.change(
        job.id, claimed[1].id, lambda job, task: moves.record(job, task, HELD, read, until)
    )
    return HELD


class TestResults:
    def test_formats_asked_for_are_made_along(self, place: Place) -> None:
        wanted = tuple(name for name in RESULT_FORMATS if name not in ("json", "raw"))
        job = place.submit(pdf(2), options={"formats": wanted})
        with pytest.raises(ResultNotReady):
            place.service.result(job, "json")
        place.work()
        ended = place.job(job)
        assert set(ended.results) == set(RESULT_FORMATS)
        for name in RESULT_FORMATS:
            info = place.service.result(ended, name)
            content = b"".join(place.service.stream(info))
            assert len(content) == info.bytes > 0
            assert place.blobs.find(info.key)
        assert b"".join(place.service.stream(ended.results["pdf"], 0, 5)) == b"%PDF-"
        assert text_of_page(2).encode() in place.blobs.get(ended.results["txt"].key)
        assert [page["number"] for page in place.raw(job)["pages"]] == [1, 2]

    def test_another_format_is_made_later(self, place: Place) -> None:
        job = place.submit(pdf(2))
        place.work()
        ended = place.job(job)
        listener = place.notifications.subscribe("cpu")
        for _ in range(2):  # asking again starts nothing new
            with pytest.raises(ResultNotReady, match="being created"):
                place.service.result(ended, "txt")
        assert listener.wait(0) == (("cpu", job.id),)
        listener.close()
        assert place.service.backlog("cpu").waiting == 1
        place.work()
        again = place.job(job)
        assert (again.status, again.finished_at) == ("succeeded", ended.finished_at)
        text = b"".join(place.service.stream(place.service.result(again, "txt")))
        assert text_of_page(1).encode() in text

    def test_a_format_that_cannot_be_made_says_why(self, place: Place) -> None:
        job = place.submit(pdf(1, password=WORD), password=WORD)
        place.work()
        with pytest.raises(ResultNotReady):
            place.service.result(place.job(job), "pdf")
        place.work()
        ended = place.job(job)
        assert ended.status == "succeeded"
        with pytest.raises(JobEnded, match="password"):
            place.service.result(ended, "pdf")
        assert place.service.result(ended, "json").bytes > 0

    def test_there_is_no_other_format(self, place: Place) -> None:
        job = place.submit(pdf(1))
        with pytest.raises(BadOption, match="html"):
            place.service.result(job, "htm")

    def test_a_cancelled_job_has_none(self, place: Place) -> None:
        cancelled = place.service.cancel(place.submit(pdf(1)).id)
        with pytest.raises(JobEnded, match="cancelled"):
            place.service.result(cancelled, "md")
        assert place.service.inline(cancelled) is None

    def test_small_ones_come_inline(self, place_of: Callable[..., Place]) -> None:
        place = place_of()
        job = place.submit(pdf(1))
        assert place.service.inline(job) is None
        place.work()
        ended = place.job(job)
        size = ended.results["json"].bytes
        assert place.service.inline(ended) == place.blobs.get(ended.results["json"].key)
        assert place_of(blobs=place.blobs, inline_bytes=size).service.inline(ended)
        assert place_of(blobs=place.blobs, inline_bytes=size - 1).service.inline(ended) is None


class TestCancel:
    def test_nothing_is_read_any_more(self, place: Place) -> None:
        job = place.submit(pdf(3), webhook_url=HOOK)
        read_pages(place, job, 1)
        cancelled = place.service.cancel(job.id)
        assert (cancelled.status, cancelled.tasks_open) == ("cancelled", 0)
        assert cancelled.finished_at is not None
        assert place.blob_keys(job) == ["input"]
        assert [task.kind for task in place.store.tasks(job.id)] == ["deliver"]
        assert place.service.backlog("cpu") == Backlog()

    def test_again_changes_nothing(self, place: Place) -> None:
        job = place.submit(pdf(1))
        first = place.service.cancel(job.id)
        assert place.service.cancel(job.id).finished_at == first.finished_at

    def test_not_once_it_has_ended(self, place: Place) -> None:
        job = place.submit(pdf(1))
        place.work()
        with pytest.raises(JobEnded, match="succeeded"):
            place.service.cancel(job.id)
        assert place.job(job).status == "succeeded"

    def test_news_are_rung(self, place: Place) -> None:
        job = place.submit(pdf(1))
        listener = place.notifications.subscribe("jobs")
        place.service.cancel(job.id)
        assert listener.wait(0) == (("jobs", job.id),)
        listener.close()


class TestErase:
    @pytest.mark.parametrize("when", ["queued", "running", "succeeded", "cancelled"])
    def test_it_leaves_nothing(self, place: Place, when: str) -> None:
        other = place.submit(pdf(4), owner="bob")
        place.work()
        kept = place.blob_keys(other)
        job = place.submit(pdf(3), metadata={"who": "me"}, name="secret.pdf")
        if when == "running":
            read_pages(place, job, 1)
        if when == "succeeded":
            place.work()
        if when == "cancelled":
            place.service.cancel(job.id)
        assert place.job(job).status == when
        place.service.erase(job.id)
        assert place.blob_keys(job) == []
        assert place.blob_keys(other) == kept
        assert place.store.tasks(job.id) == ()
        gone = place.job(job)
        assert gone.erased
        assert gone.ended
        assert (gone.metadata, gone.source.name, gone.results) == ({}, "", {})

    def test_its_idempotency_key_is_free_again(self, place: Place) -> None:
        job = place.submit(pdf(1), idempotency_key="k")
        place.service.erase(job.id)
        again = place.submit(pdf(1), idempotency_key="k")
        assert again.id != job.id
        assert again.status == "queued"


class TestAdmission:
    def test_a_key_has_its_cap(self, place_of: Callable[..., Place]) -> None:
        place = place_of(max_active_per_key=2)
        for n in (1, 2):
            place.submit(pdf(n), owner="ada")
        with pytest.raises(Busy) as caught:
            place.submit(pdf(3), owner="ada")
        assert caught.value.retry_after_s > 0
        assert len(place.blob_keys()) == 2
        place.submit(pdf(3), owner="bob")
        place.work()
        place.submit(pdf(3), owner="ada")

    def test_a_keys_own_cap_goes_first(self, place: Place) -> None:
        place.submit(pdf(1), owner="ada", max_active=1)
        with pytest.raises(Busy):
            place.submit(pdf(2), owner="ada", max_active=1)

    def test_there_is_one_for_all(self, place_of: Callable[..., Place]) -> None:
        place = place_of(max_active=2)
        place.submit(pdf(1), owner="ada")
        place.submit(pdf(2), owner="bob")
        with pytest.raises(Busy):
            place.submit(pdf(3), owner="eve")

    def test_what_is_answered_from_before_needs_no_room(
        self, place_of: Callable[..., Place]
    ) -> None:
        place = place_of(max_active=1)
        place.submit(pdf(1))
        place.work()
        place.submit(pdf(2))
        assert place.submit(pdf(1)).status == "succeeded"


class TestAllowance:
    def test_a_refused_job_leaves_nothing_behind(self, place: Place) -> None:
        place.submit(pdf(3), owner="ada", allowance=FOUR)
        with pytest.raises(ActivePagesReached):
            place.submit(pdf(2), owner="ada", allowance=FOUR)
        with pytest.raises(TooManyPages):
            place.submit(pdf(5), owner="ada", allowance=FOUR)
        assert len(place.blob_keys()) == 1
        assert len(place.store.jobs(JobQuery())) == 1
        place.submit(pdf(2), owner="bob", allowance=FOUR)
        place.work()
        place.submit(pdf(4), owner="ada", allowance=FOUR)

    def test_one_that_the_store_refuses_leaves_no_document(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another server was quicker, after this one had looked."""
        place.submit(pdf(3), owner="ada", allowance=FOUR)
        monkeypatch.setattr(place.store, "usage", lambda _: Usage())
        with pytest.raises(ActivePagesReached):
            place.submit(pdf(2), owner="ada", allowance=FOUR)
        assert len(place.blob_keys()) == 1
        assert len(place.store.jobs(JobQuery())) == 1

    def test_the_pages_asked_for_count_and_no_others(self, place: Place) -> None:
        job = place.submit(pdf(9), owner="ada", allowance=FOUR, options={"pages": "2-3,-1"})
        assert place.store.usage("ada").active_pages == job.page_count == 3

    def test_pages_count_once_however_often_they_are_tried(self, place: Place) -> None:
        place.submit(pdf(3), owner="ada", allowance=FOUR, options={"model": "fake?fail=2"})
        place.work()
        usage = place.store.usage("ada")
        assert (usage.active_pages, usage.day_pages) == (0, 3)

    def test_what_is_answered_from_before_counts_nothing(self, place: Place) -> None:
        for _ in range(3):
            place.submit(pdf(4), owner="ada", allowance=FOUR_A_DAY)
            place.work()
        assert place.store.usage("ada").day_pages == 4
        with pytest.raises(PagesPerDayReached) as caught:
            place.submit(pdf(1), owner="ada", allowance=FOUR_A_DAY)
        assert 0 < caught.value.retry_after_s <= DAY_S

    def test_a_repeated_request_is_answered_at_the_limit(self, place: Place) -> None:
        asked: dict[str, Any] = {"owner": "ada", "allowance": FOUR, "idempotency_key": "k"}
        job = place.submit(pdf(4), **asked)
        assert place.submit(pdf(4), **asked).id == job.id


class TestWebhook:
    def test_a_job_that_ends_has_one_to_call(self, place: Place) -> None:
        job = place.submit(pdf(1), webhook_url=HOOK)
        assert place.service.deliveries(job) == ()
        with pytest.raises(JobEnded):
            place.service.redeliver(job)
        place.work()
        assert place.service.backlog(SYSTEM).waiting == 1
        assert place.service.deliveries(place.job(job)) == ()

    def test_one_without_has_none(self, place: Place) -> None:
        job = place.submit(pdf(1))
        place.work()
        with pytest.raises(JobEnded):
            place.service.redeliver(place.job(job))


def test_a_missing_page_of_a_result_is_not_found(place: Place) -> None:
    job = place.submit(pdf(2))
    place.work()
    place.blobs.put(f"{job.prefix}results/pages.idx", b"[[1,0,2]]")
    with pytest.raises(BlobMissing):
        place.service.pages.json(place.job(job), 2)


def test_a_services_settings_are_as_given(place: Place) -> None:
    assert isinstance(place.service.settings, Settings)
    assert place.service.pools() == ("cpu", SYSTEM)
