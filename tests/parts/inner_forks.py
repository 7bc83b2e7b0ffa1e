"""Imported by the fork server: what a forked program starts of ours is forked, too.

That is the API process of `pagetide serve`, the process that its workers are forked from, and
the sandbox's.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import forkserver, util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pagetide.inputs import sandbox
from pagetide.scaling import box

CHECKOUT = str(Path(__file__).parents[2])
sys.path.append(CHECKOUT)
from tests.parts import forks  # noqa: E402 - it is found from here on

sys.path.remove(CHECKOUT)
for module in (box, sandbox):
    vars(module)["subprocess"] = forks.SUBPROCESS

_cold = util.spawnv_passfds
_started: dict[int, subprocess.Popen[Any]] = {}


def _spawned(path: bytes, words: Sequence[Any], fds: Sequence[int]) -> int:
    """As `multiprocessing.util.spawnv_passfds`; workers' parent is forked."""
    if "multiprocessing.forkserver" not in words[-1]:
        return _cold(path, words, fds)
    process = forks.Popen([*map(os.fsdecode, words)], pass_fds=fds)
    _started[process.pid] = process
    return process.pid


def _waited(pid: int, flags: int) -> tuple[int, int]:
    """As `os.waitpid`, also for who is another's child."""
    with suppress(ChildProcessError):
        return os.waitpid(pid, flags)
    status = _started[pid].poll()
    return (0, 0) if status is None else (pid, status)


vars(util)["spawnv_passfds"] = _spawned
vars(forkserver)["os"] = SimpleNamespace(**{**vars(os), "waitpid": _waited})
