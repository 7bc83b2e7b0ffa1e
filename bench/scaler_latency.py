"""How soon the external scaler pushes a submit: `python -m bench.scaler_latency [--store URL]`.

A real `pagetide scaler` and a gRPC client stand in for KEDA; the time runs from before the
job is written into the store until the client has read that the pool is active. Every submit
finds the pool idle, and known to be idle. Needs the extra `scaler`.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from typing import Any

import grpc

from pagetide.document import SourceInfo
from pagetide.server.jobs import endings
from pagetide.server.jobs.job import Job, JobOptions, Task
from pagetide.server.ports import Notifications, Store
from pagetide.server.scaling.keda.messages import SCALER, messages
from pagetide.server.wiring import open_notifications, open_store
from pagetide.settings import Settings
from pagetide.system.cpu import model_name

BAR_MS = 50.0  # for 95 of 100
SAYS = messages("externalscaler", SCALER)


def main() -> None:
    """Measure, print a table, and exit with 1 if the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaler_latency", description=__doc__)
    parser.add_argument("--submits", type=int, default=200)
    parser.add_argument("--store", default="", help="URL; default: SQLite in a new folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=folder, store=arguments.store)
        took = sorted(measure(settings, arguments.submits))
    p50, p95 = statistics.median(took), took[int(0.95 * len(took))]
    print("| submits | P50 ms | P95 ms | max ms | bar |\n| --- | --- | --- | --- | --- |")
    print(f"| {len(took)} | {p50:.1f} | {p95:.1f} | {took[-1]:.1f} | P95 ≤ {BAR_MS:g} ms |")
    kind = (arguments.store or "sqlite").partition(":")[0]
    print(f"\n{kind}; {model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if p95 <= BAR_MS else 1)


def measure(settings: Settings, submits: int) -> list[float]:
    """Milliseconds from each submit to its push."""
    with (
        closing(open_store(settings)) as store,
        closing(open_notifications(settings)) as notifications,
    ):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pagetide", "scaler", "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env=settings.as_environment(),
        )
        try:
            with grpc.insecure_channel(f"127.0.0.1:{port_of(process)}") as channel:
                pushed = streamed(channel)
                return [one(store, notifications, pushed) for _ in range(submits)]
        finally:
            process.terminate()
            process.communicate()


def one(store: Store, notifications: Notifications, pushed: Any) -> float:
    """Submit while the pool is idle; milliseconds until it was pushed that it is not."""
    until(pushed, False)
    job, task = made()
    began = time.perf_counter()
    store.submit(job, [task])
    notifications.publish("cpu", job.id)
    until(pushed, True)
    ms = (time.perf_counter() - began) * 1000
    store.change(job.id, None, lambda job, _: endings.cancel(job, time.time()))
    notifications.publish("cpu")  # otherwise the next check, a second later, would see it
    return ms


def until(pushed: Any, active: bool) -> None:
    """Read the pushed values up to this one."""
    while next(pushed).result != active:
        pass


def streamed(channel: Any) -> Any:
    """What the scaler pushes for the pool `cpu`."""
    pool = SAYS["Pair"](key="pool", value="cpu")
    return channel.unary_stream(
        "/externalscaler.ExternalScaler/StreamIsActive",
        request_serializer=SAYS["ScaledObjectRef"].SerializeToString,
        response_deserializer=SAYS["IsActiveResponse"].FromString,
    )(SAYS["ScaledObjectRef"](name="bench", scalerMetadata=[pool]))


def port_of(process: subprocess.Popen[str]) -> int:
    """The address at which the scaler reports that it answers."""
    for line in process.stderr or ():
        if "answers at" in line:
            return int(line.rpartition(":")[2].strip(" .\n"))
    raise RuntimeError("the scaler did not start")


def made() -> tuple[Job, Task]:
    """A job of one page that nobody will read."""
    now, name = time.time(), secrets.token_hex(8)
    source = SourceInfo(
        name="a.pdf", sha256="0" * 64, bytes=9, media_type="application/pdf", page_count=1
    )
    job = Job(
        id=name,
        owner="",
        status="queued",
        created_at=now,
        expires_at=now + 3600,
        pool="cpu",
        options=JobOptions(model="fake"),
        source=source,
        input=f"jobs/{name}/input",
        page_count=1,
        tasks_open=1,
    )
    return job, Task(id=f"{name}.1", job_id=name, kind="read", pool="cpu", due=now, pages=(1,))


if __name__ == "__main__":
    main()
