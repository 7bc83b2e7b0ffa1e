"""The straight parts of a PDF's paths, in the child: read within a budget."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from itertools import pairwise

import pypdfium2.raw as pdfium

from pagetide.geometry import Box, Point
from pagetide.inputs.drawings.canvas import clipped
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.marks import Matrix

# A table drawn as one path has some hundred segments; an outline of a country, thousands.
_MOST_SEGMENTS = 1500
# Of a page. A segment takes 4 µs, so that a page of plots costs about 40 ms and no more.
_MOST_ON_PAGE = 10_000
# This many curves with nothing straight before them: letters drawn as outlines.
_FEW_CURVES = 3
# How much, in pixels at 72 dpi or as a share of its length, a line may lean to count as level.
_LEAN, _LEAN_SHARE = 0.4, 0.01

_BOX = ctypes.c_float * 4


class PathReader:
    """Reads paths and clips as points in page pixels, until a page's budget is used up.

    Attributes:
        too_many: A path with too many segments was left out.
    """

    def __init__(self) -> None:
        self.too_many = False
        self._left = _MOST_ON_PAGE
        self._point = (ctypes.c_float * 2)()
        self._x = ctypes.addressof(self._point)
        self._y = self._x + 4

    @property
    def is_spent(self) -> bool:
        """Whether a page's budget is used up."""
        return self._left <= 0

    def subpaths(self, path: int, matrix: Matrix) -> list[list[Point]]:
        """The path's pieces between moves, each as its corners.

        A piece ends at a curve and a new one starts after it. Empty if the path has more
        segments than are read, or consists of curves.

        Args:
            path: PDFium's handle.
            matrix: From the path's own space to pixels.
        """
        count = calls.path_size(path)
        if count > min(_MOST_SEGMENTS, self._left):
            self.too_many = True
            return []
        return self._subpaths(path, count, matrix)

    def clip(self, item: int, matrix: Matrix) -> Box | None:
        """The bounds of an object's clip, in pixels; None if it is not clipped.

        Args:
            item: PDFium's handle.
            matrix: From the object's space to pixels.
        """
        clip = calls.clip_path(item)
        count = calls.clip_count(clip) if clip else 0
        box: Box | None = None
        for at in range(min(count, 4)):
            size = calls.clip_size(clip, at)
            if size <= 0 or size > 12:  # a shape, not a box: its bounds are worth less
                continue
            xs, ys = zip(*self._clip_points(clip, at, size, matrix), strict=True)
            inner = (min(xs), min(ys), max(xs), max(ys))
            box = inner if box is None else clipped(box, inner)
        return box

    def _subpaths(self, path: int, count: int, matrix: Matrix) -> list[list[Point]]:
        self._left -= count
        found: list[list[Point]] = []
        points: list[Point] = []
        curves = 0
        a, b, c, d, e, f = matrix
        place, at_x, at_y = self._point, self._x, self._y
        for index in range(count):
            segment = calls.path_segment(path, index)
            kind = calls.segment_kind(segment)
            calls.segment_point(segment, at_x, at_y)
            x, y = place
            point = (a * x + c * y + e, b * x + d * y + f)
            if kind == pdfium.FPDF_SEGMENT_LINETO:
                points.append(point)
                continue
            if len(points) > 1:
                found.append(points)
            points = [point]
            if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
                curves += 1
                if curves > 3 * _FEW_CURVES and not found:
                    return []
        if len(points) > 1:
            found.append(points)
        return found

    def _clip_points(self, clip: int, at: int, count: int, matrix: Matrix) -> list[Point]:
        self._left -= count
        a, b, c, d, e, f = matrix
        points: list[Point] = []
        for index in range(count):
            calls.segment_point(calls.clip_segment(clip, at, index), self._x, self._y)
            x, y = self._point
            points.append((a * x + c * y + e, b * x + d * y + f))
        return points


