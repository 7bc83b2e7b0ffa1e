"""What `ports.Notifications` promises, of every adapter."""

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
from pagetide.server.ports import Notifications, Subscriber
from pagetide.server.stores.notifications import notify
from pagetide.server.stores.notifications.fifo import (
    FifoNotifications,
    notifications_folder,
    open_notifications,
)
from pagetide.server.stores.notifications.memory import MemoryNotifications

NOTIFICATIONS: dict[str, Callable[[pytest.FixtureRequest], Notifications]] = {
    "fifo": lambda given: FifoNotifications(
        given.getfixturevalue("tmp_path") / "notifications"
    ),
    "memory": lambda given: MemoryNotifications(),
    "notify": lambda given: notify.open_notifications(
        given.getfixturevalue("postgres").database()
    ),
}
LONG_S = 60.0  # nothing here takes so long, unless it is broken


@pytest.fixture(params=NOTIFICATIONS)
def notifications(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Notifications]:
    # What a slow server does not take in time is lost, which the contract allows.
    monkeypatch.setattr(notify, "PUBLISH_S", LONG_S)
    monkeypatch.setattr(notify, "SUBSCRIBE_S", LONG_S)
    notifications = NOTIFICATIONS[request.param](request)
    yield notifications
    notifications.close()


def hear_all(
    notifications: Notifications, listener: Subscriber, topic: str = "jobs"
) -> list[tuple[str, str]]:
    """All that has been rung until now, however long its way; on the topic, too."""
    last = (topic, "that is all")
    heard: list[tuple[str, str]] = []
    notifications.publish(*last)
    while last not in heard:
        new = listener.wait(LONG_S)
        assert new, "the last ring was not heard"
        heard += new
    heard.remove(last)
    return heard


def test_one_listener_hears_what_is_for_one(notifications: Notifications) -> None:
    with ExitStack() as stack:
        listeners = [
            stack.enter_context(closing(notifications.subscribe("one-x", "jobs")))
            for _ in range(3)
        ]
        for n in range(9):
            notifications.publish("one-x", f"{n}")
        heard = [
            publish
            for each in listeners
            for publish in hear_all(notifications, each)
            if publish[0] != "jobs"
        ]
        assert sorted(heard) == [("one-x", f"{n}") for n in range(9)]


def hear_now(listener: Subscriber) -> list[tuple[str, str]]:
    """All that is to be heard at once."""
    return [publish for heard in iter(lambda: listener.wait(0), ()) for publish in heard]


def test_a_ring_is_heard_by_all_who_listen(notifications: Notifications) -> None:
    with (
        closing(notifications.subscribe("cpu")) as one,
        closing(notifications.subscribe("cpu", "jobs")) as other,
    ):
        notifications.publish("cpu", "first")
        assert one.wait(LONG_S) == (("cpu", "first"),)
        assert other.wait(LONG_S) == (("cpu", "first"),)


def test_only_the_topics_listened_to_are_heard(notifications: Notifications) -> None:
    with closing(notifications.subscribe("cpu", "jobs")) as listener:
        notifications.publish("gpu", "not for us")
        notifications.publish("jobs", "j1")
        notifications.publish("cpu")
        assert set(hear_all(notifications, listener)) == {("jobs", "j1"), ("cpu", "")}


def test_a_ring_before_the_call_is_heard_at_once(notifications: Notifications) -> None:
    with closing(notifications.subscribe("cpu")) as listener:
        notifications.publish("cpu", "early")
        before = time.monotonic()
        assert listener.wait(LONG_S) == (("cpu", "early"),)
        assert time.monotonic() - before < LONG_S / 4
        assert listener.wait(0) == ()


def test_a_ring_before_listening_is_not_heard(notifications: Notifications) -> None:
    notifications.publish("cpu", "nobody was there")
    with closing(notifications.subscribe("cpu")) as listener:
        assert hear_all(notifications, listener, "cpu") == []


def test_waiting_ends_when_time_is_up(notifications: Notifications) -> None:
    with closing(notifications.subscribe("cpu")) as listener:
        before = time.monotonic()
        assert listener.wait(0.05) == ()
        assert 0.04 < time.monotonic() - before < LONG_S
        assert listener.wait(-1) == ()


def test_who_waits_is_woken(notifications: Notifications) -> None:
    heard: list[tuple[tuple[str, str], ...]] = []
    with closing(notifications.subscribe("cpu")) as listener:
        waiting = threading.Thread(target=lambda: heard.append(listener.wait(LONG_S)))
        waiting.start()
        notifications.publish("cpu", "wake up")
        waiting.join(LONG_S)
    assert heard == [(("cpu", "wake up"),)]


