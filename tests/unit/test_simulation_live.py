"""A live run from no worker to four and back, and what the simulator says of the same.

`python -m bench.autoscale_live` ran it on 2026-11-21: PostgreSQL, RabbitMQ, real workers with
an engine that sleeps a second a page, on two cores with other work. Before the jobs came it
measured a page, a job's rest and a start; the simulator is told these and when the jobs came.
"""

from __future__ import annotations

import pytest

from pagetide.server.scaling.one_box import OneBox
from pagetide.server.scaling.simulate.replay import replay
from pagetide.server.scaling.simulate.traces import trace_of
from pagetide.server.scaling.simulate.workers.machine import Machine

JOBS = (  # seconds from the first one's submission, and pages
    (0.03, 2),
    (8.04, 3),
    (8.28, 16),
    (8.52, 9),
    (8.8, 2),
    (9.04, 1),
    (9.31, 5),
    (9.5, 16),
    (9.77, 12),
    (10.02, 11),
    (10.29, 1),
    (10.54, 9),
    (10.78, 16),
    (11.02, 7),
    (11.28, 14),
    (11.52, 4),
    (11.79, 7),
    (12.03, 9),
    (12.28, 3),
    (12.53, 14),
    (12.77, 11),
    (13.04, 3),
    (13.26, 12),
    (13.54, 14),
    (13.76, 9),
    (14.02, 15),
    (14.26, 4),
    (14.52, 7),
    (14.77, 10),
    (15.02, 4),
    (15.31, 2),
    (15.51, 7),
    (15.77, 12),
    (16.01, 16),
    (16.26, 7),
    (16.51, 1),
    (16.76, 12),
    (17.03, 8),
    (17.26, 14),
    (17.51, 10),
    (17.78, 12),
    (18.04, 4),
    (18.28, 3),
    (18.53, 7),
    (18.77, 4),
    (19.03, 9),
    (19.27, 10),
    (19.51, 7),
    (19.79, 13),
    (20.02, 16),
    (20.26, 8),
    (20.51, 5),
    (20.76, 7),
    (21.01, 1),
    (21.27, 7),
    (21.53, 6),
    (21.76, 1),
    (22.02, 11),
    (22.26, 10),
    (22.51, 12),
    (22.78, 13),
    (134.89, 60),
)
MACHINE = Machine(
    page_s=1.121,
    finish_s=0.003,
    hear_s=0.122,
    announce_s=0.25,  # the autoscaler looks twice a second
    cold_start_s=5.00,
    start_beside_s=0.54,  # four took 6.62 s
    leave_s=2.63,
    task_pages=64,
    held=1,  # that engine asks for a page when it has given the one before
)
WORKER_S, P95_S = 690.7, 126.8  # as measured
MOST = 0.15


def test_it_comes_to_what_was_measured() -> None:
    policy = OneBox(most=4, tasks_a_worker=2, idle_s=10)
    trace = trace_of((at_s for at_s, _ in JOBS), (pages for _, pages in JOBS))
    found = replay(trace, policy, MACHINE)
    assert found.replica_s == pytest.approx(WORKER_S, rel=MOST)
    assert found.wait_p95_s == pytest.approx(P95_S, rel=MOST)
    assert (found.starts, found.most_replicas, found.kills) == (4, 4, 0)
    assert found.unfinished == 0
