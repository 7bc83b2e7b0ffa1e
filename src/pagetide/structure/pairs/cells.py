"""A form's fields as cells of one frame, each with a name in small print above its value.

Each row may have other cells than the one above it, so that they are no table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pagetide.geometry import Box, center, contains
from pagetide.structure.tables.ruled.field_boxes import HIGHEST, NARROWEST
from pagetide.structure.tables.ruled.frames import WHOLE, Frame

LEAST = 3  # cells of a frame: two are a pair of boxes
NAMED = 0.5  # of a frame's cells, more than which have a name above a value
SMALLER = 0.9  # times the height of what is written: a name
TOUCH = 0.25  # line heights from a rule's end to one that it meets


def rows_of_cells(
    frames: Sequence[Frame], boxes: Sequence[Box], line: float
) -> Iterator[list[Box]]:
    """The cells row by row, each row from left to right, of frames in which most are fields.

    Args:
        frames: The page's rules.
        boxes: Of the text.
        line: The typical line height.
    """
    for frame in frames:
        rows = list(_rows(frame, TOUCH * line)) if len(frame.down) > 2 else []
        cells = [cell for row in rows for cell in row]
        fit = all(
            y1 - y0 <= HIGHEST * line and x1 - x0 >= NARROWEST * line
            for x0, y0, x1, y1 in cells
        )
        if not fit or len(cells) < LEAST:
            continue  # before each cell is compared with all of the text
        named = sum(_is_named(cell, boxes) for cell in cells)
        if named > NAMED * len(cells):
            yield from rows


def _rows(frame: Frame, near: float) -> Iterator[list[Box]]:
    """The spaces between rules from side to side, each divided by the rules that cross it."""
    wide = WHOLE * (frame.box[2] - frame.box[0])
    whole = [rule.at for rule in frame.across if rule.end - rule.start >= wide]
    for top, bottom in pairwise(whole):
        sides = [
            rule.at
            for rule in frame.down
            if rule.start <= top + near and rule.end >= bottom - near
        ]
        if len(sides) > 1:
            yield [(left, top, right, bottom) for left, right in pairwise(sides)]


def _is_named(cell: Box, boxes: Sequence[Box]) -> bool:
    """Whether the first line in a cell is in smaller print than what is below it."""
    inside = sorted((box for box in boxes if contains(cell, center(box))), key=lambda b: b[1])
    sizes = [box[3] - box[1] for box in inside]
    return len(sizes) > 1 and sizes[0] < SMALLER * max(sizes[1:])
