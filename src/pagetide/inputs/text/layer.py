"""A PDF page's own text, in the child: characters from PDFium, as words with positions.

The characters are the PDF's, except those added only by typesetting; see `typesetting`.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.geometry import Box, union
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.marks import INVISIBLE_MODES
from pagetide.inputs.text.characters import characters_of
from pagetide.inputs.text.fonts.inked import InkedWord
from pagetide.inputs.text.fonts.nameless import nameless_words
from pagetide.inputs.text.fonts.page_fonts import PageFonts, bold_fonts
from pagetide.inputs.text.fonts.styles import TextStyles
from pagetide.inputs.text.leftward import index_in, share_leftward, words_of
from pagetide.inputs.text.letter_spaced import made_spaces, may_be_spaced, stand_apart
from pagetide.inputs.text.lines import (
    NEW_LINE,
    NO_SPACE,
    SPACE,
    Joint,
    PlacedWord,
    StyledPart,
    follows,
)
from pagetide.inputs.text.typesetting import (
    LETTER_SPACE,
    SECOND,
    as_written,
    is_typeset,
    with_accents,
)
from pagetide.inputs.text.word_boxes import along, at_ends, stands_behind
from pagetide.inputs.text.written_spaces import PageObjects, WrittenSpaces, is_set_by_letters
from pagetide.layout.words import IS_LEFTWARD

_LINE = re.compile(r"[^\r\n\ufffe]+\ufffe?|\ufffe")
# A word, or one character of a script written without spaces (Han, Kana, Bopomofo, Yi).
_UNSPACED = (
    r"\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf"
    r"\uf900-\ufaff\U00020000-\U0003134f"
)
_WORD = re.compile(rf"[{_UNSPACED}]{SECOND}?|[^\s\x00{_UNSPACED}]+")
_ANY_WORD = re.compile(r"[^\s\x00]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ITEM = re.compile(r"\s*[.)]\s*\d{1,3}\s*")
_STOP = re.compile(r"\s*[.,:;!?،؛؟]\s*")
_BOX = struct.Struct("4f")
_BOXES = struct.Struct("8f")  # left, top, right, bottom, of two characters
# The ends of a word are this far apart in height (in heights) if it may be turned.
_UNEVEN = 0.25
# A letter takes less than this of a line's height across: a word that takes more is not one;
# one that takes more than letters usually do may be two, or more than figures do (about half).
_FAR, _WIDE, _WIDE_FIGURES = 2.5, 0.65, 0.5
_LEAST_OF_TWO = 4  # letters
_UPRIGHT_DEGREES = 1.0
_SAMPLED = 32
_MOSTLY = 0.5
_NEAR = 5  # characters around an isolated letter


class PageText:
    """The text of a loaded page.

    Attributes:
        characters: From PDFium, one for each of its indexes.
    """

    def __init__(self, page: Any) -> None:
        self._loaded = page
        self._page = pdfium.FPDFText_LoadPage(page)
        self._address = calls.address_of(self._page)
        self._fonts = PageFonts(self._address)
        self.characters = characters_of(self._page)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._items: list[int] = []
        self._breaks: set[int] = set()  # letters preceded by a space that PDFium lacks

    def close(self) -> None:
        """Release the text."""
        pdfium.FPDFText_ClosePage(self._page)

    def words(self) -> list[PlacedWord]:
        """All words in PDFium's order, visible or not."""
        self.characters = with_accents(self.characters, self._box)
        self._close_words()
        words = self._found()
        self._items = self._objects(words)
        words = self._whole_lines(words)
        return as_written(words) if is_typeset(self.characters) else words

    def _close_words(self) -> None:
        """Mark the spaces that are only due to the gaps between a word's letters."""
        characters, made = self.characters, set[int]()
        found: list[WrittenSpaces] = []
        for line in _LINE.finditer(characters):
            start, stop = line.span()
            by_letters = is_set_by_letters(self._address, characters, start, stop)
            near = may_be_spaced(characters, start, stop)
            is_apart = near is not None and self._stand_apart(near, stop)
            is_wide = is_apart and not self._degrees(start)
            letters = list(self._letters(start, stop)) if by_letters or is_wide else []
            if by_letters:
                found.append(self._page_objects.spaces(self._address, letters, start))
            if is_wide:
                made.update(start + at for at in made_spaces(letters))
        written = set[int]().union(*(each.written for each in found))
        self._breaks = set[int]().union(*(each.missing for each in found))
        if written or self._breaks:
            made = made.union(*(each.made for each in found))
        made = {at for at in made - written if calls.char_is_generated(self._address, at)}
        if made:
            self.characters = "".join(
                LETTER_SPACE if at in made else text for at, text in enumerate(characters)
            )

    @cached_property
    def _page_objects(self) -> PageObjects:
        return PageObjects(
            calls.address_of(self._loaded), pdfium.FPDFPage_CountObjects(self._loaded)
        )

    def _stand_apart(self, start: int, stop: int) -> bool:
        """Whether letters have gaps around one of them: most lines need no check."""
        near = list(self._letters(max(start - _NEAR, 0), min(start + _NEAR, stop)))
        return stand_apart(near)

    def _found(self) -> list[PlacedWord]:
        characters, page, char_box = self.characters, self._address, calls.char_box
        pattern = _WORD if _IS_UNSPACED.search(characters) else _ANY_WORD
        buffer = ctypes.create_string_buffer(_BOXES.size)
        first = ctypes.addressof(buffer)
        last = first + _BOXES.size // 2
        words: list[PlacedWord] = []
        self._starts, self._ends = starts, ends = [], []
        angle, leftward = 0.0, share_leftward(characters)
        for begin, finish in self._spans(leftward):
            if found := self._leftward(begin, finish, leftward):
                words += found
                continue
            joint: Joint = NEW_LINE
            end = begin
            for start, stop in self._parted(pattern, begin, finish):
                char_box(page, start, first)
                if stop - start > 1:
                    char_box(page, stop - 1, last)
                    x0, high, x1, low, x2, high2, x3, low2 = _BOXES.unpack(buffer)
                    uneven = _UNEVEN * (high - low)
                    if x0 <= x2 and -uneven <= low - low2 <= uneven:
                        angle = 0.0  # unchanged in nearly all cases: not worth a call
                    else:
                        angle = self._degrees(start)
                    far = high > low and self._is_far((x3 - x0) / (high - low), start, stop)
                    if not angle and (abs(low - low2) > high - low or far):
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
                    box = along((x0, low, x1, high), (x2, low2, x3, high2), angle)
                if joint != NEW_LINE and start == end and start not in self._breaks:
                    joint = NO_SPACE
                words.append((characters[start:stop], box, joint, angle))
                starts.append(start)
                ends.append(stop)
                joint, end = SPACE, stop
        return words

    def _parted(
        self, pattern: re.Pattern[str], begin: int, finish: int
    ) -> Iterator[tuple[int, int]]:
        """The words of a line, split where a space is missing."""
        words = map(re.Match.span, pattern.finditer(self.characters, begin, finish))
        return self._broken(words) if self._breaks else words

    def _broken(self, words: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        for start, stop in words:
            for at in sorted(self._breaks.intersection(range(start + 1, stop))):
                yield start, at
                start = at
            yield start, stop

    def objects(self) -> Sequence[int]:
        """For each word, the address of the text object that it starts in."""
        return self._items

    def invisible(self) -> list[bool]:
        """For each word, whether its text is invisible."""
        invisible = {
            each for each in set(self._items) if calls.render_mode(each) in INVISIBLE_MODES
        }
        return [each in invisible for each in self._items]

    def nameless(self, words: Sequence[PlacedWord]) -> list[InkedWord]:
        """The upright words, or parts of words, in fonts that have no name.

        Args:
            words: From `words`.
        """
        spans = list(zip(self._starts, self._ends, strict=True))
        return nameless_words(self._address, self._fonts, words, spans, self._items)

    def bold(self, words: Sequence[PlacedWord], inked: Set[int]) -> dict[Box, bool]:
        """Whether words are bold, for those that start or end a line; by box.

        Args:
            words: From `words`.
            inked: Fonts that are bold by their ink.
        """
        ends = at_ends(words)
        fonts = [self._fonts.of_object(self._items[place]) for place in ends]
        heavy = bold_fonts(fonts) | inked
        if not heavy:
            return {}
        return {words[place][1]: font in heavy for place, font in zip(ends, fonts, strict=True)}

    def styles(
        self, words: Sequence[PlacedWord], inked: Set[int]
    ) -> dict[Box, tuple[StyledPart, ...]]:
        """The styles of words that differ from most of the page; by box.

        Args:
            words: From `words`.
            inked: Fonts that are bold by their ink.
        """
        spans = list(zip(self._starts, self._ends, strict=True))
        return TextStyles(
            self._address, self.characters, self._fonts, words, spans, self._items, inked
        ).by_box()

    def _objects(self, words: Sequence[PlacedWord]) -> list[int]:
        """For each word its text object; between two words of one object are no others."""
        objects: list[int] = []
        starts, page, char_object = self._starts, self._address, calls.char_object
        begins = [at for at, word in enumerate(words) if word[2] == NEW_LINE]
        for begin, end in pairwise([*begins, len(words)]):
            first, last = char_object(page, starts[begin]) or 0, 0
            if end - begin > 1:
                last = char_object(page, starts[end - 1]) or 0
            if first == last or end - begin == 1:
                objects += [first] * (end - begin)
                continue
            objects.append(first)
            objects += [char_object(page, at) or 0 for at in starts[begin + 1 : end - 1]]
            objects.append(last)
        return objects

    def _whole_lines(self, words: list[PlacedWord]) -> list[PlacedWord]:
        """The words; upright ones in fonts without a line height become as tall as a line."""
        fonts = self._fonts
        if all(fonts.is_named(item) for item in set(self._items)):
            return words
        return [
            word
            if word[3] or fonts.is_named(item)
            else (word[0], fonts.whole_line(start, word[1]), *word[2:])
            for start, item, word in zip(self._starts, self._items, words, strict=True)
        ]

    def unmapped_share(self) -> float:
        """The share of characters (0–1), of a sample, that the PDF gives no code for."""
        if not self._starts:
            return 0.0
        sample = self._starts[:: max(1, len(self._starts) // _SAMPLED)]
        unmapped = sum(bool(calls.char_is_unmapped(self._address, at) == 1) for at in sample)
        return unmapped / len(sample)

    def _leftward(self, start: int, stop: int, share: float) -> list[PlacedWord]:
        """The words of a right-to-left line, upright; `share` of the page is right-to-left."""
        runs = share and IS_LEFTWARD.search(self.characters, start, stop)
        # The number of an item is separate if the item continues in a second row.
        runs = runs or (share > _MOSTLY and _ITEM.fullmatch(self.characters, start, stop))
        if not runs or self._degrees(start):
            return []
        letters = list(self._letters(start, stop))
        words = list(words_of(letters, share > _MOSTLY, spaced=self._has_spaces))
        own = [start + index_in(letters, box) for _, box, _, _ in words]
        self._starts += own
        self._ends += [at + 1 for at in own]  # its other letters may be anywhere in the line
        return words

    def _spans(self, leftward: float) -> Iterator[tuple[int, int]]:
        """PDFium's lines; upright pieces of a right-to-left line as one.

        In a font that is set letter by letter PDFium starts a line with every letter or two.
        """
        spans = (line.span() for line in _LINE.finditer(self.characters))
        if not leftward:
            yield from spans
            return
        last, piece = (0, 0), None
        for span in spans:
            own = self._piece(*span)
            if piece and own and follows(piece, own):
                last = (last[0], span[1])
                piece = (own[0], union([piece[1], own[1]]), NEW_LINE, 0.0)
                continue
            if last[1]:
                yield last
            last, piece = span, own
        if last[1]:
            yield last

    @cached_property
    def _has_spaces(self) -> bool:
        """Whether the page writes spaces, so that PDFium need not add any."""
        spaces = [at for at, text in enumerate(self.characters) if text == " "][:_SAMPLED]
        return any(not calls.char_is_generated(self._address, at) for at in spaces)

    def _piece(self, start: int, stop: int) -> PlacedWord | None:
        """One of PDFium's lines as if it were a word, if it is upright and right-to-left.

        Or a stop, which may be drawn apart from its sentence.
        """
        characters = self.characters
        is_stop = _STOP.fullmatch(characters, start, stop)
        runs = IS_LEFTWARD.search(characters, start, stop) or is_stop
        if not runs or self._degrees(start):
            return None
        boxes = [box for text, box in self._letters(start, stop) if not text.isspace()]
        return self.characters[start:stop], union(boxes), NEW_LINE, 0.0

    def _letters(self, start: int, stop: int) -> Iterator[tuple[str, Box]]:
        buffer = ctypes.create_string_buffer(_BOX.size)
        for index in range(start, stop):
            calls.char_box(self._address, index, ctypes.addressof(buffer))
            left, high, right, low = _BOX.unpack(buffer)
            yield self.characters[index], (left, low, right, high)

    def _box(self, index: int) -> Box:
        return next(self._letters(index, index + 1))[1]

    def _scattered(self, start: int, stop: int) -> list[PlacedWord]:
        """Letters far apart that PDFium takes for one word, as words."""
        words: list[PlacedWord] = []
        for index, (text, box) in enumerate(self._letters(start, stop), start):
            if words and (text == SECOND or stands_behind(words[-1][1], box)):
                box = union([words[-1][1], box])
                words[-1] = (words[-1][0] + text, box, NEW_LINE, 0.0)
                self._ends[-1] = index + 1
            else:
                words.append((text, box, NEW_LINE, 0.0))
                self._starts.append(index)
                self._ends.append(index + 1)
        return words

    def _is_far(self, wide: float, start: int, stop: int) -> bool:
        """Whether letters of a word are farther apart than a line is high: it is `wide`."""
        count = stop - start
        least = _WIDE_FIGURES if self.characters[start].isdigit() else _WIDE
        if not least * count < wide <= _FAR * count:
            return wide > _FAR * count
        boxes = [box for text, box in self._letters(start, stop) if text != SECOND]
        rooms = (b[0] - a[2] > b[3] - b[1] for a, b in pairwise(boxes))
        return len(boxes) >= _LEAST_OF_TWO and any(rooms)

    def _degrees(self, index: int) -> float:
        """The text's direction at a character, counter-clockwise from the x axis.

        By the baseline: PDFium's own angle is the upright's, which slanted letters lean.
        """
        matrix = (ctypes.c_float * 6)()
        calls.char_matrix(self._address, index, ctypes.addressof(matrix))
        degrees = math.degrees(math.atan2(matrix[1], matrix[0])) % 360
        quarter = round(degrees / 90) * 90.0
        return quarter % 360 if abs(degrees - quarter) < _UPRIGHT_DEGREES else degrees
