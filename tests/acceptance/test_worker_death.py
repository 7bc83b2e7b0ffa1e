"""Workers as real processes that die, hang or are told to leave; no job is the worse."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagetide.document import Document
from pagetide.server.jobs.job import Job, JobOptions, Task
from pagetide.server.maintenance.maintenance import Sweeper
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.supervisor import restarts
from pagetide.server.supervisor.forked_workers import ForkedWorkers
from pagetide.server.wiring import open_maintenance, open_service
from pagetide.settings import Settings
from tests.parts import forks, keeper
from tests.serving import pdf, text_of_page
from tests.waiting import until

MORTAL = {"lease_s": 1.0}  # of a worker whose lease is to run out; others' last


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return replace(
        Settings(),
        data_dir=str(tmp_path / "data"),
        test_models=True,
        lease_s=60.0,
        sweep_s=0.2,
        idle_s=600.0,
        task_pages=4,
        max_workers=1,
    )


class Box:
    """A service, its maintenance, and worker processes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.service: Service = open_service(settings)
        self.maintenance = open_maintenance(self.service)
        self.workers: list[subprocess.Popen[str]] = []

    def submit(self, pages: int, model: str = "fake", **asked: Any) -> Job:
        path = self.settings.home_folder / "upload"
        path.write_bytes(pdf(pages))
        options = JobOptions(model=model)
        return self.service.submit(
            Submission(document=path, name="scan.pdf", options=options, **asked)
        )

    def start(self, **changed: Any) -> subprocess.Popen[str]:
        """Start a worker process."""
        settings = replace(self.settings, **changed)
        command = [sys.executable, "-P", "-m", "pagetide", "worker", "--models", "fake"]
        process = forks.Popen(
            [*command, "--idle-exit", str(settings.idle_s)],
            # Without a keeper, its sandbox is its own child, as it is shipped.
            env={k: v for k, v in settings.as_environment().items() if k != keeper.SOCKET},
            stderr=subprocess.PIPE,
            text=True,
        )
        self.workers.append(process)
        return process

    def job(self, job: Job) -> Job:
        return self.service.job(job.id)

    def pages_done(self, jobs: Sequence[Job]) -> int:
        return sum(self.job(job).pages_done for job in jobs)

    def ended(self, job: Job) -> Job:
        until(lambda: self.job(job).ended, why=f"{job.id} has not ended")
        return self.job(job)

    def leased(self, job: Job) -> list[Task]:
        return [task for task in self.service.store.tasks(job.id) if task.lease]

    def holder(self, job: Job) -> subprocess.Popen[str] | None:
        """The process that holds a task of a job, once it has read a page of it."""
        for task in self.leased(job):
            for worker in self.workers:
                if task.lease and f"-{worker.pid}-" in task.lease.worker and task.done:
                    return worker
        return None

    def assert_whole(self, job: Job, *, failed: tuple[int, ...] = ()) -> None:
        """Every page is there once, with its own text, and nothing else is left."""
        ended = self.job(job)
        assert ended.status == ("partial" if failed else "succeeded")
        assert (ended.pages_done, ended.pages_failed) == (ended.page_count, len(failed))
        content = b"".join(self.service.stream(ended.results["json"]))
        pages = Document.from_json(content).pages
        expected = {n: text_of_page(n) for n in range(1, ended.page_count + 1)}
        expected |= dict.fromkeys(failed, "")
        assert [(page.number, page.text) for page in pages] == list(expected.items())
        assert [page.number for page in pages if page.error] == list(failed)
        raw = msgspec.json.decode(b"".join(self.service.stream(ended.results["raw"])))
        assert [page["number"] for page in raw["pages"]] == list(expected)
        until(lambda: not list(self.service.blobs.under(f"{ended.prefix}pages/")))
        assert not [task for task in self.service.store.tasks(job.id) if task.state != "done"]

    def close(self) -> None:
        for worker in self.workers:
            with suppress(ProcessLookupError):
                worker.send_signal(signal.SIGCONT)
            worker.kill()
            worker.wait()
            if worker.stderr:
                worker.stderr.close()
        self.maintenance.close()
        self.service.close()


@pytest.fixture
def box(settings: Settings) -> Iterator[Box]:
    opened = Box(settings)
    yield opened
    opened.close()


def left(worker: subprocess.Popen[str]) -> tuple[int, str]:
    """How a worker left, and what it said; it must do so long before it has been idle."""
    _, said = worker.communicate(timeout=60)
    return worker.returncode, said


def family(pid: int) -> set[int]:
    """A process and all below it."""
    below, layer = set(), {pid}
    while layer:
        below |= layer
        layer = {child for child, parent in parents().items() if parent in layer} - below
    return below


def parents() -> dict[int, int]:
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(folder.name)] = int(parent)
    return found


