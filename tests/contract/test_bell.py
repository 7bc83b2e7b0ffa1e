"""What `ports.Bell` promises, of every bell that rings."""

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
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from pagetide.errors import StoreFailed
from pagetide.server.notifications import notify
from pagetide.server.notifications.fifo import FifoBell, bell_folder, open_bell
from pagetide.server.notifications.memory import MemoryBell
from pagetide.server.ports import Bell, Listener

BELLS: dict[str, Callable[[pytest.FixtureRequest], Bell]] = {
    "fifo": lambda given: FifoBell(given.getfixturevalue("tmp_path") / "bell"),
    "memory": lambda given: MemoryBell(),
    "notify": lambda given: notify.open_bell(given.getfixturevalue("postgres").database()),
}
LONG_S = 60.0  # nothing here takes so long, unless it is broken


@pytest.fixture(params=BELLS)
def bell(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bell]:
    # What a slow server does not take in time is lost, which the contract allows.
    monkeypatch.setattr(notify, "RING_S", LONG_S)
    monkeypatch.setattr(notify, "HEAR_S", LONG_S)
    bell = BELLS[request.param](request)
    yield bell
    bell.close()


def hear_all(bell: Bell, listener: Listener, topic: str = "jobs") -> list[tuple[str, str]]:
    """All that has been rung until now, however long its way; on the topic, too."""
    last = (topic, "that is all")
    heard: list[tuple[str, str]] = []
    bell.ring(*last)
    while last not in heard:
        new = listener.wait(LONG_S)
        assert new, "the last ring was not heard"
        heard += new
    heard.remove(last)
    return heard


def test_one_listener_hears_what_is_for_one(bell: Bell) -> None:
    with ExitStack() as stack:
        listeners = [
            stack.enter_context(closing(bell.listen("one-x", "jobs"))) for _ in range(3)
        ]
        for n in range(9):
            bell.ring("one-x", f"{n}")
        heard = [
            ring for each in listeners for ring in hear_all(bell, each) if ring[0] != "jobs"
        ]
        assert sorted(heard) == [("one-x", f"{n}") for n in range(9)]


def hear_now(listener: Listener) -> list[tuple[str, str]]:
    """All that is to be heard at once."""
    return [ring for heard in iter(lambda: listener.wait(0), ()) for ring in heard]


def test_a_ring_is_heard_by_all_who_listen(bell: Bell) -> None:
    with closing(bell.listen("cpu")) as one, closing(bell.listen("cpu", "jobs")) as other:
        bell.ring("cpu", "first")
        assert one.wait(LONG_S) == (("cpu", "first"),)
        assert other.wait(LONG_S) == (("cpu", "first"),)


def test_only_the_topics_listened_to_are_heard(bell: Bell) -> None:
    with closing(bell.listen("cpu", "jobs")) as listener:
        bell.ring("gpu", "not for us")
        bell.ring("jobs", "j1")
        bell.ring("cpu")
        assert set(hear_all(bell, listener)) == {("jobs", "j1"), ("cpu", "")}


def test_a_ring_before_the_call_is_heard_at_once(bell: Bell) -> None:
    with closing(bell.listen("cpu")) as listener:
        bell.ring("cpu", "early")
        before = time.monotonic()
        assert listener.wait(LONG_S) == (("cpu", "early"),)
        assert time.monotonic() - before < LONG_S / 4
        assert listener.wait(0) == ()


def test_a_ring_before_listening_is_not_heard(bell: Bell) -> None:
    bell.ring("cpu", "nobody was there")
    with closing(bell.listen("cpu")) as listener:
        assert hear_all(bell, listener, "cpu") == []


def test_waiting_ends_when_time_is_up(bell: Bell) -> None:
    with closing(bell.listen("cpu")) as listener:
        before = time.monotonic()
        assert listener.wait(0.05) == ()
        assert 0.04 < time.monotonic() - before < LONG_S
        assert listener.wait(-1) == ()


