"""A PDF page's own text, in the child: characters from PDFium, as words with their places.

The characters are the PDF's, but for three things that only typesetting put there: the
ligatures ﬀ–ﬆ become the letters they join, a hyphen at a line's end is "-" whatever its code,
and a soft hyphen that does not show is left out.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.geometry import Box, center, union
from pagetide.inputs.text_lines import Joint, PlacedWord, turned

# PDFium's mark for a hyphen at a line's end; it then leaves out the line break.
_HYPHEN = "\ufffe"
_SOFT_HYPHEN = "\u00ad"
# A word, or one character of a script written without spaces (Han, Kana, Bopomofo, Yi).
_WORD = re.compile(
    r"[\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf"
    r"\uf900-\ufaff\U00020000-\U0003134f]"
    r"|[^\s\x00\ufffe\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\ua000-\ua4cf\uf900-\ufaff\U00020000-\U0003134f]+\ufffe?"
)
_TYPESETTING = re.compile("[\ufb00-\ufb06\u00ad\ufffe]")
_LETTERS = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
        _HYPHEN: "-",
        _SOFT_HYPHEN: None,
    }
)
_BOX = struct.Struct("4f")
# The ends of a word lie this far apart in height (in heights) when it may be turned.
_UNEVEN = 0.25
_UPRIGHT_DEGREES = 1.0
_SAMPLED = 64
_INVISIBLE = {3, 7}


def plain(function: Any, result: Any, *arguments: Any) -> Any:
    """A PDFium function that takes addresses as numbers: 1.0 µs a call instead of 1.7."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    return ctypes.CFUNCTYPE(result, *arguments)(address)


_AT = (ctypes.c_void_p, ctypes.c_int)
_loose_box = plain(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int, *_AT, ctypes.c_void_p)
_angle = plain(pdfium.FPDFText_GetCharAngle, ctypes.c_float, *_AT)
_object = plain(pdfium.FPDFText_GetTextObject, ctypes.c_void_p, *_AT)
_render_mode = plain(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int, ctypes.c_void_p)
_map_error = plain(pdfium.FPDFText_HasUnicodeMapError, ctypes.c_int, *_AT)


class PageText:
    """The text of a loaded page.

    Attributes:
        characters: As PDFium gives them, one for each of its indexes.
    """

    def __init__(self, page: Any) -> None:
        self._page = pdfium.FPDFText_LoadPage(page)
        self._address = ctypes.cast(self._page, ctypes.c_void_p).value
        self.characters = self._characters()

    def close(self) -> None:
        """Let go of the text."""
        pdfium.FPDFText_ClosePage(self._page)

    def words(self) -> list[PlacedWord]:
        """All words in PDFium's order, whether they show or not."""
        spans = [match.span() for match in _WORD.finditer(self.characters)]
        self._starts = [start for start, _ in spans]
        boxes = self._boxes([index for start, stop in spans for index in (start, stop - 1)])
        words: list[PlacedWord] = []
        at, angle = 0, 0.0
        for (start, stop), first, last in zip(spans, boxes[::2], boxes[1::2], strict=True):
            joint = self._joint(at, start)
            if joint is Joint.LINE or stop - start > 1:
                angle = self._direction(start, first, last)
            box = _upright(first, last) if not angle else _along(first, last, angle)
            words.append(PlacedWord(self._text(start, stop), box, joint, angle))
            at = stop
        return words

    def invisible(self) -> list[bool]:
        """For each word, whether it is of text that is drawn without showing."""
        modes: dict[int | None, bool] = {}
        for start in self._starts:
            text = _object(self._address, start)
            if text not in modes:
                modes[text] = is_invisible(text)
        return [modes[_object(self._address, start)] for start in self._starts]

    def unmapped_share(self) -> float:
        """The share of characters (0–1), of a sample, that the PDF gives no code for."""
        if not self._starts:
            return 0.0
        sample = self._starts[:: max(1, len(self._starts) // _SAMPLED)]
        return sum(_map_error(self._address, start) == 1 for start in sample) / len(sample)

    def _characters(self) -> str:
        count = pdfium.FPDFText_CountChars(self._page)
        if count <= 0:
            return ""
        buffer = (ctypes.c_ushort * (2 * count + 1))()
        written = pdfium.FPDFText_GetText(self._page, 0, count, buffer)
        text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
        if len(text) == count:
            return text
        # PDFium leaves characters without a code out of its text, but not out of its count.
        codes = [pdfium.FPDFText_GetUnicode(self._page, index) for index in range(count)]
        return "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)

    def _boxes(self, indexes: list[int]) -> list[Box]:
        """The characters' boxes: their advance wide, their font's ascent and descent high."""
        buffer = ctypes.create_string_buffer(_BOX.size * len(indexes))
        page, at = self._address, ctypes.addressof(buffer)
        for index in indexes:
            _loose_box(page, index, at)
            at += _BOX.size
        return [(x0, low, x1, high) for x0, high, x1, low in _BOX.iter_unpack(buffer)]

    def _joint(self, end: int, start: int) -> Joint:
        if start == end and start:
            return Joint.LINE if self.characters[end - 1] == _HYPHEN else Joint.NONE
        between = self.characters[end:start]
        is_break = not end or "\n" in between or "\r" in between or _HYPHEN in between
        return Joint.LINE if is_break else Joint.SPACE

    def _direction(self, start: int, first: Box, last: Box) -> float:
        """Degrees that a word runs counter-clockwise from the x axis; asked only in doubt."""
        if first is not last and first != last:
            height = first[3] - first[1]
            is_level = abs(first[1] - last[1]) <= _UNEVEN * height
            if is_level and first[0] < last[0]:
                return 0.0
        degrees = -math.degrees(_angle(self._address, start)) % 360
        quarter = round(degrees / 90) * 90.0
        return quarter % 360 if abs(degrees - quarter) < _UPRIGHT_DEGREES else degrees

    def _text(self, start: int, stop: int) -> str:
        text = self.characters[start:stop]
        if not _TYPESETTING.search(text):
            return text
        if text[-1] == _SOFT_HYPHEN:
            text = text[:-1] + _HYPHEN
        return text.translate(_LETTERS)


def is_invisible(text_object: int | None) -> bool:
    """Whether a text object is drawn without showing: mode 3 draws nothing, 7 only clips."""
    return _render_mode(text_object) in _INVISIBLE


def _upright(first: Box, last: Box) -> Box:
    left, low, right, high = first
    next_left, next_low, next_right, next_high = last
    return (
        left if left < next_left else next_left,
        low if low < next_low else next_low,
        right if right > next_right else next_right,
        high if high > next_high else next_high,
    )


def _along(first: Box, last: Box, angle: float) -> Box:
    """A turned word's box, seen along its direction.

    Exact for quarter turns. Of other characters only upright bounds are known, `w cos + h
    sin` wide and `w sin + h cos` high, so their height is taken to be 0.7 of `w + h`, as it
    is for a letter half an em wide.
    """
    if angle % 90 == 0:
        return turned(_upright(first, last), angle)
    slant = abs(math.cos(math.radians(angle))) + abs(math.sin(math.radians(angle)))
    around = (first[2] - first[0] + first[3] - first[1]) / slant
    middles = [turned((*center(box), *center(box)), angle) for box in (first, last)]
    left, low, right, high = union(middles)
    return (
        left - 0.15 * around,
        low - 0.35 * around,
        right + 0.15 * around,
        high + 0.35 * around,
    )
