"""A cluster's speed: four workers against one, and all the real parts against one box."""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from bench.cluster_processes import Cluster, cluster
from bench.cluster_rows import Line
from bench.cluster_sizes import Sizes
from bench.corpus import SAMPLES
from bench.processes import repeated
from tests.serving import pdf

PAGE_S = 0.1
FULL_SCAN, SMALL_SCAN = 400, 48
SCAN_BAR = 3.7
SCALED = (("sqlite", "store"), ("postgres", "store"), ("postgres", "amqp"))
MODEL = "pp-ocrv6"
BOX_BAR = 0.85
PICTURES = ("receipt.jpg", "table.png", "two_columns.png", "chinese_english.png")


def scan_rows(sizes: Sizes) -> list[Line]:
    """One long scan on four workers against one, on a model that takes a fixed time."""
    pages = sizes.of(full=FULL_SCAN, small=SMALL_SCAN)
    lines = []
    for store, queue in sizes.chosen(SCALED):
        took = {
            workers: [
                _scanned(store, queue, workers, pages)
                for _ in range(sizes.of(full=sizes.runs, small=1))
            ]
            for workers in (1, 4)
        }
        one, four = (statistics.median(took[workers]) for workers in (1, 4))
        lines.append(
            Line(
                measure=f"{store}+{queue}: a scan of {pages} pages on 4 workers against 1",
                figure=f"{one / four:.2f}× ({one:.1f} s, {four:.1f} s)",
                bar=f"≥ {SCAN_BAR}×",
                holds=one / four >= SCAN_BAR,
            )
        )
    return lines


def _scanned(store: str, queue: str, workers: int, pages: int) -> float:
    """Seconds from a scan's submit to its end, from the store."""
    with cluster(store, queue, workers=workers, settings={"warm_models": "fake"}) as running:
        job_id = running.client.submit(pdf(pages), "scan", model=f"fake?slow={PAGE_S}")
        status = running.client.ended(job_id, 600)
    assert status["status"] == "succeeded", status
    ended, created = (
        datetime.fromisoformat(status[name]) for name in ("finished_at", "created_at")
    )
    return (ended - created).total_seconds()


def pages_rows(sizes: Sizes) -> list[Line]:
    """Pages a second through Celery, RabbitMQ, Postgres and S3 against one box, alternating."""
    pages = sizes.of(full=30, small=3)
    rounds = sizes.of(full=sizes.runs + 2, small=1)
    settings: dict[str, object] = {"warm_models": MODEL, "threads": 0}
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        scan = repeated(SAMPLES / "mixed.pdf", pages, folder)
        places = {
            "box": ends.enter_context(cluster("sqlite", "store", settings=settings)),
            "cloud": ends.enter_context(
                cluster("postgres", "amqp", s3=True, settings=settings)
            ),
        }
        rates: dict[str, list[float]] = {name: [] for name in places}
        for number in range(rounds + 1):
            for name, running in places.items():
                rates[name].append(_rate(running, scan, pages, f"round-{number}"))
    ratios = [b / a for a, b in zip(rates["box"][1:], rates["cloud"][1:], strict=True)]
    ratio = statistics.median(ratios)
    figures = {name: statistics.median(found[1:]) for name, found in rates.items()}
    return [
        Line(
            measure=(
                f"{MODEL}, 1 worker: {pages} pages and {len(PICTURES)} pictures through "
                "Celery, RabbitMQ, Postgres, S3 (Moto) against one box"
            ),
            figure=(
                f"{ratio:.2f}× ({min(ratios):.2f}–{max(ratios):.2f}); "
                f"{figures['cloud']:.2f} and {figures['box']:.2f} pages/s"
            ),
            bar=f"≥ {BOX_BAR}×",
            holds=ratio >= BOX_BAR,
        )
    ]


def _rate(running: Cluster, scan: Path, pages: int, key: str) -> float:
    """Pages a second of a scan and some pictures, submitted together."""
    asked = {"model": MODEL, "text_layer": "never"}
    files = [scan, *(SAMPLES / name for name in PICTURES)]
    began = time.perf_counter()
    ids = [
        running.client.submit(file.read_bytes(), f"{key}-{n}", **asked)
        for n, file in enumerate(files)
    ]
    for job_id in ids:
        status = running.client.ended(job_id, 600)
        assert status["status"] == "succeeded", status
    return (pages + len(PICTURES)) / (time.perf_counter() - began)
