"""Whatever happens to the child, the caller lives, learns what it was, and can go on."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pagetide.errors import Damaged, OutOfMemory, PagetideError, PageTimeout, PasswordWrong
from pagetide.inputs import Limits, Sandbox, open_input
from tests.acceptance import misbehaving
from tests.conftest import CHECKOUT
from tests.planted import Planted
from tests.written_pdf import text, written_pdf

LIMITS = Limits(memory_mb=400, page_timeout_s=60)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Planted(LIMITS) as box:
        yield box


def test_the_child_is_told_no_secret(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    for name in ("PAGETIDE_STORE", "AWS_SECRET_ACCESS_KEY", "AZURE_STORAGE_ACCOUNT_KEY"):
        monkeypatch.setenv(name, "geheim")
    pid = sandbox.call(misbehaving.pid)
    told = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"PATH=" in told
    assert b"geheim" not in told


def test_values_go_there_and_back(sandbox: Sandbox) -> None:
    values = [1, 2.5, "drei", b"vier", None, True, {"a": [1]}]
    assert sandbox.call(misbehaving.echo, *values) == values


def test_bytes_come_back_as_they_are(sandbox: Sandbox) -> None:
    assert sandbox.call(misbehaving.large, 5_000_000) == bytes(5_000_000)


def test_a_payload_is_put_together_from_its_parts(sandbox: Sandbox) -> None:
    value, payload = sandbox.fetch(misbehaving.parts, 3, 2_000_000)
    assert value == {"count": 3}
    assert payload == b"".join(bytes([n]) * 2_000_000 for n in range(3))


def test_one_child_serves_call_after_call(sandbox: Sandbox) -> None:
    assert len({sandbox.call(misbehaving.pid) for _ in range(5)}) == 1


def test_one_child_serves_document_after_document(sandbox: Sandbox) -> None:
    for number in range(3):
        source = written_pdf(text(b"page of document %d" % number))
        with open_input(source, sandbox=sandbox) as document:
            assert document.page(1).lines[0].text == f"page of document {number}"
    assert sandbox.generation == 1


def test_warming_starts_the_child_and_does_not_wait(sandbox: Sandbox) -> None:
    sandbox.warm()
    pid = sandbox.child_pid
    assert pid is not None
    assert sandbox.call(misbehaving.pid) == pid


@pytest.mark.parametrize(
    "end", [misbehaving.crash, misbehaving.leave, misbehaving.half_a_reply]
)
def test_a_crash_is_an_error_and_the_next_call_works(
    sandbox: Sandbox, end: Callable[[], None]
) -> None:
    first = sandbox.call(misbehaving.pid)
    with pytest.raises((Damaged, PageTimeout)):
        sandbox.call(end, timeout_s=0.5)
    assert sandbox.call(misbehaving.pid) != first


@pytest.mark.parametrize("hang", [misbehaving.hang, misbehaving.hang_in_c])
def test_a_hang_ends_at_the_deadline(sandbox: Sandbox, hang: Callable[[], object]) -> None:
    sandbox.call(misbehaving.pid)
    begun = time.monotonic()
    with pytest.raises(PageTimeout, match=r"0\.5 s"):
        sandbox.call(hang, timeout_s=0.5)
    assert time.monotonic() - begun < LIMITS.page_timeout_s / 2
    assert sandbox.call(misbehaving.echo, "again") == ["again"]


@pytest.mark.parametrize(
    ("function", "megabytes"),
    [(misbehaving.take, 500), (misbehaving.take, 100_000), (misbehaving.abort, 0)],
)
def test_too_much_memory_is_an_error(
    sandbox: Sandbox, function: Callable[[int], object], megabytes: int
) -> None:
    with pytest.raises(OutOfMemory, match="400 MB"):
        sandbox.call(function, megabytes)
    assert sandbox.call(misbehaving.take, 100) == 100 << 20


def test_our_errors_arrive_as_they_are(sandbox: Sandbox) -> None:
    with pytest.raises(PasswordWrong, match="The password does not open the PDF"):
        sandbox.call(misbehaving.refuse)


def test_a_foreign_error_s_text_stays_inside(sandbox: Sandbox) -> None:
    with pytest.raises(PagetideError, match="KeyError") as caught:
        sandbox.call(misbehaving.stumble)
    assert "secret" not in str(caught.value)
    assert caught.value.code == "internal"


def test_what_a_library_prints_does_not_disturb(sandbox: Sandbox) -> None:
    assert sandbox.call(misbehaving.chatter) == "said"


def test_the_child_writes_no_files(sandbox: Sandbox, tmp_path: Path) -> None:
    target = tmp_path / "written"
    with pytest.raises(PagetideError, match="PermissionError"):
        sandbox.call(misbehaving.write_file, str(target))
    assert not target.exists() or target.stat().st_size == 0


def test_an_input_is_opened_again_in_the_next_child(sandbox: Sandbox) -> None:
    with open_input(written_pdf(text(b"still here")), sandbox=sandbox) as document:
        with pytest.raises(Damaged):
            sandbox.call(misbehaving.crash)
        assert document.page(1).lines[0].text == "still here"
    assert sandbox.generation == 2


def test_threads_share_a_child(sandbox: Sandbox) -> None:
    with ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(sandbox.call, misbehaving.echo, number) for number in range(40)]
        assert [call.result() for call in calls] == [[number] for number in range(40)]
    assert sandbox.generation == 1


def test_closing_ends_the_child_and_a_later_call_starts_another(sandbox: Sandbox) -> None:
    sandbox.warm()
    watch = os.pidfd_open(sandbox.child_pid or 0)
    sandbox.close()
    assert _ended(watch)
    assert sandbox.call(misbehaving.echo, 1) == [1]


PARENT = """
import sys
from tests.acceptance import misbehaving
from tests.planted import Planted
box = Planted()
print(box.call(misbehaving.pid), flush=True)
sys.stdin.readline()
if sys.argv[1] != "idle":
    print("calls", flush=True)
    box.call(getattr(misbehaving, sys.argv[1]), timeout_s=1)
sys.stdin.read()
"""


@pytest.mark.parametrize("doing", ["idle", "hang", "hang_in_c"])
def test_the_child_dies_with_its_parent(doing: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, doing],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        text=True,
    ) as parent:
        assert parent.stdout and parent.stdin
        child = os.pidfd_open(int(parent.stdout.readline()))
        print(file=parent.stdin, flush=True)
        assert doing == "idle" or parent.stdout.readline() == "calls\n"
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    assert _ended(child)


def _ended(pidfd: int) -> bool:
    """Whether a process ends within a minute."""
    try:
        return bool(select.select([pidfd], [], [], 60)[0])
    finally:
        os.close(pidfd)
