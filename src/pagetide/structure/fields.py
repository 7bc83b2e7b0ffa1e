"""A form's fields: boxes, or rules to write on, side by side with their names and values.

They are read row by row, and each is a block. Nothing but what is drawn tells: the text of two
fields looks like two columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pagetide.geometry import Box, center, contains, union
from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.frames import WHOLE, Frame

LEAST_ROWS = 2  # of fields side by side; less is a pair of boxes
MOST_LINES = 4
MOST_BOXES = 200  # a page with more is a drawing
# In line heights.
LOWEST, HIGHEST = 1.0, 6.0  # of a box
NARROWEST = 4.0
ABOVE = 1.6  # from a rule up to what is written on it
BELOW = 0.3
LEVEL = 0.5
BEFORE = 1.5  # from a name to its rule


def rows_of_fields(
    rows: RowsOf,
    places: Sequence[int],
    frames: Sequence[Frame],
    line: float,
) -> tuple[list[Draft], list[int]]:
    """Fields that stand level as one draft with `parts`, and the places that are in none.

    Args:
        rows: The lines.
        places: Those of no table.
        frames: The page's rules, without the edges of shades.
        line: The typical line height.
    """
    if len(frames) > MOST_BOXES:
        return [], list(places)
    boxes = {place: rows.boxes[place] for place in places}
    fields = [*_boxed(frames, line), *_ruled(frames, list(boxes.values()), line)]
    levels = list(_level(fields, line))
    beside = [field for level in levels if len(level) > 1 for field in level]
    taken: set[int] = set()
    found: list[list[Draft]] = []
    for level in levels:
        if len(level) == 1 and not any(_same_width(level[0], each, line) for each in beside):
            continue  # a rule below a header, or around a remark
        parts = []
        for field in level:
            own = [p for p in boxes if p not in taken and contains(field, center(boxes[p]))]
            if 0 < len(own) <= MOST_LINES:
                ordered = sorted(own, key=lambda p: (round(boxes[p][1] / line), boxes[p][0]))
                parts.append(Draft(rows=tuple(rows.row([p]) for p in ordered), area=field))
                taken.update(own)
        found.append(parts)
    if sum(len(parts) > 1 for parts in found) < LEAST_ROWS:
        return [], list(places)
    drafts = [
        Draft(
            rows=tuple(row for part in parts for row in part.rows),
            area=union(part.box for part in parts),
            parts=tuple(parts),
        )
        for parts in found
        if parts
    ]
    return drafts, [place for place in places if place not in taken]


def _same_width(a: Box, b: Box, line: float) -> bool:
    return max(abs(a[0] - b[0]), abs(a[2] - b[2])) < line


def _boxed(frames: Sequence[Frame], line: float) -> Iterator[Box]:
    """Closed boxes of a field's size with nothing drawn in them."""
    for frame in frames:
        x0, y0, x1, y1 = frame.box
        if (
            len(frame.across) == len(frame.down) == 2
            and LOWEST * line <= y1 - y0 <= HIGHEST * line
            and x1 - x0 >= NARROWEST * line
            and all(s.end - s.start >= WHOLE * (x1 - x0) for s in frame.across)
            and all(s.end - s.start >= WHOLE * (y1 - y0) for s in frame.down)
        ):
            yield frame.box


def _ruled(frames: Sequence[Frame], boxes: Sequence[Box], line: float) -> Iterator[Box]:
    """The room on rules that stand by themselves, with the names before them."""
    for frame in frames:
        if frame.down or len(frame.across) > 1:
            continue
        [rule] = frame.across
        if rule.end - rule.start < NARROWEST * line:
            continue
        top, bottom = rule.at - ABOVE * line, rule.at + BELOW * line
        names = [
            box[0]
            for box in boxes
            if top <= (box[1] + box[3]) / 2 <= bottom
            and -LEVEL * line <= rule.start - box[2] <= BEFORE * line
        ]
        yield (min([rule.start, *names]) - line / 4, top, rule.end + line / 4, bottom)


def _level(fields: Sequence[Box], line: float) -> Iterator[list[Box]]:
    """The fields that stand level, from left to right, from the top."""
    tops: list[float] = []

    def row(field: Box) -> int:
        if not tops or field[1] - tops[-1] > LEVEL * line:
            tops.append(field[1])
        return len(tops)

    for _, level in groupby(sorted(fields, key=lambda field: field[1]), key=row):
        yield sorted(level)
