"""Every command of the README, run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = re.findall(r"^\$ (.+)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
SERVED = [command for command in COMMANDS if command.startswith(("curl ", "pagetide submit "))]
PAGETIDE = [
    command
    for command in COMMANDS
    if "pagetide " in command and "git" not in command and command not in SERVED
]
SLOW = {
    "pagetide read samples -o out/read -f json,md,pdf": "reads every sample, as the demo does",
    "pagetide simulate --setup kubernetes-cpu --recommend --p95 60": "simulates many months",
}
BIN = Path(sys.executable).parent
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in this environment, taking it as installed."""
    env = f"ENV={sys.prefix}"
    command = ["make", *arguments, env, "-o", f"{sys.prefix}/ready"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(each, marks=[pytest.mark.slow(why)] if (why := SLOW.get(each)) else [])
        for each in PAGETIDE
    ],
)
def test_a_command_of_the_program_runs(command: str, tmp_path: Path) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    words = command.removeprefix(".venv/bin/").split()
    done = subprocess.run(
        [str(BIN / words[0]), *words[1:]], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`make serve` with a folder and a port of its own."""
    own = {"PAGETIDE_DATA_DIR": str(tmp_path_factory.mktemp("served")), "PAGETIDE_PORT": "0"}
    command = ["make", "serve", f"ENV={sys.prefix}", "-o", f"{sys.prefix}/ready"]
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **own},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert server.stderr
    shown = next(line for line in server.stderr if "answers at" in line)
    draining = threading.Thread(target=server.stderr.read)
    draining.start()
    try:
        yield shown.split("answers at ")[1].split(";")[0]
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(300)
        draining.join()
        server.stderr.close()


def test_the_service_is_started_as_shown() -> None:
    assert "make serve" in COMMANDS
    assert len(SERVED) == 2


@pytest.mark.parametrize("command", SERVED)
def test_a_command_reaches_the_service(command: str, served: str) -> None:
    words = command.replace("http://127.0.0.1:8000", served).split()
    if words[0] == "pagetide":
        words[0] = str(BIN / "pagetide")
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "PAGETIDE_SERVER": served},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "job_" in done.stdout if "curl" in command else "| Day | High water |" in done.stdout


@pytest.mark.slow("reads every sample")
def test_the_demo_reads_every_sample_and_writes_every_format() -> None:
    shown = make("demo").stdout
    for name in ("mixed.pdf", "receipt.jpg", "two_columns.png", "table.png"):
        assert re.search(rf"^{name} +succeeded +[1-9]\d* +[1-9]\d* +[1-9]\d* +\S", shown, re.M)
    outcomes = {path.suffix for path in (ROOT / "out" / "demo").iterdir()}
    assert outcomes >= {".json", ".md", ".txt", ".html", ".hocr", ".pdf", ".png"}


@pytest.mark.parametrize(
    "target", ["test", "test-slow", "verify-deploy", "bench", "bench-front"]
)
def test_the_long_commands_are_there(target: str) -> None:
    """The tests cannot run themselves, and the benchmark takes many minutes."""
    assert f"make {target}" in COMMANDS
    assert make("--dry-run", target).stdout.strip()


def test_a_clone_can_be_installed(tmp_path: Path) -> None:
    assert {"pip install .", "git clone <this repository> pagetide && cd pagetide"} <= {
        *COMMANDS
    }
    clone = tmp_path / "pagetide"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    place = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install += ["--no-deps", "--no-build-isolation", "--target", str(place), str(clone)]
    subprocess.run(install, check=True)
    code = "import pagetide, sys; print(pagetide.__file__)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": f"{place}:{BIN.parent / 'lib' / PYTHON / 'site-packages'}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(place))
    page = place / "pagetide" / "server" / "api" / "ui"
    assert (page / "index.html").exists() and (page / "viewer" / "viewer.js").exists()


def test_every_command_is_run_here() -> None:
    known = {
        "git clone <this repository> pagetide && cd pagetide",
        "pip install .",
        "make demo",
        "make test",
        "make test-slow",
        "make verify-deploy",
        "make bench",
        "make bench-structure",
        "make bench-cluster",
        "make bench-front",
    }
    assert set(COMMANDS) == known | {"make serve"} | set(PAGETIDE) | set(SERVED)
