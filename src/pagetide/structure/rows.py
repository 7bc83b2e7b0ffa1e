"""Rows of running text: lines on one baseline, and properties of their text."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from unicodedata import east_asian_width

from pagetide.document import Line, StyleKind
from pagetide.geometry import Box, union
from pagetide.layout.bullets import SIGNS
from pagetide.layout.words import joint

NUMBER_LETTERS = 6  # `XVIII.`
WIDE_GAP = 1.5  # pieces of one row this far apart are not one sentence
_FIRST_WIDE = "\u1100"  # below it no letter is wide
# Within brackets; the last are those of symbol fonts, for which the file gives no letter.
BULLETS = SIGNS + "\ufffd\uf020-\uf0ff"
# A minus is one before a word.
_BULLET = re.compile(rf"[{BULLETS}](\s|$)|[-–—*·]\s|[−‒]\s+[^\W\d_]{{2}}")
_CHECK_BOX = re.compile("[\u2610-\u2612]")
_WORD = re.compile(
    r"(?i:([^\W\d_])(?!\1\1)[^\W\d_]{2})|[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}"
)
_SUM = re.compile(
    r"(?:[$€£¥₹]\s?\d[\d.,'’\s]*|\s\d{1,3}(?:[.,'’\s]\d{3})+[.,]\d{2}(?:\s?[$€£¥₹]|\s[A-Z]{3})?"
    r"|^\d+[.,]\d{2}\s?[$€£¥₹](?:\s[A-Z]{2,4})?|\s\d+[.,]\d{2}\s?(?:[$€£¥₹]|[A-Z]{3}))\s*$"
)
_BRACKETED = re.compile(r"\[[^\[\]]*\]|［[^［］]*］")
_MARK = re.compile(
    rf"([{BULLETS}·*–—-]|\(?(\d{{1,3}}|[a-zA-Z]|[ivx]{{1,4}}|[IVX]{{1,4}})[.)]|\(\d{{1,2}}\))"
)


@dataclass(frozen=True)
class Row:
    """Lines on one baseline, from left to right, with their upright boxes.

    Attributes:
        indexes: The lines' indexes on the page.
        lines: The lines.
        boxes: Theirs, turned so that the text runs from left to right.
        box: Around them all.
        height: The typical height of one.
    """

    indexes: tuple[int, ...]
    lines: tuple[Line, ...]
    boxes: tuple[Box, ...]
    box: Box
    height: float

    @classmethod
    def of(
        cls, indexes: tuple[int, ...], lines: tuple[Line, ...], boxes: tuple[Box, ...]
    ) -> Row:
        """The row made of some lines."""
        if len(boxes) == 1:
            return cls(indexes, lines, boxes, boxes[0], boxes[0][3] - boxes[0][1])
        height = median(box[3] - box[1] for box in boxes)
        return cls(indexes, lines, boxes, union(boxes), height)

    @property
    def letter_width(self) -> float:
        """Its pieces' mean width per letter; a wide letter (CJK) counts as two."""
        widths = sum(box[2] - box[0] for box in self.boxes)
        return widths / max(sum(map(_letters, self.lines)), 1)

    @property
    def size(self) -> float:
        """The size of its type; see `type_size`."""
        return median(map(type_size, self.lines, self.boxes))

    @property
    def middle(self) -> float:
        """The vertical position of its middle on the page."""
        return (self.box[1] + self.box[3]) / 2

    @property
    def text(self) -> str:
        """The lines' text, with a tab at a wide gap, otherwise what their scripts require."""
        if len(self.lines) == 1:
            return self.lines[0].text
        text = self.lines[0].text
        for (left, right), line in zip(
            itertools.pairwise(self.boxes), self.lines[1:], strict=True
        ):
            wide = right[0] - left[2] > WIDE_GAP * self.height
            text += ("\t" if wide else joint(text, line.text)) + line.text
        return text

    @property
    def italic(self) -> bool:
        """Whether the file sets all of it in italics."""
        return all(is_styled(line, "italic") for line in self.lines)

    @property
    def bold(self) -> bool:
        """Whether the file sets all of it in bold, ignoring a number before it."""
        first = len(self.lines) > 1 and len(self.lines[0].text) <= NUMBER_LETTERS
        return all(map(is_bold, self.lines[first:]))

    def part(self, places: Sequence[int]) -> Row:
        """The row made of some of its lines, given by their places in it."""
        if len(places) == len(self.lines):
            return self
        return Row.of(
            tuple(self.indexes[place] for place in places),
            tuple(self.lines[place] for place in places),
            tuple(self.boxes[place] for place in places),
        )

    @property
    def bulleted(self) -> bool:
        """Whether it starts with a list item's bullet."""
        return bool(_BULLET.match(self.text))

    @property
    def is_option(self) -> bool:
        """Whether it starts with a check box, drawn or written."""
        return bool(_CHECK_BOX.match(self.text))

    @property
    def are_options(self) -> bool:
        """Whether each of its pieces starts with a check box: answers, side by side."""
        return all(_CHECK_BOX.match(line.text) for line in self.lines)

    @property
    def first_word(self) -> float:
        """Width of its first word in pixels."""
        share = len(self.text.split(maxsplit=1)[0]) / len(self.text) if self.text.strip() else 0
        return share * (self.box[2] - self.box[0])


