"""Waiting for a condition, with a deadline instead of a sleep."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LOOK_S = 0.005


def until(condition: Callable[[], T | None], seconds: float = 60.0, why: str = "") -> T:
    """What the condition gives once it holds; the test fails if it does not in time."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while not (found := condition()):
        assert time.monotonic() < deadline, why or f"not within {seconds:g} s"
        pause.wait(LOOK_S)
    return found
