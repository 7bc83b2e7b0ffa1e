"""A PDF page's own text, in the child: characters from PDFium, as words with their places.

The characters are the PDF's, but for three things that only typesetting put there: the
ligatures ﬀ–ﬆ become the letters they join, a hyphen at a line's end is "-" whatever its code,
and a soft hyphen that does not show is left out. A control character, which is no letter and
tells that the PDF does not say what it shows there, is U+FFFD, or Windows' letter of its code.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.geometry import Box, center, union
from pagetide.inputs import calls
from pagetide.inputs.fonts import PageFonts, bold_fonts
from pagetide.inputs.leftward import IS_LEFTWARD, share_leftward, words_of
from pagetide.inputs.marks import INVISIBLE_MODES
from pagetide.inputs.text_lines import NEW_LINE, NO_SPACE, SPACE, Joint, PlacedWord, turned

# PDFium's mark for a hyphen at a line's end; it then leaves out the line break.
_HYPHEN = "\ufffe"
_SOFT_HYPHEN = "\u00ad"
# What fonts without a map call it, TeX's among them: 26 of 26 in four PDFs of ours.
_CODE_OF_HYPHEN = "\x02"
_CONTROLS = "\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
# Ours for the second index of a letter that takes two: those beyond U+FFFF, in UTF-16.
_SECOND = "\ufdd0"
_HALF = re.compile("[\ud800-\udfff]")
_LINE = re.compile(r"[^\r\n\ufffe]+\ufffe?|\ufffe")
# A word, or one character of a script written without spaces (Han, Kana, Bopomofo, Yi).
_UNSPACED = (
    r"\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf"
    r"\uf900-\ufaff\U00020000-\U0003134f"
)
_WORD = re.compile(rf"[{_UNSPACED}]{_SECOND}?|[^\s\x00{_UNSPACED}]+")
_ANY_WORD = re.compile(r"[^\s\x00]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_TYPESETTING = re.compile(f"[{_CONTROLS}\ufb00-\ufb06\u00ad\ufdd0\ufffe]")
_CONTROL = re.compile(f"[{_CONTROLS}]")
_HYPHENATED = re.compile(rf"(?<=[^\W\d_])[{_SOFT_HYPHEN}{_CODE_OF_HYPHEN}]$")
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
        _SECOND: None,
    }
)
_ITEM = re.compile(r"\s*[.)]\s*\d{1,3}\s*")
_BOX = struct.Struct("4f")
_BOXES = struct.Struct("8f")  # left, top, right, bottom, of two characters
# The ends of a word lie this far apart in height (in heights) when it may be turned.
_UNEVEN = 0.25
# A letter takes less of a line's height across: a word that takes more is none.
_FAR = 2.5
_UPRIGHT_DEGREES = 1.0
_SAMPLED = 32
_MOSTLY = 0.5


class PageText:
    """The text of a loaded page.

    Attributes:
        characters: As PDFium gives them, one for each of its indexes.
    """

    def __init__(self, page: Any) -> None:
        self._page = pdfium.FPDFText_LoadPage(page)
        self._address = calls.address_of(self._page)
        self._fonts = PageFonts(self._address)
        self.characters = self._characters()
        self._starts: list[int] = []

    def close(self) -> None:
        """Let go of the text."""
        pdfium.FPDFText_ClosePage(self._page)

    def words(self) -> list[PlacedWord]:
        """All words in PDFium's order, whether they show or not."""
        words = self._whole_lines(self._found())
        return _as_written(words) if _TYPESETTING.search(self.characters) else words

    def _found(self) -> list[PlacedWord]:
        characters, page, char_box = self.characters, self._address, calls.char_box
        pattern = _WORD if _IS_UNSPACED.search(characters) else _ANY_WORD
        buffer = ctypes.create_string_buffer(_BOXES.size)
        first = ctypes.addressof(buffer)
        last = first + _BOXES.size // 2
        words: list[PlacedWord] = []
        self._starts = starts = []
        angle, leftward = 0.0, share_leftward(characters)
        for line in _LINE.finditer(characters):
            if found := self._leftward(*line.span(), leftward):
                words += found
                continue
            joint: Joint = NEW_LINE
            end = line.start()
            for match in pattern.finditer(characters, *line.span()):
                start, stop = match.span()
                char_box(page, start, first)
                if stop - start > 1:
                    char_box(page, stop - 1, last)
                    x0, high, x1, low, x2, high2, x3, low2 = _BOXES.unpack(buffer)
                    uneven = _UNEVEN * (high - low)
                    if x0 <= x2 and -uneven <= low - low2 <= uneven:
                        angle = 0.0  # as it is, nearly always: not worth a call
                    else:
                        angle = self._degrees(start)
                    reach = _FAR * (high - low) * (stop - start)
                    if not angle and (abs(low - low2) > high - low or x3 - x0 > reach > 0):
                        words += self._scattered(start, stop)
                        joint, end = NEW_LINE, stop
                        continue
                else:
                    x0, high, x1, low = x2, high2, x3, low2 = _BOX.unpack_from(buffer)
                    angle = self._degrees(start) if joint == NEW_LINE else angle
                box = (
                    x0 if x0 < x2 else x2,
                    low if low < low2 else low2,
                    x1 if x1 > x3 else x3,
                    high if high > high2 else high2,
                )
                if angle:
                    box = _along((x0, low, x1, high), (x2, low2, x3, high2), angle)
                if joint != NEW_LINE and start == end:
                    joint = NO_SPACE
                words.append((match.group(), box, joint, angle))
                starts.append(start)
                joint, end = SPACE, stop
        return words

    def objects(self) -> list[int]:
        """For each word, the address of the text object that it begins in."""
        return [calls.char_object(self._address, start) for start in self._starts]

    def invisible(self) -> list[bool]:
        """For each word, whether it is of text that is drawn without showing."""
        objects = self.objects()
        invisible = {
            each for each in set(objects) if calls.render_mode(each) in INVISIBLE_MODES
        }
        return [each in invisible for each in objects]

    def bold(self, words: Sequence[PlacedWord]) -> dict[Box, bool]:
        """Whether words are set in bold type, for those that begin or end a line; by box.

        Args:
            words: As `words` gave them.
        """
        told = _at_ends(words)
        fonts = [self._fonts.at(self._starts[place]) for place in told]
        heavy = bold_fonts(fonts)
        if not heavy:
            return {}
        return {words[place][1]: font in heavy for place, font in zip(told, fonts, strict=True)}

    def _whole_lines(self, words: list[PlacedWord]) -> list[PlacedWord]:
        """The words; upright ones in fonts without a line height as tall as a line."""
        fonts = self._fonts
        if all(fonts.has_height(self._starts[place]) for place in _at_ends(words)):
            return words
        return [
            word if word[3] else (word[0], fonts.whole_line(start, word[1]), *word[2:])
            for start, word in zip(self._starts, words, strict=True)
        ]

    def unmapped_share(self) -> float:
        """The share of characters (0–1), of a sample, that the PDF gives no code for."""
        if not self._starts:
            return 0.0
        sample = self._starts[:: max(1, len(self._starts) // _SAMPLED)]
        unmapped = sum(bool(calls.char_is_unmapped(self._address, at) == 1) for at in sample)
        return unmapped / len(sample)

    def _leftward(self, start: int, stop: int, share: float) -> list[PlacedWord]:
        """A line's words where it runs to the left, upright; `share` of the page does."""
        runs = share and IS_LEFTWARD.search(self.characters, start, stop)
        # The number of an item stands by itself where the item goes on in a second row.
        runs = runs or (share > _MOSTLY and _ITEM.fullmatch(self.characters, start, stop))
        if not runs or self._degrees(start):
            return []
        words = list(words_of(self._letters(start, stop), share > _MOSTLY))
        self._starts += [start] * len(words)
        return words

    def _letters(self, start: int, stop: int) -> Iterator[tuple[str, Box]]:
        buffer = ctypes.create_string_buffer(_BOX.size)
        for index in range(start, stop):
            calls.char_box(self._address, index, ctypes.addressof(buffer))
            left, high, right, low = _BOX.unpack(buffer)
            yield self.characters[index], (left, low, right, high)

    def _scattered(self, start: int, stop: int) -> list[PlacedWord]:
        """Letters that PDFium takes for one word though they stand apart, as words."""
        words: list[PlacedWord] = []
        for index, (text, box) in enumerate(self._letters(start, stop), start):
            if words and (text == _SECOND or _stands_behind(words[-1][1], box)):
                box = union([words[-1][1], box])
                words[-1] = (words[-1][0] + text, box, NEW_LINE, 0.0)
            else:
                words.append((text, box, NEW_LINE, 0.0))
                self._starts.append(index)
        return words

    def _characters(self) -> str:
        count = pdfium.FPDFText_CountChars(self._page)
        if count <= 0:
            return ""
        buffer = (ctypes.c_ushort * (2 * count + 1))()
        written = pdfium.FPDFText_GetText(self._page, 0, count, buffer)
        text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
        if len(text) == count:
            return text
        # PDFium leaves characters without a code out of its text, but not out of its count,
        # and counts a letter beyond U+FFFF twice.
        return one_for_each(
            [pdfium.FPDFText_GetUnicode(self._page, index) for index in range(count)]
        )

    def _degrees(self, index: int) -> float:
        """How far the text at a character runs counter-clockwise from the x axis."""
        degrees: float = -math.degrees(calls.char_angle(self._address, index)) % 360
        quarter = round(degrees / 90) * 90.0
        return quarter % 360 if abs(degrees - quarter) < _UPRIGHT_DEGREES else degrees


def _at_ends(words: Sequence[PlacedWord]) -> list[int]:
    """The places of the words that begin or end one of PDFium's lines."""
    begins = [*(word[2] == NEW_LINE for word in words), True]
    return [at for at in range(len(words)) if begins[at] or begins[at + 1]]


def one_for_each(codes: Sequence[int]) -> str:
    """A character for each of PDFium's codes, of which a letter beyond U+FFFF has two.

    The second of them becomes a mark that no text has. Half of such a letter alone stands for
    nothing, nor does what is no code: U+FFFD.
    """
    letters: list[str] = []
    for code in codes:
        if 0xDC00 <= code < 0xE000 and letters and "\ud800" <= letters[-1] < "\udc00":
            letters[-1] = chr(0x10000 + (ord(letters[-1]) - 0xD800 << 10) + code - 0xDC00)
            letters.append(_SECOND)
        else:
            letters.append(chr(code) if code < 0x110000 else "\ufffd")
    return _HALF.sub("\ufffd", "".join(letters))


def _stands_behind(last: Box, letter: Box) -> bool:
    """Whether an upright letter goes on where the last ended."""
    height = max(last[3] - last[1], letter[3] - letter[1])
    level = min(last[3], letter[3]) - max(last[1], letter[1])
    return level > 0 and -height / 2 <= letter[0] - last[2] <= height


def _as_written(words: list[PlacedWord]) -> list[PlacedWord]:
    """The words without what only typesetting put there."""
    written: list[PlacedWord] = []
    for place, (text, box, joint, angle) in enumerate(words, 1):
        if _TYPESETTING.search(text):
            if place == len(words) or words[place][2] == NEW_LINE:
                text = _HYPHENATED.sub(_HYPHEN, text)
            text = text.translate(_LETTERS)
            text = _CONTROL.sub(_letter_meant, text)
        written.append((text, box, joint, angle))
    return written


def _letter_meant(control: re.Match[str]) -> str:
    """Windows' letter, where a PDF gives its code for one (U+0092 for ’); else U+FFFD."""
    if control[0] < "\x80":
        return "\ufffd"
    return control[0].encode("latin-1").decode("cp1252", "replace")


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
