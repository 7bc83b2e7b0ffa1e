"""Watching a place: each file is read once, whatever ends the process and whenever."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import click
import httpx
import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pagetide.cli import program
from pagetide.cli.serving.watch import check_apart
from pagetide.client import Client
from pagetide.document import Failure
from pagetide.errors import BadOption, BlobMissing, PagetideError, StoreFailed, Unauthorized
from pagetide.integrations.folder_watch.notes import Failed, Notes, Read, may_be_read
from pagetide.integrations.folder_watch.reading import Ended, FileReader
from pagetide.integrations.folder_watch.watcher import REST_S, Watcher
from pagetide.server.ports import PlacedFile
from tests import fake_server
from tests.fake_server import Answer, Asked, Dropped, FakeServer, problem

START = 1_800_000_000.0


class Killed(BaseException):
    """The process ends here."""


class Fuse:
    """Ends the process at some step, before or after what the step does."""

    def __init__(self, steps: int | None = None, *, after: bool = False) -> None:
        self.left, self.after = steps, after

    def around(self, step: Callable[[], Any]) -> Any:
        if self.left is None:
            return step()
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        try:
            return step()
        finally:
            if self.left == 0:
                raise Killed


class Shelf:
    """A place in memory."""

    def __init__(self, grows: bool = True) -> None:
        self.content: dict[str, bytes] = {}
        self.broken = False
        self.reads: list[str] = []
        self._grows, self._versions = grows, 0
        self._stamps: dict[str, str] = {}

    @property
    def grows(self) -> bool:
        return self._grows

    def files(self) -> Iterator[PlacedFile]:
        self._reach()
        for name, stamp in list(self._stamps.items()):
            yield PlacedFile(name=name, stamp=stamp)

    def read(self, name: str) -> bytes:
        self._reach()
        self.reads.append(name)
        if name not in self.content:
            raise BlobMissing
        return self.content[name]

    def copy(self, name: str, into: BinaryIO) -> str:
        into.write(self.read(name))
        return self._stamps[name]

    def put(self, name: str, content: bytes | Path) -> None:
        self._reach()
        self._versions += 1
        given = content if isinstance(content, bytes) else content.read_bytes()
        self.content[name], self._stamps[name] = given, f"v{self._versions}"

    def remove(self, name: str) -> None:
        self._reach()
        self.content.pop(name, None)
        self._stamps.pop(name, None)

    def _reach(self) -> None:
        if self.broken:
            raise StoreFailed


class Fused(Shelf):
    """Another place, seen through a fuse."""

    def __init__(self, shelf: Shelf, fuse: Fuse) -> None:
        self._shelf, self._fuse = shelf, fuse

    def __getattribute__(self, name: str) -> Any:
        if name in ("_shelf", "_fuse", "grows") or name not in vars(Shelf):
            return object.__getattribute__(self, name)
        method = getattr(self._shelf, name)
        fuse = self._fuse
        return lambda *given: fuse.around(lambda: method(*given))

    @property
    def grows(self) -> bool:
        return self._shelf.grows


class Telling(FakeServer):
    """A server whose results tell the content that was read.

    Attributes:
        read: Names and contents of all jobs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.read: list[tuple[str, str]] = []

    def _submit(self, asked: Asked) -> Answer:
        before = set(self.jobs)
        answer = super()._submit(asked)
        for job_id in set(self.jobs) - before:
            name, content = asked.fields["file"]
            self.jobs[job_id].name = sha(content)
            self.read.append((name, sha(content)))
        return answer


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def pdf(number: int) -> bytes:
    return b"%%PDF-1.7 %d" % number


