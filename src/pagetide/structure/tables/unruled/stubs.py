"""Multi-line names in a table's first column, which say nothing about its other columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from pagetide.structure.tables.pieces import Piece

MOST_LINES = 6  # of a name above or below the line that has its values


def without_stub_lines(rows: Sequence[Sequence[Piece]]) -> list[Sequence[Piece]]:
    """The rows without lines that end before the second column starts.

    If more such lines follow each other than a name has, they are not a name, and all stay.

    Args:
        rows: From the top, each from left to right.
    """
    second = min((row[1].x0 for row in rows if len(row) > 1), default=float("-inf"))
    lines = [len(row) == 1 and row[0].x1 < second for row in rows]
    runs = (len(list(run)) for is_line, run in itertools.groupby(lines) if is_line)
    if max(runs, default=0) > MOST_LINES:
        return list(rows)
    return [row for row, is_line in zip(rows, lines, strict=True) if not is_line]
