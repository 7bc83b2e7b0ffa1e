"""Whose turn it is: items of several callers, given out one of each in a round."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items that wait, in order of arrival for each caller; the callers take turns."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[T]] = {}  # the first's turn is next

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, caller: Hashable, item: T) -> None:
        """Let an item wait; a caller without another gets the last turn of this round."""
        self._waiting.setdefault(caller, deque()).append(item)

    def take(self) -> tuple[Hashable, T] | None:
        """The next item and whose it is; None where nothing waits."""
        if not self._waiting:
            return None
        caller = next(iter(self._waiting))
        items = self._waiting.pop(caller)
        item = items.popleft()
        if items:
            self._waiting[caller] = items
        return caller, item

    def drop(self, caller: Hashable) -> None:
        """Forget what a caller waits for."""
        self._waiting.pop(caller, None)
