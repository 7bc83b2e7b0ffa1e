"""What `ports.Queue` promises, of every queue of one box."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from pagetide.errors import StoreFailed
from pagetide.ports import Listener, Queue
from pagetide.queues.bell import Bell, bell_folder, open_bell
from pagetide.queues.memory import MemoryQueue

QUEUES: dict[str, Callable[[Path], Queue]] = {
    "bell": lambda tmp: Bell(tmp / "bell"),
    "memory": lambda tmp: MemoryQueue(),
}
LONG_S = 20.0  # nothing here takes so long, unless it is broken


@pytest.fixture(params=QUEUES)
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Queue:
    return QUEUES[request.param](tmp_path)


def hear_all(listener: Listener) -> list[tuple[str, str]]:
    """All that is to be heard now."""
    return [ring for heard in iter(lambda: listener.wait(0), ()) for ring in heard]


def test_a_ring_is_heard_by_all_who_listen(queue: Queue) -> None:
    with closing(queue.listen("cpu")) as one, closing(queue.listen("cpu", "jobs")) as other:
        queue.ring("cpu", "first")
        assert one.wait(LONG_S) == (("cpu", "first"),)
        assert other.wait(LONG_S) == (("cpu", "first"),)


def test_only_the_topics_listened_to_are_heard(queue: Queue) -> None:
    with closing(queue.listen("cpu", "jobs")) as listener:
        queue.ring("gpu", "not for us")
        queue.ring("jobs", "j1")
        queue.ring("cpu")
        assert set(hear_all(listener)) == {("jobs", "j1"), ("cpu", "")}


def test_a_ring_before_the_call_is_heard_at_once(queue: Queue) -> None:
    with closing(queue.listen("cpu")) as listener:
        queue.ring("cpu", "early")
        before = time.monotonic()
        assert listener.wait(LONG_S) == (("cpu", "early"),)
        assert time.monotonic() - before < LONG_S / 4
        assert listener.wait(0) == ()


def test_a_ring_before_listening_is_not_heard(queue: Queue) -> None:
    queue.ring("cpu", "nobody was there")
    with closing(queue.listen("cpu")) as listener:
        assert listener.wait(0) == ()


def test_waiting_ends_when_time_is_up(queue: Queue) -> None:
    with closing(queue.listen("cpu")) as listener:
        before = time.monotonic()
        assert listener.wait(0.05) == ()
        assert 0.04 < time.monotonic() - before < LONG_S
        assert listener.wait(-1) == ()


def test_who_waits_is_woken(queue: Queue) -> None:
    heard: list[tuple[tuple[str, str], ...]] = []
    with closing(queue.listen("cpu")) as listener:
        waiting = threading.Thread(target=lambda: heard.append(listener.wait(LONG_S)))
        waiting.start()
        queue.ring("cpu", "wake up")
        waiting.join(LONG_S)
    assert heard == [(("cpu", "wake up"),)]


def test_the_same_ring_is_told_once(queue: Queue) -> None:
    with closing(queue.listen("jobs")) as listener:
        for _ in range(5):
            queue.ring("jobs", "j1")
        queue.ring("jobs", "j2")
        assert listener.wait(LONG_S) == (("jobs", "j1"), ("jobs", "j2"))


def test_a_burst_is_heard_whole(queue: Queue) -> None:
    ids = [f"job_{number:026}" for number in range(1000)]
    with closing(queue.listen("jobs")) as listener:
        for job_id in ids:
            queue.ring("jobs", job_id)
        assert hear_all(listener) == [("jobs", job_id) for job_id in ids]


def test_ringing_neither_waits_nor_raises_when_nobody_hears(queue: Queue) -> None:
    with closing(queue.listen("jobs")) as deaf, closing(queue.listen("jobs")) as awake:
        heard = 0
        before = time.monotonic()
        for number in range(20_000):
            queue.ring("jobs", f"{number:026}")
            if number % 500 == 499:
                heard += len(hear_all(awake))
        assert time.monotonic() - before < LONG_S
        assert heard == 20_000
        assert 0 < len(hear_all(deaf)) < 20_000
        queue.ring("jobs", "after")
        assert hear_all(deaf) == [("jobs", "after")]


def test_a_text_is_one_short_line(queue: Queue) -> None:
    with closing(queue.listen("jobs")) as listener:
        queue.ring("jobs", "two\nlines")
        queue.ring("jobs", "é\udcff" + "x" * 10_000)
        queue.ring("jobs", "next")
        first, long, last = hear_all(listener)
        assert first == ("jobs", "two lines")
        assert long[1].startswith("é?xxx") and len(long[1]) < 500
        assert last == ("jobs", "next")


def test_a_closed_listener_hears_nothing(queue: Queue) -> None:
    listener = queue.listen("cpu", "jobs")
    queue.ring("cpu")
    listener.close()
    listener.close()
    queue.ring("cpu")
    assert listener.wait(LONG_S) == ()
    assert listener.fileno() == -1


def test_a_selector_can_wait_for_a_listener(queue: Queue) -> None:
    with closing(queue.listen("cpu", "jobs")) as listener:
        assert select.select([listener.fileno()], [], [], 0)[0] == []
        queue.ring("jobs", "j1")
        assert select.select([listener.fileno()], [], [], LONG_S)[0] == [listener.fileno()]
        assert listener.wait(0) == (("jobs", "j1"),)
        assert select.select([listener.fileno()], [], [], 0)[0] == []


def test_an_event_loop_can_wait_for_a_listener(queue: Queue) -> None:
    async def hear() -> tuple[tuple[str, str], ...]:
        loop = asyncio.get_running_loop()
        heard: asyncio.Future[tuple[tuple[str, str], ...]] = loop.create_future()
        with closing(queue.listen("cpu")) as listener:
            loop.add_reader(listener.fileno(), lambda: heard.set_result(listener.wait(0)))
            queue.ring("cpu", "async")
            try:
                return await asyncio.wait_for(heard, LONG_S)
            finally:
                loop.remove_reader(listener.fileno())

    assert asyncio.run(hear()) == (("cpu", "async"),)


@pytest.mark.parametrize("name", ["", "../cpu", "a/b", ".", "CPU", "a b", "x" * 65, "a\n"])
def test_a_topic_has_a_plain_name(queue: Queue, name: str) -> None:
    with pytest.raises(ValueError):
        queue.listen("cpu", name)
    queue.ring(name, "never raises")


def test_there_is_something_to_listen_to(queue: Queue) -> None:
    with pytest.raises(ValueError):
        queue.listen()


def test_many_threads_may_ring_and_listen(queue: Queue) -> None:
    def ring_and_leave() -> None:
        for _ in range(50):
            with closing(queue.listen("jobs")):
                queue.ring("cpu", str(threading.get_ident()))

    with closing(queue.listen("cpu")) as listener:
        threads = [threading.Thread(target=ring_and_leave) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {text for _, text in hear_all(listener)} == {str(t.ident) for t in threads}


# What the bell adds: other processes

ECHO = """
import sys
from pathlib import Path
from pagetide.queues.bell import Bell

