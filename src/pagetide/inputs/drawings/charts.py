"""Drawings made of lines and shapes on a page: charts, diagrams; pure, in page pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from pagetide.geometry import Box, center, contains, union
from pagetide.inputs.drawings.axes import axes
from pagetide.inputs.drawings.bars import bars_alone, bars_on_lines
from pagetide.layout.ruling import Piece

# In points.
_NEAR = 9.0  # between the parts of one drawing
_SMALLEST_SHAPE = 12.0  # in both directions: less is a bullet or an arrow
_ARROWHEAD = 2.0, 15.0  # the width of one
_SMALLEST_DRAWING = 45.0  # in both directions: less is an icon, a flourish, or a letter
_SMALLEST_BARS = 18.0  # in both directions: a chart in a margin
_SMALLEST_BOX = 10.0  # that an arrow points to: a word fits in it
_MOST_ARROWS = 100
_FEWEST_LEVELS = 2  # lines across a chart
_MOST_PARTS, _JOINT = 500, 1.5  # of a curve, and how far apart they are drawn
_FEWEST_DOTS, _DOT = 8, 8.0  # of a plot, and the size of one
_ALONG = 0.4  # of an axis's length, at least, that a curve follows
_MOST_AXES = 50


def drawings(
    shapes: Sequence[Box],
    frames: Sequence[Box],
    fills: Sequence[Box],
    across: Sequence[Piece],
    down: Sequence[Piece],
    *,
    unit: float,
) -> tuple[list[Box], list[Box]]:
    """The boxes of groups of shapes, and which of these are charts and diagrams.

    In those arrows join boxes, bars or curves are on an axis, or dots are in a frame.

    Args:
        shapes: Other than level lines and boxes.
        frames: Boxes with an edge, with or without round corners.
        fills: Boxes filled with a colour.
        across: Horizontal lines, joined.
        down: Vertical lines, likewise.
        unit: Pixels per point.
    """
    near = _NEAR * unit
    lines = [(s, a, e, a) for a, s, e, _ in across]
    lines += [(a, s, a, e) for a, s, e, _ in down]
    bars = [*bars_on_lines(fills, across, down, unit), *bars_alone(fills, unit)]
    charts = [_with_lines(box, lines, near) for box in (*bars, *_dots(shapes, frames, unit))]
    charts += _diagrams(shapes, frames, across, down, unit)
    charts += _curves(shapes, across, down, unit)
    charts += _framed_curves(shapes, frames, across, down, unit)
    found = list(charts)
    for box in clusters(shapes, near):
        if min(box[2] - box[0], box[3] - box[1]) >= _SMALLEST_SHAPE * unit:
            once = _with_lines(box, lines, near)
            found.append(_with_lines(once, lines, near))  # axis by axis
    pictures = [box for box in clusters(found, near) if _is_large(box, bars, unit)]
    proven = [box for box in pictures if any(contains(box, center(each)) for each in charts)]
    return pictures, proven


def _is_large(box: Box, bars: Sequence[Box], unit: float) -> bool:
    """Whether a drawing is large enough for a chart; bars may be smaller."""
    short = min(box[2] - box[0], box[3] - box[1])
    has_bars = short >= _SMALLEST_BARS * unit and any(contains(box, center(e)) for e in bars)
    return has_bars or short >= _SMALLEST_DRAWING * unit


def clusters(boxes: Iterable[Box], near: float) -> list[Box]:
    """Around boxes no farther apart than this."""
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
    """A drawing with its lines, such as a chart's axes."""
    return union([box, *(line for line in lines if _mostly_beside(line, box, near))])


def _mostly_beside(line: Box, box: Box, near: float) -> bool:
    """Whether a line is near a drawing and no longer than one and a half times it."""
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
    """Boxes joined by arrows."""
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
        frame
        for frame in frames
        if min(frame[2] - frame[0], frame[3] - frame[1]) >= _SMALLEST_BOX * unit
        and not any(contains(frame, center(head)) for head in heads)
    ]
    return [
        box
        for box in (clusters([*arrows, *around], _NEAR * unit) if arrows else [])
        if any(contains(box, center(arrow)) for arrow in arrows)
        and sum(contains(box, center(frame)) for frame in around) > 1
    ]


def _is_arrow(shape: Box, line: Box, reach: float) -> bool:
    """Whether a shape is an arrowhead at one end of a line, or an arrow with its line."""
    x0, y0, x1, y1 = shape
    short, long = sorted((x1 - x0, y1 - y0))
    length = max(line[2] - line[0], line[3] - line[1])
    around = (x0 - reach, y0 - reach, x1 + reach, y1 + reach)
    begins, ends = contains(around, line[:2]), contains(around, line[2:])
    if begins and ends:
        return length > long / 2 and long > short
    return begins != ends and length > long and long < 2 * short


def _dots(shapes: Sequence[Box], frames: Sequence[Box], unit: float) -> list[Box]:
    """The frames that contain many small shapes in no row and no column."""
    small = [box for box in shapes if max(box[2] - box[0], box[3] - box[1]) <= _DOT * unit]
    found = []
    for frame in frames[:_MOST_AXES] if len(small) >= _FEWEST_DOTS else ():
        held = [box for box in small if contains(frame, center(box))]
        places = (
            {round(box[0] / (2 * unit)) for box in held},
            {round(box[1] / (2 * unit)) for box in held},
        )
        if len(held) >= _FEWEST_DOTS and min(map(len, places)) >= _FEWEST_DOTS / 2:
            found.append(frame)
    return found


def _curves(
    shapes: Sequence[Box], across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> list[Box]:
    """Curves along most of an axis, however flat.

    On axes a curve may be drawn in pieces; in a box so may a signature.
    """
    found = []
    for (at, start, end, _), axis in islice(axes(across, down, unit), _MOST_AXES):
        x0, y0, x1, y1 = start - unit, axis[1] - unit, end + unit, at + unit
        held = [s for s in shapes if x0 <= s[0] <= s[2] <= x1 and y0 <= s[1] <= s[3] <= y1]
        is_open = not any(
            abs(side - end) <= 2 * unit and low < at < high + 2 * unit
            for side, low, high, _ in down
        )
        long = _ALONG * (end - start)
        if any(s[2] - s[0] > long for s in held) or (
            is_open
            and sum(s[2] - s[0] for s in held[:_MOST_PARTS]) > long
            and any(s[2] - s[0] > long for s in clusters(held[:_MOST_PARTS], _JOINT * unit))
        ):
            found.append(union([(start, at, end, at), axis, *held]))
    return found


def _framed_curves(
    shapes: Sequence[Box],
    frames: Sequence[Box],
    across: Sequence[Piece],
    down: Sequence[Piece],
    unit: float,
) -> Iterator[Box]:
    """The frames with level lines from side to side and none between, which a curve crosses."""
    for frame in list(dict.fromkeys(frames))[:_MOST_AXES]:
        x0, y0, x1, y1 = frame
        level = sum(
            y0 + unit < at < y1 - unit and start <= x0 + 2 * unit and end >= x1 - 2 * unit
            for at, start, end, _ in across
        )
        steep = any(
            x0 + unit < at < x1 - unit and min(end, y1) - max(start, y0) > _ALONG * (y1 - y0)
            for at, start, end, _ in down
        )
        if level < _FEWEST_LEVELS or steep:
            continue
        held = [box for box in shapes if contains(frame, center(box))]
        curves = clusters(held[:_MOST_PARTS], _JOINT * unit)  # in pieces
        if any(box[2] - box[0] > _ALONG * (x1 - x0) for box in curves):
            yield frame