class World:
    """Two places, a server, and the time."""

    def __init__(self, grows: bool = True) -> None:
        self.inbox, self.outbox = Shelf(grows), Shelf(grows=False)
        self.server = Telling()
        self.server.pages = 1
        self.now = START
        self.ended: list[Ended] = []
        self.troubles: list[tuple[str, PagetideError]] = []

    def watcher(self, fuse: Fuse | None = None, tries: int = 1) -> tuple[Watcher, FileReader]:
        fuse = fuse or Fuse()
        inbox, outbox = Fused(self.inbox, fuse), Fused(self.outbox, fuse)
        wire = fake_server.transport(self.server)

        def handle(request: httpx.Request) -> httpx.Response:
            answered: httpx.Response = fuse.around(lambda: wire.handle_request(request))
            return answered

        client = Client("http://x", transport=httpx.MockTransport(handle), tries=tries)
        reader = FileReader(
            inbox,
            outbox,
            client,
            options={"model": "fake"},
            formats=("md", "raw"),
            clock=lambda: self.now,
        )
        watcher = Watcher(
            inbox,
            outbox,
            reader,
            clock=lambda: self.now,
            on_ended=self.ended.append,
            on_trouble=lambda name, error: self.troubles.append((name, error)),
        )
        return watcher, reader

    def pass_by(self, fuse: Fuse | None = None) -> list[str]:
        """Start a watcher that looks twice and reads what is due, until the fuse ends it."""
        watcher, reader = self.watcher(fuse)
        handed = []
        try:
            watcher.look()
            for name, stamp in watcher.look():
                handed.append(name)
                reader.read(name, stamp)
        except Killed:
            pass
        return handed

    def note(self, name: str, kind: type[Any] = Read) -> Any:
        ending = ".pagetide.json" if kind is Read else ".error.json"
        return msgspec.json.decode(self.outbox.content[name + ending], type=kind)

    def notes(self) -> list[Read]:
        names = [n for n in self.outbox.content if n.endswith(".pagetide.json")]
        return [self.note(name.removesuffix(".pagetide.json")) for name in names]

    def check(self) -> None:
        """Every marker speaks of the results beside it, and nothing was read twice."""
        for note in self.notes():
            assert note.files == (f"{note.source}.md", f"{note.source}.raw.json")
            assert note.sha256.encode() in self.outbox.content[note.files[0]]
        assert len(self.server.read) == len(set(self.server.read))


@pytest.fixture
def world() -> World:
    return World()


def test_results_lie_in_the_same_subfolder_and_the_marker_says_so(world: World) -> None:
    world.inbox.put("a/b/scan.pdf", pdf(1))
    world.pass_by()
    assert set(world.outbox.content) == {
        "a/b/scan.pdf.md",
        "a/b/scan.pdf.raw.json",
        "a/b/scan.pdf.pagetide.json",
    }
    note = world.note("a/b/scan.pdf")
    assert (note.sha256, note.etag, note.model) == (sha(pdf(1)), "v1", "fake")
    assert (note.job, note.status) == ("job1", "succeeded")
    (asked,) = world.server.asks("POST", "/v1/jobs")
    assert asked.fields["file"] == ("scan.pdf", pdf(1))
    world.check()


