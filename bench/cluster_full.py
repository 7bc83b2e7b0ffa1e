"""Ten thousand waiting jobs: the cost of one more to submit, to poll, to read, to claim.

The jobs have one page, and all name the same document, so that a worker can read them. The
cost for the first tenth is compared with the last. Moto's DynamoDB gets few: the emulator's
speed says nothing about AWS.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
from msgspec.structs import replace

from bench.cluster_places import Place, wait_for
from bench.cluster_processes import Cluster, cluster
from bench.cluster_rows import Line, percentile
from bench.cluster_sizes import Sizes
from bench.cluster_watch import opened_store, settings_of
from bench.store_cost import make
from pagetide.document import SourceInfo
from pagetide.server.jobs.job import Job, JobOptions, Task
from pagetide.server.ports import Store
from pagetide.server.wiring import open_blobs
from tests.serving import pdf

STORES = (("sqlite", "store"), ("postgres", "store"), ("dynamodb", "store"))
BLOCKS = 10
THREADS = 4
INPUT = "jobs/shared/input"
FLAT = 2.0  # the last may cost this many times the first
GROWTH_MB = 20.0
LONG_S = 3600.0
WARM_UP = 5  # warm-up requests, not counted
MODEL = {"model": "fake"}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How many jobs there are in total, and requests of each kind."""

    jobs: int
    gets: int
    posts: int

    @property
    def block(self) -> int:
        """A tenth of the jobs."""
        return self.jobs // BLOCKS


def rows(sizes: Sizes) -> list[Line]:
    """On every store, woken by its notifications."""
    lines = []
    for store, queue in sizes.chosen(STORES):
        few = store == "dynamodb"
        jobs = sizes.of(full=300 if few else 10_000, small=60)
        plan = Plan(
            jobs=jobs,
            gets=sizes.of(full=100 if few else 500, small=20),
            posts=sizes.of(full=30 if few else 200, small=10),
        )
        name = f"{store}, {jobs:,} jobs" + (" (Moto: says nothing of AWS)" if few else "")
        lines += _on(store, queue, plan, name, barred=not few)
    return lines


def _on(store: str, queue: str, plan: Plan, name: str, *, barred: bool) -> list[Line]:
    said = partial(_flat, name, barred=barred)
    settings: dict[str, object] = {"lease_s": LONG_S, "warm_models": "fake"}
    with cluster(store, queue, workers=0, settings=settings) as running:
        _put_document(running)
        with closing(opened_store(running)) as opened:
            jobs = [_new(number) for number in range(plan.jobs)]
            blocks = [jobs[n * plan.block : (n + 1) * plan.block] for n in range(BLOCKS)]
            api, submits = [], []
            for number, block in enumerate(blocks):
                threads = 1 if number % 2 == 0 else THREADS
                submits.append(_rate(opened.submit, block, threads))
                if number in (0, BLOCKS - 1):
                    api.append(_api(running, jobs[: (number + 1) * plan.block], plan))
            memory = _memory(running, opened, plan)
            claims = _claims(opened, plan)
    lines = [
        said("submits/s, 1 thread", submits[0], submits[-2], more=True),
        said(f"submits/s, {THREADS} threads", submits[1], submits[-1], more=True),
        said("GET /v1/jobs/ID, P95 ms", api[0][0], api[1][0]),
        said("POST /v1/jobs, P95 ms", api[0][1], api[1][1]),
        said("claims/s", claims[0], claims[1], more=True),
    ]
    growth = memory[1] - memory[0]
    lines.append(
        Line(
            measure=f"{name}: a worker's memory after the first tenth and after three",
            figure=f"{memory[0]:.0f} MB, {memory[1]:.0f} MB",
            bar=f"≤ {GROWTH_MB:g} MB more",
            holds=growth <= GROWTH_MB,
        )
    )
    return lines


