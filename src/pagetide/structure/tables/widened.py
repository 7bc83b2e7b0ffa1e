"""Tables whose rules are drawn below their figures alone: the names beside these are theirs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.by_height import rows_in
from pagetide.structure.tables.frames import Frame
from pagetide.structure.tables.pieces import Piece, Words, baselines, chunks_of

# Line heights between the middles of a name and of its figures: the name may have two lines.
LEVEL = 0.8
MOSTLY = 0.6  # of the rows have a name, and of the names a row
LEAST = 3  # rows
WORDS = 7  # of a name, usually, at most
SIDES = 2  # of a column
FULL = 0.5  # of prose's lines end where most do


def widened(box: Box, words: Words, line: float) -> Box:
    """A box of figures with the names left of it, where most of its rows have one there.

    What is prose in the next column has its lines on heights of its own, or all of one length.

    Args:
        box: Around rules that end where figures do.
        words: The page's that no other table has.
        line: Its typical line height.
    """
    x0, y0, x1, y1 = box
    near = (own for own in words if own and _reaches(own, y0, y1))
    level = [chunk for own in near for chunk in chunks_of(own) if y0 <= chunk.middle <= y1]
    rows = baselines(chunk for chunk in level if x0 - line / 2 <= chunk.x0 < x1)
    beside = baselines(chunk for chunk in level if chunk.x1 <= x0 + line / 2)
    names = [row[-1] for row in beside]
    firsts = [row[0] for row in rows]
    figures = sum(is_number(piece.text) for piece in firsts)
    if len(rows) < LEAST or len(names) < LEAST or figures < MOSTLY * len(rows):
        return box
    named = _level(rows, names, line)
    own = [name for [name] in _level([[name] for name in names], firsts, line)]
    if (
        len(named) < MOSTLY * len(rows)
        or len(own) < MOSTLY * len(names)
        or _are_prose(own, line)
    ):
        return box
    left = min(name.x0 for name in names)
    return (min(left, x0), y0, x1, y1)


def shaded_with_names(frame: Frame, words: Words, line: float) -> Frame:
    """A frame of shaded columns of figures with the names left of it; else as it is.

    Its first row has figures alone: one that begins with heads has its names in it.
    """
    if not frame.down or any(stroke.thickness > 0 for stroke in frame.down):
        return frame
    frame = _without_one_shade(frame, line)
    first = next(iter(rows_in(frame.box, words)), [])
    if not first or not all(is_number(piece.text) for piece in first):
        return frame
    wide = widened(frame.box, words, line)
    return frame if wide == frame.box else Frame(wide, frame.across, ())


def _without_one_shade(frame: Frame, line: float) -> Frame:
    """A frame without the edges of a single shaded column, which part no others."""
    x0, _, x1, _ = frame.box
    places = {round(stroke.at / line) for stroke in frame.down}
    is_all = places >= {round(x0 / line), round(x1 / line)}
    return frame if is_all or len(places) > SIDES else Frame(frame.box, frame.across, ())


def _reaches(words: Sequence[Piece], top: float, bottom: float) -> bool:
    """Whether some of a line's words stand between two heights."""
    return min(w.y0 for w in words) <= bottom and max(w.y1 for w in words) >= top


def _level(
    rows: Sequence[Sequence[Piece]], others: Iterable[Piece], line: float
) -> list[Sequence[Piece]]:
    """The rows that begin level with one of some other pieces."""
    heights = sorted(piece.middle for piece in others)
    near = LEVEL * line
    return [
        row
        for row in rows
        if bisect_left(heights, row[0].middle - near)
        < bisect_right(heights, row[0].middle + near)
    ]


def _are_prose(names: Sequence[Piece], line: float) -> bool:
    """Whether most are long, or end at one place."""
    right = max(name.x1 for name in names)
    full = sum(right - name.x1 < line for name in names)
    return full > FULL * len(names) or median(len(n.text.split()) for n in names) > WORDS