class TestDeath:
    def test_another_worker_takes_over(self, box: Box) -> None:
        job = box.submit(12, "fake?slow=0.2")
        for _ in range(2):
            box.start(**MORTAL)
        victim = until(lambda: box.holder(job))
        below = family(victim.pid)
        assert len(below) > 1  # it has a sandbox
        victim.kill()
        box.ended(job)
        box.assert_whole(job)
        victim.wait()
        until(lambda: not below & set(parents()), why="its sandbox is left over")

    def test_again_and_again(self, box: Box) -> None:
        jobs = [box.submit(6, "fake?slow=0.02", owner=f"{n}") for n in range(4)]
        for _ in range(3):
            done = box.pages_done(jobs)
            worker = box.start(**MORTAL)
            more = min(done + 1, 24)  # all are done where it was not killed soon enough
            until(lambda more=more: box.pages_done(jobs) >= more)  # type: ignore[misc]
            worker.kill()
        box.start()
        for job in jobs:
            box.ended(job)
            box.assert_whole(job)

    def test_a_hanging_worker_ends_itself(self, box: Box) -> None:
        job = box.submit(1, "fake?slow=600")
        # Long enough to have begun: what ends before is no try.
        worker = box.start(page_deadline_s=5, **MORTAL)
        assert left(worker)[0] == 75
        until(lambda: not box.leased(job))
        assert box.service.store.tasks(job.id)[0].attempts == 1

    def test_nobody_outlives_the_one_who_started_them(self, box: Box) -> None:
        program = (
            "import signal; from pagetide.settings import Settings; "
            "from pagetide.server.supervisor.forked_workers import ForkedWorkers; "
            "crew = ForkedWorkers(Settings.from_environment(), ('cpu',)); crew.scale(); "
            "print(crew.count, flush=True); signal.pause()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            env=replace(box.settings, min_workers=1).as_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        assert process.stdout.readline() == "1\n"
        job = box.submit(1)
        box.ended(job)
        below = family(process.pid)
        assert len(below) > 2
        process.kill()
        process.stdout.close()
        process.wait()
        until(lambda: not below & set(parents()), why="a process is left over")

    def test_who_forked_the_workers_may_die_and_they_go_on(self, box: Box) -> None:
        """Nothing is taken from who lives, and it is still seen to end, and told to."""
        program = (
            "import sys; from pagetide.settings import Settings; "
            "from pagetide.server.supervisor.forked_workers import ForkedWorkers; "
            "crew = ForkedWorkers(Settings.from_environment(), ('cpu',)); crew.scale(); "
            "print(*[member.process.pid for member in crew._members], flush=True)\n"
            "for _ in sys.stdin: print(len(crew.reap()), crew.count, flush=True)\n"
            "crew.stop(); print(crew.count, flush=True)"
        )
        job = box.submit(3, "fake?slow=0.5")
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            env=replace(box.settings, min_workers=1).as_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout and process.stdin
        worker = int(process.stdout.readline())
        until(lambda: box.leased(job))
        server = parents()[worker]
        assert server != process.pid
        os.kill(server, signal.SIGKILL)
        until(lambda: server not in parents())

        def buried() -> str:
            assert process.stdin and process.stdout
            process.stdin.write("\n")
            process.stdin.flush()
            return process.stdout.readline()

        assert buried() == "0 1\n"
        box.ended(job)
        box.assert_whole(job)
        assert {task.attempts for task in box.service.store.tasks(job.id)} <= {0}
        assert worker in parents()
        os.kill(worker, signal.SIGKILL)
        until(lambda: buried() == "1 0\n", why="its end is not seen")
        process.stdin.close()
        assert process.wait() == 0
        process.stdout.close()

    def test_who_submitted_may_die_as_well(self, box: Box) -> None:
        program = (
            "import sys; from pathlib import Path; from tests.acceptance import "
            "test_worker_death as t; t.submit_many(Path(sys.argv[1]))"
        )
        document = box.settings.home_folder / "document"
        document.write_bytes(pdf(2))
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(document)],
            env=box.settings.as_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        answered = [process.stdout.readline().strip() for _ in range(3)]
        process.kill()
        answered += process.stdout.read().split("\n")[:-1]  # the last may be cut off
        process.stdout.close()
        process.wait()
        assert left(box.start(idle_s=0.3))[0] == 0
        for job_id in answered:
            job = box.service.job(job_id)
            assert job.status == "succeeded"
            box.assert_whole(job)


def submit_many(document: Path) -> None:
    """What a program does that is killed while it submits, or a little later."""
    settings = Settings.from_environment()
    with closing(open_service(replace(settings, cache=False))) as service:
        for _ in range(30):
            path = document.with_name("another")
            path.write_bytes(document.read_bytes())
            asked = Submission(document=path, name="d.pdf", options=JobOptions(model="fake"))
            print(service.submit(asked).id, flush=True)  # noqa: T201
        signal.pause()


