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
        left = units[start:]
        count = most(len(left), lambda n: fits("".join(left[:n]).strip()))  # noqa: B023
        if count:
            pieces.append("".join(left[:count]).strip())
        else:
            pieces += cut(left[0], fits, ways[1:])
        start += max(count, 1)
    return [piece for piece in pieces if piece]


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


def row_ranges(
    table: Table, head: int, fits: Callable[[Table], bool]
) -> Iterator[tuple[int, int, Table]]:
    """A tidy table below its head in as few parts as fit, each with the head.

    A row that does not fit comes by itself.

    Yields:
        The part's first row, the row behind its last, and the part.
    """
    start = head
    while start < table.rows:
        rest = table.rows - start
        count = max(1, most(rest, lambda n: fits(rows_of(table, head, start, start + n))))  # noqa: B023
        yield start, start + count, rows_of(table, head, start, start + count)
        start += count


def rows_of(table: Table, head: int, start: int, end: int) -> Table:
    """A table's head, and its rows from `start` to before `end`.

    A cell that reaches over a cut is in both parts.
    """
    above = [cell for cell in table.cells if cell.row < head]
    cells = [*above, *_shifted(table, start, end, head)]
    return Table(rows=head + end - start, columns=table.columns, cells=tuple(cells))


def _shifted(table: Table, start: int, end: int, head: int) -> Iterator[Cell]:
    for cell in table.cells:
        first, last = max(cell.row, start), min(cell.row + cell.row_span, end)
        if cell.row >= head and first < last:
            yield replace(cell, row=first - start + head, row_span=last - first)
