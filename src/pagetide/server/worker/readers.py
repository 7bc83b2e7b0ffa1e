"""The readers that a worker has open, by model."""

from __future__ import annotations

from collections.abc import Callable

from pagetide.reading import Reader

MOST_READERS = 3  # a model's options make another of it; each may hold gigabytes


class Readers:
    """A reader for each model, opened when it is first asked for."""

    def __init__(self, open_reader: Callable[[str], Reader]) -> None:
        self._open_reader = open_reader
        self._readers: dict[str, Reader] = {}

    def of(self, model: str) -> Reader:
        """The reader of a model; too many open, the one used longest ago makes way.

        Raises:
            PagetideError: It cannot be opened.
        """
        reader = self._readers.pop(model, None)
        if reader is None:
            while len(self._readers) >= MOST_READERS:
                self.drop(next(iter(self._readers)))
            reader = self._open_reader(model)
        self._readers[model] = reader
        return reader

    def drop(self, model: str) -> None:
        """Close the reader of a model, where one is open; the next one asked for is new."""
        reader = self._readers.pop(model, None)
        if reader is not None:
            reader.close()

    def close(self) -> None:
        """Close all of them."""
        for reader in self._readers.values():
            reader.close()
