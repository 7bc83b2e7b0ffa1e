"""The properties of a worker, measured before the wave: its start, a page, a task, a job."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.autoscaled import moment
from bench.cluster_places import wait_for
from bench.cluster_processes import Cluster
from bench.corpus import SAMPLES
from bench.processes import repeated
from tests.serving import pdf

ROUNDS = 3
SMALL, LARGE = 1, 16  # pages of the two jobs whose times separate a page's from the rest
READY_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Model:
    """Seconds, as measured.

    Attributes:
        page_s: One more page.
        job_s: A job of one task without its pages, from claim to end.
        hear_s: From a job's submission until an awake worker has begun it.
        cold_one_s: From the start of a single worker until it is ready.
        cold_many_s: The same, the mean of the pool's maximum, started at once.
        leave_s: From telling an idle worker to stop until it is gone.
    """

    page_s: float
    job_s: float
    hear_s: float
    cold_one_s: float
    cold_many_s: float
    leave_s: float


def measured(running: Cluster, model: str, most: int) -> Model:
    """Measure it in an otherwise idle cluster, and leave no worker there."""
    with _workers(running, 1) as [cold_one]:
        running.client.ended(_submit(running, SMALL, model, "warm"))
        found = [
            [_took(running, pages, model, f"{pages}-{n}") for n in range(ROUNDS)]
            for pages in (SMALL, LARGE)
        ]
        began = time.monotonic()
        running.workers[-1].stop()
        leave_s = time.monotonic() - began
    small, large = (statistics.median(read for _, read in each) for each in found)
    page_s = (large - small) / (LARGE - SMALL)
    with _workers(running, most) as cold:
        cold_many = statistics.mean(cold)
    return Model(
        page_s=page_s,
        job_s=max(0.0, small - SMALL * page_s),
        hear_s=statistics.median(heard for each in found for heard, _ in each),
        cold_one_s=cold_one,
        cold_many_s=cold_many,
        leave_s=leave_s,
    )


@contextmanager
def _workers(running: Cluster, count: int) -> Iterator[list[float]]:
    """This many workers, started at once; how long each took to be ready."""
    began = time.monotonic()
    places = [running.new_worker() for _ in range(count)]
    ready: dict[str, float] = {}

    def all_ready() -> bool:
        for place in places:
            if place.name not in ready and place.ready():
                ready[place.name] = time.monotonic() - began
        return len(ready) == count

    try:
        wait_for(all_ready, READY_S, "a worker is not ready")
        yield list(ready.values())
    finally:
        codes = [place.stop() for place in places]
    assert codes == [0] * count, codes


def _took(running: Cluster, pages: int, model: str, key: str) -> tuple[float, float]:
    """How long it took to begin a job, and from there to end it."""
    job = running.client.ended(_submit(running, pages, model, key))
    assert job["status"] == "succeeded", job
    created, started, finished = (
        moment(job[f"{name}_at"]) for name in ("created", "started", "finished")
    )
    return started - created, finished - started


def _submit(running: Cluster, pages: int, model: str, key: str) -> str:
    return submitted(running, pages, model, f"model-{key}")


def submitted(running: Cluster, pages: int, model: str, key: str) -> str:
    """The id of a job with this many pages, which are pictures for the model."""
    return running.client.submit(document(model, pages), key, model=model, text_layer="never")


@cache
def document(model: str, pages: int) -> bytes:
    """A document with this many pages: drawn ones for the fake, otherwise those of a sample."""
    if model.startswith("fake"):
        return pdf(pages)
    with tempfile.TemporaryDirectory() as folder:
        return repeated(SAMPLES / "mixed.pdf", pages, Path(folder)).read_bytes()
