"""How many workers a pool should have: one rule for one box and for the cluster."""

from __future__ import annotations

from dataclasses import dataclass

from pagetide.ports import Backlog
from pagetide.wanted import TASKS_A_WORKER


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What a pool may have.

    Attributes:
        least: Workers kept though there is no work.
        most: Workers at most.
        tasks_a_worker: Waiting or leased tasks that are worth one worker.
    """

    least: int = 0
    most: int = 1
    tasks_a_worker: int = TASKS_A_WORKER


def desired(backlog: Backlog, bounds: Bounds) -> int:
    """How many workers a pool should have now.

    One task is worth a worker, and from there one for every `tasks_a_worker`. Leased tasks
    count, so that nobody is taken away who works. Workers that are too many leave by
    themselves once they are idle; nobody is told to go.
    """
    tasks = backlog.waiting + backlog.leased
    wanted = -(-tasks // bounds.tasks_a_worker)
    return min(max(wanted, bounds.least), max(bounds.most, bounds.least))
