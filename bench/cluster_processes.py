"""The processes of a cluster on this machine: APIs, workers, and what restarts them."""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from bench.cluster_client import Client
from bench.cluster_parts import Parts, Servers, parts
from bench.cluster_places import LOOK_S, Place, Session, in_sessions, wait_for
from tests.parts.server import free_port

READY_S = 90.0
NOTHING: Mapping[str, object] = {}
DEFAULTS: Mapping[str, object] = {
    "auth": "off",
    "cache": "no",
    "test_models": "yes",
    "threads": 1,
    "recycle_pages": 1_000_000,
    "log_level": "info",
}


class Cluster:
    """APIs and workers over the same parts.

    Attributes:
        parts: The parts it uses.
        folder: For its logs, and for the data of parts that need no server.
        apis: Places of APIs.
        workers: Places of workers.
        scalers: Places of KEDA's external scalers.
        client: Asks all APIs in turn.
    """

    def __init__(
        self,
        folder: Path,
        made: Parts,
        settings: Mapping[str, object],
        *,
        apis: int,
        workers: int,
        scalers: int,
    ) -> None:
        self.parts, self.folder = made, folder
        self.settings = {**DEFAULTS, **made.settings, **settings}
        self.apis = [self._place(f"api{n}", ["api"], "port") for n in range(apis)]
        self.workers = [self._worker(n) for n in range(workers)]
        self.scalers = [self._scaler(n) for n in range(scalers)]
        self.client = Client([f"http://127.0.0.1:{api.port}" for api in self.apis])
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._orchestrate, daemon=True)

    def environment(self, **changed: object) -> dict[str, str]:
        """The environment of the processes."""
        return environment_of(self.parts, {**self.settings, **changed})

    def start(self) -> None:
        """Start all; returns when all are ready."""
        for place in self.places:
            place.start()
        self._thread.start()
        for place in self.places:
            wait_for(place.ready, READY_S, f"{place.name} is not ready")

    def new_worker(self) -> Place:
        """Start one more worker, which is not restarted."""
        place = self._worker(len(self.workers))
        place.wanted = False
        place.start()
        self.workers.append(place)
        return place

    def stop(self) -> dict[str, int | None]:
        """Ask all to stop; returns the exit code of each running one, None if it did not."""
        self._ending.set()
        with suppress(RuntimeError):  # it was never started
            self._thread.join()
        running = [place for place in self.places if place.runs()]
        for place in running:
            place.send(signal.SIGTERM)
        return {place.name: place.ended() for place in running}

    def close(self) -> None:
        """Kill everything that still runs."""
        self._ending.set()
        with self._lock:
            for place in self.places:
                place.kill()
                place.ended()
        for pid in in_sessions(self.sessions):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.client.close()

    @property
    def places(self) -> tuple[Place, ...]:
        """Where processes run."""
        return (*self.apis, *self.workers, *self.scalers)

    @property
    def sessions(self) -> list[Session]:
        """The current state of all processes that were ever started here."""
        for place in self.places:
            place.runs()
        return [session for place in self.places for session in place.sessions]

    def left_over(self, seconds: float = 10.0) -> list[str]:
        """The commands of those still running after this many seconds."""
        deadline = time.monotonic() + seconds
        while (found := in_sessions(self.sessions)) and time.monotonic() < deadline:
            time.sleep(LOOK_S)
        return list(found.values())

    def logged(self, pattern: str) -> list[str]:
        """The lines of all logs that match."""
        lines = []
        for path in sorted(self.folder.glob("*.log")):
            for line in path.read_text(errors="replace").splitlines():
                if re.search(pattern, line):
                    lines.append(f"{path.stem}: {line}")
        return lines

    def show_logs(self) -> None:
        """Print the end of each log: something has gone wrong."""
        for path in sorted(self.folder.glob("*.log")):
            said = path.read_text(errors="replace")[-3000:]
            print(f"--- {path.stem}\n{said}", file=sys.stderr)

    def _worker(self, number: int) -> Place:
        place = self._place(f"worker{number}", ["worker", "--pool", "cpu"], "health_port")
        place.environment |= self.parts.of_worker.get(number, {})
        return place

    def _scaler(self, number: int) -> Place:
        port = free_port()
        place = self._place(f"scaler{number}", ["scaler", "--port", str(port)], "port")
        place.port, place.probe = port, ""
        return place

    def _place(self, name: str, words: list[str], port_setting: str) -> Place:
        port = free_port()
        return Place(
            name=name,
            command=[sys.executable, "-P", "-m", "pagetide", *words],
            environment=self.environment(**{port_setting: port}),
            port=port,
            log=self.folder / f"{name}.log",
        )

    def _orchestrate(self) -> None:
        while not self._ending.wait(LOOK_S):
            for place in self.places:
                with self._lock:
                    if self._ending.is_set() or not (place.wanted and place.process):
                        continue
                    if not place.runs():
                        place.start()


@contextmanager
def cluster(
    store: str,
    queue: str,
    *,
    apis: int = 1,
    workers: int = 1,
    scalers: int = 0,
    s3: bool = False,
    settings: Mapping[str, object] = NOTHING,
    servers: Servers | None = None,
    standing: Callable[[str, str, Path], AbstractContextManager[Parts]] | None = None,
) -> Iterator[Cluster]:
    """A separate cluster on real parts; removed at the end, whatever happens.

    Args:
        store: One of `cluster_parts.STORES`.
        queue: One of `cluster_parts.QUEUES`.
        apis: Number of API processes.
        workers: Number of workers.
        scalers: Number of external scalers.
        s3: Documents are in S3.
        settings: Beside `DEFAULTS`.
        servers: See `cluster_parts.parts`.
        standing: Starts the parts in another way.
    """
    with ExitStack() as ends:
        folder = Path(
            ends.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        )
        standing = standing or partial(parts, s3=s3, servers=servers)
        made = ends.enter_context(standing(store, queue, folder))
        running = Cluster(folder, made, settings, apis=apis, workers=workers, scalers=scalers)
        ends.callback(running.close)
        try:
            running.start()
            yield running
        except BaseException as error:
            if not isinstance(error, KeyboardInterrupt):
                running.show_logs()
            raise


def environment_of(made: Parts, settings: Mapping[str, object]) -> dict[str, str]:
    """The environment of processes with these settings, without ours."""
    named = {f"PAGETIDE_{name.upper()}": str(value) for name, value in settings.items()}
    ours = {k: v for k, v in os.environ.items() if not k.startswith("PAGETIDE_")}
    return {**ours, **made.environment, **named}


def end_on_sigterm() -> None:
    """Make SIGTERM end this program like Ctrl-C, so that everything is cleaned up."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
