"""Texts and tables cut into pieces that fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from pagetide.document import Cell, Table
from pagetide.layout.words import parted

Fits = Callable[[str], bool]

_LINE = re.compile(r"[^\n]*\n+|[^\n]+")
_SENTENCE_END = re.compile(r"(?<=[.!?…]\s)|(?<=[.!?…][\"'”’)\]]\s)|(?<=[。！？])(?![」』”’）])")


def lines(text: str) -> list[str]:
    """Its lines, each with the line feed behind it."""
    return _LINE.findall(text)


def sentences(text: str) -> list[str]:
    """Its sentences, each with the space behind it."""
    return [part for part in _SENTENCE_END.split(text) if part]


_WAYS: tuple[Callable[[str], Sequence[str]], ...] = (lines, sentences, parted, list)


def cut(
    text: str, fits: Fits, ways: Sequence[Callable[[str], Sequence[str]]] = _WAYS
) -> list[str]:
    """The text in as few pieces as fit: whole lines, else sentences, else words, else letters.

    A letter that does not fit by itself is a piece all the same. No piece begins or ends with
    white space.
    """
    text = text.strip()
    if not text or not ways or fits(text):
        return [text] if text else []
    units, pieces, start = ways[0](text), list[str](), 0
    while start < len(units):
        count = most(len(units) - start, lambda n: fits(_joined(units, start, n)))  # noqa: B023
        if count:
            pieces.append(_joined(units, start, count))
        else:
            pieces += cut(units[start], fits, ways[1:])
        start += max(count, 1)
    return [piece for piece in pieces if piece]


def _joined(units: Sequence[str], start: int, count: int) -> str:
    return "".join(units[start : start + count]).strip()


def most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to a limit that fits, where every smaller one does; 0 if none."""
    if limit < 1 or not fits(1):
        return 0
    low, high = 1, 2
    while high <= limit and fits(high):
        low, high = high, high * 2
    high = min(high, limit + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


class Rows:
    """A tidy table's rows, to make tables of some of them.

    Args:
        table: The table.
        head: How many rows at its top each of them begins with.
    """

    def __init__(self, table: Table, head: int) -> None:
        self._table, self._head = table, head
        self._above = [cell for cell in table.cells if cell.row < head]
        self._cells: list[list[Cell]] = [[] for _ in range(table.rows)]
        for cell in table.cells:
            for row in range(max(cell.row, head), min(cell.row + cell.row_span, table.rows)):
                self._cells[row].append(cell)

    def ranges(self, fits: Callable[[Table], bool]) -> Iterator[tuple[int, int, Table]]:
        """All below the head in as few parts as fit; a row that does not comes by itself.

        Yields:
            The part's first row, the row behind its last, and the part with the head.
        """
        start = self._head
        while start < self._table.rows:
            count = max(1, most(self._table.rows - start, lambda n: fits(self.part(start, n))))  # noqa: B023
            yield start, start + count, self.part(start, count)
            start += count

    def part(self, start: int, count: int) -> Table:
        """The head, and so many rows from `start` on.

        A cell that reaches over a cut is in both parts.
        """
        cells = (*self._above, *self._shifted(start, start + count))
        return Table(rows=self._head + count, columns=self._table.columns, cells=cells)

    def _shifted(self, start: int, end: int) -> Iterator[Cell]:
        for row in range(start, end):
            for cell in self._cells[row]:
                if row in (cell.row, start):
                    last = min(cell.row + cell.row_span, end)
                    yield replace(cell, row=row - start + self._head, row_span=last - row)
