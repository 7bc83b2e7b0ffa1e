"""A process that has imported what programs need, and forks one for each that is asked for.

`python fork_server.py SOCKET MODULE...` imports the modules, then listens on a Unix socket. A
request is a JSON object with file descriptors beside it; the answer is the new process's id,
and once it has ended its status, as `os.waitpid` gives it. It needs no package of ours, so that
any Python can run it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
from typing import Any

MOST_BYTES = 1 << 20
MOST_FDS = 32
FREE_FD = 200  # above those that a request asks for


def main() -> None:
    """Serve until killed; in a forked process, be the program that was asked for."""
    address, *modules = sys.argv[1:]
    for name in modules:
        importlib.import_module(name)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # though it began in a background
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(address)
    listening.listen(128)
    try:
        _run(_next_program(listening))
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            raise
        _leave(end.code or 0)
    _leave(0)


def _next_program(listening: socket.socket) -> dict[str, Any]:
    """Fork a process for every request; returns in the forked ones, with the request."""
    selector = selectors.DefaultSelector()
    selector.register(listening, selectors.EVENT_READ)
    asking: dict[int, tuple[int, socket.socket]] = {}  # by the process's pidfd
    while True:
        for key, _ in selector.select():
            if key.fileobj is not listening:
                _tell_status(selector, *asking.pop(key.fd), key.fd)
                continue
            connection, _ = listening.accept()
            said, fds, *_ = socket.recv_fds(connection, MOST_BYTES, MOST_FDS)
            if not said:
                connection.close()
                continue
            pid = os.fork()
            if not pid:
                for one in (listening, connection, *(c for _, c in asking.values())):
                    one.detach()
                selector.close()
                request: dict[str, Any] = json.loads(said)
                _take(dict(zip(request["fds"], fds, strict=True)))
                return request
            for fd in fds:
                os.close(fd)
            connection.send(str(pid).encode())
            ended = os.pidfd_open(pid)
            asking[ended] = (pid, connection)
            selector.register(ended, selectors.EVENT_READ)


def _tell_status(
    selector: selectors.BaseSelector, pid: int, connection: socket.socket, ended: int
) -> None:
    selector.unregister(ended)
    os.close(ended)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):  # who asked may be gone
        connection.send(str(status).encode())
    connection.close()


def _take(given: dict[int, int]) -> None:
    """Have these descriptors under these numbers, and no others."""
    free = max(FREE_FD, *given.values()) + 1
    kept = {number: os.dup2(fd, free + i) for i, (number, fd) in enumerate(given.items())}
    os.closerange(0, free)
    os.closerange(free + len(kept), os.sysconf("SC_OPEN_MAX"))
    for number, fd in kept.items():
        os.dup2(fd, number, inheritable=True)
        os.close(fd)


def _run(request: dict[str, Any]) -> None:
    """Become the program: its environment, folder, words; then run it as Python would."""
    if request["session"]:
        os.setsid()
    if request["group"] >= 0:
        os.setpgid(0, request["group"])
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    words: list[str] = request["words"]
    safe = words[0] == "-P"
    if safe:
        del words[0], sys.path[0]
    if words[0] == "-m":
        sys.argv = words[1:]
        if not safe:
            sys.path[0] = request["folder"]
        sys.modules.pop(f"{words[1]}.__main__", None)  # it ran as a module, and is to run again
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        exec(words[1], {"__name__": "__main__"})  # noqa: S102 - as Python would
    else:
        sys.argv = words
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))  # noqa: PTH100, PTH120
        runpy.run_path(words[0], run_name="__main__")


def _leave(code: int) -> None:
    """End as Python does, but that it need not take down what was imported: 50 ms or more."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads any more, which Python has a word and a status for
        sys.exit(code)
    os._exit(code)


if __name__ == "__main__":
    main()
