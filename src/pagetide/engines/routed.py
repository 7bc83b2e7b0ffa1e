"""The `auto` engine: one model for most languages, a better one for what it reads badly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from pagetide.document import ModelInfo
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.errors import EngineFailed
from pagetide.languages import find


class RoutedEngine:
    """Opens either engine when the first page for it comes; see `ports.Engine`."""

    def __init__(
        self, usual: Callable[[], Engine], better: Callable[[], Engine] | None
    ) -> None:
        """Make one.

        Args:
            usual: Opens the engine that most languages are read with.
            better: Opens the one for languages that the usual one is known to read badly;
                None where there is none.
        """
        self._openers = {False: usual, True: better or usual}
        self._has_better = better is not None
        self._opened: dict[bool, Engine] = {}
        self._opening = threading.Lock()
        self._closed = False

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        return self._engine(language).describe(language)

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`."""
        return self._engine(language).read(images, language)

    def close(self) -> None:
        """Close what was opened; nothing is opened any more."""
        with self._opening:
            self._closed = True
            for engine in self._opened.values():
                engine.close()
            self._opened.clear()

    def _engine(self, language: str) -> Engine:
        better = self._has_better and find(language).read_badly
        with self._opening:
            if self._closed:
                raise EngineFailed("The engine is closed.")
            if better not in self._opened:
                self._opened[better] = self._openers[better]()
            return self._opened[better]
