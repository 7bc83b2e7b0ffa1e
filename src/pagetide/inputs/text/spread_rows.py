"""Rows of a justified column with widely spaced words: one line, not one for each word.

In a narrow column a row of few words is spread over the column's width, and its spaces may be
as wide as those between columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pagetide.geometry import Box

if TYPE_CHECKING:
    from pagetide.inputs.text.lines import PlacedWord

    Run = list[PlacedWord]

# In heights of a row's words.
FLUSH = 0.25  # rows of a justified column start and end this near to each other
SPACE = 0.35  # the width of spaces that are not spread, at most; usual are 0.2 to 0.3
INDENT = 4.0  # a paragraph's first row, in the others' heights, is indented no further
WIDEST = 6.0  # a row's spaces
PITCH = 2.0  # from one row to the next
LEVEL = 0.3  # pieces of one row are this level
MOST_BETWEEN = 200  # other columns' rows: a page with more is not text, and would take minutes
EVEN, EQUAL = 1.5, 1.1  # a row's widest space, relative to its narrowest ones


def spread_rows_joined(runs: list[Run]) -> list[Run]:
    """The lines' words, with spread rows as one line each.

    A row is spread if it ends where the whole row before or after it does, starts where these
    do, except for an indent, and its spaces are equal, or alike and not where the next row has
    one: a table has its columns in every row. Also, the first word of the next row would not
    have fitted on it. A row that is whole because it was spread counts for the next.

    Args:
        runs: Each line's words, in reading order, in points, y up.
    """
    if len(runs) < 4:
        return runs
    boxes = [(r[0][1][0], r[0][1][1], r[-1][1][2], r[0][1][3]) for r in runs]
    rows = _rows(runs, boxes)
    if len(rows) == len(runs):
        return runs
    around = [_around(boxes, row) for row in rows]
    whole = [len(row) == 1 for row in rows]
    above, below = _neighbours(around)
    level = sorted(range(len(rows)), key=lambda place: -around[place][1])
    for beside, places in ((above, level), (below, level[::-1])):
        for place in places:
            row, column, behind = rows[place], beside[place], below[place]
            if whole[place] or column is None or behind is None or not whole[column]:
                continue
            following = rows[behind]
            whole[place] = (
                _is_spread(boxes, around[column], row, following)
                and (_is_within(around, column, behind) or _is_a_word(runs, following))
                and (_goes_on(runs, row, following) or not _are_columns(boxes, row, following))
                and not _has_room(boxes, row, runs[following[0]][0])
            )
    return [
        run
        for row, is_whole in zip(rows, whole, strict=True)
        for run in ([_joined([runs[i] for i in row])] if is_whole else [runs[i] for i in row])
    ]


def _neighbours(boxes: Sequence[Box]) -> tuple[list[int | None], list[int | None]]:
    """For each row the next one above it and the next one below it, in its column.

    Other columns' rows may be between two of them, in the file or on the page.
    """
    above: list[int | None] = [None] * len(boxes)
    below: list[int | None] = [None] * len(boxes)
    ordered = sorted(range(len(boxes)), key=lambda place: -boxes[place][1])
    for at, place in enumerate(ordered):
        left, low, right, high = boxes[place]
        reach = low - PITCH * (high - low)
        for other in ordered[at + 1 : at + 1 + MOST_BETWEEN]:
            if boxes[other][1] < reach:
                break
            begins, _, ends, _ = boxes[other]
            is_lower = boxes[other][1] < low - LEVEL * (high - low)
            if is_lower and min(right, ends) - max(left, begins) > (high - low):
                below[place], above[other] = other, place  # the last one above is the next
                break
    return above, below


def _joined(pieces: Sequence[Run]) -> Run:
    first, *rest = pieces
    return first + [word for run in rest for word in _after_space(run)]


def _rows(runs: Sequence[Run], boxes: Sequence[Box]) -> list[range]:
    """The lines' indexes, with level consecutive ones grouped."""
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


def _is_spread(boxes: Sequence[Box], column: Box, row: range, following: range) -> bool:
    """Whether a row is spread to the width of a whole row, the one above it or below it."""
    here, below = _around(boxes, row), _around(boxes, following)
    height = here[3] - here[1]
    widths = [right - left for left, right in _gaps(boxes, row)]
    indent = max(column[0], here[0]) - below[0]
    return (
        -FLUSH * height < indent < INDENT * height
        and abs(min(column[0], here[0]) - below[0]) < FLUSH * height
        and abs(column[2] - here[2]) < FLUSH * height
        and 0 < abs(column[1] - here[1]) < PITCH * height
        and 0 < here[1] - below[1] < PITCH * height
        and max(widths) <= EVEN * min(widths)
    )


def _is_within(boxes: Sequence[Box], column: int, following: int) -> bool:
    """Whether the next row ends where the whole one does, or before."""
    _, low, right, high = boxes[column]
    return boxes[following][2] < right + FLUSH * (high - low)


def _is_a_word(runs: Sequence[Run], row: range) -> bool:
    """Whether a row is one word: an address may be longer than the column is wide."""
    return len(row) == 1 and len(runs[row[0]]) == 1


def _goes_on(runs: Sequence[Run], row: range, following: range) -> bool:
    """Whether a sentence goes on after each space, and in the next row: no cell starts so."""
    return all(runs[place][0][0][:1].islower() for place in (*row[1:], following[0]))


def _are_columns(boxes: Sequence[Box], row: range, following: range) -> bool:
    """Whether two rows are empty at one place, as a table's are; equal ones, at the same two.

    Two rows of a paragraph may end in the same short word.
    """
    gaps, others = _gaps(boxes, row), _gaps(boxes, following)
    least = FLUSH * (boxes[row[0]][3] - boxes[row[0]][1])
    if _are_equal([right - left for left, right in gaps]):
        same = [
            max(abs(left - other_left), abs(right - other_right)) < least
            for left, right in gaps
            for other_left, other_right in others
        ]
        return sum(same) > 1
    return any(
        min(right, other_right) > max(left, other_left)
        for left, right in gaps
        for other_left, other_right in others
    )


def _has_room(boxes: Sequence[Box], row: range, following: PlacedWord) -> bool:
    """Whether the next row's first word would have fitted on this row, were it not spread.

    It does in forms ("Place, date", "Signature"), and below the header of a table.
    """
    height = boxes[row[0]][3] - boxes[row[0]][1]
    room = sum(right - left - SPACE * height for left, right in _gaps(boxes, row))
    _, (left, _, right, _), _, _ = following
    return right - left + SPACE * height < room


def _are_equal(widths: Sequence[float]) -> bool:
    """Several spaces, as equal as only a printer makes them."""
    return len(widths) > 1 and max(widths) <= EQUAL * min(widths)


def _gaps(boxes: Sequence[Box], row: range) -> list[tuple[float, float]]:
    return [(boxes[place][2], boxes[place + 1][0]) for place in row[:-1]]


def _around(boxes: Sequence[Box], row: range) -> Box:
    """The row's first line's box, extended to its last one."""
    left, low, _, high = boxes[row[0]]
    return left, low, boxes[row[-1]][2], high


def _after_space(run: Run) -> Run:
    text, box, _, angle = run[0]
    return [(text, box, 1, angle), *run[1:]]
