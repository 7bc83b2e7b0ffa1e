"""Polygons, boxes and turns: pure functions, in page pixels, origin top left, y down.

A `Polygon` is four or more points, clockwise from the text's own top left. A `Box` is
`(x0, y0, x1, y1)` with `x0 <= x1` and `y0 <= y1`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Point = tuple[float, float]
Polygon = tuple[Point, ...]
Box = tuple[float, float, float, float]


def polygon_of(box: Box) -> Polygon:
    """The box as a polygon: top left, top right, bottom right, bottom left."""
    x0, y0, x1, y1 = box
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def box_of(points: Sequence[Point]) -> Box:
    """The smallest upright box that holds all points."""
    if len(points) == 4:  # of a box, as a thousand a page are: in a ninth of the time
        (x0, y0), (right, top), (x1, y1), (left, bottom) = points
        if left == x0 <= right == x1 and top == y0 <= bottom == y1:
            return (x0, y0, x1, y1)
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box that holds all boxes."""
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return (min(x0s), min(y0s), max(x1s), max(y1s))


def area(box: Box) -> float:
    """Square pixels."""
    return (box[2] - box[0]) * (box[3] - box[1])


def intersection_area(a: Box, b: Box) -> float:
    """Square pixels that both boxes cover."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0


def contains(box: Box, point: Point) -> bool:
    """Whether the point lies in the box or on its edge."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def center(box: Box) -> Point:
    """The box's middle."""
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def turn_back(polygon: Polygon, degrees: int, width: float, height: float) -> Polygon:
    """A polygon found on an upright copy, on the page that stood turned.

    Args:
        polygon: Pixels of the upright copy; the order of its points is kept.
        degrees: How far the page's content stands turned clockwise: 0, 90, 180 or 270.
        width: The page's own width in pixels, not the upright copy's.
        height: Likewise.
    """
    if degrees == 90:
        return tuple((width - y, x) for x, y in polygon)
    if degrees == 180:
        return tuple((width - x, height - y) for x, y in polygon)
    if degrees == 270:
        return tuple((y, height - x) for x, y in polygon)
    return polygon


def part_of(polygon: Polygon, start: float, end: float) -> Polygon:
    """The slice of a four-point polygon between two fractions of its reading direction.

    Args:
        polygon: Clockwise from the text's top left.
        start: 0–1 along the first edge.
        end: Likewise, not before `start`.
    """
    top_left, top_right, bottom_right, bottom_left = polygon

    def along(a: Point, b: Point, t: float) -> Point:
        return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)

    return (
        along(top_left, top_right, start),
        along(top_left, top_right, end),
        along(bottom_left, bottom_right, end),
        along(bottom_left, bottom_right, start),
    )


def stretch_of(polygon: Polygon, inner: Polygon) -> tuple[float, float]:
    """From where to where a polygon lies along another's reading direction, each 0–1.

    Args:
        polygon: Clockwise from the text's top left.
        inner: Of any shape.
    """
    (ax, ay), (bx, by) = polygon[:2]
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy or 1.0
    shares = [((x - ax) * dx + (y - ay) * dy) / square for x, y in inner]
    start = min(1.0, max(0.0, min(shares)))
    return start, max(start, min(1.0, max(shares)))


def covering(inner: Box, outers: Sequence[Box]) -> int | None:
    """Index of the box that `inner` belongs to, or None.

    It belongs to the box that covers most of it when that is at least half its area, else
    to the smallest box that holds its centre; ties go to the smaller box.
    """
    if not outers:
        return None
    own = area(inner)
    shares = [intersection_area(inner, outer) for outer in outers]
    best = max(range(len(outers)), key=lambda i: (shares[i], -area(outers[i])))
    if own > 0 and shares[best] >= own / 2:
        return best
    holding = [i for i, outer in enumerate(outers) if contains(outer, center(inner))]
    return min(holding, key=lambda i: area(outers[i]), default=None)


def turned(polygon: Polygon, angle: float) -> Polygon:
    """The polygon turned clockwise, as seen, about the origin by radians."""
    if angle == 0.0:
        return polygon
    sin, cos = math.sin(angle), math.cos(angle)
    return tuple((x * cos - y * sin, x * sin + y * cos) for x, y in polygon)


def direction(polygon: Polygon) -> float:
    """The way the text runs: radians clockwise, as seen, from left to right."""
    (x0, y0), (x1, y1) = polygon[:2]
    return math.atan2(y1 - y0, x1 - x0)


def oriented(polygon: Polygon) -> Polygon:
    """The smallest rectangle around the polygon that runs as its text does.

    Four points, clockwise from the text's top left.
    """
    angle = direction(polygon)
    return turned(polygon_of(box_of(turned(polygon, -angle))), angle)
