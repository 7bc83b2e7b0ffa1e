"""Drawings made of lines and shapes on a page: charts, diagrams; pure, in page pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from pagetide.geometry import Box, center, contains, union
from pagetide.layout.ruling import Piece

# In points.
_NEAR = 9.0  # between the parts of one drawing
_SMALLEST_SHAPE = 12.0  # both ways: less is a bullet or an arrow
_ARROWHEAD = 2.0, 15.0  # how wide one is
_SMALLEST_DRAWING = 45.0  # both ways: less is an icon, a flourish, or a letter

_MOST_ARROWS = 100
_FEWEST_BARS = 2
_ALONG = 0.5  # of an axis's length, at least, that a curve goes along
_MOST_AXES = 50


def drawings(
    shapes: Sequence[Box],
    frames: Sequence[Box],
    fills: Sequence[Box],
    across: Sequence[Piece],
    down: Sequence[Piece],
    *,
    unit: float,
) -> list[Box]:
    """Where shapes stand together, arrows join boxes, or bars or curves stand on an axis.

    Args:
        shapes: What is neither a level line nor a box.
        frames: Boxes with an edge, their corners round or not.
        fills: Boxes filled with a colour.
        across: Lines from left to right, joined.
        down: From top to bottom, likewise.
        unit: Pixels to a point.
    """
    near = _NEAR * unit
    lines = [(s, a, e, a) for a, s, e, _ in across]
    lines += [(a, s, a, e) for a, s, e, _ in down]
    found = []
    for box in clusters(shapes, near):
        if min(box[2] - box[0], box[3] - box[1]) >= _SMALLEST_SHAPE * unit:
            once = _with_lines(box, lines, near)
            found.append(_with_lines(once, lines, near))  # axis by axis
    found += _diagrams(shapes, frames, across, down, unit)
    found += _bars(fills, across, down, unit)
    found += _curves(shapes, across, down, unit)
    least = _SMALLEST_DRAWING * unit
    return [
        box for box in clusters(found, near) if min(box[2] - box[0], box[3] - box[1]) >= least
    ]


def clusters(boxes: Iterable[Box], near: float) -> list[Box]:
    """Around boxes that lie no farther from each other."""
    found: list[Box] = []
    for box in boxes:
        joined = box
        while met := [each for each in found if _lie_near(joined, each, near)]:
            found = [each for each in found if each not in met]
            joined = union([joined, *met])
        found.append(joined)
    return found


def _lie_near(a: Box, b: Box, near: float) -> bool:
    across = max(a[0], b[0]) - min(a[2], b[2])
    return across <= near and max(a[1], b[1]) - min(a[3], b[3]) <= near


def _with_lines(box: Box, lines: Iterable[Box], near: float) -> Box:
    """A drawing with the lines that it stands on, such as a chart's axes."""
    return union([box, *(line for line in lines if _mostly_beside(line, box, near))])


def _mostly_beside(line: Box, box: Box, near: float) -> bool:
    """Whether a line is near a drawing and no longer than half as long again."""
    wide, high = line[2] - line[0], line[3] - line[1]
    fits = wide <= 1.5 * (box[2] - box[0]) and high <= 1.5 * (box[3] - box[1])
    return fits and _lie_near(line, box, near)


def _diagrams(
    shapes: Sequence[Box],
    frames: Sequence[Box],
    across: Sequence[Piece],
    down: Sequence[Piece],
    unit: float,
) -> list[Box]:
    """Where arrows lead from one box to another."""
    least, most = (size * unit for size in _ARROWHEAD)
    heads = [box for box in shapes if least <= min(box[2] - box[0], box[3] - box[1]) <= most][
        :_MOST_ARROWS
    ]
    lines = [(s, a, e, a) for a, s, e, _ in across]
    lines += [(a, s, a, e) for a, s, e, _ in down]
    arrows = [
        union([head, line]) for head in heads for line in lines if _is_arrow(head, line, least)
    ][:_MOST_ARROWS]
    around = [
        frame for frame in frames if not any(contains(frame, center(head)) for head in heads)
    ]
    return [
        box
        for box in (clusters([*arrows, *around], _NEAR * unit) if arrows else [])
        if any(contains(box, center(arrow)) for arrow in arrows)
        and sum(contains(box, center(frame)) for frame in around) > 1
    ]


def _is_arrow(shape: Box, line: Box, reach: float) -> bool:
    """Whether a shape is an arrow's head at one end of a line, or an arrow with its line."""
    x0, y0, x1, y1 = shape
    short, long = sorted((x1 - x0, y1 - y0))
    length = max(line[2] - line[0], line[3] - line[1])
    around = (x0 - reach, y0 - reach, x1 + reach, y1 + reach)
    begins, ends = contains(around, line[:2]), contains(around, line[2:])
    if begins and ends:
        return length > long / 2 and long > short
    return begins != ends and length > long and long < 2 * short


def _bars(
    fills: Sequence[Box], across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> list[Box]:
    """Where bars of several heights stand on one axis, with room between them."""
    found = []
    for line, axis in islice(_axes(across, down, unit), _MOST_AXES):
        at, start, end, thickness = line
        reach = thickness + unit
        bars = sorted(
            box
            for box in fills
            if abs(box[3] - at) <= reach and start <= box[0] < box[2] <= end
        )
        tops = [box[1] for box in bars]
        apart = all(b[0] - a[2] > unit for a, b in pairwise(bars))
        if len(bars) >= _FEWEST_BARS and apart and max(tops) - min(tops) >= _NEAR * unit:
            found.append(union([(start, at, end, at), axis, *bars]))
    return found


def _curves(
    shapes: Sequence[Box], across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> list[Box]:
    """Where a curve runs along most of an axis, however flat."""
    found = []
    for (at, start, end, _), axis in islice(_axes(across, down, unit), _MOST_AXES):
        x0, y0, x1, y1 = start - unit, axis[1] - unit, end + unit, at + unit
        held = [s for s in shapes if x0 <= s[0] <= s[2] <= x1 and y0 <= s[1] <= s[3] <= y1]
        if any(s[2] - s[0] > _ALONG * (end - start) for s in held):
            found.append(union([(start, at, end, at), axis, *held]))
    return found


def _axes(
    across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> Iterator[tuple[Piece, Box]]:
    """Drawn lines at whose beginning another ends that stands on them."""
    feet = {
        (round(at / unit), round(high / unit)): (at, low, at, high) for at, low, high, _ in down
    }
    for line in across:
        at, start, _, thickness = line
        x, y = round(start / unit), round(at / unit)
        spots = ((x + i, y + j) for i in (0, -1, 1) for j in (0, -1, 1))
        axis = next((feet[spot] for spot in spots if spot in feet), None)
        if thickness > 0 and axis:
            yield line, axis
