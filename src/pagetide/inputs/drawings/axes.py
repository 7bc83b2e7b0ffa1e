"""The axes of charts: lines that meet at their starts; pure, in page pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pagetide.geometry import Box
from pagetide.layout.ruling import Piece

_FOOT = (0, -1, 1, 2, 3)  # points from a line's start, before which a tick may be


def axes(
    across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> Iterator[tuple[Piece, Box]]:
    """Drawn lines at whose start another, perpendicular one ends."""
    feet = {
        (round(at / unit), round(high / unit)): (at, low, at, high) for at, low, high, _ in down
    }
    for line in across:
        at, start, _, thickness = line
        x, y = round(start / unit), round(at / unit)
        spots = ((x + i, y + j) for i in _FOOT for j in (0, -1, 1))
        axis = next((feet[spot] for spot in spots if spot in feet), None)
        if thickness > 0 and axis:
            yield line, axis
