"""Which fonts without a name are bold, in the child: from the strokes of a small drawing.

Chrome sets a variable font in Type 3 fonts, which have neither a name nor a weight.
"""

from __future__ import annotations

import ctypes
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import pairwise
from operator import sub
from statistics import median, median_low
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from pagetide.geometry import Box
from pagetide.inputs.pdf.frame import PageFrame

_SCALE = 3.0  # pixels to a point: strokes of 10 points are 2 to 5 pixels wide
_MOST_PIXELS = 6_000_000  # of the drawing: a larger page is drawn smaller
_WORDS, _FEW = 12, 4  # of a font: these are examined; fewer where there are many fonts
_MANY, _FONTS = 40, 200  # of a page: if there are more, those with the most words
_MOST_OF_WORD = 20_000  # pixels: its start is enough, and a page may be one word
WIDE = 3
_LETTERS = 3  # of a word: less is a sign
_BESIDE = 2  # letters on either side
_FAINT = 0.4  # of the way from the ground to the ink: less is a stroke's soft edge
_HEAVIER = 1.25  # the strokes of a bold font, relative to the usual ones
_LEAST_CONTRAST = 32  # of 255


class InkedWord(NamedTuple):
    """An upright word: its letters, its box in the page's own space, and its font.

    Chinese, Japanese and Korean letters are wide, and count as `WIDE` others.
    """

    letters: int
    box: Box
    font: int
    is_wide: bool = False


def heavy_fonts(page: Any, frame: PageFrame, words: Sequence[InkedWord]) -> set[int]:
    """The fonts whose strokes are wider, relative to their height, than usual on the page.

    Args:
        page: PDFium's handle.
        frame: Of the page.
        words: Those in fonts without own data.
    """
    long = [word for word in words if word.letters >= _LETTERS]
    kinds = [[word for word in long if word.is_wide == is_wide] for is_wide in (False, True)]
    kinds = [kind for kind in kinds if len({word.font for word in kind}) > 1]
    if not kinds:
        return set()
    drawing = _Drawing(page, frame)
    return set().union(*(_heavy(drawing, kind) for kind in kinds))


def _heavy(drawing: _Drawing, words: Sequence[InkedWord]) -> set[int]:
    """The heavy fonts of words that are all wide, or all not: scripts differ in strokes."""
    of_font: dict[int, list[InkedWord]] = defaultdict(list)
    for word in words:
        of_font[word.font].append(word)
    weights: dict[int, float] = {}
    most = _WORDS if len(of_font) <= _MANY else _FEW
    for font, own in nlargest(_FONTS, of_font.items(), key=lambda item: len(item[1])):
        longest = nlargest(most, own, key=lambda word: word.letters)
        if inked := [weight for word in longest if (weight := drawing.weight(word))]:
            weights[font] = median(inked)
    if not weights:
        return set()
    weights = _among_neighbours(weights, words)
    usual = median_low(w for font, w in weights.items() for _ in of_font[font])
    return {font for font, weight in weights.items() if weight > _HEAVIER * usual}


def _among_neighbours(
    weights: Mapping[int, float], words: Sequence[InkedWord]
) -> dict[int, float]:
    """The weights, of a font of single letters the usual one of these with their neighbours.

    A Chinese letter of few strokes, or of many, may look lighter or heavier than its font, and
    Chrome has fonts of one letter.
    """
    found: dict[int, list[float]] = {font: [] for font in weights}
    for run in _runs([word for word in words if word.font in weights]):
        own = [weights[word.font] for word in run]
        for place, word in enumerate(run):
            near = own[max(place - _BESIDE, 0) : place + _BESIDE + 1]
            found[word.font].append(sum(near) / len(near))
    return {font: median(each) for font, each in found.items()}


def _runs(words: Sequence[InkedWord]) -> list[list[InkedWord]]:
    """Words one by one, but letters that are words, beside each other, together."""
    runs: list[list[InkedWord]] = []
    for word in words:
        last = runs[-1][-1] if runs else None
        if last is None or not _is_beside(last, word):
            runs.append([])
        runs[-1].append(word)
    return runs


def _is_beside(last: InkedWord, word: InkedWord) -> bool:
    near = (word.box[3] - word.box[1]) / 2
    return (
        last.is_wide
        and last.letters == word.letters == WIDE
        and abs(word.box[0] - last.box[2]) < near
        and abs(word.box[1] - last.box[1]) < near
    )


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

    def weight(self, word: InkedWord) -> float:
        """The width of a word's strokes, relative to its height; 0 if there is no ink.

        A stroke has as much ink as it is wide and long, and along its length two edges: twice
        the ink over all changes from pixel to pixel is its width, however soft its edges. Only
        changes across a row count, as bold type of most faces has thin level strokes; but wide
        letters may have no others.
        """
        polygon = self._frame.polygon(word.box)
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
        if word.is_wide:
            edges += sum(sum(map(abs, map(sub, *pair))) for pair in pairwise(inked))
        return 2 * sum(map(sum, inked)) / max(edges, 1) / (bottom - top)


def _darkness(shade: int, ground: int, ink: int) -> int:
    share = (shade - ground) / (ink - ground)
    return round(255 * min(share, 1.0)) if share >= _FAINT else 0
