"""A table's cells and their neighbours, as olmOCR-bench checks them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.teds import TableReader

Place = tuple[int, int]  # row and column of a cell's top left corner
_TABLE = re.compile(r"<table[^>]*>.*?</table>", re.DOTALL)
_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table as a grid.

    Attributes:
        texts: Of each cell, by its place.
        headers: Cells that are headers.
        owners: Which cell covers a square.
        height: In squares; the same for `width`.
    """

    texts: dict[Place, str]
    headers: frozenset[Place]
    owners: dict[Place, Place]
    height: int
    width: int

    def beside(self, cell: Place, way: str) -> set[Place]:
        """The cells next to one, up, down, left or right; empty squares are skipped."""
        down, across = _STEPS[way]
        found = set()
        for (row, column), owner in self.owners.items():
            if owner != cell:
                continue
            row, column = row + down, column + across
            while 0 <= row < self.height and 0 <= column < self.width:
                other = self.owners.get((row, column), cell)
                if other != cell:
                    found.add(other)
                    break
                row, column = row + down, column + across
        return found

    def headings(self, cell: Place, way: str) -> set[Place]:
        """The headers above or left of a cell; without any, the last cells there."""
        headers, last, seen = set[Place](), set[Place](), set[Place]()
        ahead = [cell]
        while ahead:
            at = ahead.pop()
            if at in seen:
                continue
            seen.add(at)
            further = self.beside(at, way)
            ahead += further
            if at != cell:
                headers |= {at} & self.headers
                last |= set() if further else {at}
        return headers or last


def grids(markdown: str, plain: Callable[[str], str]) -> list[Grid]:
    """The tables in a page's Markdown, all of them HTML; `plain` is applied to texts."""
    return [grid for table in _TABLE.findall(markdown) if (grid := _grid(table, plain)).texts]


def _grid(html: str, plain: Callable[[str], str]) -> Grid:
    reader = TableReader()
    reader.feed(html)
    owners: dict[Place, Place] = {}
    texts: dict[Place, str] = {}
    headers = set()
    for row, (cells, heads) in enumerate(zip(reader.rows, reader.headers, strict=True)):
        column = 0
        for (text, down, across), is_header in zip(cells, heads, strict=True):
            while (row, column) in owners:
                column += 1
            texts[row, column] = plain(text.strip())
            headers |= {(row, column)} if is_header else set()
            owners |= dict.fromkeys(_squares(row, column, down, across), (row, column))
            column += across
    height, width = (max((place[side] for place in owners), default=-1) + 1 for side in (0, 1))
    return Grid(
        texts=texts, headers=frozenset(headers), owners=owners, height=height, width=width
    )


def _squares(row: int, column: int, down: int, across: int) -> Sequence[Place]:
    return [(r, c) for r in range(row, row + down) for c in range(column, column + across)]
