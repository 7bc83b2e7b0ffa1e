"""Rows of a justified column whose words stand far apart: one line, not one for each word.

In a narrow column a row of few words is spread over the column's width, and its spaces may be
as wide as those between columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pagetide.geometry import Box

if TYPE_CHECKING:
    from pagetide.inputs.text_lines import PlacedWord

    Run = list[PlacedWord]

# In heights of a row's words.
FLUSH = 0.25  # rows of a justified column begin and end so near to each other
SPACE = 0.25  # as wide as spaces are that nothing spreads
INDENT = 4.0  # a paragraph's first row, in the others' heights, stands no further in
WIDEST = 6.0  # a row's spaces
PITCH = 2.0  # from one row to the next
LEVEL = 0.3  # pieces of one row stand so level
EVEN, EQUAL = 1.5, 1.1  # a row's widest space, in its narrowest ones


def spread_rows_joined(runs: list[Run]) -> list[Run]:
    """The lines' words, with spread rows as one line each.

    A row is spread if it ends where the whole row before it does, begins there, too, or where
    that one stands in, the row after it begins at its place, and its spaces are equal, or
    alike and not where that row has one: a table has its columns in every row. And that row's
    first word would not have stood on it.

    Args:
        runs: Each line's words, in reading order, in points, y up.
    """
    if len(runs) < 4:
        return runs
    boxes = [(r[0][1][0], r[0][1][1], r[-1][1][2], r[0][1][3]) for r in runs]
    rows = _rows(runs, boxes)
    if len(rows) == len(runs):
        return runs
    joined: list[Run] = []
    above: Box | None = None  # the row before, where it is whole
    for place, row in enumerate(rows):
        whole: Box | None = _around(boxes, row)
        following = rows[place + 1] if place + 1 < len(rows) else None
        if len(row) == 1:
            joined.append(runs[row[0]])
        elif (
            above
            and following
            and _is_spread(boxes, above, row, following)
            and not _has_room(boxes, row, runs[following[0]][0])
        ):
            first, *rest = (runs[index] for index in row)
            joined.append(first + [word for run in rest for word in _after_space(run)])
        else:
            joined += [runs[index] for index in row]
            whole = None
        above = whole
    return joined


def _rows(runs: Sequence[Run], boxes: Sequence[Box]) -> list[range]:
    """The lines' places, those together that stand level and behind one another."""
    rows = [range(1)]
    for place in range(1, len(boxes)):
        box, last = boxes[place], boxes[place - 1]
        height = last[3] - last[1]
        if (
            runs[place][0][3] == runs[place - 1][0][3] == 0
            and abs(box[1] - last[1]) < LEVEL * height
            and 0 < box[0] - last[2] < WIDEST * height
        ):
            rows[-1] = range(rows[-1].start, place + 1)
        else:
            rows.append(range(place, place + 1))
    return rows


def _is_spread(boxes: Sequence[Box], above: Box, row: range, following: range) -> bool:
    here, below = _around(boxes, row), _around(boxes, following)
    height = here[3] - here[1]
    gaps = _gaps(boxes, row)
    widths = [right - left for left, right in gaps]
    return (
        -FLUSH * height < above[0] - here[0] < INDENT * height
        and abs(above[2] - here[2]) < FLUSH * height
        and abs(below[0] - here[0]) < FLUSH * height
        and below[2] < above[2] + FLUSH * height
        and 0 < above[1] - here[1] < PITCH * height
        and 0 < here[1] - below[1] < PITCH * height
        and max(widths) <= EVEN * min(widths)
        and not _share(gaps, _gaps(boxes, following), height, equal=_are_equal(widths))
    )


def _has_room(boxes: Sequence[Box], row: range, following: PlacedWord) -> bool:
    """Whether the next row's first word would have stood on this row, were it not spread.

    It does in forms ("Place, date", "Signature"), and below the head of a table.
    """
    height = boxes[row[0]][3] - boxes[row[0]][1]
    room = sum(right - left - SPACE * height for left, right in _gaps(boxes, row))
    _, (left, _, right, _), _, _ = following
    return right - left + SPACE * height < room


def _are_equal(widths: Sequence[float]) -> bool:
    """Several spaces, as wide as only a printer makes them."""
    return len(widths) > 1 and max(widths) <= EQUAL * min(widths)


def _share(
    gaps: Sequence[tuple[float, float]],
    others: Sequence[tuple[float, float]],
    height: float,
    *,
    equal: bool,
) -> bool:
    """Whether two rows are empty at one place, as a table's are; equal ones, at the same."""
    least = FLUSH * height
    return any(
        max(abs(left - other_left), abs(right - other_right)) < least
        if equal
        else min(right, other_right) > max(left, other_left)
        for left, right in gaps
        for other_left, other_right in others
    )


def _gaps(boxes: Sequence[Box], row: range) -> list[tuple[float, float]]:
    return [(boxes[place][2], boxes[place + 1][0]) for place in row[:-1]]


def _around(boxes: Sequence[Box], row: range) -> Box:
    """The row's first line's box, as far as its last one goes."""
    left, low, _, high = boxes[row[0]]
    return left, low, boxes[row[-1]][2], high


def _after_space(run: Run) -> Run:
    text, box, _, angle = run[0]
    return [(text, box, 1, angle), *run[1:]]
