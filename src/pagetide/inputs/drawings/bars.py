"""Charts of bars, upright or lying, on a line or side by side; pure, in page pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pagetide.geometry import Box, union
from pagetide.inputs.drawings.axes import axes
from pagetide.layout.ruling import Piece

# In points.
_HIGHER = 9.0  # the highest bar than the lowest, and a table's lines than its cells
_FEWEST_BARS = 2
_FEWEST_LENGTHS = 3  # of bars on a single line
_MOST_BASES = 200
_FEWEST_ALONE, _WIDEST_ALONE = 5, 24.0  # bars on no line, and the width of one

Walls = Mapping[int, Sequence[tuple[float, float]]]


def bars_on_lines(
    fills: Sequence[Box], across: Sequence[Piece], down: Sequence[Piece], unit: float
) -> list[Box]:
    """Bars of one width and several lengths, standing on a line or lying beside one."""
    feet = dict(axes(across, down, unit))
    upright = sorted(
        (line for line in across if line[3] > 0), key=lambda line: line not in feet
    )
    walls = _walls(down, unit), _walls(across, unit)
    found = [
        union([feet.get(line, bars), bars, (line[1], line[0], line[2], line[0])])
        for line, bars in _bars_on(upright[:_MOST_BASES], fills, feet, walls, unit)
    ]
    # The same for horizontal bars, with across for down.
    level = [line for line in down if line[3] > 0][:_MOST_BASES]
    lying = [(y0, -x1, y1, -x0) for x0, y0, x1, y1 in fills]
    turned = [(-at, start, end, thick) for at, start, end, thick in level]
    # Those of stacked bars have lines along all of them, as a table's cells have.
    for (at, start, end, _), (y0, x1, y1, x0) in _bars_on(turned, lying, {}, ({}, {}), unit):
        found.append(union([(-x0, y0, -x1, y1), (-at, start, -at, end)]))
    return found


def _walls(lines: Sequence[Piece], unit: float) -> Walls:
    """The starts and ends of parallel lines, by points of the page's width, or height."""
    walls: dict[int, list[tuple[float, float]]] = {}
    for at, start, end, _ in lines:
        for place in (round(at / unit) + i for i in (-1, 0, 1)):
            walls.setdefault(place, []).append((start, end))
    return walls


def _is_cell(box: Box, down: Walls, across: Walls, top: float, unit: float) -> bool:
    """Whether a fill is a table's cell: lines go on at both sides above all bars.

    So does the one along its top, beside it: where parts of bars are stacked, none does.
    """
    x0, y0, x1, y1 = box
    above, far = top - _HIGHER * unit, _HIGHER * unit
    return any(
        start < x0 - far or end > x1 + far for start, end in across.get(round(y0 / unit), ())
    ) and all(
        any(start < above and end > y1 - unit for start, end in down.get(round(x / unit), ()))
        for x in (x0, x1)
    )


def bars_alone(fills: Sequence[Box], unit: float) -> Iterator[Box]:
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
    lines: Sequence[Piece],
    fills: Sequence[Box],
    feet: Mapping[Piece, Box],
    walls: tuple[Walls, Walls],
    unit: float,
) -> Iterator[tuple[Piece, Box]]:
    """Lines with the box around the bars on each.

    Args:
        lines: Level ones.
        fills: Filled boxes.
        feet: The lines that start at an axis: two separate bars are enough there.
        walls: The vertical and the horizontal lines; see `_walls`.
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
        top = min((box[1] for box in bars), default=at)
        bars = [box for box in bars if not _is_cell(box, *walls, top, unit)]
        if len(bars) < _FEWEST_BARS:
            continue
        tops, rooms = [box[1] for box in bars], [b[0] - a[2] for a, b in pairwise(bars)]
        widths = [box[2] - box[0] for box in bars]
        are_high = max(tops) - min(tops) >= _HIGHER * unit
        lengths = {round((at - top) / (2 * unit)) for top in tops}
        are_even = max(widths) <= min(widths) + unit and min(rooms) > -unit
        are_apart = line in feet and min(rooms) > unit
        if are_high and (are_apart or (are_even and len(lengths) >= _FEWEST_LENGTHS)):
            yield line, union(bars)
