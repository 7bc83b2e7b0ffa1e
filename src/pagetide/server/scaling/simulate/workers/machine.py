"""What a worker is, as far as scaling goes: how long it takes to start, to read, to leave."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache

from pagetide.errors import BadOption


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One worker.

    Attributes:
        page_s: Reading one page, where nothing else is read beside it on the same slot.
        task_s: What each task takes beside its pages: fetched, opened, reported.
        finish_s: Putting a job's results together, once its last page is read.
        hear_s: From a task's being there until a worker that is idle has begun it.
        announce_s: From a task's being there until a loop that is notified learns of it.
        cold_start_s: From being asked for until the first task can be taken. It is paid for.
        start_beside_s: What each other worker that starts at the same time adds to that, as
            where they share a machine.
        lanes: Tasks that are read at once, each at full speed.
        held: Tasks that a worker holds at most, those that it reads among them.
        ahead_pages: A worker takes no further task while so many pages of tasks that it holds
            wait to be read.
        task_pages: Most pages of one task, as in the settings.
        idle_exit_s: A worker without work for so long leaves by itself, where the policy tells
            nobody to go; `one-box` has an option of its own for it.
        leave_s: From a worker's having nothing more to do, once it leaves, until it is gone.
        drain_s: A worker that is stopped gives back what it has not begun after six tenths
            of this, or of the policy's grace where that is shorter.
        lease_s: Tasks of a killed worker wait again after so long.
        keeps_pages: Whether a page that was read stays read when its worker is killed, and
            what a worker cannot finish is given back. False is a worker as others build them.
        spares_busy: Whether those without work are the first to go, as with
            `pod-deletion-cost`; else those that started last.
        busy_percent: What a busy worker's utilisation reads, 0-100.
        page_spread: How unlike documents are: the standard deviation of a document's page
            time, as a part of `page_s`.
    """

    page_s: float = 1.0
    task_s: float = 0.0
    finish_s: float = 0.0
    hear_s: float = 0.0
    announce_s: float = 0.0
    cold_start_s: float = 0.0
    start_beside_s: float = 0.0
    lanes: int = 1
    held: int = 4
    ahead_pages: int = 6
    task_pages: int = 8
    idle_exit_s: float = math.inf
    leave_s: float = 0.0
    drain_s: float = 840.0
    lease_s: float = 30.0
    keeps_pages: bool = True
    spares_busy: bool = False
    busy_percent: float = 100.0
    page_spread: float = 0.0

    def __post_init__(self) -> None:
        if not (min(self.page_s, self.lanes, self.held) > 0 and self.task_pages >= 1):
            raise BadOption(
                "A worker needs a page time above 0, a lane, a task to hold and a page for it."
            )
        for each in fields(self):
            value = getattr(self, each.name)
            endless = value == math.inf and each.name != "idle_exit_s"
            if not value >= 0 or endless:
                raise BadOption(f"{each.name} of a worker cannot be {value:g}.")

    @property
    def ahead(self) -> int:
        """Tasks that a slot holds beside the one that it reads."""
        return max(0, self.held // self.lanes - 1)

    def cut(self, pages: int) -> tuple[int, ...]:
        """The pages of each task of a job, as `service.submission` cuts them."""
        return _cut(pages, self.task_pages)


@lru_cache(maxsize=8192)
def _cut(pages: int, size: int) -> tuple[int, ...]:
    from pagetide.server.service.submitting.submission import task_ranges

    return tuple(map(len, task_ranges(range(pages), size)))
