"""Which of the tasks that wait nobody seems to have heard of, as far as sweeps remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pagetide.job import Task

FIRST = 10  # tasks in line that workers take next
OVERTAKEN_S = 30.0  # whoever stays there for so long while others are taken
PAUSE_S, LONGEST_PAUSE_S = 5.0, 60.0  # SQS counts what was sent up to a minute late


@dataclass(frozen=True)
class Waiting:
    """A task that waits.

    Attributes:
        due: When it is sent again.
        pause_s: How long that is after it was sent again; 0 where it never was.
    """

    due: float
    pause_s: float = 0.0


class Unheard:
    """The tasks of one pool that wait, and when each may be sent again."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}

    def among(
        self, late: Sequence[Task], missing: int, now: float, busy: Callable[[], bool]
    ) -> tuple[Task, ...]:
        """Those to send again now.

        Args:
            late: The tasks that wait, in the order in which they are taken.
            missing: How many of them have no message, as the queue counts.
            now: When.
            busy: Whether tasks of the pool are being done.
        """
        known, self._waiting = self._waiting, {}
        found = []
        for place, task in enumerate(late):
            waits = known.get(task.id)
            lost = place < missing and (not waits or not waits.pause_s or waits.due <= now)
            if lost or (place < FIRST and waits and waits.due <= now and busy()):
                found.append(task)
                pause_s = min(
                    max(PAUSE_S, 2 * (waits.pause_s if waits else 0)), LONGEST_PAUSE_S
                )
                waits = Waiting(now + pause_s, pause_s)
            if waits or place < FIRST:
                self._waiting[task.id] = waits or Waiting(now + OVERTAKEN_S)
        return tuple(found)
