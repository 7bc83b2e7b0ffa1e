"""The fields of a form: boxes, or rules to write on, aligned in rows with others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from pagetide.geometry import Box, center, contains
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.ruled.frames import WHOLE, Frame, frames_of

MOST_BOXES = 200  # a page with more is a drawing
# In line heights.
LOWEST, HIGHEST = 1.0, 6.0  # of a box
NARROWEST = 4.0
TOUCH = 0.25  # from a rule to the end of another that meets it; boxes are this far apart
NAME = 0.3, 0.8  # a name that overlaps its box this far, or ends this far above it
ABOVE = 1.6  # from a rule up to the text written on it
BELOW = 0.3
LEVEL = 0.5
BEFORE = 12.0  # from a name to its rule, with nothing between
TAKEN = 0.85  # of a rule, by the text on it
INSET = 1.0  # of a name in its field


def field_boxes(frames: Sequence[Frame], boxes: Sequence[Box], line: float) -> list[list[Box]]:
    """The fields row by row, from the top, each row from left to right.

    A field alone in its row must be as wide as one that is not: otherwise it is a rule below a
    header, or a box around a remark.

    Args:
        frames: The page's rules, without the edges of shades.
        boxes: Of the text.
        line: The typical line height.
    """
    frames = [f for frame in frames for f in frames_of(frame.across, frame.down, line, TOUCH)]
    if len(frames) > MOST_BOXES:
        return []
    rows = list(_level([*_boxed(frames, boxes, line), *_ruled(frames, boxes, line)], line))
    beside = [field for row in rows if len(row) > 1 for field in row]
    return [
        row
        for row in rows
        if len(row) > 1 or any(_same_width(row[0], field, line) for field in beside)
    ]


def has_names(row: Sequence[Box], words: Words, line: float) -> bool:
    """Whether two fields of a row start with a name, unlike cells with a rule below.

    Args:
        row: From `field_boxes`.
        words: Of the page, by line.
        line: The typical line height.
    """
    named = 0
    for x0, y0, x1, y1 in row:
        first = min(
            (
                word
                for of_line in words
                for word in of_line
                if x0 <= word.center <= x1 and y0 <= word.middle <= y1
            ),
            key=lambda word: word.x0,
            default=None,
        )
        named += first is not None and first.x0 - x0 <= INSET * line and first.text[0].isalpha()
    return named > 1


def _same_width(a: Box, b: Box, line: float) -> bool:
    return max(abs(a[0] - b[0]), abs(a[2] - b[2])) < line


def _boxed(frames: Sequence[Frame], boxes: Sequence[Box], line: float) -> Iterator[Box]:
    """Closed boxes of a field's size with nothing drawn inside, and the names right above.

    Names are above most boxes or above none: one above a single box is a heading.
    """
    closed = [frame.box for frame in frames if _is_closed(frame, line)]
    free = [box for box in boxes if not any(contains(each, center(box)) for each in closed)]
    names = [
        [
            box[1]
            for box in free
            if -NAME[0] * line <= y0 - box[3] <= NAME[1] * line
            and abs(box[0] - x0) <= LEVEL * line
            and box[2] <= x1 + line
        ]
        for x0, y0, x1, _ in closed
    ]
    are_named = 2 * sum(map(bool, names)) >= len(closed)
    for (x0, y0, x1, y1), tops in zip(closed, names, strict=True):
        yield (x0, min([y0, *tops]) if are_named else y0, x1, y1)


def _is_closed(frame: Frame, line: float) -> bool:
    """Whether rules surround a box of a field's size, with none inside."""
    x0, y0, x1, y1 = frame.box
    return (
        len(frame.across) == len(frame.down) == 2
        and LOWEST * line <= y1 - y0 <= HIGHEST * line
        and x1 - x0 >= NARROWEST * line
        and all(s.end - s.start >= WHOLE * (x1 - x0) for s in frame.across)
        and all(s.end - s.start >= WHOLE * (y1 - y0) for s in frame.down)
    )


def _ruled(frames: Sequence[Frame], boxes: Sequence[Box], line: float) -> Iterator[Box]:
    """The space above single rules, with the names before them.

    A rule fully covered by its text is below a heading.
    """
    rules = [f.across[0] for f in frames if not f.down and len(f.across) == 1]
    for rule in rules:
        if rule.end - rule.start < NARROWEST * line:
            continue
        top, bottom = rule.at - ABOVE * line, rule.at + BELOW * line
        level = [box for box in boxes if top <= (box[1] + box[3]) / 2 <= bottom]
        written = [min(b[2], rule.end) - max(b[0], rule.start) for b in level]
        if sum(max(width, 0.0) for width in written) > TAKEN * (rule.end - rule.start):
            continue
        ends = [o.end for o in rules if o.end <= rule.start and abs(o.at - rule.at) < line]
        free = max(ends, default=-math.inf)
        names = [
            box
            for box in level
            if free <= box[0] + line / 4 and box[2] <= rule.start + LEVEL * line
        ]
        name = max(names, key=lambda box: box[2], default=None)
        start = name[0] if name and rule.start - name[2] <= BEFORE * line else rule.start
        yield (min(rule.start, start) - line / 4, top, rule.end + line / 4, bottom)


def _level(fields: Sequence[Box], line: float) -> Iterator[list[Box]]:
    """The fields in rows, each from left to right, from the top."""
    bottoms: list[float] = []

    def row(field: Box) -> int:
        if not bottoms or field[3] - bottoms[-1] > LEVEL * line:
            bottoms.append(field[3])
        return len(bottoms)

    for _, level in groupby(sorted(fields, key=lambda field: field[3]), key=row):
        yield sorted(level)
