"""Text in frames, such as cards and side boxes: the content of each is read separately.

A frame is a box of rules, or a shade. A table's rules continue from cell to cell, and its
shaded columns share rows with those beside them; frames are apart and do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from pagetide.geometry import Box, area, center, contains, union
from pagetide.structure.tables.ruled.closed_boxes import ClosedBox, closed_boxes
from pagetide.structure.tables.ruled.frames import Stroke

MOST_FRAMES = 200  # a page with more is a drawing
ROWS = 3  # of text in the fullest of side-by-side frames, or in a single one: fewer are a field
LINES = 5  # in a single frame that has fewer rows
SHADED = 5  # rows in a single shade
SHARED = 0.7  # of a frame's rows, with text on the same baseline beside it: a table's column
# In line heights.
APART = 0.45  # between frames; cells are closer
LEVEL = 0.5  # between the tops of side-by-side frames
BASELINE = 0.15  # between lines of one row
EDGE = 0.25  # between the edges of text in one column
NEXT = 3.0  # from a frame to the rows above and below


def framed_text(
    boxes: Sequence[Box],
    across: Sequence[Stroke],
    down: Sequence[Stroke],
    line: float,
    pictures: Sequence[Box] = (),
) -> list[list[Box]]:
    """Frames around text, from the top, with side-by-side ones grouped.

    Args:
        boxes: Of the lines.
        across: The horizontal rules, including edges of shades.
        down: The vertical ones, likewise.
        line: The typical line height.
        pictures: Boxes inside belong to them.
    """
    closed = list(islice(closed_boxes(across, down, line), MOST_FRAMES + 1))
    if len(closed) > MOST_FRAMES:
        return []
    own = [
        each
        for each in closed
        if not any(contains(picture, center(each.box)) for picture in pictures)
    ]
    frames = [frame for each in own if (frame := _framed(each, boxes, line))]
    outer = [frame for frame in frames if not any(_is_in(frame, other) for other in frames)]
    kept: list[list[Box]] = []
    for level in _levels(outer, line):
        if len(level) > 1 and _part(level, boxes, line):
            kept.append([frame.box for frame in level])
        else:
            kept += [[frame.box] for frame in level if frame.is_alone(line)]
    return kept


@dataclass(frozen=True)
class _Frame:
    """A box drawn around some of a page's lines.

    Attributes:
        closed: How it is drawn.
        lines: Those in it.
        others: All others.
    """

    closed: ClosedBox
    lines: list[Box]
    others: list[Box]

    @property
    def box(self) -> Box:
        return self.closed.box

    def is_alone(self, line: float) -> bool:
        """Whether it is not part of a table, and more than a field, with no frame beside it."""
        _, top, _, bottom = self.box
        rows = _rows(self.lines, line)
        beside = [box for box in self.others if top <= center(box)[1] <= bottom]
        if beside:
            shared = sum(_are_level(row, beside, line) for row in rows)
            least = SHADED if self.closed.shaded else ROWS
            is_apart = len(rows) >= least and shared < SHARED * len(rows)
            return is_apart and not self._goes_on(line)
        several = len(rows) >= ROWS or len(self.lines) >= LINES
        drawn = not self.closed.shaded and not self.closed.divided
        return several and drawn and not self._goes_on(line)

    def _goes_on(self, line: float) -> bool:
        """Whether columns of it other than the first continue right above or below it."""
        _, top, _, bottom = self.box
        near = [
            box
            for box in self.others
            if top - NEXT * line < center(box)[1] < bottom + NEXT * line
        ]
        left = min(box[0] for box in self.lines) + line
        columns = (
            (own[side], box[side])
            for own in self.lines
            for side in (0, 2)
            if own[side] > left
            for box in near
        )
        shared = sorted(own for own, other in columns if abs(own - other) <= EDGE * line)
        return bool(shared) and shared[-1] - shared[0] > line


def _framed(closed: ClosedBox, boxes: Sequence[Box], line: float) -> _Frame | None:
    """A box with lines in it; None if it has none or all lines, or one crosses its sides."""
    x0, y0, x1, y1 = closed.box
    lines: list[Box] = []
    others: list[Box] = []
    for box in boxes:
        (lines if contains(closed.box, center(box)) else others).append(box)
    near = line / 2
    held = all(x0 - near < box[0] and box[2] < x1 + near for box in lines)
    clear = all(
        box[2] <= x0 + near or x1 - near <= box[0]
        for box in others
        if y0 <= center(box)[1] <= y1
    )
    return _Frame(closed, lines, others) if lines and others and held and clear else None


def _part(level: Sequence[_Frame], boxes: Sequence[Box], line: float) -> bool:
    """Whether side-by-side frames are apart, with nothing but them between."""
    apart = all(b.box[0] - a.box[2] >= APART * line for a, b in pairwise(level))
    fullest = max(len(_rows(frame.lines, line)) for frame in level)
    around = union(frame.box for frame in level)
    within = sum(contains(around, center(box)) for box in boxes)
    return apart and fullest >= ROWS and within == sum(len(frame.lines) for frame in level)


def _rows(lines: Iterable[Box], line: float) -> list[float]:
    """The bottoms of rows, from the top."""
    bottoms = sorted(box[3] for box in lines)
    return [
        bottom
        for above, bottom in pairwise([float("-inf"), *bottoms])
        if bottom - above > LEVEL * line
    ]


def _are_level(row: float, boxes: Sequence[Box], line: float) -> bool:
    return any(abs(box[3] - row) <= BASELINE * line for box in boxes)


def _is_in(frame: _Frame, other: _Frame) -> bool:
    return area(frame.box) < area(other.box) and contains(other.box, center(frame.box))


def _levels(frames: Sequence[_Frame], line: float) -> Iterator[list[_Frame]]:
    """The frames with level tops, from left to right, from the top."""
    level: list[_Frame] = []
    for frame in sorted(frames, key=lambda each: each.box[1]):
        if level and frame.box[1] - level[0].box[1] > LEVEL * line:
            yield sorted(level, key=lambda each: each.box)
            level = []
        level.append(frame)
    if level:
        yield sorted(level, key=lambda each: each.box)