def test_the_same_ring_is_told_once(notifications: Notifications) -> None:
    with (
        closing(notifications.subscribe("jobs")) as listener,
        closing(notifications.subscribe("cpu")) as other,
    ):
        for _ in range(5):
            notifications.publish("jobs", "j1")
        notifications.publish("jobs", "j2")
        assert hear_all(notifications, other, "cpu") == []  # so they have arrived
        assert listener.wait(LONG_S) == (("jobs", "j1"), ("jobs", "j2"))


def test_a_burst_is_heard_whole(notifications: Notifications) -> None:
    ids = [f"job_{number:026}" for number in range(1000)]
    with closing(notifications.subscribe("jobs")) as listener:
        for job_id in ids:
            notifications.publish("jobs", job_id)
        assert hear_all(notifications, listener) == [("jobs", job_id) for job_id in ids]


def test_ringing_neither_waits_nor_raises_when_nobody_hears(
    notifications: Notifications,
) -> None:
    rings = 5_000  # two thirds of which find no room
    with (
        closing(notifications.subscribe("jobs")) as deaf,
        closing(notifications.subscribe("jobs", "cpu")) as awake,
    ):
        heard = 0
        before = time.monotonic()
        for number in range(rings):
            notifications.publish("jobs", f"{number:026}")
            if number % 500 == 499:
                heard += len(hear_all(notifications, awake, "cpu"))
        assert time.monotonic() - before < LONG_S
        assert heard == rings
        assert 0 < len(hear_now(deaf)) < rings
        notifications.publish("jobs", "after")
        assert deaf.wait(LONG_S) == (("jobs", "after"),)


def test_a_text_is_one_short_line(notifications: Notifications) -> None:
    with closing(notifications.subscribe("jobs")) as listener:
        notifications.publish("jobs", "two\nlines")
        notifications.publish("jobs", "é\udcff" + "x" * 10_000)
        notifications.publish("jobs", "next")
        first, long, last = hear_all(notifications, listener)
        assert first == ("jobs", "two lines")
        assert long[1].startswith("é?xxx") and len(long[1]) < 500
        assert last == ("jobs", "next")


def test_a_closed_listener_hears_nothing(notifications: Notifications) -> None:
    listener = notifications.subscribe("cpu", "jobs")
    notifications.publish("cpu")
    listener.close()
    listener.close()
    notifications.publish("cpu")
    assert listener.wait(LONG_S) == ()
    assert listener.fileno() == -1


def test_a_selector_can_wait_for_a_listener(notifications: Notifications) -> None:
    with closing(notifications.subscribe("cpu", "jobs")) as listener:
        assert select.select([listener.fileno()], [], [], 0)[0] == []
        notifications.publish("jobs", "j1")
        assert select.select([listener.fileno()], [], [], LONG_S)[0] == [listener.fileno()]
        assert listener.wait(0) == (("jobs", "j1"),)
        assert select.select([listener.fileno()], [], [], 0)[0] == []


def test_an_event_loop_can_wait_for_a_listener(notifications: Notifications) -> None:
    async def hear() -> tuple[tuple[str, str], ...]:
        loop = asyncio.get_running_loop()
        heard: asyncio.Future[tuple[tuple[str, str], ...]] = loop.create_future()
        with closing(notifications.subscribe("cpu")) as listener:
            loop.add_reader(listener.fileno(), lambda: heard.set_result(listener.wait(0)))
            notifications.publish("cpu", "async")
            try:
                return await asyncio.wait_for(heard, LONG_S)
            finally:
                loop.remove_reader(listener.fileno())

    assert asyncio.run(hear()) == (("cpu", "async"),)


@pytest.mark.parametrize("name", ["", "../cpu", "a/b", ".", "CPU", "a b", "x" * 65, "a\n"])
def test_a_topic_has_a_plain_name(notifications: Notifications, name: str) -> None:
    with pytest.raises(ValueError):
        notifications.subscribe("cpu", name)
    notifications.publish(name, "never raises")


def test_there_is_something_to_listen_to(notifications: Notifications) -> None:
    with pytest.raises(ValueError):
        notifications.subscribe()


