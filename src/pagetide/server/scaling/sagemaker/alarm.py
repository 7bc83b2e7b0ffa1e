"""An alarm of CloudWatch: M of the last N points, some of which may be missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Literal

State = Literal["OK", "ALARM", "INSUFFICIENT_DATA"]
Missing = Literal["breaching", "notBreaching", "ignore", "missing"]


class Alarm:
    """Gets one point a period. What is older than N periods plays no part.

    Attributes:
        state: What the last point made of it.
    """

    def __init__(
        self,
        breaches: Callable[[float], bool],
        *,
        periods: int,
        points: int | None = None,
        missing: Missing = "missing",
    ) -> None:
        """Make it.

        Args:
            breaches: Whether a point is beyond the threshold.
            periods: N, how many points are looked at.
            points: M, how many of them must breach; None: all.
            missing: What a point that is missing is taken for.
        """
        self.state: State = "INSUFFICIENT_DATA"
        self._breaches, self._missing = breaches, missing
        self._needed = periods if points is None else points
        self._points: deque[bool | None] = deque([None] * periods, maxlen=periods)

    def observe(self, value: float | None) -> bool:
        """Tell the next point, None if it is missing.

        Returns:
            Whether this turned it to ALARM: a notice is sent only then, not as long as it
            stays there.
        """
        self._points.append(None if value is None else self._breaches(value))
        before, self.state = self.state, self._judge()
        return self.state == "ALARM" != before

    def _judge(self) -> State:
        bad, good = self._points.count(True), self._points.count(False)
        absent = len(self._points) - bad - good
        if self._missing == "breaching":
            bad += absent
        elif self._missing == "notBreaching":
            good += absent
        elif self._missing == "missing" and not bad and not good:
            return "INSUFFICIENT_DATA"
        if bad >= self._needed:
            return "ALARM"
        undecided = bad + good < len(self._points)
        enough = good > len(self._points) - self._needed
        return self.state if undecided and not enough else "OK"
