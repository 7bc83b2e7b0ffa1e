"""Work that nobody waits for any more ends where it waits."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from pagetide.net.download import download
from pagetide.net.network import OUTSIDE, Outside
from pagetide.system import cancellation

PATIENCE_S = 60.0
ALLOWED = frozenset({"127.0.0.1", "away.example"})


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE_S)
        yield listening


@contextmanager
def fetching(url: str, into: Path, outside: Outside = OUTSIDE) -> Iterator[Callable[[], None]]:
    """A download that a thread makes; it must end with what the block calls."""
    marks: list[cancellation.Cancellation] = []
    begun = threading.Event()

    def work() -> None:
        with cancellation.work() as mark:
            marks.append(mark)
            begun.set()
            download(
                url,
                into,
                max_bytes=100,
                timeout_s=600,
                allowed_hosts=ALLOWED,
                outside=outside,
            )

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(work)
        assert begun.wait(PATIENCE_S)
        yield marks[0].cancel
        with pytest.raises(cancellation.Cancelled):
            done.result(PATIENCE_S)
    assert not into.exists()


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n%PDF"], ids=repr
)
def test_a_download_that_waits_for_its_server_ends(
    tmp_path: Path, silent: socket.socket, said: bytes
) -> None:
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.pdf"
    with fetching(url, tmp_path / "a.pdf") as cancel:
        wire, _ = silent.accept()
        with wire:
            wire.settimeout(PATIENCE_S)
            assert wire.recv(100_000).startswith(b"GET /a.pdf ")
            wire.sendall(said)
            cancel()
            assert wire.recv(1) == b""


def test_a_download_that_waits_for_a_name_ends(tmp_path: Path) -> None:
    asked, answers = threading.Event(), threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.set()
        answers.wait()
        return ()

    try:
        url = "http://away.example/a.pdf"
        with fetching(url, tmp_path / "a.pdf", Outside(resolve=resolve)) as cancel:
            assert asked.wait(PATIENCE_S)
            cancel()
    finally:
        answers.set()


def test_what_is_cancelled_before_it_waits_does_not_wait() -> None:
    woken: list[str] = []
    with cancellation.work() as mark:
        mark.cancel()
        with (
            pytest.raises(cancellation.Cancelled),
            cancellation.current().waking(lambda: woken.append("")),
        ):
            raise AssertionError
        with pytest.raises(cancellation.Cancelled):
            cancellation.current().check()
    assert woken == []


def test_what_fails_by_itself_fails_as_it_does() -> None:
    with (
        cancellation.work(),
        pytest.raises(ZeroDivisionError),
        cancellation.current().waking(lambda: None),
    ):
        raise ZeroDivisionError


def test_work_outside_of_any_is_never_cancelled() -> None:
    with cancellation.work() as mark:
        mark.cancel()
    cancellation.current().check()
