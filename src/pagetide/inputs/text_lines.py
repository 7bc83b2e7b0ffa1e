"""From a page's placed words to lines: pure functions, in the PDF's own space until the end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from pagetide.document import Line, Word
from pagetide.geometry import Box, Point, Polygon, union

Matrix = tuple[float, float, float, float, float, float]

# In heights of the words' boxes, a height being about 1.17 em.
# Wider than this and it is no space between words but one between columns or cells:
# justified lines stay under 1.0, the gutter of a two-column page starts at 1.2.
_COLUMN_GAP = 1.2
# So far may a word begin before the end of the last: kerning and italics overhang.
_OVERHANG = 0.35
# So much of the lower of two boxes must stand level with the other: a superscript does.
_LEVEL = 0.4
# Wider than this between two runs that PDFium put on separate lines is a space.
_SPACE_GAP = 0.12


class Joint(IntEnum):
    """How a word is joined to the one before it."""

    NONE = 0
    SPACE = 1
    LINE = 2


class PlacedWord(NamedTuple):
    """A word in the PDF's own space, points, y up.

    Attributes:
        box: Seen along the word's own direction: `(x, y)` turned back by `angle`.
        angle: Degrees that the text runs counter-clockwise from the x axis.
    """

    text: str
    box: Box
    joint: Joint
    angle: float = 0.0


def lines_of(words: Sequence[PlacedWord], matrix: Matrix) -> tuple[Line, ...]:
    """Lines with words and polygons, in the order of the words.

    A line ends where PDFium says so, where the direction or the level changes, and at a gap
    as wide as one between columns.

    Args:
        words: In reading order.
        matrix: From the PDF's own space to page pixels; see `PageFrame.matrix`.
    """
    return tuple(_line(run, matrix) for run in _rejoined(_runs(words)))


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


def _runs(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    runs: list[list[PlacedWord]] = []
    last: PlacedWord | None = None
    for word in words:
        if last is None or word.joint is Joint.LINE or not _follows(last, word):
            runs.append([word])
        else:
            runs[-1].append(word)
        last = word
    return runs


def _follows(last: PlacedWord, word: PlacedWord) -> bool:
    """Whether a word stands behind the last on one line."""
    if last.angle != word.angle:
        return False
    left, low, right, high = last[1]
    next_left, next_low, next_right, next_high = word[1]
    height = max(high - low, next_high - next_low)
    if next_left - right > _COLUMN_GAP * height:
        return False
    if next_left < right - _OVERHANG * height and not _runs_leftwards(last, word):
        return False
    lower = min(high - low, next_high - next_low)
    return min(high, next_high) - max(low, next_low) >= _LEVEL * lower


def _runs_leftwards(last: PlacedWord, word: PlacedWord) -> bool:
    """Whether the two are words of a script that runs from right to left."""
    gap = last.box[0] - word.box[2]
    height = word.box[3] - word.box[1]
    is_rtl = any("\u0590" <= letter <= "\u08ff" for letter in last.text + word.text)
    return is_rtl and -_OVERHANG * height <= gap <= _COLUMN_GAP * height


def _rejoined(runs: Iterable[list[PlacedWord]]) -> list[list[PlacedWord]]:
    """Runs that PDFium split, as at a superscript or a change of font, put together again."""
    whole: list[list[PlacedWord]] = []
    for run in runs:
        if whole and _is_split(whole[-1][-1], run[0]):
            last, first = whole[-1][-1], run[0]
            height = max(last.box[3] - last.box[1], first.box[3] - first.box[1])
            is_apart = first.box[0] - last.box[2] > _SPACE_GAP * height
            joint = Joint.SPACE if is_apart else Joint.NONE
            whole[-1] += [first._replace(joint=joint), *run[1:]]
        else:
            whole.append(run)
    return whole


def _is_split(last: PlacedWord, first: PlacedWord) -> bool:
    # Only what PDFium split: a column gap was split by us. A word that begins left of the
    # last one's end would be on the next line.
    return first.joint is Joint.LINE and _follows(last, first)


def _line(run: Sequence[PlacedWord], matrix: Matrix) -> Line:
    if run[0].angle:
        matrix = _composed(matrix, run[0].angle)
    words = tuple([Word(text=word.text, polygon=_polygon(word.box, matrix)) for word in run])
    text = run[0].text + "".join(
        [" " + word.text if word.joint else word.text for word in run[1:]]
    )
    box = union([word.box for word in run]) if len(run) > 1 else run[0].box
    return Line(text=text, polygon=_polygon(box, matrix), words=words, source="text_layer")


def _polygon(box: Box, matrix: Matrix) -> Polygon:
    """The box in page pixels, clockwise from the text's own top left."""
    left, low, right, high = box
    a, b, c, d, e, f = matrix
    if not b and not c:
        x0, x1 = round(a * left + e, 2), round(a * right + e, 2)
        y0, y1 = round(d * high + f, 2), round(d * low + f, 2)
        return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))

    def shown(x: float, y: float) -> Point:
        return (round(a * x + c * y + e, 2), round(b * x + d * y + f, 2))

    return (shown(left, high), shown(right, high), shown(right, low), shown(left, low))


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
