"""A form's fields: side-by-side boxes, cells or rules to write on, with names and values.

They are read row by row, and each is a block. Only the drawing shows them: the text of two
fields looks like two columns. A name may be in small print above what is written, or, as that
of a signature, below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pagetide.geometry import Box, center, contains, union
from pagetide.structure.areas.rows import in_rows
from pagetide.structure.draft import Draft
from pagetide.structure.pairs.cells import SMALLER, rows_of_cells
from pagetide.structure.rows import Row
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.ruled.field_boxes import field_boxes
from pagetide.structure.tables.ruled.frames import Frame

LEAST_ROWS = 2  # of side-by-side fields; fewer are a pair of boxes, unless names are above
MOST_LINES = 4
# In line heights.
LEVEL = 0.5  # between the left edges of a name and of its field's text
CLOSE = -0.4, 0.6  # from a name to its field's text or rule


def rows_of_fields(
    rows: RowsOf,
    places: Sequence[int],
    frames: Sequence[Frame],
    line: float,
) -> tuple[list[Draft], list[int]]:
    """Fields in one row as one draft with `parts`, and the places that are in none.

    Args:
        rows: The lines.
        places: Those of no table.
        frames: The page's rules, without the edges of shades.
        line: The typical line height.
    """
    boxes = {place: rows.boxes[place] for place in places}
    found: list[list[Draft]] = []
    levels = field_boxes(frames, list(boxes.values()), line)
    levels += rows_of_cells(frames, list(boxes.values()), line)
    for level in levels:
        parts = []
        for field in _with_names(level, boxes, line):
            own = [p for p in boxes if contains(field, center(boxes[p]))]
            if 0 < len(own) <= MOST_LINES:
                parts.append(Draft(rows=_lines(rows, own), area=field))
                boxes = {p: box for p, box in boxes.items() if p not in own}
        found.append(parts)
    several = [parts for parts in found if len(parts) > 1]
    if len(several) < LEAST_ROWS and not any(_name_all(parts, line) for parts in several):
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
    return drafts, [place for place in places if place in boxes]


def _lines(rows: RowsOf, places: Sequence[int]) -> tuple[Row, ...]:
    """The lines from the top, those on one baseline from left to right."""
    level = in_rows(rows.row([place]) for place in places)
    return tuple(row.part((n,)) for row in level for n in range(len(row.lines)))


def _with_names(level: Sequence[Box], boxes: Mapping[int, Box], line: float) -> Sequence[Box]:
    """Side-by-side fields, extended to the names above them, or to those below them."""
    written = [_within(field, boxes) for field in level]
    if any(_are_named([box[3] - box[1] for box in own]) for own in written):
        return level
    for beyond in (_above, _below):
        names = [beyond(own, boxes, line) for own in written]
        if sum(map(bool, names)) > 1:
            return [union([field, *own]) for field, own in zip(level, names, strict=True)]
    return level


def _within(field: Box, boxes: Mapping[int, Box]) -> list[Box]:
    """The lines in a field, from the top."""
    inside = (box for box in boxes.values() if contains(field, center(box)))
    return sorted(inside, key=lambda box: box[1])


def _above(written: Sequence[Box], boxes: Mapping[int, Box], line: float) -> list[Box]:
    """The name above what is written in a field."""
    return [
        box
        for box in boxes.values()
        for first in written[:1]
        if CLOSE[0] * line <= first[1] - box[3] <= CLOSE[1] * line and _names(box, first, line)
    ]


def _below(written: Sequence[Box], boxes: Mapping[int, Box], line: float) -> list[Box]:
    """The name below it."""
    return [
        box
        for box in boxes.values()
        for last in written[-1:]
        if CLOSE[0] * line <= box[1] - last[3] <= CLOSE[1] * line and _names(box, last, line)
    ]


def _names(box: Box, text: Box, line: float) -> bool:
    """Whether a line is left-aligned with a field's text, in smaller print."""
    is_level = abs(box[0] - text[0]) <= LEVEL * line
    return is_level and _are_named([box[3] - box[1], text[3] - text[1]])


def _are_named(sizes: Sequence[float]) -> bool:
    """Whether the first or the last of some lines is in smaller print than the others."""
    return len(sizes) > 1 and min(sizes[0], sizes[-1]) < SMALLER * max(sizes)


def _name_all(fields: Sequence[Draft], line: float) -> bool:
    """Whether each of side-by-side fields has a name, and the names are level."""
    if not all(_are_named([row.height for row in field.rows]) for field in fields):
        return False
    names = [min(field.rows, key=lambda row: row.height).middle for field in fields]
    return max(names) - min(names) < LEVEL * line
