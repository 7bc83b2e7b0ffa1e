"""The jobs of a trace, one after the other."""

from __future__ import annotations

import math

from pagetide.server.scaling.simulate.traces import Trace

_CHUNK = 65_536


class Arrivals:
    """The jobs in order, as Python's own numbers, without holding all of them twice.

    Attributes:
        next_s: When the next job comes; infinity after the last.
        job: Its number.
        pages: How many it has.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace, self._from = trace, 0
        self._times: list[float] = []
        self._counts: list[int] = []
        self._place, self.job, self.pages = -1, -1, 0
        self.next_s = math.inf
        self.step()

    def step(self) -> None:
        """Go on to the next job."""
        self.job += 1
        self._place += 1
        if self._place == len(self._times):
            chunk = slice(self._from, self._from + _CHUNK)
            self._times = self._trace.at_s[chunk].tolist()
            self._counts = self._trace.pages[chunk].tolist()
            self._from, self._place = chunk.stop, 0
            if not self._times:
                self._place, self.next_s = -1, math.inf
                return
        self.pages = self._counts[self._place]
        self.next_s = self._times[self._place]
