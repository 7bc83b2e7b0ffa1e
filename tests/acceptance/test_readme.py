"""Every command of the README, run, and its figures held against those that were measured."""

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
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.+)$", README, re.M)
SERVED = [command for command in COMMANDS if command.startswith(("curl ", "pagetide submit "))]
PAGETIDE = [each for each in COMMANDS if each.startswith("pagetide ") and each not in SERVED]
BIN = Path(sys.executable).parent
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize("command", PAGETIDE)
def test_a_command_of_the_program_runs(command: str, tmp_path: Path) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    words = command.split()
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


def test_a_clone_can_be_installed(tmp_path: Path) -> None:
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
    clone = {"git clone <this repository> pagetide && cd pagetide", "pip install ."}
    assert set(COMMANDS) == clone | {"make serve"} | set(PAGETIDE) | set(SERVED)


def test_the_figures_are_those_that_were_measured() -> None:
    measured = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \|$", README.split("## Speed and accuracy")[1], re.M)[2:]
    assert len(rows) == 10
    for row in rows:
        _, ours, others, *_ = (cell.strip() for cell in row.split("|"))
        pair = rf"\| {re.escape(ours)}[^|]*\| {re.escape(others)}[^|]*\|"
        assert re.search(pair, measured), row
