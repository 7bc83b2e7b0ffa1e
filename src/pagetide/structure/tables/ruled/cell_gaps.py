"""Narrow gaps between the shades of a table's cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pagetide.structure.tables.ruled.frames import Stroke

GAP = 0.45  # line heights, at most
LEAST_GAPS = 4  # edges with the same gap: of two rows
NOTHING = Stroke(float("-inf"), 0.0, 0.0)


def over_gaps(strokes: Sequence[Stroke], line: float) -> list[Stroke]:
    """The rules, the edges of shades that are a narrow gap apart as one.

    The same gap is between the shades of several rows: these are cells, set apart.

    Args:
        strokes: All of one direction, sorted.
        line: The page's typical line height.
    """
    near = GAP * line
    pairs = [
        (a, b)
        for a, b in pairwise(strokes)
        if a.at == b.at and a.thickness == b.thickness == 0 and 0 < b.start - a.end < near
    ]
    gaps = Counter((round(a.end), round(b.start)) for a, b in pairs)
    found: list[Stroke] = []
    for stroke in strokes:
        last = found[-1] if found else NOTHING
        if last.at == stroke.at and gaps[round(last.end), round(stroke.start)] >= LEAST_GAPS:
            found[-1] = last._replace(end=stroke.end)
        else:
            found.append(stroke)
    return found