def test_who_waits_is_woken(bell: Bell) -> None:
    heard: list[tuple[tuple[str, str], ...]] = []
    with closing(bell.listen("cpu")) as listener:
        waiting = threading.Thread(target=lambda: heard.append(listener.wait(LONG_S)))
        waiting.start()
        bell.ring("cpu", "wake up")
        waiting.join(LONG_S)
    assert heard == [(("cpu", "wake up"),)]


def test_the_same_ring_is_told_once(bell: Bell) -> None:
    with closing(bell.listen("jobs")) as listener, closing(bell.listen("cpu")) as other:
        for _ in range(5):
            bell.ring("jobs", "j1")
        bell.ring("jobs", "j2")
        assert hear_all(bell, other, "cpu") == []  # so they have arrived
        assert listener.wait(LONG_S) == (("jobs", "j1"), ("jobs", "j2"))


def test_a_burst_is_heard_whole(bell: Bell) -> None:
    ids = [f"job_{number:026}" for number in range(1000)]
    with closing(bell.listen("jobs")) as listener:
        for job_id in ids:
            bell.ring("jobs", job_id)
        assert hear_all(bell, listener) == [("jobs", job_id) for job_id in ids]


def test_ringing_neither_waits_nor_raises_when_nobody_hears(bell: Bell) -> None:
    rings = 5_000  # two thirds of which find no room
    with closing(bell.listen("jobs")) as deaf, closing(bell.listen("jobs", "cpu")) as awake:
        heard = 0
        before = time.monotonic()
        for number in range(rings):
            bell.ring("jobs", f"{number:026}")
            if number % 500 == 499:
                heard += len(hear_all(bell, awake, "cpu"))
        assert time.monotonic() - before < LONG_S
        assert heard == rings
        assert 0 < len(hear_now(deaf)) < rings
        bell.ring("jobs", "after")
        assert deaf.wait(LONG_S) == (("jobs", "after"),)


def test_a_text_is_one_short_line(bell: Bell) -> None:
    with closing(bell.listen("jobs")) as listener:
        bell.ring("jobs", "two\nlines")
        bell.ring("jobs", "é\udcff" + "x" * 10_000)
        bell.ring("jobs", "next")
        first, long, last = hear_all(bell, listener)
        assert first == ("jobs", "two lines")
        assert long[1].startswith("é?xxx") and len(long[1]) < 500
        assert last == ("jobs", "next")


def test_a_closed_listener_hears_nothing(bell: Bell) -> None:
    listener = bell.listen("cpu", "jobs")
    bell.ring("cpu")
    listener.close()
    listener.close()
    bell.ring("cpu")
    assert listener.wait(LONG_S) == ()
    assert listener.fileno() == -1


def test_a_selector_can_wait_for_a_listener(bell: Bell) -> None:
    with closing(bell.listen("cpu", "jobs")) as listener:
        assert select.select([listener.fileno()], [], [], 0)[0] == []
        bell.ring("jobs", "j1")
        assert select.select([listener.fileno()], [], [], LONG_S)[0] == [listener.fileno()]
        assert listener.wait(0) == (("jobs", "j1"),)
        assert select.select([listener.fileno()], [], [], 0)[0] == []


def test_an_event_loop_can_wait_for_a_listener(bell: Bell) -> None:
    async def hear() -> tuple[tuple[str, str], ...]:
        loop = asyncio.get_running_loop()
        heard: asyncio.Future[tuple[tuple[str, str], ...]] = loop.create_future()
        with closing(bell.listen("cpu")) as listener:
            loop.add_reader(listener.fileno(), lambda: heard.set_result(listener.wait(0)))
            bell.ring("cpu", "async")
            try:
                return await asyncio.wait_for(heard, LONG_S)
            finally:
                loop.remove_reader(listener.fileno())

    assert asyncio.run(hear()) == (("cpu", "async"),)


@pytest.mark.parametrize("name", ["", "../cpu", "a/b", ".", "CPU", "a b", "x" * 65, "a\n"])
def test_a_topic_has_a_plain_name(bell: Bell, name: str) -> None:
    with pytest.raises(ValueError):
        bell.listen("cpu", name)
    bell.ring(name, "never raises")


