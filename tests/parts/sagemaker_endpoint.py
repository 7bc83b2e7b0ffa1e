"""What SageMaker does with one asynchronous endpoint: its queue, its instances, its metrics."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from tests.parts import forks

PING_S = 0.05
LOOK_S = 0.01


@dataclass
class Told:
    """How an endpoint behaves; times are as short as a test wants them.

    Attributes:
        command: Starts a container; empty where containers register themselves.
        environment: Of the container, beside this process's.
        port: Where a container of its own is asked.
        desired: Instances to begin with.
        start_s: From `Updating` to the start of the container.
        grace_s: From SIGTERM to SIGKILL.
        most: Invocations that an instance is handed at once.
        minute_s: How long the minute of the metrics is.
        timeout_s: Longest that an invocation may take.
        again: What failed through no fault of its own is handed over once more, as the function
            behind the error topic does where the store says that it is not done.
    """

    command: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    port: int = 8080
    desired: int = 1
    start_s: float = 0.2
    grace_s: float = 30.0
    most: int = 4
    minute_s: float = 0.1
    timeout_s: float = 3600.0
    again: bool = True


@dataclass
class Wanted:
    """An invocation."""

    inference: str
    location: str
    urgency: str
    body: bytes


@dataclass(eq=False)
class Container:
    """Where an instance is asked.

    Attributes:
        most: Invocations that it is handed at once.
        busy: That it has now.
        ready: Whether it answered the last ping.
    """

    port: int
    most: int
    busy: int = 0
    ready: bool = False


class Endpoint:
    """One endpoint with one variant; its threads end with the process."""

    def __init__(self, name: str, told: Told, note: Callable[[Wanted, str], None]) -> None:
        self.name, self.told = name, told
        self.status, self.desired, self.current = "InService", told.desired, told.desired
        self.changed_at = time.time()
        self.samples: list[dict[str, float]] = []
        self.served: list[tuple[str, int]] = []  # inference ids, and what was answered
        self.in_flight = self.most_in_flight = 0
        self.failing = 0  # invocations that are answered 500 before any container sees them
        self.held = False  # whether nothing is handed to containers
        self.exits: list[int] = []
        self.containers: list[Container] = []
        self._queue: deque[Wanted] = deque()
        self._note = note
        self._stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        for target in (self._sample, self._hand_over, self._ping):
            threading.Thread(target=target, daemon=True).start()
        if told.desired and told.command:
            self._start()
        if told.command:
            threading.Thread(target=self._restart, daemon=True).start()

    @property
    def backlog(self) -> int:
        with self._lock:
            return len(self._queue) + self.in_flight

    def state(self) -> dict[str, Any]:
        with self._lock:
            return {
                "status": self.status,
                "desired": self.desired,
                "current": self.current,
                "queued": len(self._queue),
                "in_flight": self.in_flight,
                "most_in_flight": self.most_in_flight,
                "exits": self.exits,
                "served": self.served,
                "samples": self.samples,
                "pid": self._process.pid if self._process else 0,
                "ready": any(container.ready for container in self.containers),
            }

    def invoke(self, wanted: Wanted) -> None:
        with self._lock:
            self._queue.append(wanted)
            self._changed.notify_all()

    def hold(self, *, held: bool) -> None:
        """Hand nothing more to containers, or go on."""
        with self._lock:
            self.held = held
            self._changed.notify_all()

    def register(self, port: int, most: int) -> None:
        with self._lock:
            self.containers.append(Container(port, most))

    def resize(self, desired: int) -> bool:
        """Begin to change; False where it is being changed already."""
        with self._lock:
            if self.status != "InService":
                return False
            if desired != self.desired:
                self.status, self.desired, self.changed_at = "Updating", desired, time.time()
                threading.Thread(target=self._change, daemon=True).start()
            return True

    def stop(self) -> None:
        """Nothing more is done here."""
        self._stopped = True
        if process := self._process:
            process.kill()
            process.wait()

    def _change(self) -> None:
        time.sleep(self.told.start_s)
        if not self.told.command:
            pass
        elif self.desired:
            self._start()
            while not any(container.ready for container in self.containers):
                time.sleep(LOOK_S)
        elif self._process:
            gone, self._process = self._process, None
            gone.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                gone.wait(self.told.grace_s)
            gone.kill()
            self.exits.append(gone.wait())
            self.containers.clear()
        with self._lock:
            self.status, self.current = "InService", self.desired

    def _start(self) -> None:
        """As SageMaker does it: with `serve` behind whatever the image runs."""
        with Path(f"{self.name}.log").open("ab") as log:
            self._process = forks.Popen(
                [*self.told.command, "serve"],
                env={**os.environ, **self.told.environment},
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        self.containers[:] = [Container(self.told.port, self.told.most)]

    def _restart(self) -> None:
        while not self._stopped:
            time.sleep(PING_S)
            with self._lock:
                process = self._process
                if process and process.poll() is not None and self.status == "InService":
                    self._start()

    def _sample(self) -> None:
        while not self._stopped:
            time.sleep(self.told.minute_s)
            with self._lock:
                stuck = float(self.backlog > 0 and self.current == 0)
                self.samples.append({"backlog": float(self.backlog), "stuck": stuck})

    def _ping(self) -> None:
        while not self._stopped:
            time.sleep(PING_S)
            for container in tuple(self.containers):
                container.ready = _pings(container.port)
            with self._lock:
                self._changed.notify_all()

    def _hand_over(self) -> None:
        while not self._stopped:
            with self._lock:
                free = [c for c in self.containers if c.ready and c.busy < c.most]
                if self._queue and free and not self.held:
                    container = min(free, key=lambda each: each.busy)
                    container.busy += 1
                    self.in_flight += 1
                    self.most_in_flight = max(self.most_in_flight, self.in_flight)
                    given = (self._queue.popleft(), container)
                    threading.Thread(target=self._deliver, args=given, daemon=True).start()
                else:
                    self._changed.wait()

    def _deliver(self, wanted: Wanted, container: Container) -> None:
        with self._lock:
            self.failing -= 1
            fails = self.failing >= 0
        answered = 500 if fails else _post(container.port, wanted, self.told.timeout_s)
        with self._lock:
            container.busy -= 1
            self.in_flight -= 1
            self.served.append((wanted.inference, answered))
            if self.told.again and (answered == 0 or answered >= 500):
                self._queue.append(wanted)
            self._changed.notify_all()
        self._note(wanted, "Completed" if answered == 200 else "Failed")


def _pings(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/ping")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _post(port: int, wanted: Wanted, timeout_s: float) -> int:
    """The status that a container answers; 0 where it answers nothing."""
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    head = {
        "Content-Type": "application/json",
        "X-Amzn-SageMaker-Custom-Attributes": wanted.urgency,
        "X-Amzn-SageMaker-Inference-Id": wanted.inference,
    }
    try:
        connection.request("POST", "/invocations", wanted.body, head)
        answer = connection.getresponse()
        json.loads(answer.read())
        return answer.status
    except (OSError, HTTPException, ValueError):
        return 0
    finally:
        connection.close()
