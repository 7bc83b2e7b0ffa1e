"""A model's server and a worker in one container: who is started when, and what ends whom."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.parts.server import free_port
from tests.waiting import until

PROGRAM = Path(__file__).parents[2] / "deploy" / "aws" / "beside.py"
# Writes `up` once it answers; ends with a status that tells it was asked to.
SERVER = """\
import http.server, pathlib, signal, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *_): pass
signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path('server-asked').touch(), sys.exit(0)))
server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Answer)
pathlib.Path('up').touch()
server.serve_forever()
"""
# Notes whether the server was up; drains for a moment when asked, and only then ends.
WORKER = """\
import pathlib, signal, sys, time
def drain(*_):
    pathlib.Path('drained').write_text(str(pathlib.Path('server-asked').exists()))
    sys.exit(7)
signal.signal(signal.SIGTERM, drain)
pathlib.Path('begun').write_text(str(pathlib.Path('up').exists()))
while True:
    signal.pause()
"""
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Runs the program with a server and a worker that are given as Python."""
    port, made = free_port(), []

    def run(server: str = SERVER, worker: str = WORKER) -> subprocess.Popen[str]:
        words = [
            shlex.join([sys.executable, "-c", text, str(port)]) for text in (server, worker)
        ]
        made.append(
            subprocess.Popen(
                [sys.executable, str(PROGRAM), f"http://127.0.0.1:{port}/", *words],
                cwd=tmp_path,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        )
        return made[-1]

    yield run
    for program in made:
        program.kill()
        program.communicate()


def test_the_worker_begins_when_the_server_answers_and_ends_before_it(
    start: Start, tmp_path: Path
) -> None:
    program = start()
    begun = tmp_path / "begun"
    until(lambda: begun.exists() and begun.read_text())
    assert begun.read_text() == "True"
    program.send_signal(signal.SIGTERM)
    assert program.wait(60) == 7
    assert (tmp_path / "drained").read_text() == "False"
    assert (tmp_path / "server-asked").exists()


def test_a_worker_without_its_server_ends(start: Start, tmp_path: Path) -> None:
    dying = SERVER.replace(
        "server.serve_forever()",
        "while not pathlib.Path('begun').exists(): server.handle_request()\nsys.exit(3)",
    ).replace("server = ", "http.server.HTTPServer.timeout = 0.05\nserver = ")
    program = start(server=dying)
    assert program.wait(60) == 1
    assert program.stderr
    assert "the server ended with 3" in program.stderr.read()
    assert (tmp_path / "drained").exists()


def test_a_server_that_never_answers_is_told_of(start: Start, tmp_path: Path) -> None:
    program = start(server="raise SystemExit(5)")
    assert program.wait(60) == 1
    assert program.stderr
    assert "ended with 5 before it answered" in program.stderr.read()
    assert not (tmp_path / "begun").exists()


def test_it_can_be_ended_while_the_server_loads(start: Start, tmp_path: Path) -> None:
    loading = "import pathlib, time; pathlib.Path('loading').touch(); time.sleep(100)"
    program = start(server=loading)
    until((tmp_path / "loading").exists)
    program.send_signal(signal.SIGTERM)
    assert program.wait(60) == 0
    assert not (tmp_path / "begun").exists()