def test_many_threads_may_ring_and_listen(notifications: Notifications) -> None:
    def ring_and_leave() -> None:
        for _ in range(50):
            with closing(notifications.subscribe("jobs")):
                notifications.publish("cpu", str(threading.get_ident()))

    with closing(notifications.subscribe("cpu")) as listener:
        threads = [threading.Thread(target=ring_and_leave) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = {text for _, text in hear_all(notifications, listener, "cpu")}
        assert texts == {str(t.ident) for t in threads}


# What pipes add: other processes

ECHO = """
import sys
from pathlib import Path
from pagetide.server.stores.notifications import notify
from pagetide.server.stores.notifications.fifo import FifoNotifications

notifications = FifoNotifications(Path(sys.argv[1]))
listener = notifications.subscribe("to-child")
notifications.publish("from-child", "ready")
for _, text in listener.wait(60):
    notifications.publish("from-child", text + " back")
listener.wait(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "notifications"


@pytest.fixture
def child(folder: Path) -> Iterator[tuple[Subscriber, subprocess.Popen[bytes]]]:
    """A process that listens to `to-child`, and what hears it."""
    with ExitStack() as stack:
        listener = stack.enter_context(
            closing(FifoNotifications(folder).subscribe("from-child"))
        )
        process = stack.enter_context(subprocess.Popen([sys.executable, "-c", ECHO, folder]))
        stack.callback(process.kill)
        assert listener.wait(LONG_S) == (("from-child", "ready"),)
        yield listener, process


def pipes(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


def test_processes_wake_each_other(
    folder: Path, child: tuple[Subscriber, subprocess.Popen[bytes]]
) -> None:
    listener, _ = child
    FifoNotifications(folder).publish("to-child", "there and")
    assert listener.wait(LONG_S) == (("from-child", "there and back"),)


def test_what_a_dead_process_left_is_removed(
    folder: Path, child: tuple[Subscriber, subprocess.Popen[bytes]]
) -> None:
    _, process = child
    assert len(pipes(folder / "to-child")) == 1
    process.kill()
    process.wait()
    FifoNotifications(folder).publish("to-child", "anybody?")
    assert pipes(folder / "to-child") == []
    assert len(pipes(folder / "from-child")) == 1


def test_closing_leaves_no_pipe(folder: Path) -> None:
    notifications = FifoNotifications(folder)
    listener = notifications.subscribe("cpu", "jobs")
    assert len(pipes(folder)) == 2
    listener.close()
    assert pipes(folder) == []


def test_a_listener_being_made_is_not_taken_for_a_dead_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notifications = FifoNotifications(folder)
    real = os.open

    def rung_meanwhile(path: str, flags: int) -> int:
        monkeypatch.setattr(os, "open", real)
        notifications.publish("cpu", "too early")
        return real(path, flags)

    monkeypatch.setattr(os, "open", rung_meanwhile)
    with closing(notifications.subscribe("cpu")) as listener:
        notifications.publish("cpu", "heard")
        assert hear_now(listener) == [("cpu", "heard")]


def descriptors(folder: Path) -> list[str]:
    """What this process has open of a folder; other threads may open what they like."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(descriptor.readlink()))
    return [path for path in found if path.startswith(f"{folder}/")]


def test_no_descriptor_is_lost_when_no_pipe_can_be_made(folder: Path) -> None:
    notifications = FifoNotifications(folder)
    (folder / "jobs").write_bytes(b"in the way")
    with closing(notifications.subscribe("cpu")):
        assert len(descriptors(folder)) == 2
        with pytest.raises(StoreFailed, match="No pipe can be created"):
            notifications.subscribe("cpu", "jobs")
        assert len(descriptors(folder)) == 2
    assert pipes(folder) == [folder / "jobs"]


def test_the_folder_may_vanish(folder: Path) -> None:
    notifications = FifoNotifications(folder)
    folder.rmdir()
    notifications.publish("cpu")
    with closing(notifications.subscribe("cpu")) as listener:
        notifications.publish("cpu", "again")
        assert listener.wait(LONG_S) == (("cpu", "again"),)


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    with pytest.raises(StoreFailed, match="must belong only to this user"):
        FifoNotifications(shared)


def test_a_folder_of_somebody_else_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FifoNotifications(folder)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    with pytest.raises(StoreFailed, match="must belong only to this user"):
        FifoNotifications(folder)


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreFailed, match="must belong only to this user"):
        FifoNotifications(folder)


def test_who_shares_a_data_folder_meets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "data").mkdir()
    (tmp_path / "same").symlink_to(tmp_path / "data")
    assert notifications_folder(tmp_path / "data") == notifications_folder(tmp_path / "same")
    assert notifications_folder(tmp_path / "data") != notifications_folder(tmp_path / "other")
    with closing(open_notifications(tmp_path / "data").subscribe("cpu")) as listener:
        open_notifications(tmp_path / "same").publish("cpu", "met")
        assert listener.wait(LONG_S) == (("cpu", "met"),)
