"""CloudWatch's alarms: evaluated by the rules, acting only when their state changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass
class Alarm:
    """An alarm on one metric.

    Attributes:
        periods: So many of the newest points are looked at, and all of them must breach.
        breaches: Whether a point does.
        missing: Whether a point that is missing does.
        alarmed: Its state.
    """

    periods: int
    breaches: Callable[[float], bool]
    missing: bool
    alarmed: bool = False

    def look(self, points: Sequence[float]) -> bool:
        """Whether it acts now, having seen all points so far, the newest last."""
        newest = [self.breaches(point) for point in points[-self.periods :]]
        newest += [self.missing] * (self.periods - len(newest))
        was, self.alarmed = self.alarmed, all(newest)
        return self.alarmed and not was
