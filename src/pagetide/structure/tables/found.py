"""Found tables, and how they overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec

from pagetide.document import Table
from pagetide.geometry import Box, area, intersection_area
from pagetide.structure.tables.line_words import Words

SHARED = 0.5  # of the smaller box: tables that overlap more are one table found twice


@dataclass(frozen=True)
class FoundTable:
    """A table, its box and the words in its cells.

    Its cells' polygons are upright, as are the box and the words.
    """

    box: Box
    table: Table
    held: Words = ()

    def with_headers(self, rows: int) -> FoundTable:
        """The same, with so many first rows of headers and no others."""
        cells = tuple(msgspec.structs.replace(c, header=c.row < rows) for c in self.table.cells)
        return replace(self, table=msgspec.structs.replace(self.table, cells=cells))


def words_in(found: Iterable[FoundTable]) -> set[tuple[int, int]]:
    """The words in tables: their lines, and their positions in these."""
    return {(w.line, w.place) for each in found for of in each.held for w in of}


def covered(box: Box, by: Box) -> float:
    """The share of a box covered by another, 0–1."""
    return intersection_area(box, by) / max(area(box), 1e-6)


def shares(box: Box, found: Iterable[FoundTable]) -> bool:
    """Whether a box and one of the tables are one table found twice."""
    return any(
        intersection_area(box, each.box) > SHARED * min(area(box), area(each.box))
        for each in found
    )
