"""Places where processes of a cluster run, and what processes leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.parts import forks
from tests.parts.server import listens

STOP_S = 60.0
LOOK_S = 0.1


@dataclass
class Session:
    """The session of a process, which identifies anything it leaves behind.

    Attributes:
        pid: The process, and the session.
        seen: When, in seconds since the machine started, the process last existed. Once it is
            gone, its id may be reused: a process that began later is a stranger.
    """

    pid: int
    seen: float


@dataclass
class Place:
    """A process that is restarted whenever it has ended.

    Attributes:
        port: Its port; the same after a restart.
        probe: Where it reports whether it is ready; empty if it is ready once it listens.
        sessions: Of every process that has run here.
        wanted: Whether it is restarted.
    """

    name: str
    command: list[str]
    environment: dict[str, str]
    port: int
    log: Path
    probe: str = "/health/ready"
    process: subprocess.Popen[bytes] | None = None
    sessions: list[Session] = field(default_factory=list)
    wanted: bool = True

    def start(self) -> None:
        """Start it; its log is appended to."""
        with self.log.open("ab") as log:
            self.process = forks.Popen(
                self.command,
                env=self.environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.sessions.append(Session(self.process.pid, _now()))

    def stop(self) -> int | None:
        """Ask it to stop, and do not restart it; see `ended`."""
        self.wanted = False
        self.send(signal.SIGTERM)
        return self.ended()

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self.send(signal.SIGKILL)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.process and self.runs():
            self.process.send_signal(number)

    def ended(self) -> int | None:
        """Its exit code, once it has ended; None if it has not within a minute."""
        assert self.process
        deadline = time.monotonic() + STOP_S
        while self.runs() and time.monotonic() < deadline:
            time.sleep(LOOK_S / 2)
        return self.process.poll()

    def runs(self) -> bool:
        """Whether it exists."""
        now = _now()
        if self.process is None or self.process.poll() is not None:
            return False
        self.sessions[-1].seen = now
        return True

    @property
    def pid(self) -> int:
        """The process that runs here now, or ran last."""
        assert self.process
        return self.process.pid

    def ready(self) -> bool:
        """Whether it reports that it is ready."""
        if not self.probe:
            with suppress(OSError):
                return listens(self.port)
            return False
        with suppress(httpx.TransportError):
            url = f"http://127.0.0.1:{self.port}{self.probe}"
            return httpx.get(url, timeout=10, trust_env=False).status_code == 200
        return False


def wait_for(condition: Callable[[], bool], seconds: float, why: str) -> None:
    """Wait until a condition is true.

    Raises:
        TimeoutError: It was not in time.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(why)
        time.sleep(LOOK_S / 2)


def in_sessions(sessions: Iterable[Session]) -> dict[int, str]:
    """The processes of these sessions that still run: their commands."""
    ours = {session.pid: session.seen for session in sessions}
    tick, found = os.sysconf("SC_CLK_TCK"), {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            state, session, began = fields[0], int(fields[3]), int(fields[19]) / tick
            if state != "Z" and began <= ours.get(session, -1.0):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(folder.name)] = command.decode(errors="replace")
    return found


def _now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)
