"""Decides when a worker stops."""

from __future__ import annotations

import threading

from pagetide.settings import Settings
from pagetide.system.watchdog import resident_mb

HALT_SHARE = 0.6  # of the time to drain, after which what is in hand is given back


class Leaving:
    """Whether a worker takes more tasks, and whether it goes on with those it has.

    Attributes:
        stopping: It takes no more tasks.
        halted: That is so long ago that it gives back what it has in hand.
        pages: How many pages it has read.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.stopping, self.halted = threading.Event(), threading.Event()
        self.pages = 0

    def stop(self) -> None:
        """Take nothing more; finish what is in hand, or give it back before long."""
        self.stopping.set()
        halt = threading.Timer(self._settings.drain_s * HALT_SHARE, self.halted.set)
        halt.daemon = True
        halt.start()

    def worn(self) -> str:
        """Why this process should make way for a new one; empty if it need not."""
        if self.pages >= self._settings.recycle_pages:
            return f"recycled after {self.pages} pages"
        if resident_mb() > self._settings.recycle_mb:
            return f"recycled at {resident_mb():.0f} MB"
        return ""

    def is_due(self) -> bool:
        """Whether it is to take nothing more."""
        return self.stopping.is_set() or bool(self.worn())
