"""OpenVINO is loaded without a word to anybody: no thread, no file, no connection."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pagetide.server.supervisor.forked_workers import PRELOAD

_WATCHED = """
import importlib, pathlib, socket, sys, threading

def refuse(*_: object) -> None:
    raise AssertionError("somebody is called")

socket.socket.connect = socket.getaddrinfo = refuse
for name in sys.argv[1:]:
    importlib.import_module(name)
assert "openvino" in sys.modules
print([thread.name for thread in threading.enumerate()], end="")
"""


def _loaded(home: Path, *modules: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, *modules],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_what_workers_are_forked_from_runs_one_thread_and_calls_nobody(tmp_path: Path) -> None:
    assert _loaded(tmp_path, *PRELOAD) == "['MainThread']"
    assert list(tmp_path.iterdir()) == []


def test_so_does_the_layout_network(tmp_path: Path) -> None:
    assert _loaded(tmp_path, "pagetide.engines.layout.openvino_runtime") == "['MainThread']"
    assert list(tmp_path.iterdir()) == []


def test_the_tool_that_was_left_out_can_be_had_later(tmp_path: Path) -> None:
    script = (
        "import pagetide.engines.networks.quiet_openvino, sys; import importlib.util as u; "
        "assert 'openvino.tools.ovc' not in sys.modules; "
        "assert u.find_spec('openvino.tools.ovc')"
    )
    subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "HOME": str(tmp_path)}, check=True
    )
