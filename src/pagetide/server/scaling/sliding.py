"""The greatest and the least value of a sliding window, each found in constant time."""

from __future__ import annotations

from collections import deque


class Highest:
    """The greatest of the values added within a window."""

    def __init__(self, window: float) -> None:
        """Make it.

        Args:
            window: A value counts until it is so old, in whatever unit times are given.
        """
        self._window = window
        # What is followed by something greater can never be the answer again, so that times
        # rise here and values fall.
        self._kept: deque[tuple[float, int]] = deque()

    def add(self, now: float, value: int) -> None:
        """Tell a value; times never go back."""
        kept = self._kept
        while kept and kept[-1][1] <= value:
            kept.pop()
        kept.append((now, value))

    def of(self, now: float, value: int) -> int:
        """The greatest of `value` and of those added within the last window."""
        kept, end = self._kept, now - self._window
        while kept and kept[0][0] <= end:
            kept.popleft()
        return max(value, kept[0][1]) if kept else value


class Lowest:
    """The least of the values added within a window."""

    def __init__(self, window: float) -> None:
        self._opposite = Highest(window)

    def add(self, now: float, value: int) -> None:
        """Tell a value; times never go back."""
        self._opposite.add(now, -value)

    def of(self, now: float, value: int) -> int:
        """The least of `value` and of those added within the last window."""
        return -self._opposite.of(now, -value)
