"""Counts what a PDF page draws, in the child without drawing it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.geometry import Box, area, intersection_area
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.frame import PageFrame

INVISIBLE_MODES = {3, 7}
"""Text render modes that show nothing: 3 draws neither fill nor stroke, 7 only clips.

Source: ISO 32000-2 §9.3.6.
"""

Matrix = tuple[float, float, float, float, float, float]

# A page with more is a map or a drawing, or meant to hang us: the rest is ignored.
_MOST_OBJECTS = 20_000
_DEEPEST = 8
# A picture over this much of the page is the page; anything drawn before is behind it.
_WHOLE_PAGE = 0.8
_LARGE = 0.05  # a logo covers 0.01, a photograph or a scanned paragraph 0.1
AS_IS: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(kw_only=True)
class PageMarks:
    """Counts of what a page draws, including nested forms.

    Attributes:
        texts: Text objects; `invisible_texts` of them are invisible, `hidden_texts` are behind
            an opaque picture as large as the page.
        paths: Lines, curves and fills.
        image_share: The share of the visible page covered by pictures, 0–1; overlaps count
            twice.
        pictures: The positions of those that cover a twentieth of the page or more, in the
            PDF's own units.
        most_pixels: Of the largest picture, by its own header.
    """

    texts: int = 0
    invisible_texts: int = 0
    hidden_texts: int = 0
    paths: int = 0
    images: int = 0
    others: int = 0
    image_share: float = 0.0
    pictures: list[Box] = field(default_factory=list)
    most_pixels: int = 0

    @property
    def is_blank(self) -> bool:
        """Whether nothing is drawn at all."""
        return not (self.texts or self.paths or self.images or self.others)


def count_marks(page: Any, frame: PageFrame) -> PageMarks:
    """Count what a loaded page draws.

    Args:
        page: PDFium's handle.
        frame: Of the same page.
    """
    return _Counting(frame).of_page(page)


class _Counting:
    def __init__(self, frame: PageFrame) -> None:
        self._marks = PageMarks()
        self._left = _MOST_OBJECTS
        self._shown: Box = frame.box
        self._numbers = (ctypes.c_float * 6)()
        self._sizes = (ctypes.c_uint * 2)()

    def of_page(self, page: Any) -> PageMarks:
        address = calls.address_of(page)
        for index in range(pdfium.FPDFPage_CountObjects(page)):
            if self._left <= 0:
                break
            self._count(calls.page_object(address, index), AS_IS, _DEEPEST)
        return self._marks

    def _count(self, item: int, matrix: Matrix, depth: int) -> None:
        self._left -= 1
        kind = calls.object_kind(item)
        marks = self._marks
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            marks.texts += 1
            marks.invisible_texts += calls.render_mode(item) in INVISIBLE_MODES
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            marks.paths += 1
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            self._count_image(item, matrix)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM:
            self._count_form(item, matrix, depth)
        else:
            marks.others += 1

    def _count_form(self, form: int, matrix: Matrix, depth: int) -> None:
        inner = times(self._matrix(form), matrix)
        for index in range(calls.form_count(form) if depth else 0):
            if self._left <= 0:
                return
            self._count(calls.form_object(form, index), inner, depth - 1)

    def _count_image(self, image: int, matrix: Matrix) -> None:
        marks, at = self._marks, ctypes.addressof(self._sizes)
        marks.images += 1
        if calls.image_size(image, at, at + 4):
            marks.most_pixels = max(marks.most_pixels, self._sizes[0] * self._sizes[1])
        box = self._box(image, matrix)
        share = intersection_area(box, self._shown) / max(area(self._shown), 1e-6)
        if share >= _LARGE:
            marks.pictures.append(box)
        marks.image_share = min(1.0, marks.image_share + share)
        if share >= _WHOLE_PAGE and not calls.object_is_clear(image):
            marks.hidden_texts = marks.texts

    def _box(self, image: int, matrix: Matrix) -> Box:
        """The position of an image, in the PDF's own units."""
        at = ctypes.addressof(self._numbers)
        if not calls.object_bounds(image, at, at + 4, at + 8, at + 12):
            return (0.0, 0.0, 0.0, 0.0)
        x0, y0, x1, y1, *_ = self._numbers
        a, b, c, d, e, f = matrix
        points = [(a * x + c * y + e, b * x + d * y + f) for x in (x0, x1) for y in (y0, y1)]
        xs, ys = zip(*points, strict=True)
        return (min(xs), min(ys), max(xs), max(ys))

    def _matrix(self, form: int) -> Matrix:
        if not calls.object_matrix(form, ctypes.addressof(self._numbers)):
            return AS_IS
        a, b, c, d, e, f = self._numbers
        return (a, b, c, d, e, f)


def times(first: Matrix, then: Matrix) -> Matrix:
    """The matrix that does one thing, then another."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )
