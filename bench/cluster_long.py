"""A task four times longer than its lease and its message's visibility: how often it runs."""

from __future__ import annotations

import time
from contextlib import closing

from bench.cluster_processes import Cluster, cluster
from bench.cluster_rows import Line
from bench.cluster_sizes import Sizes
from bench.cluster_watch import opened_store
from pagetide.server.queues.celery.broker import LEASES_VISIBLE
from tests.serving import pdf

LEASE_S = 3.0
TIMES = 4
LOOK_S = 0.1
# For how many leases a message stays hidden without renewal; one unless listed.
VISIBLE = {"redis": LEASES_VISIBLE}


def rows(sizes: Sizes) -> list[Line]:
    """On every combination; two workers stand by, so that another could run it again."""
    return [
        _on(store, queue, 1.0 if sizes.small else LEASE_S) for store, queue in sizes.chosen()
    ]


def _on(store: str, queue: str, lease_s: float) -> Line:
    page_s = lease_s * VISIBLE.get(queue, 1) * TIMES
    settings = {"lease_s": lease_s, "warm_models": "fake"}
    with cluster(store, queue, workers=2, settings=settings) as running:
        job_id = running.client.submit(pdf(1), "long", model=f"fake?slow={page_s}")
        claims = _claims(running, job_id, 3 * page_s + 30)
        status = running.client.status(job_id)["status"]
        lost = running.logged("lease lost|result refused|lease not renewed")
    for line in lost:
        print(line)
    return Line(
        measure=f"{store}+{queue}: a task of {page_s:g} s, lease {lease_s:g} s: runs of it",
        figure=f"{len(claims)} ({status}; {len(lost)} leases lost)",
        bar="1",
        holds=len(claims) == 1 and status == "succeeded" and not lost,
    )


def _claims(running: Cluster, job_id: str, seconds: float) -> set[str]:
    """The leases seen on the job's `read` task until it had ended."""
    seen: set[str] = set()
    deadline = time.monotonic() + seconds
    with closing(opened_store(running)) as store:
        while time.monotonic() < deadline:
            for task in store.tasks(job_id):
                if task.kind == "read":
                    seen |= {task.lease.token} if task.lease else set(task.done.values())
            job = store.job(job_id)
            if job and job.ended:
                return seen
            time.sleep(LOOK_S)
    raise TimeoutError(f"{job_id} has not ended")