def _flat(
    name: str, what: str, first: float, last: float, *, barred: bool, more: bool = False
) -> Line:
    """A row for a cost that must be about the same for the last tenth as for the first.

    Args:
        name: The store's name.
        what: What was measured.
        first: With the first tenth present, or for it.
        last: With all present, or for the last tenth.
        barred: Whether it has a bar.
        more: Whether more is better.
    """
    times = (first / last if more else last / first) if first and last else 0.0
    return Line(
        measure=f"{name}: {what}, first tenth and last",
        figure=f"{first:.4g}, {last:.4g} ({times:.2f}× the cost)",
        bar=f"≤ {FLAT}×" if barred else "",
        holds=not barred or times <= FLAT,
    )


def _put_document(running: Cluster) -> None:
    open_blobs(settings_of(running)).put(INPUT, pdf(1))


def _new(number: int) -> tuple[Job, Task]:
    """A waiting job of the one document."""
    job, task = make(number, "queued")
    now = time.time()
    source = SourceInfo(
        name="scan.pdf",
        sha256=f"{number:064x}",
        bytes=1000,
        media_type="application/pdf",
        page_count=1,
    )
    job = replace(
        job,
        owner="",
        created_at=now,
        expires_at=now + job.ttl_s,
        input=INPUT,
        options=JobOptions(model="fake"),
        source=source,
    )
    return job, replace(task, due=now)


def _rate(
    submit: Callable[[Job, list[Task]], object], block: list[tuple[Job, Task]], threads: int
) -> float:
    """Submits a second."""
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        for done in pool.map(lambda each: submit(each[0], [each[1]]), block):
            assert done
        return len(block) / (time.perf_counter() - began)


def _api(running: Cluster, jobs: list[tuple[Job, Task]], plan: Plan) -> tuple[float, float]:
    """The 95th percentiles of polling a job and of submitting one, in ms."""
    chance = random.Random(len(jobs))  # noqa: S311 - not for secrets
    url = f"http://127.0.0.1:{running.apis[0].port}/v1/jobs"
    document, gets, posts = pdf(1), list[float](), list[float]()
    with httpx.Client(trust_env=False, timeout=30) as http:

        def get() -> None:
            assert http.get(f"{url}/{chance.choice(jobs)[0].id}").status_code == 200

        def post() -> None:
            answer = http.post(url, files={"file": ("scan.pdf", document)}, data=MODEL)
            assert answer.status_code == 202, answer.text

        for action, count, took in ((get, plan.gets, gets), (post, plan.posts, posts)):
            for _ in range(WARM_UP):
                action()
            for _ in range(count):
                began = time.perf_counter()
                action()
                took.append(1000 * (time.perf_counter() - began))
    return percentile(gets, 0.95), percentile(posts, 0.95)


def _memory(running: Cluster, store: Store, plan: Plan) -> tuple[float, float]:
    """A worker's memory after it has read a tenth of the jobs, and after three, in MB."""

    def read() -> int:
        found = store.backlog("cpu", time.time())
        return all_of_them - found.waiting - found.leased

    all_of_them = store.backlog("cpu", time.time()).waiting
    worker = running.new_worker()
    wait_for(worker.ready, 60, "the worker is not ready")
    held = []
    for tenths in (1, 3):
        wait_for(lambda: read() >= tenths * plan.block, 900, "the worker reads too slowly")  # noqa: B023
        held.append(_resident_mb(worker))
    worker.stop()
    return held[0], held[1]


def _claims(store: Store, plan: Plan) -> tuple[float, float]:
    """Claims a second, for the first tenth of the waiting jobs and for the last."""
    waiting = store.backlog("cpu", time.time()).waiting
    count = min(plan.block, waiting // 2)
    first = _claim(store, count)
    _claim(store, waiting - 2 * count)
    return first, _claim(store, count)


def _claim(store: Store, count: int) -> float:
    began = time.perf_counter()
    for number in range(count):
        now = time.time()
        assert store.claim(
            "cpu", "bench", now=now, until=now + LONG_S, token=f"t{number}", beside=False
        )
    return count / (time.perf_counter() - began)


def _resident_mb(place: Place) -> float:
    status = Path(f"/proc/{place.pid}/status").read_text()
    return int(next(s for s in status.splitlines() if "VmRSS" in s).split()[1]) / 1024
