"""Workers as processes of this machine, children of the autoscaler."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pagetide.server.supervisor.drivers.ports import Condition

PROGRAM = (sys.executable, "-P", "-m", "pagetide")
PROBE_S = 1.0  # a worker that reads a page may take its time to say that it is ready


@dataclass
class Child:
    """A worker's process; `port` is where it says whether it is ready."""

    pool: str
    process: subprocess.Popen[bytes]
    port: int
    ready: bool = False


class Processes:
    """A `Host` that runs `pagetide worker` here.

    A worker gets the port to answer probes on; its first answer that it is ready is believed
    for good.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        options: Callable[[str], Sequence[str]],
        program: Sequence[str] = PROGRAM,
    ) -> None:
        """Make it.

        Args:
            environment: All that a worker's environment holds.
            options: Further options of a pool's workers, as on the command line.
            program: What is run, before `worker`.
        """
        self._environment, self._options = dict(environment), options
        self._program = tuple(program)
        self._children: dict[str, Child] = {}

    def start(self, pool: str, name: str) -> None:
        """See `Host`."""
        port = _free_port()
        words = ["worker", "--pool", pool, "--health-port", str(port), *self._options(pool)]
        process = subprocess.Popen(  # noqa: S603 - our own program, by our own Python
            [*self._program, *words],
            stdin=subprocess.DEVNULL,
            env=self._environment,
            process_group=0,  # so that Ctrl-C reaches the autoscaler alone, which asks them
        )
        self._children[name] = Child(pool, process, port)

    def look(self, now: float) -> Mapping[str, Condition]:
        """See `Host`."""
        return {name: _condition(child) for name, child in self._children.items()}

    def ask(self, name: str) -> None:
        """See `Host`."""
        self._children[name].process.send_signal(signal.SIGTERM)

    def kill(self, name: str) -> None:
        """See `Host`."""
        self._children[name].process.kill()

    def forget(self, name: str) -> None:
        """See `Host`."""
        del self._children[name]

    def close(self) -> None:
        """See `Host`."""


def _condition(child: Child) -> Condition:
    code = child.process.poll()
    if code is not None:
        return Condition(pool=child.pool, ended=True, code=code)
    child.ready = child.ready or _is_ready(child.port)
    return Condition(pool=child.pool, ready=child.ready)


def _is_ready(port: int) -> bool:
    with suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PROBE_S)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        finally:
            connection.close()
    return False


def _free_port() -> int:
    """One that nobody listens on; should somebody be quicker, the worker is started again."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
