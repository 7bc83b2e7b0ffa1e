"""Rate limits: a token bucket for each key, in this process.

A bucket holds the requests of one second. Several server processes do not know of each
other's: a database would be written by every request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pagetide.errors import TooManyRequests

RETRY_AFTER_S = 1  # in which every bucket is full again


@dataclass
class _Bucket:
    left: float
    at: float


class Rates:
    """The buckets of the keys that have asked; there are no more than keys."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key_id: str, most: int) -> int:
        """Take a request out of a key's bucket.

        Args:
            key_id: Whose.
            most: Requests a second.

        Returns:
            How many more it may make at once; less than 0, and nothing is taken, where this one
            is too many.
        """
        now = self._clock()
        bucket = self._buckets.setdefault(key_id, _Bucket(most, now))
        bucket.left = min(most, bucket.left + max(0.0, now - bucket.at) * most)
        bucket.at = now
        if bucket.left < 1:
            return -1
        bucket.left -= 1
        return int(bucket.left)


def too_many(most: int) -> TooManyRequests:
    """The error for a request too many."""
    message = f"This key may make {most} requests per second; try again in a second."
    return TooManyRequests(message, retry_after_s=RETRY_AFTER_S)