class Bounds:
    """Reads objects' bounds in page pixels."""

    def __init__(self) -> None:
        self._numbers = _BOX()
        at = ctypes.addressof(self._numbers)
        self._places = (at, at + 4, at + 8, at + 12)

    def of(self, item: int, matrix: Matrix) -> Box | None:
        """The bounds, or None if PDFium knows none.

        Args:
            item: PDFium's handle.
            matrix: From the object's space to pixels.
        """
        if not calls.object_bounds(item, *self._places):
            return None
        x0, y0, x1, y1 = self._numbers
        a, b, c, d, e, f = matrix
        if not b and not c:
            left, right, top, bottom = a * x0 + e, a * x1 + e, d * y1 + f, d * y0 + f
            if left > right:
                left, right = right, left
            return (left, top, right, bottom) if top <= bottom else (left, bottom, right, top)
        xs, ys = zip(
            *[(a * x + c * y + e, b * x + d * y + f) for x in (x0, x1) for y in (y0, y1)],
            strict=True,
        )
        return (min(xs), min(ys), max(xs), max(ys))


def rectangle(points: list[Point], unit: float) -> Box | None:
    """The box that a subpath traces, or None if it is not an upright rectangle."""
    if not 4 <= len(points) <= 6:
        return None
    for (x0, y0), (x1, y1) in pairwise(points):
        if abs(x1 - x0) > _LEAN * unit and abs(y1 - y0) > _LEAN * unit:
            return None
    xs, ys = zip(*points, strict=True)
    box = (min(xs), min(ys), max(xs), max(ys))
    ends = abs(xs[0] - xs[-1]) + abs(ys[0] - ys[-1])
    sides = (box[2] - box[0], box[3] - box[1])
    if ends > unit and min(abs(ends - side) for side in sides) > unit:
        return None  # it is neither closed nor missing one side
    return box


def inked(subpaths: list[list[Point]], box: Box, thickness: float) -> Box:
    """A stroked path's bounds without the space that PDFium adds for mitres.

    Bounds of a path with curves stay: they extend beyond its points.

    Args:
        subpaths: Between its curves.
        box: Its bounds, from PDFium.
        thickness: Of its line.
    """
    points = [point for each in subpaths for point in each]
    if not points:
        return box
    xs, ys = zip(*points, strict=True)
    own = (min(xs), min(ys), max(xs), max(ys))
    over = (own[0] - box[0], own[1] - box[1], box[2] - own[2], box[3] - own[3])
    if max(over) > _MITRE * thickness:
        return box
    half = thickness / 2
    return (own[0] - half, own[1] - half, own[2] + half, own[3] + half)


_MITRE = 2.0  # times a line's thickness: how far PDFium's bounds may extend beyond its ends
_SLANTED = 0.1  # of the way around


def level_segments(
    points: list[Point], unit: float
) -> Iterator[tuple[bool, float, float, float]]:
    """The level or vertical segments of a subpath: `(is_down, at, start, end)`."""
    for (x0, y0), (x1, y1) in pairwise(points):
        width, height = abs(x1 - x0), abs(y1 - y0)
        if height <= max(_LEAN * unit, _LEAN_SHARE * width) and width > height:
            yield (False, (y0 + y1) / 2, *((x0, x1) if x0 < x1 else (x1, x0)))
        elif width <= max(_LEAN * unit, _LEAN_SHARE * height) and height > width:
            yield (True, (x0 + x1) / 2, *((y0, y1) if y0 < y1 else (y1, y0)))


def is_shape(subpaths: list[list[Point]], box: Box, unit: float) -> bool:
    """Whether a path is neither level lines nor a box, with or without round corners.

    Args:
        subpaths: Between its curves; empty if it is all curves.
        box: Its bounds.
        unit: Pixels per point.
    """
    level = sum(
        end - start for each in subpaths for _, _, start, end in level_segments(each, unit)
    )
    drawn = sum(math.dist(a, b) for each in subpaths for a, b in pairwise(each))
    around = 2 * (box[2] - box[0] + box[3] - box[1])
    return drawn - level > _SLANTED * around or drawn < _SLANTED * around
