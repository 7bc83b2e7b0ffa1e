"""Text columns separated by a drawn rule: each side is read separately.

For example a newspaper's columns, and notes beside minutes. A table's columns share rows, and
horizontal rules that the vertical ones meet.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median_high

from pagetide.geometry import Box, union
from pagetide.structure.tables.ruled.frames import Stroke

_LONG = 2.0  # line heights: the shortest of such rules
_MOST = 40  # rules of a page
_LEAST = 2  # lines of a column: a page number beside a rule is not one
_PROSE_WIDE = 10.0  # line heights: running text is wider
_FULL = 0.7  # of its longest line
_SHARED = 0.8  # of a column's rows that are level with the next one's: a table's
# In line heights.
_MEET = 0.5  # between a rule and one that it meets
_ENDS = 1.0  # between the ends of side-by-side rules
_NEXT = 0.6  # between lines of one paragraph, at most
_LEVEL = 0.2  # between middles of rows


def ruled_columns(
    boxes: Sequence[Box], across: Sequence[Stroke], down: Sequence[Stroke], line: float
) -> list[list[Box]]:
    """Boxes around side-by-side columns separated by rules, from the top.

    Args:
        boxes: Of the lines.
        across: The horizontal rules, including edges of shades.
        down: The vertical ones, likewise.
        line: The typical line height.
    """
    free = [stroke for stroke in down if _is_free(stroke, across, line)]
    if not free or len(free) > _MOST:
        return []
    return [
        columns
        for rules in _side_by_side(free, line)
        if (columns := _columns(rules, boxes, line))
    ]


def _is_free(stroke: Stroke, across: Sequence[Stroke], line: float) -> bool:
    """Whether a rule meets no horizontal one; edges of shades do not count."""
    near = _MEET * line
    is_long = stroke.thickness > 0 and stroke.end - stroke.start >= _LONG * line
    return is_long and not any(
        flat.thickness > 0
        and stroke.start - near <= flat.at <= stroke.end + near
        and flat.start - near <= stroke.at <= flat.end + near
        for flat in across
    )


def _side_by_side(rules: Sequence[Stroke], line: float) -> Iterator[list[Stroke]]:
    """Rules with level ends, from left to right, from the top."""
    left = sorted(rules, key=lambda rule: rule.start)
    while left:
        first = left[0]
        level = [
            rule
            for rule in left
            if abs(rule.start - first.start) < _ENDS * line
            and abs(rule.end - first.end) < _ENDS * line
        ]
        yield sorted(level, key=lambda rule: rule.at)
        left = [rule for rule in left if rule not in level]


def _columns(rules: Sequence[Stroke], boxes: Sequence[Box], line: float) -> list[Box]:
    """The boxes of the text between rules; none if it crosses one, or is a table's."""
    top, bottom = min(rule.start for rule in rules), max(rule.end for rule in rules)
    edges = [rule.at for rule in rules]
    found: list[list[Box]] = [[] for _ in range(len(rules) + 1)]
    for box in boxes:
        middle = (box[1] + box[3]) / 2
        if not top - line / 2 < middle < bottom + line / 2:
            continue
        place = bisect(edges, (box[0] + box[2]) / 2)
        inner = [edge for edge in edges if box[0] + line / 4 < edge < box[2] - line / 4]
        if inner:
            return []
        found[place].append(box)
    if min(map(len, found)) < _LEAST or any(_are_rows(a, b, line) for a, b in pairwise(found)):
        return []
    is_wide = any(x1 - x0 > _PROSE_WIDE * line for own in found for x0, _, x1, _ in own)
    columns = [union(own) for own in found]
    runs_on = any(_runs_on(column, boxes, line) for column in columns)
    return columns if is_wide and not runs_on else []


def _runs_on(column: Box, boxes: Sequence[Box], line: float) -> bool:
    """Whether a column's text goes on above or below, past the rule beside it."""
    x0, top, x1, bottom = column
    near = _NEXT * line
    return any(
        x0 < b[2] and b[0] < x1 and (top - near < b[3] <= top or bottom <= b[1] < bottom + near)
        for b in boxes
    )


def _is_prose(boxes: Sequence[Box], line: float) -> bool:
    """Whether most lines of several are as long as the longest, ignoring short last lines."""
    widths = [x1 - x0 for x0, _, x1, _ in boxes]
    return len(boxes) > 1 and median_high(widths) > max(_PROSE_WIDE * line, _FULL * max(widths))


def _are_rows(left: Sequence[Box], right: Sequence[Box], line: float) -> bool:
    """Whether columns are a table's: their rows are level, and one has no prose."""
    if _is_prose(left, line) and _is_prose(right, line):
        return False
    few, many = (
        sorted((box[1] + box[3]) / 2 for box in own) for own in sorted((left, right), key=len)
    )
    near = _LEVEL * line
    level = sum(bisect(many, at + near) > bisect(many, at - near) for at in few)
    return level >= _SHARED * len(few)
