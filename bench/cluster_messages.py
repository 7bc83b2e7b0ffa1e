"""Nine tasks, three slow workers: the maximum number of messages, and the final number."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.cluster_processes import cluster
from bench.cluster_rows import Line
from bench.cluster_sizes import Sizes
from bench.served import ENDED
from tests.serving import pdf

TASKS, WORKERS = 9, 3
PAGE_S = 40.0
MOST = 2 * TASKS
LOOK_S = 0.2
LATE_S = 15.0  # until a broker's own count includes the last message


def rows(sizes: Sizes) -> list[Line]:
    """On every combination with a broker."""
    return [
        line
        for store, queue in sizes.chosen()
        if queue != "store"
        for line in _on(store, queue, 1.0 if sizes.small else PAGE_S)
    ]


def _on(store: str, queue: str, page_s: float) -> list[Line]:
    settings = {"warm_models": "fake"}
    with cluster(store, queue, workers=WORKERS, settings=settings) as running:
        model = f"fake?slow={page_s}"
        left = running.parts.left
        ids = [running.client.submit(pdf(1), f"m-{n}", model=model) for n in range(TASKS)]
        most = _most(
            left,
            lambda: all(running.client.status(job_id)["status"] in ENDED for job_id in ids),
        )
        until = time.monotonic() + LATE_S
        while (rest := left()) and time.monotonic() < until:
            time.sleep(LOOK_S)
    name = f"{store}+{queue}: messages of {TASKS} tasks of {page_s:g} s, {WORKERS} workers"
    return [
        Line(
            measure=f"{name}, at the most",
            figure=str(most),
            bar=f"≤ {MOST}",
            holds=TASKS <= most <= MOST,
        ),
        Line.none_of(f"{name}, in the end", rest),
    ]


def _most(left: Callable[[], int], ended: Callable[[], bool]) -> int:
    most = 0
    while not ended():
        most = max(most, left())
        time.sleep(LOOK_S)
    return most
