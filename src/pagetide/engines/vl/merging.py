"""Text that runs on in another area: a paragraph that a column or a picture breaks.

The model reads such areas as one picture, so that it sees the sentence whole. Nothing but
the picture is asked whether a paragraph goes on: its first part fills its last line, and its
second part begins at the left edge with letters of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.vl.crops import Crop, ink
from pagetide.geometry import Box, box_of
from pagetide.layout import Area

ALIKE = 0.9  # the narrower part's width against the wider one's
FULL = 0.96  # of the width: how far a line that runs on reaches
FLUSH = 0.03  # of the width: how far from the edge a line that is not indented begins
STEEPEST = 3.0  # height against width of the stacked picture, which must stay legible
LEAST_LINES = 2  # of each part: one line alone shows no paragraph


def merged(areas: Sequence[Area], crops: Sequence[Crop]) -> list[list[int]]:
    """Which areas are read together.

    Returns:
        Places in `areas`, each once, in order; mostly one to a list.
    """
    groups: list[list[int]] = []
    for place in range(len(areas)):
        if groups and _joins(groups[-1], place, areas, crops):
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _joins(
    group: Sequence[int], place: int, areas: Sequence[Area], crops: Sequence[Crop]
) -> bool:
    last, area = areas[group[-1]], areas[place]
    if last.kind != "text" or area.kind != "text" or last.label != area.label:
        return False
    parts = [crops[i].pixels.shape for i in (*group, place)]
    height, width = sum(shape[0] for shape in parts), max(shape[1] for shape in parts)
    if height > STEEPEST * width or min(shape[1] for shape in parts) < ALIKE * width:
        return False
    boxes = [box_of(other.polygon) for other in areas]
    if not (
        _is_next_column(boxes[group[-1]], boxes[place])
        or _is_below_another(boxes, group[-1], place)
    ):
        return False
    return _runs_on(crops[group[-1]], crops[place])


def _is_next_column(a: Box, b: Box) -> bool:
    """Whether b stands to the right of a, and begins above a's end."""
    return b[0] >= a[2] - FLUSH * (a[2] - a[0]) and b[1] < a[3]


def _is_below_another(boxes: Sequence[Box], a: int, b: int) -> bool:
    """Whether b stands in a's column, and another area lies between them."""
    upper, lower = boxes[a], boxes[b]
    if lower[1] < upper[3] or abs(lower[0] - upper[0]) > FLUSH * (upper[2] - upper[0]):
        return False
    others = (box for i, box in enumerate(boxes) if i not in (a, b))
    return any(
        upper[3] <= (box[1] + box[3]) / 2 <= lower[1]
        and box[0] < lower[2]
        and box[2] > lower[0]
        for box in others
    )


def _runs_on(first: Crop, second: Crop) -> bool:
    above, below = _lines(ink(first.pixels)), _lines(ink(second.pixels))
    if min(len(above), len(below)) < LEAST_LINES:
        return False
    reaches = above[-1][1] >= FULL * first.pixels.shape[1]
    return bool(reaches and below[0][0] <= FLUSH * second.pixels.shape[1])


def _lines(dark: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where each line of text begins and ends, in pixels from the left, from the top down."""
    rows = np.flatnonzero(np.diff(np.concatenate([[0], dark.any(1).astype(np.int8), [0]])))
    found = []
    for top, bottom in zip(rows[::2], rows[1::2], strict=True):
        columns = np.flatnonzero(dark[top:bottom].any(0))
        if bottom - top >= 4:  # thinner bands are specks and underlines
            found.append((int(columns[0]), int(columns[-1]) + 1))
    return found
