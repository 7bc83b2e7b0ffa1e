"""What a PDF page draws besides text, in the child: rules, fills and pictures.

Nothing is rasterised: PDFium gives the positions of its objects and how they are painted.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.geometry import Box
from pagetide.inputs.drawings.canvas import Canvas, Colour, clipped
from pagetide.inputs.drawings.paths import (
    Bounds,
    PathReader,
    inked,
    is_shape,
    level_segments,
    rectangle,
)
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.frame import PageFrame
from pagetide.inputs.pdf.marks import Matrix, times
from pagetide.layout import Drawn

# A page with more is a map, a plot, or meant to hang us. A path costs about 20 µs; one of the
# thousand dots of a dotted rule half of that, and a table has twenty such rules.
_MOST_OBJECTS = 20_000
_MOST_PATHS = 4000
_DOT = 0.2  # of a path
_DEEPEST = 8
_THIN = 3.0  # points: a filled box no thicker is a line, whatever its corners
_SMALLEST = 0.05  # points: a stroke of no width is drawn one pixel wide


def drawn_on(page: Any, frame: PageFrame) -> Drawn:
    """What a loaded page draws, in its pixels as displayed.

    Rules are the level and vertical straight parts of strokes, thin filled boxes, and the edges
    of filled boxes, these with a thickness of 0. Left out is what is outside the page or its
    clip, transparent, or in the colour of what is under it. So is a fill or a picture as large
    as the page: it is the page's background.

    Args:
        page: PDFium's handle.
        frame: Of the page.
    """
    looking = _Looking(frame)
    address = calls.address_of(page)
    looking.look(
        lambda index: calls.page_object(address, index),
        pdfium.FPDFPage_CountObjects(page),
        frame.matrix(),
        looking.canvas.page,
        _DEEPEST,
    )
    return looking.drawn()


class _Looking:
    def __init__(self, frame: PageFrame) -> None:
        page: Box = (0.0, 0.0, float(frame.width), float(frame.height))
        self.canvas = Canvas(page, _scale(frame.matrix()))
        self._reader, self._bounds = PathReader(), Bounds()
        self._objects, self._paths = _MOST_OBJECTS, float(_MOST_PATHS)
        self._modes = (ctypes.c_int * 2)()
        self._colour = (ctypes.c_uint * 4)()
        self._numbers = (ctypes.c_float * 6)()

    def drawn(self) -> Drawn:
        """Everything collected."""
        self.canvas.too_many |= self._reader.too_many
        return self.canvas.drawn()

    def look(
        self,
        object_at: Callable[[int], int],
        count: int,
        matrix: Matrix,
        clip: Box,
        depth: int,
    ) -> None:
        """Collect a page's or a form's objects.

        Args:
            object_at: An object's address by its index.
            count: How many there are.
            matrix: From their space to pixels.
            clip: The visible part of the page.
            depth: How many nested forms are examined.
        """
        for index in range(count):
            if self._objects <= 0 or self._paths <= 0 or self._reader.is_spent:
                self.canvas.too_many = True
                return
            self._objects -= 1
            item = object_at(index)
            kind = calls.object_kind(item)
            if kind == pdfium.FPDF_PAGEOBJ_PATH:
                self._path(item, matrix, clip)
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                shown = self._shown(item, matrix, clip)
                if shown:
                    self.canvas.picture(shown)
            elif kind == pdfium.FPDF_PAGEOBJ_SHADING:
                shown = self._shown(item, matrix, clip)
                if shown:
                    self.canvas.box(shown, None)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
                self._form(item, matrix, clip, depth)

    def _form(self, form: int, matrix: Matrix, clip: Box, depth: int) -> None:
        shown = self._shown(form, matrix, clip)
        if shown:
            self.look(
                lambda index: calls.form_object(form, index),
                calls.form_count(form),
                self._to_pixels(form, matrix),
                self._clip(form, matrix, clip),
                depth - 1,
            )

    def _path(self, path: int, matrix: Matrix, clip: Box) -> None:
        self._paths -= _DOT
        box = self._bounds.of(path, matrix)
        if box is None or not _meet(box, clip):
            return
        at = ctypes.addressof(self._modes)
        calls.path_mode(path, at, at + 4)
        is_filled, is_stroked = self._modes
        clip = self._clip(path, matrix, clip)
        if not _meet(box, clip):
            return
        thin = _THIN * self.canvas.unit
        if is_filled and not is_stroked and min(box[2] - box[0], box[3] - box[1]) <= thin:
            self.canvas.box(clipped(box, clip), self._painted(path, calls.fill_colour))
            return
        self._paths -= 1 - _DOT
        inner = self._to_pixels(path, matrix)
        subpaths = self._reader.subpaths(path, inner)
        if is_shape(subpaths, box, self.canvas.unit):
            colour_of = calls.fill_colour if is_filled else calls.stroke_colour
            width = self._thickness(path, inner) if is_stroked else 0.0
            box = inked(subpaths, box, width)
            self.canvas.shape(clipped(box, clip), self._painted(path, colour_of))
        elif is_stroked and min(box[2] - box[0], box[3] - box[1]) > thin:
            self.canvas.frame(clipped(box, clip))
        if is_filled and subpaths:
            colour = self._painted(path, calls.fill_colour)
            hides = colour is not None and not calls.object_is_clear(path)
            for points in subpaths:
                whole = rectangle(points, self.canvas.unit)
                if whole:
                    self.canvas.box(clipped(whole, clip), colour, hides=hides)
        if is_stroked and subpaths:
            self._stroke(path, subpaths, inner, clip)

    def _stroke(
        self, path: int, subpaths: list[list[tuple[float, float]]], matrix: Matrix, clip: Box
    ) -> None:
        colour = self._painted(path, calls.stroke_colour)
        thickness = self._thickness(path, matrix)
        for points in subpaths:
            for is_down, place, start, end in level_segments(points, self.canvas.unit):
                self.canvas.line(is_down, (place, start, end, thickness), colour, clip)

    def _thickness(self, path: int, matrix: Matrix) -> float:
        calls.stroke_width(path, ctypes.addressof(self._numbers))
        return max(self._numbers[0] * _scale(matrix), _SMALLEST * self.canvas.unit)

    def _shown(self, item: int, matrix: Matrix, clip: Box) -> Box | None:
        """The visible part of an object's bounds."""
        box = self._bounds.of(item, matrix)
        if box is None or not _meet(box, clip):
            return None
        box = clipped(box, self._clip(item, matrix, clip))
        return box if box[0] <= box[2] and box[1] <= box[3] else None

    def _clip(self, item: int, matrix: Matrix, clip: Box) -> Box:
        own = self._reader.clip(item, matrix)
        return clip if own is None else clipped(own, clip)

    def _painted(self, item: int, colour_of: Callable[..., int]) -> Colour | None:
        """The colour, or None for a pattern."""
        at = ctypes.addressof(self._colour)
        if not colour_of(item, at, at + 4, at + 8, at + 12):
            return None
        red, green, blue, opacity = self._colour
        return (red, green, blue, opacity)

    def _to_pixels(self, item: int, matrix: Matrix) -> Matrix:
        if not calls.object_matrix(item, ctypes.addressof(self._numbers)):
            return matrix
        a, b, c, d, e, f = self._numbers
        return times((a, b, c, d, e, f), matrix)


def _meet(a: Box, b: Box) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def _scale(matrix: Matrix) -> float:
    """Pixels to a unit of length."""
    a, b, c, d, _, _ = matrix
    return math.sqrt(abs(a * d - b * c))
