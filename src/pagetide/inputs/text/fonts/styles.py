"""The styles of a page's own text: bold, slanted, fixed-width, raised or lowered.

Fonts give the first three, if most of the page is not set like that; size and baseline relative
to the adjacent words give the others. Text changes its font or size only where one of PDFium's
text objects ends and another starts, so words inside an object cost next to nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from pagetide.document import StyleKind
from pagetide.geometry import Box
from pagetide.inputs.pdf import calls
from pagetide.inputs.text.fonts.page_fonts import (
    PageFonts,
    bold_fonts,
    is_fixed_width,
    is_slanted,
)
from pagetide.inputs.text.lines import PlacedWord, StyledPart
from pagetide.inputs.text.raised import Level, Levels
from pagetide.inputs.text.raised_glyphs import raised_glyphs
from pagetide.inputs.text.typesetting import spelled

# Of a page's words: the style of more of them is the text's usual one, not a style.
_MOST = 0.5
_SPACELESS = "\u2e80"  # letters from here on have equal widths in any font

Runs = Sequence[tuple[int, int]]
"""Where the text objects of a word start: the index of a character, and the object."""


class TextStyles:
    """The styles of a loaded page's words.

    Args:
        text: PDFium's handle of the text, as a number.
        characters: From PDFium.
        fonts: Of the page.
        words: In PDFium's order.
        spans: Where each word's first character is, and the index after its last; empty if
            unknown, which means no style.
        items: The text object that each word starts in.
        inked: Fonts that are bold by their ink.
    """

    def __init__(
        self,
        text: int,
        characters: str,
        fonts: PageFonts,
        words: Sequence[PlacedWord],
        spans: Sequence[tuple[int, int]],
        items: Sequence[int],
        inked: Set[int],
    ) -> None:
        self._text = text
        self._characters = characters
        self._fonts = fonts
        self._words = words
        self._spans = spans
        self._items = items
        self._inked = inked
        self._font_of = {item: fonts.of_object(item) for item in set(items)}
        self._kinds = self._kinds_of_fonts()
        self._levels = Levels(text, words, [start for start, _ in spans])

    def by_box(self) -> dict[Box, tuple[StyledPart, ...]]:
        """The styles of those words that have any, by their boxes."""
        items = self._items
        # The words before a change of object: it is inside them, or after them.
        following = [*items[1:], -1]
        changes = [at for at, item in enumerate(items) if item != following[at]]
        runs = {at: self._runs(at) for at in self._cut(changes)}
        levels = self._levels.of_words(changes)
        styled = {item for item, font in self._font_of.items() if font in self._kinds}
        places = {at for at, item in enumerate(items) if item in styled}
        styles = {at: self._styles(at, runs, levels) for at in places.union(runs, levels)}
        for at, span in raised_glyphs(self._text, self._words, self._spans):
            if not any(kind == "superscript" for kind, *_ in styles.get(at, ())):
                styles[at] = (*styles.get(at, ()), ("superscript", *span))
        return {self._words[at][1]: parts for at, parts in styles.items() if parts}

    def _styles(
        self, place: int, runs: Mapping[int, Runs], levels: Mapping[int, Level]
    ) -> tuple[StyledPart, ...]:
        start, end = self._spans[place]
        if start == end:
            return ()
        text, level = self._words[place][0], levels.get(place)
        whole: tuple[StyledPart, ...] = ((level, 0, len(text)),) if level else ()
        if place in runs:
            parts = self._parts(place, runs[place])
            return (*parts, *(whole if not _have_levels(parts) else ()))
        kinds = self._kinds_of(self._items[place], text)
        return (*((kind, 0, len(text)) for kind in kinds), *whole)

    def _kinds_of_fonts(self) -> dict[int, tuple[StyleKind, ...]]:
        """The styles of words in each font, unless most of the page is set like that."""
        used = [self._font_of[item] for item in self._items]
        count = Counter(used)
        fonts_of: dict[StyleKind, set[int]] = {
            "bold": bold_fonts(used) | self._inked,
            "italic": {font for font in count if font and is_slanted(font)},
            "code": {font for font in count if font and is_fixed_width(font)},
        }
        kinds: dict[int, tuple[StyleKind, ...]] = {}
        for kind, fonts in fonts_of.items():
            if sum(count[font] for font in fonts) <= _MOST * len(used):
                kinds |= {font: (*kinds.get(font, ()), kind) for font in fonts}
        return kinds

    def _kinds_of(self, item: int, text: str) -> tuple[StyleKind, ...]:
        kinds = self._kinds.get(self._font_of[item], ())
        if "code" in kinds and max(text, default="") >= _SPACELESS:
            return tuple(kind for kind in kinds if kind != "code")
        return kinds

    def _cut(self, changes: Sequence[int]) -> list[int]:
        """The words that end in another object than they start in.

        For a page that is drawn letter by letter only those that end in another font too:
        checking each letter took 28 ms for 9,000, and such a page has words of one setting.
        """
        last: dict[int, int] = {}
        for at in changes:
            start, end = self._spans[at]
            item = end - start > 1 and calls.char_object(self._text, end - 1)
            if item and item != self._items[at]:
                last[at] = item
        if len(last) <= _MOST * len(self._items):
            return list(last)
        fonts = {at: self._fonts.of_object(item) for at, item in last.items()}
        return [at for at, font in fonts.items() if font != self._font_of[self._items[at]]]

    def _runs(self, place: int) -> Runs:
        start, end = self._spans[place]
        runs = [(start, self._items[place])]
        for index in range(start + 1, end):
            item = calls.char_object(self._text, index)
            if item and item != runs[-1][1]:
                self._font_of[item] = self._fonts.of_object(item)
                runs.append((index, item))
        return runs

    def _parts(self, place: int, runs: Runs) -> list[StyledPart]:
        """The styles of a word in several text objects."""
        text = self._words[place][0]
        first = runs[0][0]
        starts = [len(spelled(self._characters[first:start])) for start, _ in runs]
        ends = [*starts[1:], len(text)]
        levels = self._levels.of_parts(place, [start for start, _ in runs])
        parts: list[StyledPart] = []
        for start, end, (_, item), level in zip(starts, ends, runs, levels, strict=True):
            if start < end <= len(text):
                parts += [(kind, start, end) for kind in self._kinds_of(item, text[start:end])]
                parts += [(level, start, end)] if level else []
        return parts


def _have_levels(parts: Sequence[StyledPart]) -> bool:
    """Whether a part of a word is raised or lowered beside its others."""
    return any(kind in ("superscript", "subscript") for kind, *_ in parts)
