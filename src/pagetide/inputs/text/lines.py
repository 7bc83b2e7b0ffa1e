"""Turns placed words into lines: pure functions, in the PDF's own space until the end."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from pagetide.document import Line, StyleKind, TextStyle, Word
from pagetide.geometry import Box, Point, Polygon
from pagetide.inputs.text.drop_caps import with_initials
from pagetide.inputs.text.spread_rows import spread_rows_joined

Matrix = tuple[float, float, float, float, float, float]

# In heights of the words' boxes, a height being about 1.17 em. Wider than this it is not a
# space between words but a gap between columns or cells: justified lines stay under 1.0, the
# gutter of a two-column page starts at 1.2.
COLUMN_GAP = 1.2
# How far a word may start before the end of the last: kerning and italics overhang.
_OVERHANG = 0.35
# How much of the lower of two boxes must be level with the other: a superscript is.
_LEVEL = 0.4
# Wider than this between two runs that PDFium put on separate lines is a space.
SPACE_GAP = 0.12
CLOSER = 0.8  # the room before a power, relative to that after it
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")


Joint = Literal[0, 1, 2, 3]
NO_SPACE: Joint = 0
SPACE: Joint = 1
NEW_LINE: Joint = 2
SAME_LINE: Joint = 3  # after a space, wherever it is

PlacedWord = tuple[str, Box, Joint, float]
"""A word in the PDF's own space (points, y up): its text, its box, how it is joined to the word
before, and its angle.

The angle is how many degrees the text runs counter-clockwise from the x axis. The box is seen
along that direction: `(x, y)` turned back by the angle. A plain tuple: there are a thousand on
a page, and a named one takes three times as long to make.
"""


StyledPart = tuple[StyleKind, int, int]
"""The style of a part of a word: from its first character to after its last."""

_OF_SIGNS: tuple[StyleKind, ...] = ("superscript", "subscript")
NO_BOLD: Mapping[Box, bool] = MappingProxyType({})
NO_STYLES: Mapping[Box, Sequence[StyledPart]] = MappingProxyType({})


def lines_of(
    words: Sequence[PlacedWord],
    matrix: Matrix,
    bold: Mapping[Box, bool] = NO_BOLD,
    styles: Mapping[Box, Sequence[StyledPart]] = NO_STYLES,
) -> tuple[Line, ...]:
    """Lines with words and polygons, in the order of the words.

    A line continues as long as words follow one another on one level: past a superscript or a
    change of font, where PDFium starts a line, but not over a gap between columns, where it
    does not.

    Args:
        words: In reading order.
        matrix: From the PDF's own space to page pixels; see `PageFrame.matrix`.
        bold: Whether words are bold, by their boxes, as far as known.
        styles: Styles of words, by their boxes.
    """
    rows = with_initials(spread_rows_joined(_runs(words)))
    # An isolated soft hyphen is invisible.
    rows = [run for run in rows if run[0][0] or len(run) > 1]
    return tuple([_line(run, matrix, bold, styles) for run in rows])


def turned(box: Box, angle: float) -> Box:
    """An upright box's bounds, seen along a direction of `angle` degrees.

    Exact for quarter turns.
    """
    if angle == 0:
        return box
    cos, sin = _cos_sin(-angle)
    x0, y0, x1, y1 = box
    points = [(x * cos - y * sin, x * sin + y * cos) for x in (x0, x1) for y in (y0, y1)]
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def shown(words: Sequence[PlacedWord], page: Box) -> list[bool]:
    """For each word, whether its middle is in the visible part of the page."""
    left, low, right, high = (2 * side for side in page)
    return [
        left <= x0 + x1 <= right and low <= y0 + y1 <= high
        for x0, y0, x1, y1 in [
            box if not angle else turned(box, -angle) for _, box, _, angle in words
        ]
    ]


def kept(words: Sequence[PlacedWord], keep: Sequence[bool]) -> list[PlacedWord]:
    """The words to be kept; one after a removed word starts a line."""
    if all(keep):
        return list(words)
    left: list[PlacedWord] = []
    is_after_gap = False
    for (text, box, joint, angle), is_kept in zip(words, keep, strict=True):
        if is_kept:
            left.append((text, box, NEW_LINE if is_after_gap else joint, angle))
        is_after_gap = not is_kept
    return left


def _runs(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    """The words of each line."""
    runs: list[list[PlacedWord]] = []
    last: PlacedWord | None = None
    for word in words:
        if last is not None and follows(last, word):
            if word[2] == NEW_LINE:
                word = (word[0], word[1], _joint_between(last, word), word[3])
            runs[-1].append(word)
        else:
            runs.append([word])
        last = word
    return runs


def follows(last: PlacedWord, word: PlacedWord) -> bool:
    """Whether a word follows the last on one line, whatever PDFium says."""
    _, (x0, low, x1, high), _, angle = last
    _, (x2, low2, x3, high2), _, angle2 = word
    if angle != angle2:
        return False
    if word[2] == SAME_LINE:
        return True
    height, height2 = high - low, high2 - low2
    larger, lower = (height, height2) if height > height2 else (height2, height)
    top = high if high < high2 else high2
    bottom = low if low > low2 else low2
    if top - bottom < _LEVEL * lower:
        return False
    if -_OVERHANG * larger <= x2 - x1 <= COLUMN_GAP * larger:
        return True
    is_rtl = _RTL.search(last[0]) or _RTL.search(word[0])
    return bool(is_rtl) and -_OVERHANG * larger <= x0 - x3 <= COLUMN_GAP * larger


def _joint_between(last: PlacedWord, word: PlacedWord) -> Joint:
    """How two words are joined that PDFium put on separate lines though they share one."""
    height = max(last[1][3] - last[1][1], word[1][3] - word[1][1])
    gap = max(word[1][0] - last[1][2], last[1][0] - word[1][2])
    return SPACE if gap > SPACE_GAP * height else NO_SPACE


def _line(
    run: Sequence[PlacedWord],
    matrix: Matrix,
    bold: Mapping[Box, bool],
    styles: Mapping[Box, Sequence[StyledPart]],
) -> Line:
    angle = run[0][3]
    if angle:
        matrix = _composed(matrix, angle)
    boxes = [box for _, box, _, _ in run]
    known = [bold[box] for box in boxes if box in bold] if bold else []
    x0s, lows, x1s, highs = zip(*boxes, strict=True)
    boxes.append((min(x0s), min(lows), max(x1s), max(highs)))
    *polygons, whole = _polygons(boxes, matrix)
    words = [
        Word(text=text, polygon=polygon)
        for (text, _, _, _), polygon in zip(run, polygons, strict=True)
    ]
    is_styled = styles and any([word[1] in styles for word in run])
    if is_styled:
        run = _with_close_signs(run, styles)
    text = "".join([" " + text if joint else text for text, _, joint, _ in run]).lstrip()
    parts = _styles(text, run, styles) if is_styled else ()
    return Line(
        text=text,
        polygon=whole,
        words=tuple(words),
        source="text_layer",
        bold=all(known) if known else TextStyle(kind="bold", start=0, end=len(text)) in parts,
        styles=parts,
    )


def _with_close_signs(
    run: Sequence[PlacedWord], styles: Mapping[Box, Sequence[StyledPart]]
) -> Sequence[PlacedWord]:
    """The words; a number that is a power or an index follows without a space that is none.

    That is narrower than the one after the number, or no room at all: an index below a power.
    """
    words = list(run)
    for at, (text, box, joint, angle) in enumerate(run[1:], 1):
        levels = {kind for kind, start, _ in _ends(run[at], styles) if not start}
        before = {kind for kind, *_ in _ends(run[at - 1], styles)}
        if joint and levels - before and _has_digit(text):
            room = box[0] - run[at - 1][1][2]
            behind = run[at + 1 : at + 2]
            after = behind[0][1][0] - box[2] if behind and behind[0][2] else 0.0
            if room <= 0 or room < CLOSER * after:
                words[at] = (text, box, NO_SPACE, angle)
    return words


def _ends(word: PlacedWord, styles: Mapping[Box, Sequence[StyledPart]]) -> list[StyledPart]:
    """The parts at a word's end that are raised or lowered."""
    text, box, *_ = word
    return [
        part for part in styles.get(box, ()) if part[0] in _OF_SIGNS and part[2] == len(text)
    ]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _styles(
    line: str, run: Sequence[PlacedWord], styles: Mapping[Box, Sequence[StyledPart]]
) -> tuple[TextStyle, ...]:
    """The styles of a line's words as those of its text, merged over consecutive words."""
    parts: dict[StyleKind, list[tuple[int, int]]] = {}
    at = 0
    for text, box, joint, _ in run:
        space = int(bool(at and joint))
        at += space
        for kind, start, end in styles.get(box, ()):
            found, begin = parts.setdefault(kind, []), at + start
            if found and found[-1][1] == (begin if start else begin - space):
                begin = found.pop()[0]
            found.append((begin, at + end))
        at += len(text)
    return tuple(
        TextStyle(kind=kind, start=start, end=end)
        for kind, places in sorted(parts.items())
        for start, end in places
        # A sign alone is neither bold nor slanted: symbol fonts claim that they are.
        if kind in _OF_SIGNS or any(map(str.isalnum, line[start:end]))
    )


