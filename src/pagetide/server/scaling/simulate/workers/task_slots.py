"""A worker on paper: its slots, the tasks that they read, and when it came and went."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

# What a task is to its job: all of it, one of several, the putting together, or cut short.
WHOLE, PART, FINISH, CUT = range(4)
NEVER = -1.0


Task = tuple[int, int, int]  # the number of its job, its pages, and what it is to the job


class TaskSlot:
    """What reads one task at a time; a worker has one or several.

    Attributes:
        number: Its place in `Fleet.slots`.
        task: What it reads; None while it has nothing to do.
        begun_s: When it began that, or became idle.
        end_s: When that ends; an end that is noted elsewhere with another time is void.
        held: What it reads next.
        ahead: Pages of these.
        rest: What a task that is cut short leaves to others.
    """

    __slots__ = ("ahead", "begun_s", "end_s", "held", "number", "replica", "rest", "task")

    def __init__(self, number: int, replica: Replica, now: float) -> None:
        self.number, self.replica = number, replica
        self.task: Task | None = None
        self.begun_s, self.end_s = now, NEVER
        self.held: deque[Task] = deque()
        self.ahead = 0
        self.rest: Task | None = None


class Replica:
    """One worker's life.

    Attributes:
        asked_s: When it was asked for.
        ready_s: When it could take its first task.
        left_s: When it was gone.
        requested: Whether it is one of those that are asked for: until it is stopped, or has
            gone by itself.
        leaving: Whether it takes nothing more.
    """

    __slots__ = ("asked_s", "leaving", "left_s", "ready_s", "requested", "slots")

    def __init__(self, asked_s: float) -> None:
        self.asked_s = asked_s
        self.ready_s = self.left_s = math.inf
        self.requested, self.leaving = True, False
        self.slots: list[TaskSlot] = []

    @property
    def busy(self) -> bool:
        """Whether one of its slots reads."""
        return any(slot.task for slot in self.slots)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """How things stood at one time.

    Attributes:
        at_s: When.
        tasks: Tasks that waited or were held.
        replicas: Workers that were paid for.
        ready: Of these, workers that took tasks.
        paid_s: Seconds of workers paid for until then.
    """

    at_s: float
    tasks: int
    replicas: int
    ready: int
    paid_s: float
