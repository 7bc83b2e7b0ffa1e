"""A trace replayed against a policy: the policy's own control loop over workers on paper."""

from __future__ import annotations

import math

import numpy as np

from pagetide.server.scaling.control_loop import Policy
from pagetide.server.scaling.simulate.measures import FREE, Measures, Price
from pagetide.server.scaling.simulate.run import Run
from pagetide.server.scaling.simulate.traces import Trace
from pagetide.server.scaling.simulate.workers.fleet import Fleet
from pagetide.server.scaling.simulate.workers.machine import Machine

SAMPLES = 400


def replay(
    trace: Trace,
    policy: Policy,
    machine: Machine,
    *,
    price: Price = FREE,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Measures:
    """What a policy makes of a trace.

    It goes on until the trace's span is over, every job has ended, and the workers that are
    too many have left, for which it waits an hour at most, which counts. A job whose work
    nobody takes up for a day is given up; `Measures.unfinished` counts them.

    Args:
        trace: The jobs.
        policy: Decides how many workers there are.
        machine: What a worker is.
        price: What a worker costs.
        seed: Of the documents' page times, where `machine.page_spread` is not 0.
        samples: How many points in time of the span are kept, about.
    """
    job_page_s = _page_times(trace, machine, seed)
    fleet = Fleet(policy, machine, job_page_s)
    every_s = max(trace.span_s / samples, 0.1)
    fleet.at(0.0, "sample", every_s)
    run = Run(trace, fleet)
    end_s = run.to_the_end()
    fleet.count_paid(end_s)
    return Measures.of(trace, fleet, np.array(run.ended), end_s, price)


def _page_times(trace: Trace, machine: Machine, seed: int) -> list[float]:
    if not machine.page_spread:
        return [machine.page_s] * len(trace.at_s)
    sigma = math.sqrt(math.log1p(machine.page_spread**2))  # so that the mean stays page_s
    random = np.random.default_rng(seed)
    factors = random.lognormal(-(sigma**2) / 2, sigma, len(trace.at_s))
    times: list[float] = (factors * machine.page_s).tolist()
    return times
