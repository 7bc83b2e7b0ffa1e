"""Word properties from a page's fonts: their style, and the height of a line."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Sequence
from functools import cache
from statistics import median_low

from pagetide.geometry import Box
from pagetide.inputs.pdf import calls

_NAME_BYTES = 256
# TeX's bold faces have no such word: `CMBX10`, `SFBX1000`.
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi\b|[a-z]bx\d|-bd\b", re.IGNORECASE)
_SLANTED_NAME = re.compile(
    rb"ital|obliq|slant|kursiv|cmmi|[-a-z](?:ti|sl)\d|[-,a-z0-9](?:BI|It)\b", re.IGNORECASE
)
_FIXED_NAME = re.compile(
    rb"mono(?!type)|courier|consol|typewriter|menlo|inconsolata|[-a-z]tt\d", re.IGNORECASE
)
# ISO 32000-2, table 121
_FIXED_PITCH, _ITALIC, _FORCE_BOLD = 1 << 0, 1 << 6, 1 << 18
# PDFium derives a weight from the width of stems: that of Times is 420, of its bold face 695,
# of Computer Modern 345 and 570. A file that gives all fonts one width says nothing, and one
# that gives some of them none (250 then) only about those that are heavy by themselves.
_HEAVIER, _HEAVY = 1.35, 500
_REGULAR_NAME = re.compile(
    rb"[-,](?:regu(?:lar|ital)?|roman|book|ital(?:ic)?|it|oblique|slanted)$", re.IGNORECASE
)
# Above and below the baseline, in em: most text faces'.
_ASCENT, _DESCENT = 0.93, -0.22


class PageFonts:
    """The fonts of a loaded page's text.

    Args:
        text: PDFium's handle of the text, as a number.
    """

    def __init__(self, text: int) -> None:
        self._text = text
        self._font_of: dict[int, int] = {}
        self._numbers = (ctypes.c_float * 6)()
        self._origin = (ctypes.c_double * 2)()
        self._is_named = cache(lambda font: bool(_name(font)))

    def of_object(self, item: int) -> int:
        """The font of a text object, PDFium's handle; 0 where it has none."""
        font = self._font_of.get(item)
        if font is None:
            font = self._font_of[item] = (item and calls.object_font(item)) or 0
        return font

    def is_named(self, item: int) -> bool:
        """Whether a text object's font has a name, and with it a line height and a weight.

        A Type 3 font, which has none, is as tall as its glyphs: one with only a dash is a hair
        high. Chrome makes such fonts, several of one face, for variable fonts.
        """
        font = self.of_object(item)
        return not font or self._is_named(font)

    def whole_line(self, index: int, box: Box) -> Box:
        """A level word's box, as tall as a line of its size.

        Args:
            index: Of its first character.
            box: From its font; returned unchanged if its size is unknown.
        """
        at = ctypes.addressof(self._origin)
        placed = calls.char_origin(self._text, index, at, at + 8)
        if not placed or not calls.char_matrix(
            self._text, index, ctypes.addressof(self._numbers)
        ):
            return box
        em = calls.char_size(self._text, index) * math.hypot(self._numbers[2], self._numbers[3])
        baseline = self._origin[1]
        low, high = baseline + _DESCENT * em, baseline + _ASCENT * em
        holds = low - em < box[1] and box[3] < high + em and em > 0
        return (box[0], low, box[2], high) if holds else box


def bold_fonts(used: Sequence[int]) -> set[int]:
    """Those of the fonts (PDFium's handles) that are bold.

    Args:
        used: The font of every line or word, to determine the usual one; 0 for none.
    """
    fonts = [font for font in used if font]
    if not fonts:
        return set()
    weights = {font: calls.font_weight(font) for font in set(fonts)}
    usual = median_low(weights[font] for font in fonts)
    return {
        font
        for font, weight in weights.items()
        if _is_called_bold(font)
        or (
            weight >= _HEAVY
            and weight > _HEAVIER * usual > 0
            and not _REGULAR_NAME.search(_name(font))
        )
    }


def is_slanted(font: int) -> bool:
    """Whether a font (PDFium's handle) is italic or oblique."""
    return bool(calls.font_flags(font) & _ITALIC or _SLANTED_NAME.search(_name(font)))


def is_fixed_width(font: int) -> bool:
    """Whether all letters of a font (PDFium's handle) have the same width."""
    return bool(calls.font_flags(font) & _FIXED_PITCH or _FIXED_NAME.search(_name(font)))


def _is_called_bold(font: int) -> bool:
    named = _BOLD_NAME.search(_name(font))
    return bool(named) or bool(calls.font_flags(font) & _FORCE_BOLD)


def _name(font: int) -> bytes:
    name = ctypes.create_string_buffer(_NAME_BYTES)
    calls.font_name(font, ctypes.addressof(name), _NAME_BYTES)
    return name.value
