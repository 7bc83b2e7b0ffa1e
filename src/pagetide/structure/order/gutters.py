"""Gutters between columns: gaps between pieces that continue from row to row in one place.

The words of a justified line are as far apart as narrow columns, but at different places in
each line.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from pagetide.geometry import Box

ROWS = 8  # that show a gutter
MOST_LEVEL = 200  # boxes level with each other; more are not text
# In typical line heights.
NARROWEST = 0.25
NEXT = 3.0  # from one row that shows it to the next


def gutters_of(boxes: Sequence[Box], line: float) -> list[Box]:
    """The gutters, each from the first row that shows it to the last.

    Args:
        boxes: Of the lines, or pieces of lines, upright.
        line: The page's typical line height.
    """
    ended: list[tuple[Box, int]] = []
    found: list[tuple[Box, int]] = []
    for gap in _gaps(boxes, line):
        ended += [each for each in found if gap[1] - each[0][3] >= NEXT * line]
        found = [each for each in found if gap[1] - each[0][3] < NEXT * line]
        goes_on = [
            (rows, place, shared)
            for place, (gutter, rows) in enumerate(found)
            if (shared := _shared(gutter, gap))[2] - shared[0] >= NARROWEST * line
        ]
        if goes_on:
            rows, place, shared = max(goes_on)
            found[place] = shared, rows + 1
        else:
            found.append((gap, 1))
    shown = [gutter for gutter, rows in (*ended, *found) if rows >= ROWS]
    return [_extended(gutter, boxes, NEXT * line) for gutter in shown]


def parts(gutter: Box, boxes: Iterable[Box]) -> bool:
    """Whether boxes are on both sides of a gutter at its level; rough ones extend into it."""
    level = [box for box in boxes if gutter[1] <= _middle(box) <= gutter[3]]
    return any(box[2] <= gutter[2] + (box[3] - box[1]) / 2 for box in level) and any(
        box[0] >= gutter[0] - (box[3] - box[1]) / 2 for box in level
    )


def _extended(gutter: Box, boxes: Sequence[Box], most: float) -> Box:
    """A gutter extended up and down to what crosses it: at its ends the gap may be narrower."""
    left, top, right, bottom = gutter
    across = [box for box in boxes if box[0] < (left + right) / 2 < box[2]]
    above = max((box[3] for box in across if box[3] <= top), default=top - most)
    below = min((box[1] for box in across if box[1] >= bottom), default=bottom + most)
    return left, max(top - most, above), right, min(bottom + most, below)


def _shared(a: Box, b: Box) -> Box:
    """The horizontal overlap of two gaps, and as high as both."""
    return max(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3])


def _gaps(boxes: Sequence[Box], line: float) -> Iterator[Box]:
    """From each box to the next one right of it at its level, from the top."""
    ordered = sorted(boxes, key=_middle)
    for box in ordered:
        low = bisect_left(ordered, _middle(box) - line / 2, key=_middle)
        high = bisect_right(ordered, _middle(box) + line / 2, key=_middle)
        level = ordered[low : min(high, low + MOST_LEVEL)]
        right = [other[0] for other in level if other[0] >= box[2]]
        if right and min(right) - box[2] >= NARROWEST * line:
            yield box[2], box[1], min(right), box[3]


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2
