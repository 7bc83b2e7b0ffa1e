"""A cluster as on Azure: queue, documents and results on Azurite, replicas that are killed.

A replica of Container Apps that is scaled in gets SIGTERM and, some 60 to 80 s later, SIGKILL,
whatever its grace says (microsoft/azure-container-apps#1824).
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from azure.core.exceptions import ResourceNotFoundError
from azure.storage.queue import QueueServiceClient

from bench.cluster_parts import OwnServers, S, Servers, parts
from bench.cluster_places import Place
from bench.cluster_processes import NOTHING, Cluster
from bench.cluster_watch import opened_store
from pagetide.server.jobs.job import Task
from pagetide.server.queues.cloud import Address
from tests.parts.azurite import Azurite

LOOK_S = 0.1
SILENT_S = 20.0
CONTAINER = "pagetide"


@dataclass
class Azure:
    """A cluster, and its storage account."""

    cluster: Cluster
    account: Azurite
    folder: Path

    @property
    def queues(self) -> tuple[str, ...]:
        """The queues that the rules of the pool `cpu` query.

        The most urgent last: a job whose reading ends continues there, and counting it
        before the others would miss it.
        """
        return Address(self.account.account, self.cluster.parts.prefix).names("cpu")[::-1]

    def tasks(self, job_id: str) -> list[Task]:
        """A job's tasks, from the store."""
        with closing(opened_store(self.cluster)) as store:
            return list(store.tasks(job_id))

    def held_by(self, place: Place, ids: list[str]) -> list[Task]:
        """The `read` tasks of these jobs that a process holds: its id is part of its name."""
        return [
            task
            for job_id in ids
            for task in self.tasks(job_id)
            if task.lease and task.kind == "read" and f"-{place.pid}-" in task.lease.worker
        ]

    def execution(self, number: int, idle_exit_s: float) -> subprocess.Popen[bytes]:
        """Start what a Container Apps job runs for a message: a worker that leaves."""
        words = ["worker", "--pool", "cpu", "--idle-exit", str(idle_exit_s)]
        place = Place(
            name=f"execution{number}",
            command=[sys.executable, "-P", "-m", "pagetide", *words],
            environment=self.cluster.environment(),
            port=0,
            log=self.folder / f"execution{number}.log",
            wanted=False,
        )
        place.start()
        self.cluster.workers.append(place)  # killed at the end, if it still exists
        assert place.process
        return place.process


@contextmanager
def azure(
    store: str,
    *,
    workers: int,
    settings: Mapping[str, object] = NOTHING,
    servers: Servers | None = None,
) -> Iterator[Azure]:
    """A cluster on Azurite; removed at the end, whatever happens.

    Args:
        store: One of `cluster_parts.STORES`.
        workers: Number of replicas; one API besides, which sweeps.
        settings: In addition to those of every benchmark.
        servers: See `cluster_parts.parts`.
    """
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        seen: list[Azurite] = []
        given = _Noting(servers or OwnServers(ends), seen)
        made = ends.enter_context(parts(store, "azurequeue", folder, servers=given))
        [account] = seen
        with suppress(Exception):  # it belongs to the session, and already exists
            account.make_container(CONTAINER)
        made.environment = {**made.environment, "AZURE_STORAGE_ACCOUNT_KEY": account.key}
        place = f"?account={account.account}&endpoint={account.blob_endpoint}"
        made.settings["blobs"] = f"az://{CONTAINER}/{made.prefix}-documents{place}"
        made.settings["results"] = f"az://{CONTAINER}/{made.prefix}-results{place}"
        running = Cluster(folder, made, settings, apis=1, workers=workers, scalers=0)
        ends.callback(running.close)
        try:
            running.start()
            yield Azure(running, account, folder)
        except BaseException:
            running.show_logs()
            raise


class _Noting:
    """Provides servers, and records which Azurite was used."""

    def __init__(self, give: Servers, seen: list[Azurite]) -> None:
        self._give, self._seen = give, seen

    def __call__(self, kind: type[S]) -> S:
        server = self._give(kind)
        if isinstance(server, Azurite):
            self._seen.append(server)
        return server


