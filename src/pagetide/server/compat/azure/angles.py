"""How a page's text stands, in the protocol's degrees."""

from __future__ import annotations

import math
from statistics import median

from pagetide.document import Page
from pagetide.geometry import direction


def angle_of(page: Page) -> float:
    """How far the text stands turned clockwise, degrees from -180 to 180."""
    coarse = page.orientation
    turns = [_turn(math.degrees(direction(line.polygon)) - coarse) for line in page.lines]
    fine = median(turn for turn in turns if abs(turn) < 45) if _some(turns) else 0.0
    return round(_turn(coarse + fine), 4)


def _some(turns: list[float]) -> bool:
    return any(abs(turn) < 45 for turn in turns)


def _turn(degrees: float) -> float:
    """The same turn, from -180 to 180."""
    return (degrees + 180) % 360 - 180
