"""The fork server as a part: programs of ours start in milliseconds instead of a second.

`Popen` and `run` here are those of `subprocess`, for `[sys.executable, "-m", MODULE, ...]`, for
`-c`, and for scripts and modules of other people's clients; the process is the same but for its
imports, which have been made. What is to start cold uses `subprocess` itself: tests of the
README and of each command's imports do.
"""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.parts import keeper
from tests.parts.server import Server

FORK_SERVER = Path(__file__).with_name("fork_server.py")
# What nearly every process imports, and nothing that starts threads or opens files.
PAGETIDE = (
    "pagetide.cli",
    "pagetide.server.app.serving",
    "pagetide.server.worker.worker",
    "pagetide.server.wiring",
    "pagetide.server.stores.sql",
    "pagetide.server.stores.sqlite",
    "pagetide.server.blobs.objects",
    "pagetide.server.stores.notifications.fifo",
    "pagetide.server.supervisor.forked_workers",
    "pagetide.engines.ppocr.engine",
    "pagetide.engines.ppocr.inference.choice",
    "pagetide.engines.ppocr.inference.openvino_runtime",
    "pagetide.exports",
    "pagetide.server.aws_lambda.read_tasks",
    "pagetide.server.queues.celery.application",
    "pagetide.server.stores.postgres",
    "aws_descriptions",
    "inner_forks",
    "pypdfium2",
)
# What the sandbox's process imports, and how it is started: see `pagetide.inputs.child`.
SANDBOX = ("pagetide.inputs.pictures.files", "pagetide.inputs.pdf.document")
IN_SANDBOX = ["-P", "-m", "pagetide.inputs.child"]
# The Python of other people's clients; a script run by it has a fork server of its own.
CLIENTS = Path(__file__).parents[2] / ".venv-clients" / "bin" / "python"
# Read when Python or a library starts: a process with others of these starts cold. Not
# LD_LIBRARY_PATH, which OpenCV sets when it is imported.
AT_START = ("PYTHON", "LD_PRELOAD", "OMP_", "OPENBLAS_", "MALLOC_")


class ForkServer(Server):
    """Forks programs that have imported these modules.

    Args:
        modules: Their names.
        python: Whose Python runs them.
    """

    def __init__(self, modules: Sequence[str] = PAGETIDE, python: str = sys.executable) -> None:
        super().__init__()
        self._modules, self._python = modules, python
        self.socket = str(self.folder / "socket")

    def command(self) -> list[str]:
        """See `Server`."""
        return [self._python, str(FORK_SERVER), self.socket, *self._modules]

    def ready(self) -> bool:
        """See `Server`."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            asking.connect(self.socket)
        return True

    @property
    def url(self) -> str:
        """See `Server`."""
        return f"unix:{self.socket}"


class Popen(subprocess.Popen[Any]):
    """A process that a fork server forks where it can; a child like any other where not."""

    _asked: socket.socket | None = None

    def _execute_child(self, args: Sequence[Any], *given: Any) -> None:
        _, preexec, _, pass_fds, folder, environment, _, _, shell, *rest = given
        pipes, session, group = rest[:6], rest[-2], rest[-1]
        words = [os.fspath(arg) for arg in args]
        environment = dict(os.environ if environment is None else environment)
        server = None if preexec or shell else _server_for(words, environment)
        if server is None:
            super()._execute_child(args, *given)  # type: ignore[misc]
            return
        standard = {n: fd if fd != -1 else n for n, fd in enumerate(_childs_ends(pipes))}
        fds = {**standard, **{int(fd): int(fd) for fd in pass_fds}}
        request = {
            "words": words[1:],
            "environment": environment,
            "folder": os.fspath(folder) if folder else str(Path.cwd()),
            "session": bool(session),
            "group": group,
            "fds": list(fds),
        }
        self._asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._asked.connect(server)
        socket.send_fds(self._asked, [json.dumps(request).encode()], list(fds.values()))
        self.pid = int(self._asked.recv(64))
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._asked is None:
            waited: tuple[int, int] = super()._try_wait(wait_flags)  # type: ignore[misc]
            return waited
        self._asked.setblocking(not wait_flags & os.WNOHANG)
        try:
            status = int(self._asked.recv(64) or b"9")  # a fork server that was killed
        except BlockingIOError:
            return 0, 0
        self._asked.close()
        return self.pid, status

    def _internal_poll(self, *given: Any, **named: Any) -> int | None:
        if self._asked is None:
            polled: int | None = super()._internal_poll(*given, **named)  # type: ignore[misc]
            return polled
        lock = self._waitpid_lock  # type: ignore[attr-defined]
        if self.returncode is None and lock.acquire(False):
            try:
                if self.returncode is None:
                    pid, status = self._try_wait(os.WNOHANG)
                    if pid:
                        self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                lock.release()
        return self.returncode


# In place of `subprocess` in a module of ours: what it starts is forked.
SUBPROCESS = SimpleNamespace(**{**vars(subprocess), "Popen": Popen})


def run(
    command: Sequence[str | Path],
    *,
    input: Any = None,  # as `subprocess.run` has it
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **given: Any,
) -> subprocess.CompletedProcess[Any]:
    """As `subprocess.run`, by `Popen`."""
    if input is not None:
        given["stdin"] = subprocess.PIPE
    if capture_output:
        given["stdout"] = given["stderr"] = subprocess.PIPE
    with Popen(command, **given) as process:
        try:
            said, complained = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, said, complained)
    if check:
        done.check_returncode()
    return done


def command(words: Sequence[str]) -> list[str]:
    """What a foreign client is to start in place of a program of ours, for the same."""
    server = _server_for(words, os.environ)
    if server is None:
        return [*words]
    return [sys.executable, "-IS", str(FORK_SERVER.with_name("forked.py")), server, *words[1:]]


def _server_for(words: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The socket of the fork server for a command; None where it is to start cold."""
    if keeper.is_there() and words[1:4] == IN_SANDBOX:
        return str(keeper.given(ForkServer, SANDBOX).socket)
    if not keeper.is_there() or _at_start(environment) != _at_start(os.environ):
        return None
    start = [word for word in words[:4] if word != "-P"][:3]
    if start[:2] == [sys.executable, "-m"] or start[:2] == [sys.executable, "-c"]:
        server = keeper.given(ForkServer)
    elif start[:2] == [str(CLIENTS), "-m"]:
        server = keeper.given(ForkServer, (f"{start[2]}.__main__",), start[0])
    elif start[0] == str(CLIENTS) and start[1].endswith(".py"):
        server = keeper.given(ForkServer, _imported(Path(start[1])), start[0])
    else:
        return None
    return str(server.socket)


@cache
def _imported(script: Path) -> tuple[str, ...]:
    """The modules that a script imports first of all, but for Python's own."""
    named: list[str] = []
    for node in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            named += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            named.append(node.module)
    return tuple(n for n in named if n.partition(".")[0] not in sys.stdlib_module_names)


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in environment.items() if k.startswith(AT_START)}


def _childs_ends(pipes: Sequence[int]) -> tuple[int, int, int]:
    """Of what `subprocess` made for stdin, stdout and stderr, what the child is given."""
    read, _, _, write, _, errors = pipes
    return read, write, errors