def test_what_was_read_is_not_read_again_by_a_later_process(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    assert world.pass_by() == ["scan.pdf"]
    assert world.pass_by() == []
    assert len(world.server.asks("POST", "/v1/jobs")) == 1


def test_a_file_that_grows_is_left_until_two_looks_see_the_same(world: World) -> None:
    watcher, _ = world.watcher()
    world.inbox.put("scan.pdf", b"%PDF")
    assert (watcher.look(), watcher.unfinished) == ([], 1)
    world.inbox.put("scan.pdf", pdf(1))
    assert (watcher.look(), watcher.unfinished) == ([], 1)
    assert (watcher.look(), watcher.unfinished) == ([("scan.pdf", "v2")], 0)


def test_an_object_of_a_bucket_is_whole_as_soon_as_it_is_seen() -> None:
    world = World(grows=False)
    world.inbox.put("scan.pdf", pdf(1))
    assert world.watcher()[0].look() == [("scan.pdf", "v1")]


def test_what_is_changed_while_it_is_taken_is_left(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    _, reader = world.watcher()
    assert reader.read("scan.pdf", "v0") is None
    assert (world.server.jobs, world.outbox.content) == ({}, {})


def test_what_is_gone_before_it_is_taken_is_left(world: World) -> None:
    assert world.watcher()[1].read("scan.pdf", "v0") is None
    assert world.outbox.content == {}


def test_a_changed_file_is_read_again_and_a_touched_one_is_not(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.pass_by()
    world.inbox.put("scan.pdf", pdf(1))
    world.pass_by()
    assert (len(world.server.jobs), world.note("scan.pdf").etag) == (1, "v2")
    assert world.pass_by() == []
    world.inbox.put("scan.pdf", pdf(2))
    world.pass_by()
    assert world.note("scan.pdf").sha256 == sha(pdf(2))
    assert len(world.server.jobs) == 2
    world.check()


def test_a_marker_that_somebody_removed_or_spoilt_costs_no_second_job(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.pass_by()
    world.outbox.remove("scan.pdf.pagetide.json")
    world.pass_by()
    world.outbox.put("scan.pdf.pagetide.json", b"{}")
    world.pass_by()
    assert (len(world.server.jobs), world.note("scan.pdf").job) == (1, "job1")


def test_a_bad_document_is_told_beside_it_and_not_tried_again(world: World) -> None:
    world.inbox.put("note.txt", b"no document")
    world.pass_by()
    note = world.note("note.txt", Failed)
    assert (note.code, note.retryable, note.retry_at) == ("unsupported_type", False, None)
    assert note.message == "It is neither a PDF nor a picture."
    world.now += 10**6
    assert world.pass_by() == []
    world.inbox.put("note.txt", pdf(1))
    world.pass_by()
    assert set(world.outbox.content) == {
        "note.txt.md",
        "note.txt.raw.json",
        "note.txt.pagetide.json",
    }


def test_a_server_that_is_away_is_asked_again_later_and_later(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    waits = []
    for _ in range(9):
        world.server.trouble = [Dropped()]
        assert world.pass_by() == ["scan.pdf"]
        note = world.note("scan.pdf", Failed)
        assert (note.code, note.retryable) == ("server_unreachable", True)
        wait_s = note.retry_at.timestamp() - world.now
        waits.append(wait_s)
        world.now += wait_s - 0.5
        assert world.pass_by() == []
        world.now += 0.5
    assert waits == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    assert world.note("scan.pdf", Failed).tries == 9
    world.pass_by()
    assert "scan.pdf.error.json" not in world.outbox.content
    assert len(world.server.jobs) == 1


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.server.trouble = [problem(429, "busy", "Too much.", {"Retry-After": "70"})]
    world.pass_by()
    assert world.note("scan.pdf", Failed).retry_at.timestamp() == world.now + 70


def test_an_answer_that_was_lost_makes_no_second_job(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.server.after = [Dropped()]
    world.pass_by()
    assert (len(world.server.jobs), world.note("scan.pdf", Failed).spent) == (1, 0)
    world.now += 5
    world.pass_by()
    assert (len(world.server.jobs), world.note("scan.pdf").job) == (1, "job1")


def test_a_job_that_broke_is_followed_by_another_one(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.server.fails_at = 1
    original = Telling._poll

    def broken(asked: Asked, job: Any) -> Answer:
        answer = original(world.server, asked, job)
        if job.error:
            job.error = Failure(code="engine_failed", message="The engine failed.")
            answer = original(world.server, asked, job)
        return answer

    world.server._poll = broken  # type: ignore[method-assign]
    world.pass_by()
    note = world.note("scan.pdf", Failed)
    assert (note.code, note.job, note.spent) == ("engine_failed", "job1", 1)
    world.server.fails_at = None
    world.now += 5
    world.pass_by()
    assert world.note("scan.pdf").job == "job2"


def test_an_erased_job_is_followed_by_another_one(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.pass_by()
    world.outbox.remove("scan.pdf.pagetide.json")
    world.server.gone.add("job1")
    world.pass_by()
    assert world.note("scan.pdf", Failed).code == "job_gone"
    world.now += 5
    world.pass_by()
    assert world.note("scan.pdf").job == "job2"
    assert "scan.pdf.error.json" not in world.outbox.content


@pytest.mark.parametrize("status", [302, 404, 500, 502, 503, 504])
def test_what_a_proxy_says_in_the_servers_place_may_pass(world: World, status: int) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.server.trouble = [Answer(status, b"<html>", {"Content-Type": "text/html"})]
    world.pass_by()
    assert world.note("scan.pdf", Failed).retryable
    world.now += 5
    world.pass_by()
    assert world.note("scan.pdf").job == "job1"


def test_a_server_that_has_lost_its_jobs_is_given_another(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    lost = problem(404, "job_unknown", "There is no such job.")
    world.server._poll = lambda asked, job: lost  # type: ignore[method-assign]
    world.pass_by()
    note = world.note("scan.pdf", Failed)
    assert (note.code, note.retryable, note.spent) == ("job_unknown", True, 1)


def test_a_time_that_a_wrong_clock_has_written_holds_nothing_up(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    world.server.trouble = [problem(429, "busy", "Too much.", {"Retry-After": "999999"})]
    world.pass_by()
    wait_s = world.note("scan.pdf", Failed).retry_at.timestamp() - world.now
    assert wait_s == 3600
    world.now -= 10 * 365 * 86400
    assert world.pass_by() == ["scan.pdf"]


def test_a_name_that_is_no_text_is_read_and_told_all_the_same(world: World) -> None:
    world.inbox.put("a/\udcff.pdf", pdf(1))
    world.inbox.put("a/\udcfe.pdf", b"no document")
    watcher, _ = world.watcher()
    watcher.run(every_s=0.01, at_once=1, once=True)
    assert sorted(ended.name for ended in world.ended) == ["a/\\xfe.pdf", "a/\\xff.pdf"]
    note = world.note("a/\udcff.pdf")
    assert (note.source, note.files[0]) == ("a/\\xff.pdf", "a/\\xff.pdf.md")
    assert "a/\udcff.pdf.md" in world.outbox.content
    assert world.pass_by() == []


def test_two_watchers_read_a_file_once(world: World) -> None:
    world.inbox.put("scan.pdf", pdf(1))
    (one, first), (other, second) = world.watcher(), world.watcher()
    one.look()
    other.look()
    (due,) = one.look()
    assert other.look() == [due]
    assert first.read(*due) is not None
    assert second.read(*due) is None
    assert len(world.server.asks("POST", "/v1/jobs")) == 1


def test_known_notes_are_not_fetched_at_every_look(world: World) -> None:
    for number in range(3):
        world.inbox.put(f"{number}.pdf", pdf(number))
    world.pass_by()
    watcher, _ = world.watcher()
    watcher.look()
    world.outbox.reads.clear()
    watcher.look()
    assert world.outbox.reads == []


class TestRunning:
    def test_several_are_in_hand_at_once(self, world: World) -> None:
        for number in range(6):
            world.inbox.put(f"{number}.pdf", pdf(number))
        watcher, reader = world.watcher()
        together = threading.Barrier(3)
        read = reader.read

        def at_once(name: str, stamp: str) -> Ended | None:
            together.wait(60)  # breaks unless three come
            return read(name, stamp)

        reader.read = at_once  # type: ignore[method-assign]
        watcher.run(every_s=0.01, at_once=3, once=True)
        assert sorted(ended.name for ended in world.ended) == [f"{n}.pdf" for n in range(6)]
        assert len(world.notes()) == 6

    def test_what_is_in_hand_is_not_due_again(self, world: World) -> None:
        world.inbox.put("scan.pdf", pdf(1))
        watcher, reader = world.watcher()
        read, due = reader.read, []

        def looking(name: str, stamp: str) -> Ended | None:
            due.extend(watcher.look())
            return read(name, stamp)

        reader.read = looking  # type: ignore[method-assign]
        watcher.run(every_s=0.01, at_once=2, once=True)
        assert (due, len(world.notes())) == ([], 1)

    def test_told_to_stop_it_ends_what_it_has_begun_and_begins_no_other(
        self, world: World
    ) -> None:
        for number in range(4):
            world.inbox.put(f"{number}.pdf", pdf(number))
        watcher, reader = world.watcher()
        read = reader.read

        def stopping(name: str, stamp: str) -> Ended | None:
            watcher.stop()
            return read(name, stamp)

        reader.read = stopping  # type: ignore[method-assign]
        watcher.run(every_s=0.01, at_once=1)
        assert [note.source for note in world.notes()] == ["0.pdf"]

    def test_a_wrong_key_ends_it(self, world: World) -> None:
        world.server.key = "another"
        world.inbox.put("scan.pdf", pdf(1))
        with pytest.raises(Unauthorized):
            world.watcher()[0].run(every_s=0.01, at_once=2)
        assert world.outbox.content == {}

    def test_an_option_that_is_wrong_for_every_file_ends_it(self, world: World) -> None:
        world.server.trouble = [problem(422, "bad_option", "There is no such option.")]
        world.inbox.put("scan.pdf", pdf(1))
        with pytest.raises(BadOption):
            world.watcher()[0].run(every_s=0.01, at_once=2)
        assert world.outbox.content == {}

    def test_a_copy_that_cannot_be_made_is_told_and_tried_again(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        world.inbox.put("scan.pdf", pdf(1))
        monkeypatch.setattr("tempfile.tempdir", "/there/is/no/such/folder")
        world.watcher()[0].run(every_s=0.01, at_once=1, once=True)
        assert [error.code for _, error in world.troubles] == ["cannot_write"]

    def test_what_is_left_for_later_is_counted(self, world: World) -> None:
        world.inbox.put("bad.pdf", b"no document")
        world.pass_by()
        world.inbox.put("scan.pdf", pdf(1))
        world.server.trouble = [Dropped()]
        world.pass_by()
        watcher, _ = world.watcher()
        watcher.run(every_s=0.01, at_once=1, once=True)
        assert (watcher.postponed(), world.ended) == (1, [])
        world.now += 5
        watcher.look()
        assert watcher.postponed() == 0

    def test_what_was_not_foreseen_ends_it(self, world: World) -> None:
        world.inbox.put("scan.pdf", pdf(1))
        with pytest.raises(Killed):
            world.watcher(Fuse(9))[0].run(every_s=0.01, at_once=2)

    def test_a_place_that_is_away_is_told_and_looked_at_again(self, world: World) -> None:
        world.inbox.broken = True
        watcher, _ = world.watcher()
        troubled = watcher._on_trouble

        def mended(name: str, error: PagetideError) -> None:
            troubled(name, error)
            world.inbox.broken = False
            world.inbox.put("scan.pdf", pdf(1))

        watcher._on_trouble = mended
        told, stop = world.ended.append, watcher.stop
        watcher._on_ended = lambda ended: (told(ended), stop())
        watcher.run(every_s=0.01, at_once=2)
        assert [(name, error.code) for name, error in world.troubles] == [("", "store_failed")]
        assert len(world.notes()) == 1

    def test_with_once_a_place_that_is_away_ends_it(self, world: World) -> None:
        world.inbox.broken = True
        with pytest.raises(StoreFailed):
            world.watcher()[0].run(every_s=0.01, at_once=2, once=True)

    def test_a_result_that_cannot_be_put_is_tried_again_after_a_rest(
        self, world: World
    ) -> None:
        world.inbox.put("scan.pdf", pdf(1))
        watcher, _ = world.watcher()
        put = world.outbox.put

        def full(name: str, content: bytes | Path) -> None:
            raise StoreFailed

        world.outbox.put = full  # type: ignore[method-assign]
        watcher.run(every_s=0.01, at_once=1, once=True)
        assert [name for name, _ in world.troubles] == ["scan.pdf"]
        world.outbox.put = put  # type: ignore[method-assign]
        assert watcher.look() == []
        world.now += REST_S
        assert [name for name, _ in watcher.look()] == ["scan.pdf"]

    def test_it_rests_longer_each_time_and_no_longer_than_some_minutes(
        self, world: World
    ) -> None:
        world.inbox.put("scan.pdf", pdf(1))
        watcher, reader = world.watcher()
        rests = []

        def broken(name: str, stamp: str) -> Ended | None:
            raise StoreFailed

        reader.read = broken  # type: ignore[method-assign]
        for _ in range(7):
            watcher.run(every_s=0.01, at_once=1, once=True)
            rests.append(next(s for s in range(1, 1000) if _due_in(world, watcher, s)))
            world.now += rests[-1]
        assert rests == [30, 60, 120, 240, 480, 600, 600]
        world.now -= 10**6
        assert watcher.look() != []


def _due_in(world: World, watcher: Watcher, seconds: int) -> bool:
    world.now += seconds
    due = watcher.look()
    world.now -= seconds
    return bool(due)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("scan.pdf", True),
        ("a/Größe 1.TIF", True),
        ("no ending", True),
        (".scan.pdf", False),
        (".hidden/scan.pdf", False),
        ("a/.scan.pdf.x3f", False),
        ("~$scan.docx", False),
        ("scan.pdf.part", False),
        ("scan.pdf.TMP", False),
        ("scan.crdownload", False),
        ("scan.pdf.pagetide.json", False),
        ("scan.pdf.error.json", False),
        ("scan.pagetide", False),  # whose JSON would be a marker
        ("scan.error", False),
        ("scan.raw", False),
    ],
)
def test_what_is_read_by_its_name(name: str, wanted: bool) -> None:
    assert may_be_read(name) is wanted


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("in", "out", True),
        ("in", "in", False),
        ("in", "in/out", False),
        ("in/a", "in", False),
        ("in", "./in/../in", False),
        ("in", "in2", True),
        ("s3://b/in", "s3://b/out", True),
        ("s3://b/in", "s3://b/in/out", False),
        ("s3://b/in", "s3://b", False),
        ("s3://b/in", "az://b/in", True),
        ("s3://b/in", "in", True),
        ("file:///a%20b", "/a b/out", False),
        ("s3://b/in?region=here", "s3://b", False),
        ("s3://b/a b", "s3://b/a%20b/out", False),
        ("s3://b/in?endpoint=http://one", "s3://b/in?endpoint=http://two", True),
        ("az://c/in?account=one", "az://c/in?account=two", True),
    ],
)
def test_neither_place_may_be_in_the_other(one: str, other: str, apart: bool) -> None:
    if apart:
        check_apart(one, other)
        return
    with pytest.raises(click.UsageError, match="must be separate"):
        check_apart(one, other)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(program, ["watch", str(tmp_path / "no"), str(tmp_path / "out")])
    assert (done.exit_code, done.output.count("There is no folder")) == (66, 1)


NAMES = ("a.pdf", "sub/b.pdf")
WRITES = st.tuples(st.sampled_from(NAMES), st.integers(1, 3))
# Where the process is killed: at so many steps, before or after the step; or not at all.
RUNS = st.one_of(st.none(), st.tuples(st.integers(5, 35), st.booleans()))


@settings(max_examples=40, deadline=None)
@given(
    first=st.lists(WRITES, min_size=1, max_size=3),
    acts=st.lists(st.one_of(st.tuples(st.just("run"), RUNS), WRITES), max_size=8),
    grows=st.booleans(),
)
def test_killed_anywhere_any_number_of_times_each_content_is_read_once(
    first: list[tuple[str, int]], acts: list[Any], grows: bool
) -> None:
    world = World(grows)
    for act in [*first, *acts, ("run", None)]:
        world.now += 1
        if act[0] == "run":
            fuse = Fuse(act[1][0], after=act[1][1]) if act[1] else None
            world.pass_by(fuse)
            world.check()
        else:
            name, number = act
            world.inbox.put(name, pdf(number))
    assert {note.source: note.sha256 for note in world.notes()} == {
        name: sha(content) for name, content in world.inbox.content.items()
    }
    assert world.pass_by() == []


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("changed", [False, True])
def test_killed_at_every_step_it_goes_on_where_it_was(changed: bool, after: bool) -> None:
    step, blown = 0, True
    while blown:
        step, world = step + 1, World(grows=False)
        world.inbox.put("a.pdf", pdf(1))
        if changed:
            world.pass_by()
            world.inbox.put("a.pdf", pdf(2))
        fuse = Fuse(step, after=after)
        world.pass_by(fuse)
        blown = fuse.left == 0
        world.check()
        world.pass_by()
        world.check()
        assert (len(world.server.jobs), len(world.outbox.content)) == (1 + changed, 3)
        assert world.note("a.pdf").sha256 == sha(pdf(1 + changed))
        assert world.pass_by() == []
    assert step > 12


def test_a_note_that_is_no_note_is_passed_over() -> None:
    shelf = Shelf()
    shelf.put("a.pagetide.json", b"\xff")
    shelf.put("b.error.json", b"[]")
    notes = Notes(shelf)
    notes.look()
    assert notes.known("a") == notes.known("b") == (None, None)


def test_the_copy_is_what_is_hashed() -> None:
    shelf, into = Shelf(), io.BytesIO()
    shelf.put("a", b"x")
    assert (shelf.copy("a", into), into.getvalue()) == ("v1", b"x")
