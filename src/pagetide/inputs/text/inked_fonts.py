"""Which fonts without a name are bold, in the child: from the strokes of a small drawing.

Chrome sets a variable font in Type 3 fonts, which have neither a name nor a weight.
"""

from __future__ import annotations

import ctypes
import math
from collections import defaultdict
from collections.abc import Sequence
from heapq import nlargest
from operator import sub
from statistics import median, median_low
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from pagetide.geometry import Box
from pagetide.inputs.pdf.frame import PageFrame

_SCALE = 2.0  # pixels to a point: strokes of 10 points are 1.5 to 3 pixels wide
_MOST_PIXELS = 6_000_000  # of the drawing: a larger page is drawn smaller
_WORDS = 12  # of a font: these are examined
_FONTS = 40  # of a page: if there are more, those with the most words
_MOST_OF_WORD = 20_000  # pixels: its start is enough, and a page may be one word
_LETTERS = 3  # of a word: less is a sign
_FAINT = 0.4  # of the way from the ground to the ink: less is a stroke's soft edge
_HEAVIER = 1.25  # the strokes of a bold font, relative to the usual ones
_LEAST_CONTRAST = 32  # of 255


class InkedWord(NamedTuple):
    """An upright word: its letters, its box in the page's own space, and its font."""

    letters: int
    box: Box
    font: int


def heavy_fonts(page: Any, frame: PageFrame, words: Sequence[InkedWord]) -> set[int]:
    """The fonts whose strokes are wider, relative to their height, than usual on the page.

    Args:
        page: PDFium's handle.
        frame: Of the page.
        words: Those in fonts without own data.
    """
    of_font: dict[int, list[InkedWord]] = defaultdict(list)
    for word in words:
        if word.letters >= _LETTERS:
            of_font[word.font].append(word)
    if len(of_font) < 2:
        return set()
    drawing = _Drawing(page, frame)
    weights: dict[int, float] = {}
    for font, own in nlargest(_FONTS, of_font.items(), key=lambda item: len(item[1])):
        longest = nlargest(_WORDS, own, key=lambda word: word.letters)
        if inked := [weight for word in longest if (weight := drawing.weight(word.box))]:
            weights[font] = median(inked)
    if not weights:
        return set()
    usual = median_low(w for font, w in weights.items() for _ in of_font[font])
    return {font for font, weight in weights.items() if weight > _HEAVIER * usual}


class _Drawing:
    """The page in shades of grey."""

    def __init__(self, page: Any, frame: PageFrame) -> None:
        points = max(frame.width_pt * frame.height_pt, 1.0)
        scale = min(_SCALE, math.sqrt(_MOST_PIXELS / points))
        self.width = max(1, round(frame.width_pt * scale))
        self.height = max(1, round(frame.height_pt * scale))
        self._frame, self._scale = frame, self.width / frame.width
        self._pixels = bytearray(self.width * self.height)
        buffer = (ctypes.c_char * len(self._pixels)).from_buffer(self._pixels)
        bitmap = pdfium.FPDFBitmap_CreateEx(
            self.width, self.height, pdfium.FPDFBitmap_Gray, buffer, self.width
        )
        if not bitmap:
            raise MemoryError
        area = (0, 0, self.width, self.height)
        pdfium.FPDFBitmap_FillRect(bitmap, *area, 0xFFFFFFFF)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, *area, 0, pdfium.FPDF_GRAYSCALE)
        pdfium.FPDFBitmap_Destroy(bitmap)

    def weight(self, box: Box) -> float:
        """The width of the strokes in a box, relative to its height; 0 if there is no ink.

        A stroke has as much ink as it is wide and long, and along its length two edges: twice
        the ink over all changes from pixel to pixel is its width, however soft its edges.
        """
        polygon = self._frame.polygon(box)
        (x0, y0), (x1, y1) = polygon[0], polygon[2]
        left, right = (min(max(round(x * self._scale), 0), self.width) for x in (x0, x1))
        top, bottom = (min(max(round(y * self._scale), 0), self.height) for y in (y0, y1))
        right = min(right, left + _MOST_OF_WORD // max(bottom - top, 1))
        rows = [
            bytes(self._pixels[y * self.width + left : y * self.width + right])
            for y in range(top, bottom)
        ]
        every = sorted(b"".join(rows))
        if not every:
            return 0.0
        ground = every[len(every) // 2]
        ink = max(every[0], every[-1], key=lambda shade: abs(shade - ground))
        if abs(ink - ground) < _LEAST_CONTRAST:
            return 0.0
        shades = bytes(_darkness(shade, ground, ink) for shade in range(256))
        inked = [row.translate(shades) for row in rows]
        edges = sum(sum(map(abs, map(sub, row, row[1:]))) for row in inked)
        return 2 * sum(map(sum, inked)) / max(edges, 1) / (bottom - top)


def _darkness(shade: int, ground: int, ink: int) -> int:
    share = (shade - ground) / (ink - ground)
    return round(255 * min(share, 1.0)) if share >= _FAINT else 0
