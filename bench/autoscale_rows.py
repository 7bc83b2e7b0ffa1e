"""The results of a live run of the autoscaler, beside the simulator's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.autoscale_model import Model
from bench.autoscaled import Lived
from bench.cluster_rows import Line, percentile

WAKE_S, DEVIATION = 1.0, 0.15
LOOK_S = 0.5


@dataclass(kw_only=True)
class Outcome:
    """A run; times in seconds since the epoch.

    Attributes:
        plan: What was submitted, and to which policy.
        model: What was measured before.
        submitted: When the request of each job was sent.
        jobs: Each job as it ended.
        workers: Each worker.
        decisions: The autoscaler's, as it logged them.
        troubles: What it logged as an error.
        exit: How the autoscaler itself exited.
        left_over: Commands of processes that outlived it.
        simulated: The simulator's results; empty if it is not available.
    """

    plan: dict[str, Any]
    model: Model
    submitted: list[float]
    jobs: list[dict[str, Any]]
    workers: list[Lived]
    decisions: list[dict[str, Any]]
    troubles: list[dict[str, Any]]
    exit: int | None
    left_over: list[str] = field(default_factory=list)
    simulated: dict[str, float] = field(default_factory=dict)

    @property
    def worker_s(self) -> float:
        """Total worker-seconds, from the start of each worker until it was gone."""
        return sum((worker.ended or 0.0) - worker.started for worker in self.workers)

    @property
    def waits_s(self) -> list[float]:
        """From each job's submission until its end."""
        return [job["finished"] - job["created"] for job in self.jobs]


def read_outcome(record: Path) -> Outcome:
    """The record of a run."""
    said = json.loads(record.read_text())
    model, workers = Model(**said["model"]), [Lived(**worker) for worker in said["workers"]]
    return Outcome(**{**said, "model": model, "workers": workers})


def rows(outcome: Outcome) -> list[Line]:
    """The lines of the table."""
    done = sum(
        job["status"] == "succeeded" and job["pages_done"] == job["pages"]
        for job in outcome.jobs
    )
    killed = sum(worker.exit in (-9, 137) for worker in outcome.workers)
    unclean = [worker for worker in outcome.workers if worker.exit != 0]
    woke = outcome.workers[0].started - outcome.submitted[0]
    pages = sum(job["pages"] for job in outcome.jobs)
    return [
        Line(
            measure=f"{outcome.plan['policy']}: jobs done, of {len(outcome.jobs)}, "
            f"{pages} pages",
            figure=f"{done / len(outcome.jobs):.0%}",
            bar="100 %",
            holds=done == len(outcome.jobs),
        ),
        _course(outcome),
        Line.none_of("workers killed", killed),
        Line(
            measure=f"workers whose exit was not 0, of {len(outcome.workers)}",
            figure=", ".join(f"{worker.name} {worker.exit}" for worker in unclean) or "0",
            bar="0",
            holds=not unclean,
        ),
        Line.none_of("errors in the autoscaler's log", len(outcome.troubles)),
        Line.none_of("processes left over", len(outcome.left_over)),
        Line(
            measure="from sending the first job to the first worker's start",
            figure=f"{woke:.2f} s",
            bar=f"≤ {WAKE_S:g} s",
            holds=0 <= woke <= WAKE_S,
        ),
        *_beside(outcome),
    ]


def _course(outcome: Outcome) -> Line:
    """The successive numbers of workers."""
    course = course_of(outcome.workers)
    most = outcome.plan["most"]
    return Line(
        measure="workers, one after the other",
        figure="→".join(map(str, course)),
        bar=f"0→1→…{most}…→0",
        holds=course[:2] == [0, 1] and max(course) == most and course[-1] == 0,
    )


def course_of(workers: Sequence[Lived]) -> list[int]:
    """The numbers of workers, from none to none."""
    moves = [(worker.started, 1) for worker in workers]
    moves += [(worker.ended, -1) for worker in workers if worker.ended is not None]
    course = [0]
    for _, move in sorted(moves):
        course.append(course[-1] + move)
    return course


def _beside(outcome: Outcome) -> list[Line]:
    """The worker-seconds and the wait, beside the simulator's."""
    figures = {
        "worker-seconds": outcome.worker_s,
        "P95 of the wait, s": percentile(outcome.waits_s, 0.95),
    }
    return [
        _compared(name, value, outcome.simulated.get(name)) for name, value in figures.items()
    ]


def _compared(name: str, value: float, simulated: float | None) -> Line:
    if simulated is None:
        return Line(measure=name, figure=f"{value:.1f}")
    deviation = simulated / value - 1
    return Line(
        measure=f"{name}: live, simulated",
        figure=f"{value:.1f}, {simulated:.1f} ({deviation:+.1%})",
        bar=f"within {DEVIATION:.0%}",
        holds=abs(deviation) <= DEVIATION,
    )


def simulated(outcome: Outcome) -> dict[str, float]:
    """The same arrivals in the simulator, with the values measured before the wave."""
    from dataclasses import replace

    try:
        from pagetide.server.scaling.policies import parse_policy
        from pagetide.server.scaling.simulate.replay import replay
        from pagetide.server.scaling.simulate.traces import trace_of
        from pagetide.server.scaling.simulate.workers.machine import Machine
    except ImportError:
        return {}
    model, began = outcome.model, outcome.submitted[0]
    policy: Any = parse_policy(outcome.plan["policy"])
    changed: dict[str, Any] = {"least": 0, "most": outcome.plan["most"]}
    if hasattr(policy, "idle_s"):  # a worker is paid for until it is gone
        changed["idle_s"] = policy.idle_s + model.leave_s
    machine = Machine(
        page_s=model.page_s,
        finish_s=model.job_s,
        hear_s=model.hear_s,
        announce_s=LOOK_S / 2,
        cold_start_s=model.cold_many_s,
        task_pages=outcome.plan["task_pages"],
        drain_s=outcome.plan["drain_s"],
    )
    trace = trace_of(
        (max(0.0, job["created"] - began) for job in outcome.jobs),
        (job["pages"] for job in outcome.jobs),
    )
    found = replay(trace, replace(policy, **changed), machine)
    return {"worker-seconds": found.replica_s, "P95 of the wait, s": found.wait_p95_s}