def _polygons(boxes: Sequence[Box], matrix: Matrix) -> list[Polygon]:
    """The boxes in page pixels, to a hundredth, clockwise from the text's own top left."""
    if matrix[1] or matrix[2]:
        return [_turned_polygon(box, matrix) for box in boxes]
    # One loop, and int() for round(), which goes through decimal text: 1 µs a box, not 3.
    a, _, _, d, e, f = (100 * number for number in matrix)
    e, f = e + 0.5, f + 0.5
    polygons: list[Polygon] = []
    for left, low, right, high in boxes:
        x0, x1 = int(a * left + e) / 100, int(a * right + e) / 100
        y0, y1 = int(d * high + f) / 100, int(d * low + f) / 100
        polygons.append(((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
    return polygons


def _turned_polygon(box: Box, matrix: Matrix) -> Polygon:
    left, low, right, high = box
    a, b, c, d, e, f = matrix

    def pixel(x: float, y: float) -> Point:
        return (round(a * x + c * y + e, 2), round(b * x + d * y + f, 2))

    return (pixel(left, high), pixel(right, high), pixel(right, low), pixel(left, low))


def _composed(matrix: Matrix, angle: float) -> Matrix:
    """The matrix for boxes seen along a direction of `angle` degrees."""
    a, b, c, d, e, f = matrix
    cos, sin = _cos_sin(angle)
    return (
        a * cos + c * sin,
        b * cos + d * sin,
        c * cos - a * sin,
        d * cos - b * sin,
        e,
        f,
    )


def _cos_sin(angle: float) -> tuple[float, float]:
    quarter, rest = divmod(angle % 360, 90)
    if not rest:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter)]
    return math.cos(math.radians(angle)), math.sin(math.radians(angle))