@dataclass
class Readings:
    """What KEDA's `azure-queue` would read, for all queues of the pool together.

    Attributes:
        values: Each reading: when it began and ended (seconds since the epoch), and its value.
        failed: Number of failed queries to the account.
    """

    azure: Azure
    values: list[tuple[float, float, int]] = field(default_factory=list)
    failed: int = 0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Read repeatedly as long as this lasts."""
        ending = threading.Event()
        thread = threading.Thread(target=self._run, args=(ending,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()

    def between(self, first: float, last: float) -> list[int]:
        """The readings between two moments.

        Raises:
            TimeoutError: For more than `SILENT_S` of that time nothing was read.
        """
        found = [each for each in self.values if first <= each[0] and each[1] <= last]
        edges = [first, *(edge for began, ended, _ in found for edge in (began, ended)), last]
        gap = max(later - earlier for earlier, later in pairwise(edges))
        if gap > SILENT_S:
            raise TimeoutError(f"nothing was read for {gap:.1f} s; {self.failed} failed")
        return [value for _, _, value in found]

    def _run(self, ending: threading.Event) -> None:
        account = self.azure.account.connection_string
        with QueueServiceClient.from_connection_string(account) as service:
            while not ending.wait(LOOK_S):
                began = time.time()
                try:
                    value = sum(_messages(service, name) for name in self.azure.queues)
                except Exception as error:  # any exception of a client; it is counted
                    self.failed += 1
                    print(f"azure-queue: {type(error).__name__}")
                else:
                    self.values.append((began, time.time(), value))


def followed(azure: Azure, ids: list[str], seconds: float) -> dict[str, Task]:
    """The `read` tasks of these jobs as last seen, until all jobs have ended.

    They disappear with the end of their job, so the last pages are not seen.

    Raises:
        TimeoutError: One has not ended in this many seconds.
    """
    seen: dict[str, Task] = {}
    deadline, open_jobs, pause = time.monotonic() + seconds, list(ids), threading.Event()
    with closing(opened_store(azure.cluster)) as store:
        while open_jobs:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{open_jobs} have not ended")
            for job_id in tuple(open_jobs):
                seen |= {task.id: task for task in store.tasks(job_id) if task.kind == "read"}
                job = store.job(job_id)
                if job and job.ended:
                    open_jobs.remove(job_id)
            pause.wait(LOOK_S)
    return seen


def messages(azure: Azure) -> int:
    """Number of messages in the pool's queues, including held ones."""
    with QueueServiceClient.from_connection_string(azure.account.connection_string) as service:
        return sum(_messages(service, name) for name in azure.queues)


def visible(azure: Azure) -> int:
    """Number of visible messages: what KEDA reads with the strategy `visibleonly`."""
    with QueueServiceClient.from_connection_string(azure.account.connection_string) as service:
        queues = [service.get_queue_client(name) for name in azure.queues]
        found = 0
        for queue in queues:
            with suppress(ResourceNotFoundError):
                found += len(queue.peek_messages(max_messages=32))
        return found


def _messages(service: QueueServiceClient, name: str) -> int:
    with suppress(ResourceNotFoundError):
        properties = service.get_queue_client(name).get_queue_properties()
        return properties.approximate_message_count or 0
    return 0


@dataclass(frozen=True)
class Ended:
    """How a scaled-in replica ended.

    Attributes:
        pid: Its process.
        code: Its exit code.
        seconds: From SIGTERM on.
        held: The tasks it held just before it was killed; none if it was not.
        at: When that was, in seconds since the epoch.
    """

    pid: int
    code: int | None
    seconds: float
    held: tuple[Task, ...]
    at: float

    @property
    def killed(self) -> bool:
        """Whether it still existed when the window had passed."""
        return self.code == -signal.SIGKILL


def all_scaled_in(
    azure: Azure, places: Sequence[Place], window_s: float, ids: list[str]
) -> list[Ended]:
    """Scale replicas in at the same time; see `scaled_in`."""
    with ThreadPoolExecutor(len(places)) as threads:
        return list(threads.map(lambda each: scaled_in(azure, each, window_s, ids), places))


def scaled_in(azure: Azure, place: Place, window_s: float, ids: list[str]) -> Ended:
    """Scale a replica in as Container Apps do: SIGTERM, and SIGKILL a window later."""
    assert place.process
    begun, process = time.monotonic(), place.process
    place.wanted = False  # it is not restarted
    place.send(signal.SIGTERM)
    held: tuple[Task, ...] = ()
    try:
        process.wait(window_s)
    except subprocess.TimeoutExpired:
        held = tuple(azure.held_by(place, ids))
        place.kill()
    code = place.ended()
    return Ended(process.pid, code, time.monotonic() - begun, held, time.time())
