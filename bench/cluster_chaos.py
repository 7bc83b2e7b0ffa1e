"""Chaos in a cluster: see `bench.chaos`.

Two APIs, three workers, real parts; whatever dies is started again as an orchestrator would.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from bench.cluster_havoc import Havoc
from bench.cluster_places import wait_for
from bench.cluster_processes import Cluster, cluster
from bench.cluster_rows import Line, table
from bench.cluster_watch import Recoveries
from tests.serving import pdf, text_of_page

LEASE_S = 4.0
MARGIN_S = 5.0
PAGE_S = 0.2
MOST_PAGES = 12
OPEN_JOBS = 6  # at once: what is sent again stands behind what waits already
AGAIN = 0.2  # of the submits are made twice, as by a client that never saw the answer
QUIET_S = 60.0  # messages of tasks that are done are thrown away within
FAULTS = "0.1,0.1"
SETTINGS: dict[str, object] = {
    "lease_s": LEASE_S,
    "task_pages": 2,
    "warm_models": "fake",
    "queue_faults": FAULTS,
    "drain_s": 10,
}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A job to submit: its key, its pages, and the width of the first of them."""

    key: str
    pages: int
    first: int

    @property
    def texts(self) -> list[tuple[int, str]]:
        """What must be read, each page once."""
        return [(n, text_of_page(n, first=self.first)) for n in range(1, self.pages + 1)]


@dataclass
class Submitted:
    """What became of the jobs.

    Attributes:
        ids: By key, every id that a submit was answered with.
        finished: By id, when the job ended, as it was first told.
        statuses: How the jobs ended.
        stuck: What was never told to have ended.
        ended: How many have.
    """

    ids: dict[str, set[str]] = field(default_factory=dict)
    finished: dict[str, str] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    stuck: list[str] = field(default_factory=list)
    ended: int = 0


def run(store: str, queue: str, *, jobs: int, workers: int, seed: int) -> bool:
    """Submit jobs while all is killed; prints a table; whether every bar is reached."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    wanted = [
        Wanted(key=f"chaos-{n}", pages=chance.randint(1, MOST_PAGES), first=100 + 26 * n)
        for n in range(jobs)
    ]
    print(f"\n{store}+{queue}, {jobs} jobs, seed {seed}", flush=True)
    with cluster(store, queue, apis=2, workers=workers, settings=SETTINGS) as running:
        recoveries = Recoveries(running)
        havoc = Havoc(running, recoveries, random.Random(seed + 1))  # noqa: S311
        began = time.monotonic()
        found = _submit_all(running, wanted, havoc, chance)
        havoc.end()
        recoveries.finish()
        seconds = time.monotonic() - began
        lines = [*_outcome(running, wanted, found), *recoveries.lines(LEASE_S, MARGIN_S)]
        lines += _rest(running)
        errors = Counter(
            line.partition(" error ")[2][:110] for line in running.logged(" error pagetide")
        )
    print(f"{seconds:.0f} s; {havoc.said()}; {running.client.retries} requests made again")
    print(f"ended: {dict(found.statuses)}")
    for error, count in errors.most_common(6):
        print(f"logged {count} times: {error}")
    print(table(lines), flush=True)
    return all(line.holds for line in lines)


def _submit_all(
    running: Cluster, wanted: list[Wanted], havoc: Havoc, chance: random.Random
) -> Submitted:
    found, lock = Submitted(), threading.Lock()
    queue, twice = list(reversed(wanted)), {w.key for w in wanted if chance.random() < AGAIN}
    havoc.start(lambda: found.ended / len(wanted))

    def work() -> None:
        while True:
            with lock:
                if not queue:
                    return
                job = queue.pop()
            _one(running, job, job.key in twice, found, lock)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(OPEN_JOBS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _one(
    running: Cluster, job: Wanted, twice: bool, found: Submitted, lock: threading.Lock
) -> None:
    document = pdf(job.pages, first=job.first)
    submit = partial(running.client.submit, document, job.key, model=f"fake?slow={PAGE_S}")
    try:
        ids = {submit() for _ in range(2 if twice else 1)}
        ended = [running.client.ended(job_id) for job_id in ids]
    except (TimeoutError, AssertionError) as error:
        with lock:
            found.stuck.append(f"{job.key}: {error}")
        return
    with lock:
        found.ids[job.key] = ids
        found.ended += 1
        for status in ended:
            found.statuses[status["status"]] += 1
            found.finished[status["id"]] = status["finished_at"]


def _outcome(running: Cluster, wanted: list[Wanted], found: Submitted) -> list[Line]:
    """What must be 0, from what the APIs say in the end."""
    client, ids = running.client, {i for ids in found.ids.values() for i in ids}
    listed = Counter(client.listed())
    wrong = [
        job.key
        for job in wanted
        for job_id in found.ids.get(job.key, ())
        if client.status(job_id)["status"] not in ("succeeded", "partial")
        or client.texts(job_id) != job.texts
    ]
    again = [i for i in ids if client.status(i)["finished_at"] != found.finished[i]]
    figures = {
        "jobs lost": [
            job.key for job in wanted if not found.ids.get(job.key, set()) & set(listed)
        ],
        "jobs stored twice": [
            *(key for key, several in found.ids.items() if len(several) > 1),
            *(i for i, times in listed.items() if times > 1 or i not in ids),
        ],
        "jobs that ended twice": again,
        "jobs stuck": found.stuck,
        "jobs that did not succeed": [
            s for s, n in found.statuses.items() if s != "succeeded" for _ in range(n)
        ],
        "results with a page wrong, missing or double": wrong,
    }
    for measure, which in figures.items():
        for one in which[:5]:
            print(f"{measure}: {one}")
    return [Line.none_of(measure, len(which)) for measure, which in figures.items()]


def _rest(running: Cluster) -> list[Line]:
    """What is left in the queue and of the processes once all is done."""
    left = -1

    def quiet() -> bool:
        nonlocal left
        left = running.parts.left()
        return left == 0

    try:
        wait_for(quiet, QUIET_S, "messages are left")
    except TimeoutError as error:
        readings = {scaler.name: scaler.read() for scaler in running.parts.scalers}
        print(f"{error}: {left}; {readings}")
    backlog = running.client.ask("GET", "/v1/backlog/cpu").json()
    dead = running.parts.dead()
    codes = running.stop()
    processes = running.left_over()
    for process in processes:
        print("left over:", process)
    failed = {name: code for name, code in codes.items() if code != 0}
    if failed:
        print("exit codes:", failed)
    return [
        Line.none_of("tasks left in the store", backlog["waiting"] + backlog["leased"]),
        Line.none_of("messages left in the queue", left),
        Line.none_of("messages put aside as dead", dead),
        Line.none_of("processes left over", len(processes)),
        Line.none_of("processes that did not end with 0 when asked", len(failed)),
    ]
