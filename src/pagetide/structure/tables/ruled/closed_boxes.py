"""Single drawn boxes: four sides, each ending where the next one starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pagetide.geometry import Box
from pagetide.structure.tables.ruled.frames import Stroke

CORNER = 0.6  # line heights from a side's end to the next side: corners may be round

NOWHERE = Stroke(float("inf"), 0.0, 0.0)


class ClosedBox(NamedTuple):
    """A drawn box.

    Attributes:
        shaded: One of its sides is the edge of a shade.
        divided: A rule runs through it from side to side, as between a table's rows.
    """

    box: Box
    shaded: bool
    divided: bool


def closed_boxes(
    across: Sequence[Stroke], down: Sequence[Stroke], line: float
) -> Iterator[ClosedBox]:
    """The boxes, from each upper side to the first lower one.

    Args:
        across: Horizontal rules, from the top.
        down: Vertical rules.
        line: The typical line height.
    """
    near = CORNER * line
    for place, top in enumerate(across):
        hanging = [s for s in down if abs(s.start - top.at) <= near]
        for bottom in across[place + 1 :] if len(hanging) > 1 else ():
            if not _same_ends(top, bottom, near):
                continue
            ends = [s for s in hanging if abs(s.end - bottom.at) <= near]
            left, right = _nearest(top.start, ends), _nearest(top.end, ends)
            if max(abs(left.at - top.start), abs(right.at - top.end)) > near:
                continue
            level = [s for s in across[place:] if _same_ends(top, s, near)]
            if _nearest(left.start, level) == top:
                box = (left.at, top.at, right.at, bottom.at)
                shaded = not all(side.thickness for side in (left, top, right, bottom))
                yield ClosedBox(box, shaded, _is_divided(box, across, down, near))
            break


def _same_ends(one: Stroke, two: Stroke, near: float) -> bool:
    return max(abs(one.start - two.start), abs(one.end - two.end)) <= near


def _nearest(at: float, sides: Sequence[Stroke]) -> Stroke:
    return min(sides, key=lambda side: abs(side.at - at), default=NOWHERE)


def _is_divided(
    box: Box, across: Sequence[Stroke], down: Sequence[Stroke], near: float
) -> bool:
    x0, y0, x1, y1 = box
    return any(
        low + near < rule.at < high - near
        and rule.start <= start + near
        and rule.end >= end - near
        for rules, low, high, start, end in ((across, y0, y1, x0, x1), (down, x0, x1, y0, y1))
        for rule in rules
    )
