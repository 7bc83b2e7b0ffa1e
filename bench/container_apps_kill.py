"""Replicas of Container Apps, killed long before their grace has passed: the cost.

`python -m bench.container_apps_kill [--window 60] [--lease 30] [--kills 4]`: on PostgreSQL and
Azurite, replicas get SIGTERM in the middle of tasks that take longer than the window, two at a
time, and SIGKILL when it has passed. First with a drain that trusts the grace of 600 s, then
with the one that `deploy/azure` sets, which ends within the window.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from datetime import datetime

from bench.cluster_places import Place, wait_for
from bench.cluster_processes import end_on_sigterm
from bench.cluster_rows import Line, table
from bench.cluster_watch import Recoveries
from bench.container_apps import Azure, Ended, Readings, all_scaled_in, azure, messages
from tests.serving import pdf, text_of_page

GRACE_S = 600.0
DRAIN = 0.75  # of the window, as `deploy/azure` sets it
TASK_PAGES = 8
TOGETHER = 2  # replicas that are scaled in at the same time


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The parameters of a run.

    Attributes:
        window_s: From SIGTERM to SIGKILL.
        lease_s: As set.
        drain_s: As set.
        kills: How many replicas are scaled in, two at a time.
    """

    window_s: float
    lease_s: float
    drain_s: float
    kills: int

    @property
    def page_s(self) -> float:
        """A page's time: its task takes half as long again as the window."""
        return 1.5 * self.window_s / TASK_PAGES

    @property
    def jobs(self) -> int:
        """Enough that every replica has a task in hand whenever it is scaled in."""
        return self.kills + TOGETHER


def main() -> None:
    """Run both, print the table; exit with 1 if something was lost."""
    parser = argparse.ArgumentParser(prog="python -m bench.container_apps_kill")
    parser.add_argument("--window", type=float, default=60.0, help="seconds to SIGKILL")
    parser.add_argument("--lease", type=float, default=30.0, help="PAGETIDE_LEASE_S")
    parser.add_argument("--kills", type=int, default=4)
    given = parser.parse_args()
    end_on_sigterm()
    lines: list[Line] = []
    for name, drain_s in (
        ("trusts the grace", GRACE_S),
        ("drains in time", DRAIN * given.window),
    ):
        plan = Plan(
            window_s=given.window, lease_s=given.lease, drain_s=drain_s, kills=given.kills
        )
        print(f"… {name}", flush=True)
        lines += run(plan, name)
    print(table(lines))
    sys.exit(0 if all(line.holds for line in lines) else 1)


def run(plan: Plan, name: str) -> list[Line]:
    """One run; its lines."""
    settings = {
        "lease_s": plan.lease_s,
        "drain_s": plan.drain_s,
        "task_pages": TASK_PAGES,
        "concurrency": 1,
        "warm_models": "fake",
    }
    with azure("postgres", workers=TOGETHER + 1, settings=settings) as running:
        recoveries = Recoveries(running.cluster)
        ids = [_submit(running, number, plan) for number in range(plan.jobs)]
        since, readings, ends = time.time(), Readings(running), list[Ended]()
        with readings.taken():
            while len(ends) < plan.kills:
                places = _busy(running, ids)
                found = all_scaled_in(running, places, plan.window_s, ids)
                for end in found:
                    if end.killed:
                        recoveries.hit(end.pid)
                ends += found
                for _ in found:
                    running.cluster.new_worker()  # as a backlog is for Container Apps
            wrong = sum(not _whole(running, number, job) for number, job in enumerate(ids))
        recoveries.finish()
        wait_for(lambda: messages(running) == 0, 60, "a message is left")
        last = max(_ended(running, job_id) for job_id in ids)
        seconds, counted = last - since, readings.between(since, last)
        taken_up = _taken_up(recoveries, plan, name) if _lost(ends) else []
        own = _own(plan, ends, name, len(ids), wrong, counted, seconds)
        dead = Line.none_of(f"{name}: dead letters", running.cluster.parts.dead())
        return [*own, *taken_up, dead]


def _taken_up(recoveries: Recoveries, plan: Plan, name: str) -> list[Line]:
    """It has no bar: all replicas may be busy, and then a task waits for a free one."""
    line = recoveries.lines(plan.lease_s + GRACE_S)[0]
    return [replace(line, measure=f"{name}: {line.measure}", bar="", holds=True)]


def _own(
    plan: Plan,
    ends: list[Ended],
    name: str,
    jobs: int,
    wrong: int,
    counted: list[int],
    seconds: float,
) -> list[Line]:
    killed = sum(end.killed for end in ends)
    kept = sum(len(task.done) for end in ends for task in end.held)
    left = max((end.seconds for end in ends if not end.killed), default=0.0)
    told = f"{len(ends)} scaled in, {killed} killed {plan.window_s:g} s after SIGTERM"
    return [
        Line(
            measure=f"{name}: drain {plan.drain_s:g} s, lease {plan.lease_s:g} s, "
            f"pages of {plan.page_s:g} s",
            figure=f"{told}, with {_lost(ends)} tasks in hand ({kept} of their pages were kept)"
            + (f"; the others left within {left:.1f} s" if left else ""),
        ),
        Line(
            measure=f"{name}: jobs that ended wrong or not at all",
            figure=f"{wrong} of {jobs}, in {seconds:.0f} s",
            bar="0",
            holds=wrong == 0,
        ),
        Line(
            measure=f"{name}: the least that azure-queue read while work was in flight",
            figure=f"{min(counted)}, the most {max(counted)}, of {len(counted)} readings",
            bar="≥ 1",
            holds=min(counted) >= 1,
        ),
    ]


def _lost(ends: list[Ended]) -> int:
    """Number of tasks held by the killed replicas."""
    return sum(len(end.held) for end in ends)


def _busy(running: Azure, ids: list[str]) -> list[Place]:
    """Two replicas that hold a task, once there are that many."""
    found: list[Place] = []

    def seen() -> bool:
        found[:] = [
            place
            for place in running.cluster.workers
            if place.runs() and running.held_by(place, ids)
        ]
        return len(found) >= TOGETHER

    wait_for(seen, 120, "no replica holds anything")
    return found[:TOGETHER]


def _submit(running: Azure, number: int, plan: Plan) -> str:
    document = pdf(TASK_PAGES, first=200 + 40 * number)
    model = f"fake?slow={plan.page_s}"
    return running.cluster.client.submit(document, f"kill-{number}", model=model)


def _whole(running: Azure, number: int, job_id: str) -> bool:
    """Whether a job has succeeded, with every page once and its own text on it."""
    status = running.cluster.client.ended(job_id, 1800)
    first = 200 + 40 * number
    expected = [(n, text_of_page(n, first=first)) for n in range(1, TASK_PAGES + 1)]
    return status["status"] == "succeeded" and running.cluster.client.texts(job_id) == expected


def _ended(running: Azure, job_id: str) -> float:
    stamp = running.cluster.client.status(job_id)["finished_at"]
    return datetime.fromisoformat(stamp).timestamp()


if __name__ == "__main__":
    main()
