"""Removes lines hidden by an opaque box drawn later: they are not on the page."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pagetide.geometry import Box
from pagetide.layout.ruling import Piece

MOST_LOOKS = 100_000  # of a line under a box: drawings that need more checks stay unchanged
INSIDE = 1.0  # points: a line on a box's edge is not under it


class Cover(NamedTuple):
    """An opaque box, and how many lines of each direction had been drawn before it."""

    box: Box
    across: int
    down: int


def showing(
    pieces: Sequence[Piece], covers: Sequence[Cover], *, down: bool, unit: float
) -> list[Piece]:
    """The visible parts of lines of one direction.

    Args:
        pieces: In drawing order.
        covers: Likewise.
        down: The lines run from top to bottom.
        unit: Pixels per point.
    """
    if not covers:
        return list(pieces)
    order = sorted(range(len(pieces)), key=lambda place: pieces[place][0])
    places = [pieces[place][0] for place in order]
    left: dict[int, list[Piece]] = {}
    looks = MOST_LOOKS
    for (x0, y0, x1, y1), before_across, before_down in covers:
        near, far, first, last = (x0, x1, y0, y1) if down else (y0, y1, x0, x1)
        before = before_down if down else before_across
        low = bisect_right(places, near + INSIDE * unit)
        high = bisect_left(places, far - INSIDE * unit)
        looks -= max(0, high - low)
        if looks < 0:
            break
        for place in order[low:high]:
            if place < before:
                parts = left.get(place, [pieces[place]])
                left[place] = [part for each in parts for part in _outside(each, first, last)]
    return [part for place, each in enumerate(pieces) for part in left.get(place, [each])]


def _outside(piece: Piece, first: float, last: float) -> list[Piece]:
    at, start, end, thickness = piece
    if end <= first or start >= last:
        return [piece]
    ends = ((start, first), (last, end))
    return [(at, a, b, thickness) for a, b in ends if b > a]
