"""What the functions are called with, and what all of them begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pagetide.settings import Settings

Event = Mapping[str, Any]


class Invocation(Protocol):
    """Lambda's description of a call; its `context`."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function is killed."""
        ...


def remaining_s(context: Invocation) -> float:
    """Seconds until the function is killed."""
    return context.get_remaining_time_in_millis() / 1000


def begun() -> Settings:
    """The settings of this function, whose logs and traces are set up from here on.

    Raises:
        BadOption: A setting is wrong.
    """
    from pagetide.telemetry import logs, tracing

    settings = Settings.from_environment()
    logs.configure(settings)
    tracing.configure(settings)
    return settings
