"""Waiting for a condition, with a deadline instead of a sleep."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LOOK_S, SELDOM_S = 0.005, 0.1
SHARE = 0.05  # of the wait so far: a check may cost a request, and the wait grows by no more


def until(condition: Callable[[], T | None], seconds: float = 60.0, why: str = "") -> T:
    """The condition's value once it is true; the test fails if that does not happen in time."""
    began, pause = time.monotonic(), threading.Event()
    while not (found := condition()):
        waited = time.monotonic() - began
        assert waited < seconds, why or f"not within {seconds:g} s"
        pause.wait(min(max(LOOK_S, SHARE * waited), SELDOM_S))
    return found
