"""Decides when wake-ups that a queue seems to have lost are sent again."""

from __future__ import annotations

PAUSE_S, LONGEST_PAUSE_S = 5.0, 60.0  # SQS counts what was sent up to a minute late


class LostWakeUps:
    """The wake-ups sent again for one pool.

    Messages mean any task alike, so that only their number shows whether some were lost. A
    queue may count late: after some were sent again it is given time, longer each time.
    """

    def __init__(self) -> None:
        self._due = self._pause_s = 0.0

    def lost(self, missing: int, now: float) -> int:
        """How many to send again now.

        Args:
            missing: How many more tasks wait than messages, as the queue counts.
            now: When.
        """
        if missing <= 0:
            self._due = self._pause_s = 0.0
            return 0
        if now < self._due:
            return 0
        self._pause_s = min(max(PAUSE_S, 2 * self._pause_s), LONGEST_PAUSE_S)
        self._due = now + self._pause_s
        return missing
