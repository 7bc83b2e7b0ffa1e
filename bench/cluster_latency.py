"""How soon an idle worker is notified of a new job.

`python -m bench.cluster_latency` is the receiver: it prints when it received each message, by
the clock that all processes share.
"""

from __future__ import annotations

import random
import secrets
import select
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from msgspec.structs import replace

from bench.cluster_parts import Parts, parts
from bench.cluster_processes import DEFAULTS, environment_of
from bench.cluster_rows import Line, percentile
from bench.cluster_sizes import Sizes
from bench.store_cost import make
from pagetide.server.jobs.job import Job, Task
from pagetide.server.ports import Store
from pagetide.server.wiring import open_notifier, open_store
from pagetide.server.worker.worker import LISTEN_S
from pagetide.settings import Settings

BAR_MS = 100.0
COMBINATIONS = (
    ("postgres", "redis"),
    ("postgres", "amqp"),
    ("sqlite", "store"),
    ("postgres", "store"),
    ("dynamodb", "store"),
    ("dynamodb", "sqs"),
    ("postgres", "azurequeue"),
)
STATED = {("dynamodb", "store"), ("dynamodb", "sqs"), ("postgres", "azurequeue")}
REST_S = (0.05, 0.6)  # between two; polling receivers are not hit at the same phase each time
LATE_S = 10.0
READY = "ready"


def rows(sizes: Sizes) -> list[Line]:
    """On every queue."""
    count = sizes.of(full=200, small=10)
    return [_on(store, queue, count) for store, queue in sizes.chosen(COMBINATIONS)]


def _on(store: str, queue: str, count: int) -> Line:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, ExitStack() as ends:
        made = ends.enter_context(parts(store, queue, Path(name)))
        took, lost = _latencies(made, count)
    median, most = (1000 * percentile(took, share) for share in (0.5, 0.95))
    stated = (store, queue) in STATED
    return Line(
        measure=f"{store}+{queue}: submit to first message at rest",
        figure=f"P50 {median:.0f} ms, P95 {most:.0f} ms ({len(took)} submits, {lost} unheard)",
        bar="" if stated else f"P95 ≤ {BAR_MS:g} ms",
        holds=stated or (most <= BAR_MS and not lost),
    )


def _latencies(made: Parts, count: int) -> tuple[list[float], int]:
    """Seconds from the call that stores and announces a job until another process knows."""
    environment = environment_of(made, {**DEFAULTS, **made.settings})
    settings = Settings.from_environment(
        {k: v for k, v in environment.items() if k.startswith("PAGETIDE_")}
    )
    settings.home_folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)  # noqa: S311 - not for secrets
    with (
        closing(open_store(settings)) as store,
        closing(open_notifier(settings)) as notifier,
        subprocess.Popen(
            [sys.executable, "-m", __name__], env=environment, stdout=subprocess.PIPE, text=True
        ) as receiver,
    ):
        try:
            heard = Heard(receiver)
            assert heard.line(60) == READY, "the receiver did not start"
            took: list[float] = []
            lost = 0
            for number in range(count + 3):
                time.sleep(chance.uniform(*REST_S))
                heard.forget()
                job, task = _new(number)
                began = time.monotonic()
                store.submit(job, [task])
                notifier.submitted(job, [task])
                at = heard.line(LATE_S)
                if number >= 3:  # the first connect
                    took += [float(at) - began] if at else []
                    lost += not at
        finally:
            receiver.kill()
    return took or [LATE_S], lost


class Heard:
    """The output of a receiver."""

    def __init__(self, receiver: subprocess.Popen[str]) -> None:
        assert receiver.stdout
        self._lines = receiver.stdout

    def line(self, seconds: float) -> str:
        """The next line, or nothing if there is none within this many seconds."""
        ready, _, _ = select.select([self._lines], [], [], seconds)
        return self._lines.readline().strip() if ready else ""

    def forget(self) -> None:
        """Skip what was printed meanwhile."""
        while self.line(0.0):
            pass


def _new(number: int) -> tuple[Job, Task]:
    """A job that waits now, with one task."""
    job, task = make(number, "queued")
    now = time.time()
    return replace(job, created_at=now), replace(task, due=now)


def receive() -> None:
    """Receive messages as a worker does, and print the time of each that led to a task."""
    settings = Settings.from_environment()
    with (
        closing(open_store(settings)) as store,
        closing(open_notifier(settings)) as notifier,
        closing(notifier.queue.receiver("cpu", 4)) as waiting,
    ):
        if message := waiting.receive(LISTEN_S):  # connected, and at rest
            message.release()
        print(READY, flush=True)
        while True:
            if message := waiting.receive(LISTEN_S):
                came = time.monotonic()
                if message.task_id or _claim(store):
                    print(came, flush=True)
                    message.done()
                else:
                    message.release()


def _claim(store: Store) -> bool:
    now = time.time()
    token = secrets.token_hex(4)
    return bool(
        store.claim("cpu", "bench", now=now, until=now + 3600, token=token, beside=False)
    )


if __name__ == "__main__":
    receive()
