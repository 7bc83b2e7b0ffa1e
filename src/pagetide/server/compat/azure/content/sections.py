"""The document's sections: each heading with what follows it, up to the next of its rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pagetide.server.compat.azure.wire import Section, Span

_ROOT = -1


@dataclass
class _Open:
    """A section whose end is not known yet."""

    level: int
    start: int
    end: int
    elements: list[str] = field(default_factory=list)


class Sections:
    """Sections as they are found, element by element."""

    def __init__(self) -> None:
        self._all = [_Open(_ROOT, 0, 0)]
        self._path = [0]

    def add(self, element: str, span: Span, level: int | None) -> None:
        """The next element of the document.

        Args:
            element: How it is referred to.
            span: Where it is in the content.
            level: Of a heading, its rank from 0; None of anything else.
        """
        if level is not None:
            self._begin(span, level)
        self._all[self._path[-1]].elements.append(element)
        for place in self._path:
            self._all[place].end = max(self._all[place].end, span.offset + span.length)

    def found(self) -> Iterator[Section]:
        """All sections; the first is the document. None where there is nothing in it."""
        if not self._all[0].elements:
            return
        for each in self._all:
            span = Span(offset=each.start, length=each.end - each.start)
            yield Section(spans=[span], elements=each.elements)

    def _begin(self, span: Span, level: int) -> None:
        while self._all[self._path[-1]].level >= level:
            self._path.pop()
        self._all[self._path[-1]].elements.append(f"/sections/{len(self._all)}")
        self._path.append(len(self._all))
        self._all.append(_Open(level, span.offset, span.offset))
