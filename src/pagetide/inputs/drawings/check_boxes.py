"""Small squares drawn on a PDF page, as check boxes: pure, in page pixels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

from pagetide.geometry import Box, center, contains
from pagetide.layout import CheckBox, Rule
from pagetide.layout.ruling import Piece

_SIDES = 5.0, 22.0  # points
_SQUARE = 1.2  # the ratio of the longer side to the shorter
_OFF = 1.2  # points: how far off a corner may be
_AROUND = tuple(product((-1, 0, 1), repeat=2))
_LONGER = 1.3  # times the length of a square's side: the next cell's
_MOST = 600  # more than are read
_SMALLEST_MARK = 0.06  # of a box: anything smaller is not a mark in it
_BEYOND = 1.6  # of a side: a tick may extend beyond its box
_WHOLE = 0.92  # of a side: anything this large is the box itself


def check_boxes(
    across: Sequence[Piece],
    down: Sequence[Piece],
    shapes: Sequence[Box],
    fills: Sequence[Box],
    *,
    unit: float,
) -> list[CheckBox]:
    """Squares of four short lines that touch no other such square: those are cells.

    So are squares whose sides others continue, on both sides: a table's, drawn cell by cell.

    Args:
        across: Level lines, as drawn.
        down: Likewise.
        shapes: One inside a square marks it; likewise
        fills: Filled boxes. One as large as the square marks it, too, if another square of its
            size is empty; otherwise it is a chart's key, or a bullet, and left out.
        unit: Pixels per point.
    """
    short = [_short(lines, unit) for lines in (across, down)]
    sides: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for piece in short[1]:
        sides[_cell(piece[0], unit), _cell(piece[1], unit)].append(piece)
    found: list[Box] = []
    for box in _levelled(short[0], unit):
        if len(found) < _MOST and all(_has_side(sides, x, box, unit) for x in (box[0], box[2])):
            found = [each for each in found if not _is_in(each, box)]  # the outer of two edges
            found += [] if any(_is_in(box, each) for each in found) else [box]
    found = [box for box in found if not any(_touch(box, each, unit) for each in found)]
    found = list(_without_cells(found, across, unit))
    marks = [*shapes, *fills]
    filled = [any(_fills(fill, box) for fill in fills) for box in found]
    empty = [box for box, is_full in zip(found, filled, strict=True) if not is_full]
    return [
        CheckBox(
            box=(round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2)),
            marked=is_full or any(_marks(mark, box) for mark in marks),
        )
        for box, is_full in zip(found, filled, strict=True)
        if not is_full or any(_is_alike(box, other) for other in empty)
    ]


def _without_cells(boxes: Sequence[Box], across: Sequence[Piece], unit: float) -> Iterator[Box]:
    """The squares without a table's cells: longer lines continue both ends of a side."""
    ends: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    starts: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for piece in across if boxes else ():
        at, start, end, _ = piece
        ends[_cell(end, unit), _cell(at, unit)].append(piece)
        starts[_cell(start, unit), _cell(at, unit)].append(piece)
    for box in boxes:
        x0, y0, x1, y1 = box
        least = _LONGER * (x1 - x0)
        if not any(
            _goes_on(_near(ends, x0, y, unit), 2, (x0, y), least, unit)
            and _goes_on(_near(starts, x1, y, unit), 1, (x1, y), least, unit)
            for y in (y0, y1)
        ):
            yield box


def _goes_on(
    pieces: Iterable[Piece], end: int, corner: tuple[float, float], least: float, unit: float
) -> bool:
    """Whether one of some lines meets a corner with one of its ends, and is this long."""
    x, y = corner
    return any(
        piece[2] - piece[1] > least
        and abs(piece[end] - x) <= unit / 2 + piece[3]
        and abs(piece[0] - y) <= unit / 2
        for piece in pieces
    )


def _near(
    pieces: dict[tuple[int, int], list[Piece]], x: float, y: float, unit: float
) -> Iterator[Piece]:
    """The pieces that start or end near a point."""
    at, top = _cell(x, unit), _cell(y, unit)
    return (piece for i, j in _AROUND for piece in pieces.get((at + i, top + j), ()))


def outside_boxes(shapes: Sequence[Box], boxes: Sequence[CheckBox]) -> list[Box]:
    """The shapes without marks in check boxes, and without the boxes themselves."""
    return [shape for shape in shapes if not any(_marks(shape, each.box) for each in boxes)]


def is_a_side(rule: Rule, boxes: Sequence[CheckBox], unit: float) -> bool:
    """Whether a rule is only a side of a check box, which is not a border of a cell."""
    (x0, y0), (x1, y1) = rule.start, rule.end
    off, longest = _OFF * unit, (_SIDES[1] + 2 * _OFF) * unit
    return max(x1 - x0, y1 - y0) <= longest and any(
        left - off <= x0 <= x1 <= right + off and top - off <= y0 <= y1 <= bottom + off
        for left, top, right, bottom in (each.box for each in boxes)
    )


def _short(lines: Sequence[Piece], unit: float) -> list[Piece]:
    least, most = (side * unit for side in _SIDES)
    return [piece for piece in lines if least <= piece[2] - piece[1] <= most]


def _levelled(across: Sequence[Piece], unit: float) -> Iterator[Box]:
    """Boxes between two level lines of one length, as high as the lines are long."""
    columns: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for piece in across:
        columns[round(piece[1] / unit), round(piece[2] / unit)].append(piece)
    for pieces in columns.values():
        for (top, start, end, _), (bottom, *_) in pairwise(sorted(pieces)):
            short, long = sorted((bottom - top, end - start))
            if short > 0 and long <= _SQUARE * short:
                yield (start, top, end, bottom)


def _has_side(
    sides: dict[tuple[int, int], list[Piece]], x: float, box: Box, unit: float
) -> bool:
    """Whether a line runs down a box's side and ends with it."""
    off, near = _OFF * unit, _near(sides, x, box[1], unit)
    return any(
        abs(place - x) <= off and abs(start - box[1]) <= off and abs(end - box[3]) <= off
        for place, start, end, _ in near
    )


def _cell(place: float, unit: float) -> int:
    return int(place // (2 * _OFF * unit))


def _touch(box: Box, other: Box, unit: float) -> bool:
    apart = max(other[0] - box[2], box[0] - other[2], other[1] - box[3], box[1] - other[3])
    return box is not other and apart < unit


def _is_in(box: Box, other: Box) -> bool:
    return contains(other, center(box))


def _marks(mark: Box, box: Box) -> bool:
    """Whether something is in a box, or extends little beyond it."""
    spans = _spans(mark, box)
    seen = max(spans) < _BEYOND and spans[0] * spans[1] >= _SMALLEST_MARK
    return seen and _is_in(mark, box)


def _fills(fill: Box, box: Box) -> bool:
    return _is_alike(fill, box) and _is_in(fill, box)


def _is_alike(one: Box, other: Box) -> bool:
    spans = _spans(one, other)
    return min(spans) > _WHOLE and max(spans) < 1 / _WHOLE


def _spans(mark: Box, box: Box) -> tuple[float, float]:
    """The width and height of something in a box, as shares of the box's."""
    return (mark[2] - mark[0]) / (box[2] - box[0]), (mark[3] - mark[1]) / (box[3] - box[1])
