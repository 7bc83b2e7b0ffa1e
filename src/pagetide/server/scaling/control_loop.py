"""The interface of every scaler: decides how many workers a pool has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pagetide.errors import BadOption


@dataclass(frozen=True, kw_only=True)
class Observation:
    """A loop's observation of a pool.

    Attributes:
        now: In seconds, by whatever clock; it never goes back.
        waiting: Tasks that wait.
        leased: Tasks that are being done.
        replicas: Workers asked for at present.
        ready: How many of these are up.
        failed: The number of tasks could not be read: `waiting` and `leased` say nothing.
        utilisation: 0-100, the mean over the workers that are up, where a loop goes by it;
            None where it is not known.
    """

    now: float
    waiting: int
    leased: int
    replicas: int
    ready: int
    failed: bool = False
    utilisation: float | None = None

    @property
    def size(self) -> int:
        """Tasks that wait or are being done."""
        return self.waiting + self.leased


class ControlLoop(Protocol):
    """Decides again and again how many workers there are. It holds what it remembers.

    Attributes:
        due: When it wants to look next, by the same clock.
    """

    due: float

    def step(self, seen: Observation) -> int:
        """Look; called at `due` or later, which moves `due`.

        Returns:
            How many workers to ask for from now on.
        """

    def push(self, seen: Observation) -> int:
        """Take note that work was just announced; may be called at any time.

        Returns:
            How many workers to ask for from now on: as many as before, for most loops.
        """


class Policy(Protocol):
    """A scaler and how it is set. It never changes; `loop` makes what does.

    Attributes:
        least: Workers there are at least.
        most: Workers there are at most.
        kills_busy: Whether workers that are too many are stopped though they are busy; one
            that is still busy `grace_s` later is killed. Otherwise a worker leaves only once
            it has nothing to do.
        grace_s: How long a worker that was stopped may take, in seconds.
        one_task_each: Whether a worker leaves after its first task, as a Job does. Then
            `replicas` are the workers that have not left, and a loop only ever adds to them.
    """

    @property
    def least(self) -> int: ...  # noqa: D102 - described above, as are the others
    @property
    def most(self) -> int: ...  # noqa: D102
    @property
    def kills_busy(self) -> bool: ...  # noqa: D102
    @property
    def grace_s(self) -> float: ...  # noqa: D102
    @property
    def one_task_each(self) -> bool: ...  # noqa: D102

    def loop(self, now: float) -> ControlLoop:
        """A loop that starts at `now`, in seconds, and has seen nothing yet."""


def check_bounds(least: int, most: int) -> None:
    """Refuse bounds that nothing can obey.

    Raises:
        BadOption: `least` is below 0, `most` below 1, or `least` above `most`.
    """
    if least < 0 or most < 1 or least > most:
        raise BadOption(f"A pool cannot have {least} to {most} workers.")


def check_positive(**options: float) -> None:
    """Refuse options that have to be above 0 and are not.

    Raises:
        BadOption: Names the first of them.
    """
    for name, value in options.items():
        if not value > 0:
            raise BadOption(f"The option {name} must be above 0, not {value:g}.")


def check_not_negative(**options: float) -> None:
    """Refuse options that must not be below 0 and are.

    Raises:
        BadOption: Names the first of them.
    """
    for name, value in options.items():
        if not value >= 0:
            raise BadOption(f"The option {name} must not be below 0, but is {value:g}.")