class TestStalling:
    def test_a_stale_workers_results_are_refused(self, box: Box) -> None:
        job = box.submit(4, "fake?slow=0.5")
        stale = box.start(**MORTAL)
        until(lambda: box.holder(job))
        stale.send_signal(signal.SIGSTOP)
        other = box.start()
        until(lambda: box.holder(job) == other)
        stale.send_signal(signal.SIGCONT)
        box.ended(job)
        box.assert_whole(job)
        stale.terminate()
        code, said = left(stale)
        assert code == 0
        assert "lease lost" in said or "result refused" in said

    def test_one_that_wakes_after_the_end_changes_nothing(self, box: Box) -> None:
        job = box.submit(3, "fake?slow=0.5")
        stale = box.start(**MORTAL)
        until(lambda: box.holder(job))
        stale.send_signal(signal.SIGSTOP)
        box.start()
        ended = box.ended(job)
        box.assert_whole(job)
        keys = sorted(blob.key for blob in box.service.blobs.under(ended.prefix))
        stale.send_signal(signal.SIGCONT)
        stale.terminate()
        assert left(stale)[0] == 0
        assert box.job(job) == ended
        assert sorted(blob.key for blob in box.service.blobs.under(ended.prefix)) == keys


class TestLeaving:
    def test_an_idle_worker_leaves(self, box: Box) -> None:
        job = box.submit(2)
        code, said = left(box.start(idle_s=0.3))
        assert (code, "idle" in said) == (0, True)
        box.assert_whole(job)

    def test_sigterm_finishes_the_range_in_hand(self, box: Box) -> None:
        job = box.submit(8, "fake?slow=0.5")
        worker = box.start()
        until(lambda: box.holder(job))
        worker.terminate()
        assert left(worker)[0] == 0
        first, second = box.service.store.tasks(job.id)
        assert (first.state, sorted(first.done)) == ("done", [1, 2, 3, 4])
        assert (second.state, second.done, second.attempts) == ("waiting", {}, 0)

    def test_sigterm_keeps_the_pages_done_where_time_is_short(self, box: Box) -> None:
        job = box.submit(4, "fake?slow=0.5")
        worker = box.start(drain_s=0.2)
        until(lambda: box.holder(job))
        worker.terminate()
        assert left(worker)[0] == 0
        [task] = box.service.store.tasks(job.id)
        assert (task.state, task.attempts, task.alone) == ("waiting", 0, False)
        assert 1 <= len(task.done) < 4
        left(box.start(idle_s=0.2))
        box.assert_whole(job)

    def test_sigterm_while_idle(self, box: Box) -> None:
        job = box.submit(1)
        worker = box.start()
        box.ended(job)
        worker.terminate()
        assert left(worker)[0] == 0


class TestWorkerProcesses:
    """The workers of one box; what `Supervisor` does between its waits stands in `tended`."""

    @pytest.fixture
    def tended(
        self, box: Box, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Callable[[Job], tuple[Job, int]]]:
        monkeypatch.setattr(restarts, "PAUSE_S", (0.0,))
        service = box.service
        sweeper = Sweeper(
            store=service.store,
            blobs=service.blobs,
            notifier=service.notifier,
            settings=box.settings,
        )
        crew = ForkedWorkers(box.settings, ("cpu",))

        def tend(job: Job) -> tuple[Job, int]:
            """Until a job has ended: the job, and how many workers died of it."""
            deaths = 0

            def tended() -> bool:
                nonlocal deaths
                for member in crew.reap():
                    sweeper.take_from(member.name)
                    deaths += 1
                crew.kill_hung()
                crew.scale()
                return box.job(job).ended

            until(tended, 180)
            return box.job(job), deaths

        assert crew.count == 0
        yield tend
        below = family(os.getpid())
        members = {member.process.pid for member in crew._members}
        assert members <= below
        crew.stop()
        assert not members & set(parents())

    def test_only_the_page_that_kills_workers_fails(
        self, box: Box, tended: Callable[[Job], tuple[Job, int]]
    ) -> None:
        box.submit(3, owner="somebody")
        job = box.submit(8, f"fake?fatal={text_of_page(3).split()[0]}")
        other = box.submit(3, owner="somebody else")
        ended, deaths = tended(job)
        box.assert_whole(job, failed=(3,))
        page = msgspec.json.decode(box.service.pages.json(ended, 3))
        assert page["error"]["code"] == "worker_lost"
        assert 3 < deaths < 10
        assert tended(other)[0].status == "succeeded"

    def test_workers_that_die_now_and_then_fail_no_page(
        self, box: Box, tended: Callable[[Job], tuple[Job, int]]
    ) -> None:
        job = box.submit(8, "fake?crash=3")
        _, deaths = tended(job)
        assert deaths >= 2
        box.assert_whole(job)
