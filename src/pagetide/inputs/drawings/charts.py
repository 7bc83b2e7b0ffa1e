"""Drawings made of lines and shapes on a page: charts, diagrams; pure, in page pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from pagetide.geometry import Box, center, contains, union
from pagetide.layout.ruling import Piece

# In points.
_NEAR = 9.0  # between the parts of one drawing
_SMALLEST_SHAPE = 12.0  # in both directions: less is a bullet or an arrow
_ARROWHEAD = 2.0, 15.0  # the width of one
_SMALLEST_DRAWING = 45.0  # in both directions: less is an icon, a flourish, or a letter
_SMALLEST_BARS = 18.0  # in both directions: a chart in a margin
_SMALLEST_BOX = 10.0  # that an arrow points to: a word fits in it
_MOST_ARROWS = 100
_FEWEST_BARS = 2
_FEWEST_LENGTHS = 3  # of bars on a single line
_MOST_BASES = 200
_FEWEST_ALONE, _WIDEST_ALONE = 5, 24.0  # bars on no line, and the width of one in points
_FEWEST_LEVELS = 2  # lines across a chart
_MOST_PARTS, _JOINT = 500, 1.5  # of a curve, and how far apart they are drawn
_FEWEST_DOTS, _DOT = 8, 8.0  # of a plot, and the size of one
_ALONG = 0.4  # of an axis's length, at least, that a curve follows
_MOST_AXES = 50
_FOOT = (0, -1, 1, 2, 3)  # points from a line's start, before which a tick may be


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
    bars = [*_bars(fills, across, down, unit), *_bars_alone(fills, unit)]
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


def _bars(
    fills: Sequence[Box], across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> list[Box]:
    """Bars of one width and several lengths, standing on a line or lying beside one."""
    feet = dict(_axes(across, down, unit))
    upright = sorted(
        (line for line in across if line[3] > 0), key=lambda line: line not in feet
    )
    found = [
        union([feet.get(line, bars), bars, (line[1], line[0], line[2], line[0])])
        for line, bars in _bars_on(upright[:_MOST_BASES], fills, feet, unit)
    ]
    # The same for horizontal bars, with across for down.
    level = [line for line in down if line[3] > 0][:_MOST_BASES]
    lying = [(y0, -x1, y1, -x0) for x0, y0, x1, y1 in fills]
    turned = [(-at, start, end, thick) for at, start, end, thick in level]
    for (at, start, end, _), (y0, x1, y1, x0) in _bars_on(turned, lying, {}, unit):
        found.append(union([(-x0, y0, -x1, y1), (-at, start, -at, end)]))
    return found


def _bars_alone(fills: Sequence[Box], unit: float) -> Iterator[Box]:
    """Narrow side-by-side bars of one width and several lengths, on no line.

    Wide ones are a timetable's lessons.
    """
    feet: dict[tuple[int, int], list[Box]] = {}
    for box in dict.fromkeys(fills):
        if box[2] - box[0] <= _WIDEST_ALONE * unit:
            foot = round(box[3] / unit), round((box[2] - box[0]) / (2 * unit))
            feet.setdefault(foot, []).append(box)
    for bars in feet.values():
        ordered = sorted(bars)
        wide = max(box[2] - box[0] for box in ordered)
        rooms = [b[0] - a[2] for a, b in pairwise(ordered)]
        lengths = {round((box[3] - box[1]) / (2 * unit)) for box in ordered}
        are_even = all(-unit < room <= wide for room in rooms)
        if len(ordered) >= _FEWEST_ALONE and are_even and len(lengths) >= _FEWEST_LENGTHS:
            yield union(ordered)


def _bars_on(
    lines: Sequence[Piece], fills: Sequence[Box], feet: Mapping[Piece, Box], unit: float
) -> Iterator[tuple[Piece, Box]]:
    """Lines with the box around the bars on each.

    Args:
        lines: Level ones.
        fills: Filled boxes.
        feet: The lines that start at an axis: two separate bars are enough there.
        unit: Pixels per point.
    """
    for line in lines:
        at, start, end, thickness = line
        reach = thickness + unit
        bars = sorted(
            box
            for box in fills
            if abs(box[3] - at) <= reach and start - unit <= box[0] < box[2] <= end + unit
        )
        if len(bars) < _FEWEST_BARS:
            continue
        tops, rooms = [box[1] for box in bars], [b[0] - a[2] for a, b in pairwise(bars)]
        widths = [box[2] - box[0] for box in bars]
        are_high = max(tops) - min(tops) >= _NEAR * unit
        lengths = {round((at - top) / (2 * unit)) for top in tops}
        are_even = max(widths) <= min(widths) + unit and min(rooms) > -unit
        are_apart = line in feet and min(rooms) > unit
        if are_high and (are_apart or (are_even and len(lengths) >= _FEWEST_LENGTHS)):
            yield line, union(bars)


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
    for (at, start, end, _), axis in islice(_axes(across, down, unit), _MOST_AXES):
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


def _axes(
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