def joined(rows: Sequence[Row]) -> Row:
    """Side-by-side rows, from left to right, as one."""
    return Row.of(
        tuple(index for row in rows for index in row.indexes),
        tuple(line for row in rows for line in row.lines),
        tuple(box for row in rows for box in row.boxes),
    )


def _letters(line: Line) -> int:
    if line.text.isascii() or max(line.text) < _FIRST_WIDE:
        return len(line.text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line.text)


def type_size(line: Line, box: Box) -> float:
    """The size of a line's type, in pixels; comparable only within one page.

    The box of recognised text is as high as its letters happen to be, with or without ascenders
    and descenders, and a little more: there the width of the letters counts as much. For the
    headings of one level on 40 drawn pages the heights varied by 1.7×, these by 1.4×.

    Args:
        line: From its file, or as recognised.
        box: Its own, upright.
    """
    height = box[3] - box[1]
    if line.source == "text_layer":
        return height
    return math.sqrt(height * 2 * (box[2] - box[0]) / max(_letters(line), 1))


def has_word(text: str) -> bool:
    """Whether a text has a word: three letters of an alphabet, or two such as Chinese ones.

    Strokes of a signature are read as one letter again and again.
    """
    return bool(_WORD.search(text))


def is_bracketed(text: str) -> bool:
    """Whether all of a text is in square brackets, as `[2 marks]` is: no heading is."""
    return bool(_BRACKETED.fullmatch(text.strip()))


def is_styled(line: Line, kind: StyleKind) -> bool:
    """Whether all of a line, except a number before it, is set in a style."""
    return any(
        style.kind == kind
        and style.end == len(line.text)
        and len(line.text[: style.start].strip()) <= NUMBER_LETTERS
        and not has_word(line.text[: style.start])
        for style in line.styles
    )


def is_bold(line: Line) -> bool:
    """Whether all of a line is bold: by the file's fonts or styles, or its strokes."""
    return line.bold or is_styled(line, "bold")


def is_bold_at(line: Line, place: int) -> bool:
    """Whether the letter at a place of a line's text is bold."""
    return line.bold or any(
        style.kind == "bold" and style.start <= place < style.end for style in line.styles
    )


def starts_anew(text: str) -> bool:
    """Whether a text starts with a capital or a figure, as few rows of running text do."""
    return text[:1].isupper() or text[:1].isdigit()


def is_sum(text: str) -> bool:
    """Whether a text ends with an amount of money, as a total's row does."""
    return bool(_SUM.search(text))


def is_mark(text: str) -> bool:
    """Whether a text is only a list item's bullet or number."""
    return bool(_MARK.fullmatch(text.strip()))
