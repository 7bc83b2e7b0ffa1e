"""What came of a replay: what it cost, how long users waited, what was done twice."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pagetide.server.scaling.simulate.traces import Floats, Trace
from pagetide.server.scaling.simulate.workers.fleet import Fleet
from pagetide.server.scaling.simulate.workers.task_slots import Sample


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a worker costs.

    Attributes:
        usd_an_hour: For one worker; None where no price is known.
        usd_a_million_tasks: Beside that, where each task is a paid request.
        only_busy: Whether its idle time is free, as of a function that is paid by the call;
            its start is paid for in any case.
        usd_an_hour_at_rest: What is paid for all the time, whatever the workers do.
        name: What it is the price of.
        source: Where it is from, with the date.
    """

    usd_an_hour: float | None = None
    usd_a_million_tasks: float = 0.0
    only_busy: bool = False
    usd_an_hour_at_rest: float = 0.0
    name: str = ""
    source: str = ""


FREE = Price()


@dataclass(frozen=True, kw_only=True)
class Life:
    """When one worker was there: asked for, ready (infinity: never), gone."""

    asked_s: float
    ready_s: float
    left_s: float


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What came of a replay.

    A job's wait is the time from its submission until its results are there. What users see
    of scaling is in it: the cold start, the queue, the pages.

    Attributes:
        jobs: Jobs that came.
        pages: Their pages.
        tasks: The tasks that they were cut into.
        unfinished: Jobs that never ended.
        span_s: How long was looked at: at least the trace's span, and until all was over.
        wait_p50_s: Half of the jobs waited no longer.
        wait_p95_s: 95 of 100 waited no longer.
        wait_p99_s: 99 of 100 waited no longer.
        begun_p95_s: 95 of 100 jobs had their first page begun after so long.
        replica_s: Seconds of workers, from being asked for until gone, together.
        busy_s: Seconds in which a worker's slot read, as seconds of whole workers.
        redone_s: Of these, spent on what had to be done again.
        starts: Workers that were asked for.
        kills: Workers that were killed while they held tasks.
        most_replicas: Most workers at once.
        idle_share: The part of the time that is paid for in which nothing was read, starts
            among it.
        cost_usd: All of it; None where no price is known.
        usd_a_1000_pages: The same for 1,000 pages.
        samples: How things stood, in even steps.
        lives: When each worker was there.
        waits_s: Each job's wait, in the order in which they came; NaN where it never ended.
        arrived_s: When each came.
    """

    jobs: int
    pages: int
    tasks: int
    unfinished: int
    span_s: float
    wait_p50_s: float
    wait_p95_s: float
    wait_p99_s: float
    begun_p95_s: float
    replica_s: float
    busy_s: float
    redone_s: float
    starts: int
    kills: int
    most_replicas: int
    idle_share: float
    cost_usd: float | None
    usd_a_1000_pages: float | None
    samples: tuple[Sample, ...] = field(repr=False)
    lives: tuple[Life, ...] = field(repr=False)
    waits_s: Floats = field(repr=False, compare=False)
    arrived_s: Floats = field(repr=False, compare=False)

    @property
    def replica_hours(self) -> float:
        """Hours of workers, together."""
        return self.replica_s / 3600

    @classmethod
    def of(
        cls, trace: Trace, fleet: Fleet, ended: Floats, end_s: float, price: Price
    ) -> Measures:
        """Measure a fleet that has come to rest."""
        waits_s = ended - trace.at_s
        begun = np.array(fleet.begun)
        begun_s = np.where(begun < 0, np.nan, begun - trace.at_s)
        lives = tuple(
            Life(asked_s=one.asked_s, ready_s=one.ready_s, left_s=min(one.left_s, end_s))
            for one in fleet.replicas
        )
        replica_s = sum(life.left_s - life.asked_s for life in lives)
        busy_s = fleet.busy_s / fleet.machine.lanes
        tasks = _tasks(trace, fleet)
        paid_s = _paid_s(fleet, replica_s, busy_s, end_s) if price.only_busy else replica_s
        cost = _cost(price, paid_s, tasks, end_s)
        pages = trace.page_count
        return cls(
            jobs=len(trace.at_s),
            pages=pages,
            tasks=tasks,
            unfinished=int(np.isnan(ended).sum()),
            span_s=end_s,
            wait_p50_s=percentile(waits_s, 50),
            wait_p95_s=percentile(waits_s, 95),
            wait_p99_s=percentile(waits_s, 99),
            begun_p95_s=percentile(begun_s, 95),
            replica_s=replica_s,
            busy_s=busy_s,
            redone_s=fleet.redone_s / fleet.machine.lanes,
            starts=len(lives),
            kills=fleet.kills,
            most_replicas=_most(lives),
            idle_share=max(0.0, 1 - busy_s / paid_s) if paid_s > 0 else 0.0,
            cost_usd=cost,
            usd_a_1000_pages=None if cost is None or not pages else cost / pages * 1000,
            samples=tuple(one for one in fleet.samples if one.at_s <= end_s),
            lives=lives,
            waits_s=waits_s,
            arrived_s=trace.at_s,
        )


def percentile(values: Floats, percent: float) -> float:
    """The value that so many percent do not exceed, of those that are numbers; 0 for none.

    It is one of the values, never between two of them.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return 0.0
    place = max(0, math.ceil(percent / 100 * len(known)) - 1)
    return float(np.partition(known, place)[place])


def _tasks(trace: Trace, fleet: Fleet) -> int:
    pages, counts = np.unique(trace.pages, return_counts=True)
    cut = fleet.machine.cut
    return sum(len(cut(int(p))) * int(n) for p, n in zip(pages, counts, strict=True))


def _paid_s(fleet: Fleet, replica_s: float, busy_s: float, end_s: float) -> float:
    """What is paid for where idle time is free."""
    starts_s = sum(min(one.ready_s, one.left_s, end_s) - one.asked_s for one in fleet.replicas)
    return min(replica_s, busy_s + starts_s)


def _cost(price: Price, paid_s: float, tasks: int, end_s: float) -> float | None:
    if price.usd_an_hour is None:
        return None
    return (
        paid_s * price.usd_an_hour / 3600
        + tasks * price.usd_a_million_tasks / 1e6
        + end_s * price.usd_an_hour_at_rest / 3600
    )


def _most(lives: tuple[Life, ...]) -> int:
    """Most workers at once; one that goes makes way for one that comes at the same time."""
    moves = sorted(
        [(life.asked_s, 1) for life in lives] + [(life.left_s, -1) for life in lives]
    )
    now = most = 0
    for _, change in moves:
        now += change
        most = max(most, now)
    return most
