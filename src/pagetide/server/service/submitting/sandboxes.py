"""A few sandboxes shared by many owners, none of whom can occupy all of them."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from pagetide.errors import Busy
from pagetide.inputs import Limits, Sandbox
from pagetide.system import cancellation

AT_ONCE = 3
OF_AN_OWNER = 2  # so that one is left for the others, whatever he has sent
PATIENCE_S = 30.0


class Sandboxes:
    """Lends sandboxes, which start when first needed.

    Where several owners wait it is the turn of him who holds the fewest, and among those of
    him who has waited longest.

    Args:
        limits: What a document may cost.
        patience_s: So long a sandbox is waited for.
    """

    def __init__(self, limits: Limits, patience_s: float = PATIENCE_S) -> None:
        self._all = tuple(Sandbox(limits) for _ in range(AT_ONCE))
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._idle = list(self._all)  # the last one back is the next lent, so that few start
        self._held = Counter[str]()
        self._waiting: dict[object, str] = {}  # the owner of each, in the order they came

    @contextmanager
    def lent(self, owner: str) -> Iterator[Sandbox]:
        """A sandbox for a document of this owner.

        Raises:
            Busy: None is to be had in time.
            Cancelled: Nobody waits for the document any more.
        """
        sandbox = self._take(owner)
        try:
            yield sandbox
        finally:
            with self._changed:
                self._idle.append(sandbox)
                self._held[owner] -= 1
                if not self._held[owner]:
                    del self._held[owner]
                self._changed.notify_all()

    def close(self) -> None:
        """End them all."""
        for sandbox in self._all:
            sandbox.close()

    def _take(self, owner: str) -> Sandbox:
        place, mark = object(), cancellation.current()
        with mark.waking(self._look_again), self._changed:
            self._waiting[place] = owner
            try:
                self._await_turn(place, mark)
            finally:
                del self._waiting[place]
                self._changed.notify_all()
            self._held[owner] += 1
            return self._idle.pop()

    def _await_turn(self, place: object, mark: cancellation.Cancellation) -> None:
        until = time.monotonic() + self._patience_s
        while self._next() is not place:
            mark.check()
            left_s = until - time.monotonic()
            if left_s <= 0:
                raise Busy("Too many documents are being opened; try again later.")
            self._changed.wait(left_s)

    def _next(self) -> object:
        """The owner whose turn it is; None while no sandbox is free for anybody who waits."""
        may = [p for p, owner in self._waiting.items() if self._held[owner] < OF_AN_OWNER]
        if not self._idle or not may:
            return None
        return min(may, key=lambda place: self._held[self._waiting[place]])

    def _look_again(self) -> None:
        with self._changed:
            self._changed.notify_all()