bell = Bell(Path(sys.argv[1]))
listener = bell.listen("to-child")
bell.ring("from-child", "ready")
for _, text in listener.wait(20):
    bell.ring("from-child", text + " back")
listener.wait(20)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bell"


@pytest.fixture
def child(folder: Path) -> Iterator[tuple[Listener, subprocess.Popen[bytes]]]:
    """A process that listens to `to-child`, and what hears it."""
    with ExitStack() as stack:
        listener = stack.enter_context(closing(Bell(folder).listen("from-child")))
        process = stack.enter_context(subprocess.Popen([sys.executable, "-c", ECHO, folder]))
        stack.callback(process.kill)
        assert listener.wait(LONG_S) == (("from-child", "ready"),)
        yield listener, process


def pipes(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


def test_processes_wake_each_other(
    folder: Path, child: tuple[Listener, subprocess.Popen[bytes]]
) -> None:
    listener, _ = child
    Bell(folder).ring("to-child", "there and")
    assert listener.wait(LONG_S) == (("from-child", "there and back"),)


def test_what_a_dead_process_left_is_removed(
    folder: Path, child: tuple[Listener, subprocess.Popen[bytes]]
) -> None:
    _, process = child
    assert len(pipes(folder / "to-child")) == 1
    process.kill()
    process.wait()
    Bell(folder).ring("to-child", "anybody?")
    assert pipes(folder / "to-child") == []
    assert len(pipes(folder / "from-child")) == 1


def test_closing_leaves_no_pipe(folder: Path) -> None:
    bell = Bell(folder)
    listener = bell.listen("cpu", "jobs")
    assert len(pipes(folder)) == 2
    listener.close()
    assert pipes(folder) == []


def test_a_listener_being_made_is_not_taken_for_a_dead_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bell = Bell(folder)
    real = os.open

    def rung_meanwhile(path: str, flags: int) -> int:
        monkeypatch.setattr(os, "open", real)
        bell.ring("cpu", "too early")
        return real(path, flags)

    monkeypatch.setattr(os, "open", rung_meanwhile)
    with closing(bell.listen("cpu")) as listener:
        bell.ring("cpu", "heard")
        assert hear_all(listener) == [("cpu", "heard")]


def test_no_descriptor_is_lost_when_no_pipe_can_be_made(folder: Path) -> None:
    bell = Bell(folder)
    descriptors = Path("/proc/self/fd")
    (folder / "jobs").write_bytes(b"in the way")
    before = len(list(descriptors.iterdir()))
    with pytest.raises(StoreFailed, match="No pipe can be made"):
        bell.listen("cpu", "jobs")
    assert len(list(descriptors.iterdir())) <= before
    assert pipes(folder) == [folder / "jobs"]


def test_the_folder_may_vanish(folder: Path) -> None:
    bell = Bell(folder)
    folder.rmdir()
    bell.ring("cpu")
    with closing(bell.listen("cpu")) as listener:
        bell.ring("cpu", "again")
        assert listener.wait(LONG_S) == (("cpu", "again"),)


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    with pytest.raises(StoreFailed, match="not this user's alone"):
        Bell(shared)


def test_a_folder_of_somebody_else_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Bell(folder)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    with pytest.raises(StoreFailed, match="not this user's alone"):
        Bell(folder)


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreFailed, match="not this user's alone"):
        Bell(folder)


def test_who_shares_a_data_folder_meets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "data").mkdir()
    (tmp_path / "same").symlink_to(tmp_path / "data")
    assert bell_folder(tmp_path / "data") == bell_folder(tmp_path / "same")
    assert bell_folder(tmp_path / "data") != bell_folder(tmp_path / "other")
    with closing(open_bell(tmp_path / "data").listen("cpu")) as listener:
        open_bell(tmp_path / "same").ring("cpu", "met")
        assert listener.wait(LONG_S) == (("cpu", "met"),)
