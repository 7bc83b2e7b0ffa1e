"""A server that a test starts: its process group, its port, its folder."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

READY_S = 180.0
STOP_S = 60.0
FIRST_PORT, PORTS = 12_000, 20_000
LOGS = "TESTS_LOGS"  # the environment's name for a folder

_COUNTER = Path(tempfile.gettempdir()) / f"pagetide-tests-port-{os.getuid()}"


class PartMissing(Exception):
    """The server's program is not installed; the message says what to install."""


class Server(ABC):
    """Runs a program in a process group of its own; its data outlives a restart.

    As a context manager it is started, and in the end stopped and its folder removed.

    Attributes:
        port: Where it listens, on 127.0.0.1; the same after a restart.
        folder: For its data.
        log: What it has said.
    """

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{type(self).__name__.lower()}-"))
        self.log = (logs_folder() or self.folder) / f"{self.folder.name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._shared = False
        self._ends = ExitStack()

    @classmethod
    def attached(cls, told: Mapping[str, Any]) -> Self:
        """One that another process runs, and that others use: it cannot be stopped."""
        server = cls.__new__(cls)
        vars(server).update(told, _process=None, _shared=True, _ends=ExitStack())
        return server

    @contextmanager
    def used(self) -> Iterator[None]:
        """For as long as this process uses it, what its clients need beside its URL is set."""
        yield

    def told(self) -> dict[str, Any]:
        """What another process needs to use it."""
        ours = ("_process", "_ends")
        return {name: value for name, value in vars(self).items() if name not in ours}

    @abstractmethod
    def command(self) -> list[str]:
        """What to run. Raises `PartMissing` where it is not installed."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether it answers; may raise OSError while it does not."""

    @property
    @abstractmethod
    def url(self) -> str:
        """How Pagetide's settings name it."""

    def environment(self) -> Mapping[str, str]:
        """What its environment has beside ours."""
        return {}

    @property
    def pid(self) -> int:
        """The process, while it runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._is_ours()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                env={**os.environ, **self.environment()},
                start_new_session=True,
            )
        deadline, pause = time.monotonic() + READY_S, threading.Event()
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = self.log.read_text(errors="replace")[-2000:]
                self.stop()
                raise RuntimeError(f"{type(self).__name__} did not start:\n{said}")
            pause.wait(0.02)

    def stop(self) -> None:
        """Ask it to end, its whole group; kill what is left."""
        self._is_ours()
        if self._process is None:
            return
        for number, patience in ((signal.SIGTERM, STOP_S), (signal.SIGKILL, STOP_S)):
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        self._process = None

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self._is_ours()
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(STOP_S)
            self._process = None

    def __enter__(self) -> Self:
        with ExitStack() as ends:
            ends.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.start()
            ends.callback(self.stop)
            ends.enter_context(self.used())
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def _is_ours(self) -> None:
        assert not self._shared, "others use this server: ask for one of your own"

    def _answers(self) -> bool:
        with suppress(OSError):
            return self.ready()
        return False


def logs_folder() -> Path | None:
    """Where the logs of what tests started are kept until the run is over; None: nowhere."""
    named = os.environ.get(LOGS)
    return Path(named) if named else None


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, and that nobody else is about to.

    Below those that Linux gives to clients, which would take it before a server does, or
    while that is restarted. All processes go through them by one counter: two that began at
    places of their own met, and one told the other's server to end.
    """
    for _ in range(PORTS):
        port = FIRST_PORT + _next_number() % PORTS
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def _next_number() -> int:
    """One that no other process is given."""
    with _COUNTER.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        number = int(file.read() or secrets.randbelow(PORTS)) + 1
        file.truncate(0)
        file.write(str(number))
        return number


@contextmanager
def silent_port() -> Iterator[int]:
    """A port of 127.0.0.1 that nobody listens on, nor can as long as this lasts."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


def program(name: str, install: str, *places: str) -> str:
    """The path of a program, looked for in `PATH` and then in these folders.

    Raises:
        PartMissing: It is nowhere.
    """
    search = os.pathsep.join([os.environ.get("PATH", ""), *places])
    found = shutil.which(name, path=search)
    if found is None:
        raise PartMissing(f"{name} is not installed: {install}")
    return found


def listens(port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
