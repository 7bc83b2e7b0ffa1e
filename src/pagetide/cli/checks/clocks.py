"""Measures the offset of another clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from pagetide.cli.checks.examination import Steps
from pagetide.errors import StoreFailed

WARN_S = 2.0  # what whole seconds and a slow answer cannot explain


def offset_s(ask: Callable[[], float]) -> float:
    """The seconds a clock is ahead (or, below 0, behind); 0 where asking may be the cause."""
    before = time.time()
    clock = ask()
    return beyond(clock, before, time.time())


def beyond(clock: float, earliest: float, latest: float) -> float:
    """How far a time lies behind the latest, or (below 0) before the earliest, it may be."""
    return max(0.0, clock - latest) + min(0.0, clock - earliest)


def judge(offset: float, wrong_s: float, why: str, steps: Steps) -> None:
    """Note, warn of, or refuse a clock.

    Raises:
        StoreFailed: It is off by more than `wrong_s`.
    """
    how = f"{abs(offset):.1f} s {'ahead of' if offset > 0 else 'behind'} this machine's"
    if abs(offset) > max(wrong_s, WARN_S):
        raise StoreFailed(f"Its clock is {how}: {why}.")
    if abs(offset) > WARN_S:
        steps.warnings.append(f"its clock is {how}")
    else:
        steps.notes.append(f"clock within {WARN_S:g} s")
