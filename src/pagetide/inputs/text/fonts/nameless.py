"""Words in fonts that have no name, in parts of one font each.

Chrome sets Chinese, Japanese and Korean letters in Type 3 fonts of up to 256 glyphs, so that
the letters of one word may be in several.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from itertools import groupby
from unicodedata import east_asian_width

from pagetide.geometry import Box
from pagetide.inputs.pdf import calls
from pagetide.inputs.text.fonts.inked import WIDE, InkedWord
from pagetide.inputs.text.fonts.page_fonts import PageFonts
from pagetide.inputs.text.lines import PlacedWord

_BOX = struct.Struct("4f")  # left, top, right, bottom


def nameless_words(
    text: int,
    fonts: PageFonts,
    words: Sequence[PlacedWord],
    spans: Sequence[tuple[int, int]],
    items: Sequence[int],
) -> list[InkedWord]:
    """The upright words, or parts of words, in fonts without a name.

    Args:
        text: PDFium's handle of the text, as a number.
        fonts: Of the page.
        words: In PDFium's order.
        spans: Where each word's first character is, and the index after its last; empty if
            unknown.
        items: The text object that each word starts in.
    """
    if all(fonts.is_named(item) for item in set(items)):
        return []
    found: list[InkedWord] = []
    for (letters, box, _, angle), span, item in zip(words, spans, items, strict=True):
        if angle:
            continue
        if _is_whole(text, span, item):
            parts = [(item, letters, box)]
        else:
            parts = list(_parts(text, fonts, letters, box, span))
        found += [
            _inked(part, own, fonts.of_object(item))
            for item, part, own in parts
            if not fonts.is_named(item)
        ]
    return found


def _is_whole(text: int, span: tuple[int, int], item: int) -> bool:
    """Whether a word ends in the text object that it starts in."""
    start, end = span
    return end - start < 2 or calls.char_object(text, end - 1) == item


def _parts(
    text: int, fonts: PageFonts, letters: str, box: Box, span: tuple[int, int]
) -> Iterator[tuple[int, str, Box]]:
    """A word's parts of one font: a text object, the letters, and their box."""
    objects = {index: calls.char_object(text, index) or 0 for index in range(*span)}
    for _, group in groupby(objects, key=lambda index: fonts.of_object(objects[index])):
        indexes = list(group)
        left, right = _box(text, indexes[0])[0], _box(text, indexes[-1])[2]
        part = letters[indexes[0] - span[0] : indexes[-1] + 1 - span[0]]
        yield objects[indexes[0]], part, (left, box[1], right, box[3])


def _box(text: int, index: int) -> Box:
    buffer = ctypes.create_string_buffer(_BOX.size)
    calls.char_box(text, index, ctypes.addressof(buffer))
    left, high, right, low = _BOX.unpack(buffer)
    return (left, low, right, high)


def _inked(text: str, box: Box, font: int) -> InkedWord:
    """A word with its letters counted: signs have no strokes to measure."""
    letters = list(filter(str.isalnum, text))
    wide = sum(east_asian_width(letter) in "WF" for letter in letters)
    return InkedWord(len(letters) + (WIDE - 1) * wide, box, font, is_wide=wide > 0)
