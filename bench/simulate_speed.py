"""The simulator's speed: `python -m bench.simulate_speed [--jobs N]`.

An office's day of a million jobs, one task each, as the command replays it: against a fixed
number of workers, and against the loops that check and are notified of work most often.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import sys
import time
from dataclasses import replace

from bench.cluster_rows import Line, table
from pagetide.server.scaling.simulate.replay import replay
from pagetide.server.scaling.simulate.setups import parse
from pagetide.server.scaling.simulate.traces import Load, Trace, made
from pagetide.server.scaling.simulate.workers.machine import Machine
from pagetide.system.cpu import model_name

BAR_S = 10.0
PAGES_A_JOB = 1.5
POLICIES = (
    "fixed:replicas=100",
    "keda:target=4,most=150",
    "one-box:most=100",
)


def main() -> None:
    """Measure, print a table, and exit with 1 if the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.simulate_speed", description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000_000, help="jobs in the day")
    jobs = parser.parse_args().jobs
    gc.set_threshold(100_000, 50, 100)  # as the command does
    pages = jobs * 30 * PAGES_A_JOB
    trace = made("daily", Load(pages_a_month=pages, pages_a_job=PAGES_A_JOB, seed=1))
    lines = [measure(trace, policy) for policy in POLICIES]
    print(f"{table(lines)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(line.holds for line in lines) else 1)


def measure(trace: Trace, policy: str) -> Line:
    """Replay it once."""
    machine = Machine(page_s=2.0, cold_start_s=30.0, idle_exit_s=math.inf)
    began, cpu_began_s = time.perf_counter(), time.process_time()
    found = replay(trace, parse(policy), replace(machine, spares_busy=True))
    took_s = time.perf_counter() - began
    cpu_s = time.process_time() - cpu_began_s
    assert found.unfinished == 0
    return Line(
        measure=f"a day of {found.jobs:,} jobs, {policy}, up to {found.most_replicas} workers",
        figure=f"{took_s:.1f} s, {cpu_s:.1f} s of one core",
        bar=f"≤ {BAR_S:g} s",
        holds=took_s <= BAR_S,
    )


if __name__ == "__main__":
    main()
