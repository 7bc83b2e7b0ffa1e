"""Dots, rings and small squares drawn on a PDF page, as bullets: pure, in page pixels.

Browsers draw the bullets of a list instead of setting them as text.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from pagetide.geometry import Box, center, contains

SIDES = 1.4, 8.0  # points
_SQUARE = 1.35  # the ratio of the longer side to the shorter
_ALONE = 3.0  # points to the next of them: closer ones are the dots of a line
_MOST = 500  # more than are read: a plot


def bullets(marks: Iterable[Box], pictures: Iterable[Box], *, unit: float) -> list[Box]:
    """The marks that may be bullets: as wide as high, isolated, and in no picture.

    Args:
        marks: Shapes and filled boxes of any size.
        pictures: Their marks are points and keys.
        unit: Pixels per point.
    """
    small = islice((box for box in marks if _is_small(box, unit)), _MOST)
    around = [*pictures]
    return [
        box
        for box in _apart(small, _ALONE * unit)
        if not any(contains(each, center(box)) for each in around)
    ]


def _is_small(box: Box, unit: float) -> bool:
    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    return SIDES[0] * unit <= short and long <= min(SIDES[1] * unit, _SQUARE * short)


def _apart(boxes: Iterable[Box], room: float) -> list[Box]:
    """Those without another this near, in either direction."""
    ordered = sorted({*boxes})
    near = set[Box]()
    for place, box in enumerate(ordered):
        for other in islice(ordered, place + 1, None):
            if other[0] - box[2] >= room:
                break
            if _gap(box, other) < room:
                near |= {box, other}
    return [box for box in ordered if box not in near]


def _gap(a: Box, b: Box) -> float:
    across = max(a[0], b[0]) - min(a[2], b[2])
    return max(across, max(a[1], b[1]) - min(a[3], b[3]))
