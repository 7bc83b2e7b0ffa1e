"""From no worker to many and back, live: an API, a sweep, RabbitMQ, PostgreSQL, an autoscaler.

`python -m bench.autoscale_live` measures a page's time and a worker's start, then submits a
first job, a wave, and a long job while the wave ends: 0, 1, N, 1, 0 workers. If the
simulator is available, it gets the same arrivals and these two times, and must arrive at the
same worker-seconds and wait.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from bench.autoscale_model import Model, document, measured, submitted
from bench.autoscale_rows import Outcome, read_outcome, rows, simulated
from bench.autoscaled import Scaling, moment
from bench.cluster_places import Place, in_sessions, wait_for
from bench.cluster_processes import Cluster, cluster, end_on_sigterm
from bench.cluster_rows import Line, table
from tests.parts.server import free_port

READY_S, GONE_S = 60.0, 600.0
SETTLED_S = 8.0  # from the first job until the wave, so that the first worker is awake
DRAIN_S = 120.0
TASK_PAGES = 64  # so that the long job is one task, which one worker holds


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is submitted, and to which policy.

    Attributes:
        policy: As the autoscaler's `--policy` takes it.
        most: Maximum number of workers.
        model: The model that reads.
        jobs: Number of jobs of the wave.
        pages: Maximum number of pages of one of them.
        long: Pages of the last job, which holds one worker while the others leave.
        every_s: Interval between two jobs of the wave.
    """

    policy: str
    most: int
    model: str
    jobs: int
    pages: int
    long: int
    every_s: float

    def arrivals(self, page_s: float) -> list[tuple[float, int]]:
        """When each job is submitted, in seconds, and its pages: always the same.

        The long job comes when the wave would be finished if nothing were lost.
        """
        draw = random.Random(6)  # noqa: S311 - no secret
        wave = [
            (SETTLED_S + self.every_s * n, draw.randint(1, self.pages))
            for n in range(self.jobs)
        ]
        work_s = sum(pages for _, pages in wave) * page_s / self.most
        last = max(work_s, self.every_s * self.jobs) * 0.9
        return [(0.0, 2), *wave, (SETTLED_S + last, self.long)]


def run(plan: Plan, record: Path) -> Outcome:
    """Run it once, and record everything.

    Args:
        plan: What is submitted.
        record: The file to write, JSON.
    """
    settings: dict[str, object] = {
        "warm_models": plan.model.partition("?")[0],
        "task_pages": TASK_PAGES,
        "sweep": "no",
        "drain_s": DRAIN_S,
        "log_format": "json",
    }
    with ExitStack() as ends:
        running = ends.enter_context(cluster("postgres", "amqp", workers=0, settings=settings))
        ends.enter_context(_sweep(running))
        model = measured(running, plan.model, plan.most)
        print(f"… {model}", flush=True)
        scaling = ends.enter_context(_autoscaler(running, plan))
        outcome = _wave(running, scaling, plan, model)
        outcome.left_over += in_sessions(scaling.place.sessions).values()
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(asdict(outcome), indent=1) + "\n")
    return outcome


def judged(outcome: Outcome, record: Path) -> list[Line]:
    """The lines of the table; the simulator's results are added to the record."""
    outcome.simulated = simulated(outcome)
    record.write_text(json.dumps(asdict(outcome), indent=1) + "\n")
    return rows(outcome)


def _wave(running: Cluster, scaling: Scaling, plan: Plan, model: Model) -> Outcome:
    arrivals = plan.arrivals(model.page_s)
    for _, pages in arrivals:
        document(plan.model, pages)  # created ahead of time
    began, ids, asked = time.time(), [], []
    for number, (at, pages) in enumerate(arrivals):
        time.sleep(max(0.0, began + at - time.time()))
        asked.append(time.time())
        ids.append(submitted(running, pages, plan.model, f"wave-{number}"))
    jobs = [running.client.ended(job_id, GONE_S) for job_id in ids]
    wait_for(lambda: _all_gone(scaling), GONE_S, "workers stay though there is no work")
    code = scaling.place.stop()
    return Outcome(
        plan={**asdict(plan), "task_pages": TASK_PAGES, "drain_s": DRAIN_S},
        model=model,
        submitted=asked,
        jobs=[
            {
                "id": job["id"],
                "status": job["status"],
                "pages": pages,
                "pages_done": job["pages_done"],
                **{
                    name: moment(job[f"{name}_at"])
                    for name in ("created", "started", "finished")
                },
            }
            for job, (_, pages) in zip(jobs, arrivals, strict=True)
        ],
        workers=scaling.lived(),
        decisions=scaling.told("scaled"),
        troubles=[line for line in scaling.lines() if line["level"] == "error"],
        exit=code,
    )


def _all_gone(scaling: Scaling) -> bool:
    lived = scaling.lived()
    return bool(lived) and all(worker.ended is not None for worker in lived)


@contextmanager
def _autoscaler(running: Cluster, plan: Plan) -> Iterator[Scaling]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options = ["--pool", f"cpu=0..{plan.most}", "--policy", plan.policy]
        scaling = Scaling(running, Path(folder), *options)
        with _started(scaling.place):
            try:
                yield scaling
            except BaseException:
                print(scaling.place.log.read_text()[-5000:], file=sys.stderr)
                raise


@contextmanager
def _sweep(running: Cluster) -> Iterator[Place]:
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Place(
            name="sweep",
            command=[sys.executable, "-P", "-m", "pagetide", "sweep"],
            environment=running.environment(health_port=port),
            port=port,
            log=Path(folder) / "sweep.log",
        )
        with _started(place):
            yield place


@contextmanager
def _started(place: Place) -> Iterator[None]:
    """Runs and is ready; at the end it is asked to stop, and killed if it does not."""
    place.start()
    try:
        wait_for(place.ready, READY_S, f"{place.name} is not ready")
        yield
    finally:
        place.stop()
        place.kill()
        place.ended()


def main() -> None:
    """Run it and print the table; exit with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.autoscale_live", description=__doc__)
    parser.add_argument("--policy", default="one-box:idle_s=10,tasks_a_worker=2")
    parser.add_argument("--most", type=int, default=4, help="maximum number of workers")
    parser.add_argument("--model", default="fake?slow=1", help="the model that reads")
    parser.add_argument("--jobs", type=int, default=60, help="jobs in the wave")
    parser.add_argument("--pages", type=int, default=16, help="maximum pages of a job")
    parser.add_argument("--long", type=int, default=60, help="pages of the last job")
    parser.add_argument("--every", type=float, default=0.25, help="seconds between two jobs")
    parser.add_argument("--record", type=Path, default=Path("out/autoscale_live.json"))
    parser.add_argument("--again", action="store_true", help="only evaluate the record again")
    given = parser.parse_args()
    if given.again:
        _tell(read_outcome(given.record), given.record)
    end_on_sigterm()
    plan = Plan(
        policy=given.policy,
        most=given.most,
        model=given.model,
        jobs=given.jobs,
        pages=given.pages,
        long=given.long,
        every_s=given.every,
    )
    _tell(run(plan, given.record), given.record)


def _tell(outcome: Outcome, record: Path) -> NoReturn:
    lines = judged(outcome, record)
    print(f"\n{table(lines)}\n\n{record}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(line.holds for line in lines) else 1)


if __name__ == "__main__":
    main()
