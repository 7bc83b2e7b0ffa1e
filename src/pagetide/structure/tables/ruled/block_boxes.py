"""Boxes that hold a block each: addresses side by side, dates below. They are not tables."""

from __future__ import annotations

from itertools import pairwise

from pagetide.geometry import Box
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import baselines
from pagetide.structure.tables.ruled.frames import Frame, is_lattice

MOST_RULES = 3  # in each direction: two boxes side by side, two below each other
LEAST_LINES = 3  # of each box in the first row: headers have fewer


def block_boxes(frame: Frame, words: Words, line: float) -> list[Box]:
    """The boxes of a frame that hold blocks of several lines; none if it may be a table.

    Args:
        frame: Rules that meet.
        words: The page's, by line.
        line: The page's typical line height.
    """
    sides, edges = len(frame.down), len(frame.across)
    if not (sides == MOST_RULES and 1 < edges <= MOST_RULES and is_lattice(frame)):
        return []
    rows = [(a.at, b.at) for a, b in pairwise(frame.across)]
    columns = [(a.at, b.at) for a, b in pairwise(frame.down)]
    boxes = [(x0, y0, x1, y1) for y0, y1 in rows for x0, x1 in columns]
    first = boxes[: len(columns)]
    several = all(_lines_in(box, words, line) >= LEAST_LINES for box in first)
    return boxes if several else []


def _lines_in(box: Box, words: Words, line: float) -> int:
    inside = inside_of(box, words, line)
    return len(baselines(word for own in inside for word in own))
