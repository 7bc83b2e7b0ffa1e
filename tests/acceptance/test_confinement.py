"""Code that has taken over the child that opens documents gets nothing by it.

The child is the one that ships, started as it always is. What a kernel cannot confine is
told from `layers`: each attempt is held by those that are named, and refused if one is there.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagetide.errors import BadOption, SandboxTooWeak
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.inputs.confined import report_confinement
from pagetide.inputs.confinement import ALL, NEEDED
from pagetide.settings import Settings
from tests.acceptance import attacker, misbehaving
from tests.planted import Planted
from tests.written_pdf import text, written_pdf

# Which layer holds what: paths are Landlock's, all else seccomp's, which holds some paths too.
BY_LANDLOCK_ALONE = {
    "read /etc/passwd",
    "read the key database",
    "list a folder",
    "parent's environment",
    "parent's maps",
    "parent's memory file",
    "parent's descriptors",
}


@pytest.fixture(scope="module")
def child() -> Iterator[Sandbox]:
    with Planted(Limits(page_timeout_s=60)) as box:
        box.call(misbehaving.pid)
        yield box


@pytest.fixture
def target(tmp_path: Path) -> Path:
    secret = tmp_path / "keys.db"
    secret.write_text("keys")
    return secret


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize("name", attacker.ATTEMPTS)
def test_an_attempt_is_refused(child: Sandbox, target: Path, port: int, name: str) -> None:
    before = sorted(target.parent.iterdir())
    said = child.call(attacker.attempt, name, str(target), os.getpid(), port)
    layer = "landlock-files" if name in BY_LANDLOCK_ALONE else "seccomp"
    # A kernel without the layer, or a container's rules, may let it through: both are said.
    assert said.startswith("refused") or layer not in child.layers, f"{name}: {said}"
    assert layer not in child.layers or sorted(target.parent.iterdir()) == before
    assert layer not in child.layers or target.read_text() == "keys"


def test_the_layers_are_those_of_this_kernel(child: Sandbox) -> None:
    """What the kernel offers is told by it, not by the child."""
    assert set(child.layers) <= set(ALL)
    assert {"limits", "no-new-privileges"} <= set(child.layers)
    assert ("landlock-files" in child.layers) == _has("pagetide.inputs.confinement.landlock")
    assert ("seccomp" in child.layers) == _has("pagetide.inputs.confinement.seccomp")
    assert ("namespaces" in child.layers) == _has("pagetide.inputs.confinement.namespaces")


def test_every_thread_is_held(child: Sandbox) -> None:
    seccomp, landlock = "seccomp" in child.layers, "landlock-files" in child.layers
    with open_input(written_pdf(text(b"threads")), sandbox=child) as document:
        document.page_picture(1)  # OpenCV and NumPy have started theirs
    threads = list(Path(f"/proc/{child.child_pid}/task").iterdir())
    assert len(threads) > 1
    for thread in threads:
        status = (thread / "status").read_text()
        assert ("Seccomp:\t2" in status) == seccomp
        assert "NoNewPrivs:\t1" in status
        assert landlock or seccomp or not child.layers


def test_the_environment_is_made_from_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONHOME_OLD", "HOME", "AWS_PROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    with Planted() as box:
        told = box.call(attacker.environment)
    ours = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONPATH"}
    by_libraries = {name for name in told if name.startswith(("OPENCV", "QT_"))}
    assert set(told) <= ours | by_libraries
    assert str(tmp_path) not in told.values()


def test_it_inherits_no_descriptors_but_its_own(child: Sandbox) -> None:
    links = {link.readlink().name for link in Path(f"/proc/{child.child_pid}/fd").iterdir()}
    kinds = {link.partition(":")[0] for link in links}
    assert kinds <= {"null", "pipe", "socket"}


def test_require_refuses_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagetide.inputs.confinement.NEEDED", NEEDED | {"an-enclave"})
    refused = pytest.raises(SandboxTooWeak, match="an-enclave missing")
    with Planted(Limits(confined="require")) as box, refused as caught:
        box.call(misbehaving.pid)
    assert caught.value.code == "sandbox_too_weak"
    with Planted(Limits(confined="auto")) as box:
        assert box.call(misbehaving.pid)


def _has(module: str) -> bool:
    """Whether a layer can be had on this machine, tried in a process of its own."""
    code = (
        f"from pagetide.inputs.confinement import _no_new_privileges; _no_new_privileges();"
        f"from {module} import confine; confine()"
    )
    return not subprocess.run([sys.executable, "-c", code], capture_output=True).returncode


def test_a_start_says_the_layers_and_with_require_fails_with_less(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, child: Sandbox
) -> None:
    monkeypatch.setattr("pagetide.inputs.confinement.NEEDED", frozenset({"limits"}))
    with caplog.at_level("INFO", "pagetide.sandbox"):
        report_confinement(Settings(sandbox="require"))
    assert " ".join(child.layers) in {vars(record).get("layers") for record in caplog.records}
    monkeypatch.setattr("pagetide.inputs.confinement.NEEDED", frozenset({"an-enclave"}))
    with pytest.raises(SandboxTooWeak):
        report_confinement(Settings(sandbox="require"))


def test_no_other_word_is_taken() -> None:
    with pytest.raises(BadOption, match="auto or require"):
        Settings.from_environment({"PAGETIDE_SANDBOX": "some"})