def test_there_is_something_to_listen_to(bell: Bell) -> None:
    with pytest.raises(ValueError):
        bell.listen()


def test_many_threads_may_ring_and_listen(bell: Bell) -> None:
    def ring_and_leave() -> None:
        for _ in range(50):
            with closing(bell.listen("jobs")):
                bell.ring("cpu", str(threading.get_ident()))

    with closing(bell.listen("cpu")) as listener:
        threads = [threading.Thread(target=ring_and_leave) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = {text for _, text in hear_all(bell, listener, "cpu")}
        assert texts == {str(t.ident) for t in threads}


# What the bell adds: other processes

ECHO = """
import sys
from pathlib import Path
from pagetide.server.notifications import notify
from pagetide.server.notifications.fifo import FifoBell

bell = FifoBell(Path(sys.argv[1]))
listener = bell.listen("to-child")
bell.ring("from-child", "ready")
for _, text in listener.wait(60):
    bell.ring("from-child", text + " back")
listener.wait(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bell"


@pytest.fixture
def child(folder: Path) -> Iterator[tuple[Listener, subprocess.Popen[bytes]]]:
    """A process that listens to `to-child`, and what hears it."""
    with ExitStack() as stack:
        listener = stack.enter_context(closing(FifoBell(folder).listen("from-child")))
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
    FifoBell(folder).ring("to-child", "there and")
    assert listener.wait(LONG_S) == (("from-child", "there and back"),)


def test_what_a_dead_process_left_is_removed(
    folder: Path, child: tuple[Listener, subprocess.Popen[bytes]]
) -> None:
    _, process = child
    assert len(pipes(folder / "to-child")) == 1
    process.kill()
    process.wait()
    FifoBell(folder).ring("to-child", "anybody?")
    assert pipes(folder / "to-child") == []
    assert len(pipes(folder / "from-child")) == 1


def test_closing_leaves_no_pipe(folder: Path) -> None:
    bell = FifoBell(folder)
    listener = bell.listen("cpu", "jobs")
    assert len(pipes(folder)) == 2
    listener.close()
    assert pipes(folder) == []


def test_a_listener_being_made_is_not_taken_for_a_dead_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bell = FifoBell(folder)
    real = os.open

    def rung_meanwhile(path: str, flags: int) -> int:
        monkeypatch.setattr(os, "open", real)
        bell.ring("cpu", "too early")
        return real(path, flags)

    monkeypatch.setattr(os, "open", rung_meanwhile)
    with closing(bell.listen("cpu")) as listener:
        bell.ring("cpu", "heard")
        assert hear_now(listener) == [("cpu", "heard")]


def descriptors(folder: Path) -> list[str]:
    """What this process has open of a folder; other threads may open what they like."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(descriptor.readlink()))
    return [path for path in found if path.startswith(f"{folder}/")]


def test_no_descriptor_is_lost_when_no_pipe_can_be_made(folder: Path) -> None:
    bell = FifoBell(folder)
    (folder / "jobs").write_bytes(b"in the way")
    with closing(bell.listen("cpu")):
        assert len(descriptors(folder)) == 2
        with pytest.raises(StoreFailed, match="No pipe can be made"):
            bell.listen("cpu", "jobs")
        assert len(descriptors(folder)) == 2
    assert pipes(folder) == [folder / "jobs"]


def test_the_folder_may_vanish(folder: Path) -> None:
    bell = FifoBell(folder)
    folder.rmdir()
    bell.ring("cpu")
    with closing(bell.listen("cpu")) as listener:
        bell.ring("cpu", "again")
        assert listener.wait(LONG_S) == (("cpu", "again"),)


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    with pytest.raises(StoreFailed, match="not this user's alone"):
        FifoBell(shared)


def test_a_folder_of_somebody_else_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FifoBell(folder)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    with pytest.raises(StoreFailed, match="not this user's alone"):
        FifoBell(folder)


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreFailed, match="not this user's alone"):
        FifoBell(folder)


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
