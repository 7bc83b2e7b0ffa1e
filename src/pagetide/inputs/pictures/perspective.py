"""Photos of a page at an angle: detected by the page's edges, and straightened for reading.

A page is bright, covers a good part of the photo, four straight edges separate it from its
background, and it does not appear as a rectangle. It is cut out and straightened; the results
are mapped back, so polygons are those of the photo.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.geometry import Point, Polygon

_LOOKED_AT = 480  # pixels of the long side of the picture in which edges are searched
_LEAST_AREA = 0.3  # of the picture, covered by the page
_FILLED = 0.94  # of the four-sided shape is page: less is not a page with straight edges
_CORNER = 2.0  # degrees by which a corner differs from a right angle; less is not a perspective
_SIDES = 2.0  # the most a side may exceed the opposite one: beyond that nothing is legible
_SIDE = (0.05, 0.95)  # of a side's length is used: pages are folded near the corners
_CLOSING = 7  # pixels: letters at the edge are part of the page

Pixels = NDArray[np.uint8]


class Straight(NamedTuple):
    """A picture as if taken from straight above: its size, and the mapping to the photo.

    Attributes:
        width: Pixels; the same for `height`.
        back: 3 × 3, from its points to the photo's (a homography).
    """

    width: int
    height: int
    back: NDArray[np.float64]

    def on_photo(self, polygon: Polygon) -> Polygon:
        """A polygon of this picture, on the photo."""
        points = np.array([[*point, 1.0] for point in polygon]) @ self.back.T
        return tuple((round(x / w, 1), round(y / w, 1)) for x, y, w in points.tolist())


def straightened(photo: Pixels) -> tuple[Pixels, Straight] | None:
    """The photo straightened by its page's edges; None without a page at an angle.

    Args:
        photo: Height × width × 3.
    """
    corners = page_corners(photo)
    if corners is None or not _is_askew(corners):
        return None
    return _warped(photo, corners)


def page_corners(photo: Pixels) -> list[Point] | None:
    """The corners of the page on a photo, clockwise from its top left; None without one."""
    height, width = photo.shape[:2]
    scale = min(1.0, _LOOKED_AT / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    gray = cv2.cvtColor(
        cv2.resize(photo, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY
    )
    _, bright = cv2.threshold(
        cv2.GaussianBlur(gray, (5, 5), 0), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU
    )
    closed = cv2.morphologyEx(bright, cv2.MORPH_CLOSE, np.ones((_CLOSING, _CLOSING), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    page = max(contours, key=cv2.contourArea, default=None)
    if page is None:
        return None
    hull = cv2.convexHull(page)
    shape = cv2.approxPolyDP(hull, 0.02 * cv2.arcLength(hull, closed=True), closed=True)
    area = cv2.contourArea(shape)
    if len(shape) != 4 or area < _LEAST_AREA * size[0] * size[1]:
        return None
    if cv2.contourArea(page) < _FILLED * area or _is_cut(shape, size):
        return None
    corners = _from_top_left([(x + 0.5, y + 0.5) for x, y in shape[:, 0].tolist()])
    sides = [_side(page[:, 0] + 0.5, corners[i], corners[(i + 1) % 4]) for i in range(4)]
    meeting = [_meeting(sides[i - 1], sides[i]) for i in range(4)]
    if not all(math.isfinite(x + y) for x, y in meeting):
        return None
    return [(x / scale, y / scale) for x, y in meeting]


def _side(edge: NDArray[np.float64], start: Point, end: Point) -> tuple[Point, Point]:
    """A side of the page: a point and a direction, fitted to the edge between two corners."""
    along = np.subtract(end, start)
    length = float(np.hypot(*along))
    share = (edge - start) @ along / length**2
    off = np.abs((edge - start) @ (-along[1], along[0])) / length
    near = edge[(share > _SIDE[0]) & (share < _SIDE[1]) & (off < 0.03 * length)]
    if len(near) < 2:
        return start, (float(along[0]), float(along[1]))
    vx, vy, x, y = cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    return (float(x), float(y)), (float(vx), float(vy))


def _meeting(one: tuple[Point, Point], other: tuple[Point, Point]) -> Point:
    (x, y), (dx, dy) = one
    (x2, y2), (dx2, dy2) = other
    across = dx * dy2 - dy * dx2
    step = ((x2 - x) * dy2 - (y2 - y) * dx2) / across if across else math.inf
    return x + step * dx, y + step * dy


def _is_cut(shape: NDArray[np.int32], size: tuple[int, int]) -> bool:
    """Whether the picture's edge cuts the page: its corners are then unknown."""
    x, y = shape[:, 0, 0], shape[:, 0, 1]
    at_edge = (x <= 1) | (y <= 1) | (x >= size[0] - 2) | (y >= size[1] - 2)
    return bool(at_edge.any())


def _from_top_left(corners: Sequence[Point]) -> list[Point]:
    """Clockwise, from the corner nearest to the picture's own top left."""
    middle = np.mean(corners, axis=0)
    turning = sorted(corners, key=lambda p: np.arctan2(p[1] - middle[1], p[0] - middle[0]))
    first = min(range(4), key=lambda i: sum(turning[i]))
    return turning[first:] + turning[:first]


def _is_askew(corners: Sequence[Point]) -> bool:
    points = np.array(corners)
    sides = np.roll(points, -1, axis=0) - points
    lengths = np.hypot(*sides.T)
    turns = np.degrees(np.arctan2(sides[:, 1], sides[:, 0]))
    off = np.abs((np.roll(turns, -1) - turns) % 360 - 90)
    opposite = np.maximum(lengths[:2] / lengths[2:], lengths[2:] / lengths[:2])
    return bool(off.max() > _CORNER and opposite.max() < _SIDES)


def _warped(photo: Pixels, corners: Sequence[Point]) -> tuple[Pixels, Straight]:
    top, right, low, left = (
        float(np.hypot(corners[i][0] - corners[i - 3][0], corners[i][1] - corners[i - 3][1]))
        for i in range(4)
    )
    size = max(1, round(max(top, low))), max(1, round(max(left, right)))
    flat = [(0, 0), (size[0], 0), size, (0, size[1])]
    there = cv2.getPerspectiveTransform(
        np.array(corners, np.float32), np.array(flat, np.float32)
    )
    pixels = cv2.warpPerspective(
        photo, there, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(pixels, np.uint8), Straight(*size, np.linalg.inv(there))
