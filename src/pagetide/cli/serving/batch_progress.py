"""How far a batch is, on one line where somebody looks, and nothing elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TextIO

from pagetide.cli.reading.progress import span
from pagetide.integrations.batch.report import Totals

_BAR = 24  # characters


class BatchProgress:
    """Draws what is done, how fast, what it costs and how long it still takes."""

    def __init__(
        self,
        stream: TextIO,
        clock: Callable[[], float],
        before: Totals,
        price_per_hour: float | None = None,
    ) -> None:
        """Begin to count.

        Args:
            stream: Drawn on only when it is a terminal.
            clock: Seconds, from any start.
            before: What an earlier run has done: no part of the rate.
            price_per_hour: Of a worker.
        """
        self._stream, self._clock, self._began = stream, clock, clock()
        self._before, self._price = before, price_per_hour

    def draw(self, sums: Totals, items: int) -> None:
        """Draw the line anew; `items` is how many there are in all."""
        if not self._stream.isatty():
            return
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{self.line(sums, items)[:width]}")
        self._stream.flush()

    def clear(self) -> None:
        """Wipe the line."""
        if self._stream.isatty():
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def line(self, sums: Totals, items: int) -> str:
        """What it says now."""
        took = max(self._clock() - self._began, 1e-9)
        share = sums.items / items if items else 1.0
        full = round(_BAR * share)
        rate = 60 * (sums.pages - self._before.pages) / took
        parts = [
            f"[{'#' * full}{'.' * (_BAR - full)}] {share:4.0%}",
            f"{sums.pages:,} pages",
            f"{rate:,.0f} pages/min",
        ]
        if sums.failures:
            parts.append(f"{sums.failures:,} failed")
        now = sums.items - self._before.items
        if now:
            parts.append(f"{span(took / now * (items - sums.items))} left")
        if self._price is not None:
            parts.append(f"cost {sums.cost(self._price):.2f}")
        return "  ".join(parts)
