"""Tables with rules only below their figures: the names beside these are included."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from math import inf
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.line_words import LineWords, Words, inside_of
from pagetide.structure.tables.pieces import LEADER, Piece, baselines
from pagetide.structure.tables.ruled.frames import Frame, Stroke, framed

# Line heights between the middles of a name and of its figures: the name may have two lines.
LEVEL = 0.8
MOSTLY = 0.6  # of the rows have a name, and of the names a row
LEAST, LEAST_LED = 3, 2  # rows; the second if dots lead to their figures
WORDS = 7  # of a name, usually, at most
SIDES = 2  # of a column
NEAR = 1.5  # line heights between a name's number and the name
FULL = 0.5  # of prose's lines end where most do


def widened(box: Box, words: Words, line: float, frames: Sequence[Frame] = ()) -> Box:
    """A box of figures with the names left of it, if most of its rows have one there.

    Prose in the next column has lines that are not level with the rows, or all of one length.

    Args:
        box: Around rules that end where figures do.
        words: The page's that no other table has.
        line: Its typical line height.
        frames: The page's: no name is left of the headers above, or beyond another frame.
    """
    x0, y0, x1, y1 = box
    edge = max(_left_of_heads(box, frames, line), _right_of_others(box, frames, line))
    if edge:
        words = [LineWords(w for w in own if w.x0 > edge - line / 2) for own in words]
    near = (own for own in words if own and _reaches(own, y0, y1))
    level = [chunk for own in near for chunk in own.phrases if y0 <= chunk.middle <= y1]
    rows = baselines(chunk for chunk in level if x0 - line / 2 <= chunk.x0 < x1)
    beside = baselines(chunk for chunk in level if chunk.x1 <= x0 + line / 2)
    names = [row[-1] for row in beside]
    firsts = [row[0] for row in rows]
    figures = sum(is_number(piece.text) for piece in firsts)
    least = LEAST_LED if _are_led(names) else LEAST
    if min(len(rows), len(names)) < least or figures < MOSTLY * len(rows):
        return box
    named = _level(rows, names, line)
    own = [name for [name] in _level([[name] for name in names], firsts, line)]
    if (
        len(named) < MOSTLY * len(rows)
        or len(own) < MOSTLY * len(names)
        or _are_prose(own, line)
    ):
        return box
    left = min(_start(row, line) for row in beside)
    return (min(left, x0), y0, x1, y1)


def _start(row: Sequence[Piece], line: float) -> float:
    """Where a name starts, including its number."""
    number, name = row[-2:] if len(row) > 1 else (row[-1], row[-1])
    is_near = name.x0 - number.x1 < NEAR * line
    return number.x0 if is_near and is_number(number.text) else name.x0


def _has_more_right(box: Box, words: Words, frames: Sequence[Frame], line: float) -> bool:
    """Whether further figures are right of a box, level with it and in no other frame."""
    _, y0, x1, y1 = box
    level = (f.box for f in frames if f.box[1] < y1 and f.box[3] > y0)
    edge = min((each[0] for each in level if each[0] > x1 - line / 2), default=inf)
    beyond = [
        word
        for own in words
        for word in own
        if x1 < word.center < edge and y0 <= word.middle <= y1 and is_number(word.text)
    ]
    return len(baselines(beyond)) >= LEAST


def _left_of_heads(box: Box, frames: Sequence[Frame], line: float) -> float:
    """The left end of the next frame above that covers a box and more; 0 without one."""
    x0, y0, x1, _ = box
    over = [f.box for f in frames if f.box[0] < x0 - line and f.box[2] > x1 - line]
    above = [each for each in over if each[3] <= y0]
    return max(above, key=lambda each: each[3], default=(0.0,))[0]


def _right_of_others(box: Box, frames: Sequence[Frame], line: float) -> float:
    """The right end of the frames left of a box, level with some of it; 0 without one."""
    x0, y0, _, y1 = box
    level = (f.box for f in frames if f.box[1] < y1 and f.box[3] > y0)
    return max((each[2] for each in level if each[2] < x0 - line), default=0.0)


def with_names(frame: Frame, words: Words, line: float, frames: Sequence[Frame]) -> Frame:
    """A frame of figures with the names left of it: below headers, on shades, in boxes.

    Its first row has figures only: one that starts with headers has its names inside.
    """
    is_below_heads = _left_of_heads(frame.box, frames, line) > 0
    if not (frame.down or is_below_heads):
        return frame
    bare = frame if _is_boxed(frame) else _without_one_shade(frame, line)
    inside = inside_of(frame.box, words, line)
    first = next(iter(baselines(chunk for own in inside for chunk in own.phrases)), [])
    if not first or not all(is_number(piece.text) for piece in first):
        return bare if frame.down else frame
    if frame.down and _has_more_right(frame.box, words, frames, line):
        return frame
    wide = widened(frame.box, words, line, frames)
    if wide == frame.box:
        return bare
    across = frame.across or (Stroke(wide[1], wide[0], wide[2], 0.0),)
    return framed([stroke._replace(start=wide[0]) for stroke in across], bare.down)


def has_names_left(frame: Frame, line: float) -> bool:
    """Whether the names of a frame's figures are left of all boxes, as in a form's lines."""
    return _is_boxed(frame) and min(side.at for side in frame.down) > frame.box[0] + line


def _is_boxed(frame: Frame) -> bool:
    """Whether some of the sides of its columns are drawn, not just edges of shades."""
    return any(stroke.thickness > 0 for stroke in frame.down)


def _without_one_shade(frame: Frame, line: float) -> Frame:
    """A frame without the edges of a single shaded column, which divide no others."""
    x0, _, x1, _ = frame.box
    places = {round(stroke.at / line) for stroke in frame.down}
    is_all = places >= {round(x0 / line), round(x1 / line)}
    return frame if is_all or len(places) > SIDES else Frame(frame.box, frame.across, ())


def _reaches(words: Sequence[Piece], top: float, bottom: float) -> bool:
    """Whether some of a line's words are between two vertical positions."""
    return min(w.y0 for w in words) <= bottom and max(w.y1 for w in words) >= top


def _level(
    rows: Sequence[Sequence[Piece]], others: Iterable[Piece], line: float
) -> list[Sequence[Piece]]:
    """The rows whose start is level with one of some other pieces."""
    heights = sorted(piece.middle for piece in others)
    near = LEVEL * line
    return [
        row
        for row in rows
        if bisect_left(heights, row[0].middle - near)
        < bisect_right(heights, row[0].middle + near)
    ]


def _are_led(names: Sequence[Piece]) -> bool:
    """Whether most have dots that lead to a figure."""
    return 2 * sum(bool(LEADER.search(name.text)) for name in names) > len(names)


def _are_prose(names: Sequence[Piece], line: float) -> bool:
    """Whether most are long, or end at one position, without dots that lead to a figure."""
    if _are_led(names):
        return False
    right = max(name.x1 for name in names)
    full = sum(right - name.x1 < line for name in names)
    return full > FULL * len(names) or median(len(n.text.split()) for n in names) > WORDS
