"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TextIO

_BAR = 16  # characters
_EVERY_S = 0.1


class Progress:
    """Counts documents and pages, and draws them on one line where somebody looks.

    Attributes:
        pages: Pages read so far.
        shown: Whether anybody looks.
    """

    def __init__(
        self,
        stream: TextIO,
        documents: int,
        clock: Callable[[], float],
        *,
        quiet: bool = False,
    ) -> None:
        """Make a progress bar.

        Args:
            stream: Drawn on only when it is a terminal.
            documents: How many there are.
            clock: Seconds, from any start.
            quiet: Whether to draw nothing even there.
        """
        self.pages = 0
        self._stream = stream
        self.shown = stream.isatty() and not quiet
        self._documents = documents
        self._done = 0
        self._part = 0.0
        self._clock = clock
        self._start = clock()
        self._drawn_at = float("-inf")

    @property
    def seconds(self) -> float:
        """Since the start."""
        return self._clock() - self._start

    @property
    def pages_per_minute(self) -> float:
        """Since the start."""
        return 60 * self.pages / self.seconds if self.seconds > 0 else 0.0

    def page(self, of: int) -> None:
        """Count a page of a document that has `of` pages to read."""
        self.pages += 1
        self._part = min(1.0, self._part + 1 / of)
        if self.shown and self._clock() - self._drawn_at >= _EVERY_S:
            self.draw()

    def document(self) -> None:
        """Count a document as done."""
        self._done += 1
        self._part = 0.0

    def draw(self) -> None:
        """Draw the line anew."""
        if not self.shown:
            return
        self._drawn_at = self._clock()
        share = min(1.0, (self._done + self._part) / self._documents)
        full = round(_BAR * share)
        files = f"  {self._done}/{self._documents} files" if self._documents > 1 else ""
        line = (
            f"[{'#' * full}{'.' * (_BAR - full)}] {share:4.0%}{files}"
            f"  {self.pages} page{'s' * (self.pages != 1)}"
            f"  {self.pages_per_minute:.0f} pages/min{self._left(share)}"
        )
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{line[:width]}")
        self._stream.flush()

    def _left(self, share: float) -> str:
        """How long it still takes, where that can be told."""
        if not 0 < share < 1:
            return ""
        return f"  {span(self.seconds / share * (1 - share))} left"

    def clear(self) -> None:
        """Wipe the line, so that something else can be written."""
        if self.shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def span(seconds: float) -> str:
    """A time as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
