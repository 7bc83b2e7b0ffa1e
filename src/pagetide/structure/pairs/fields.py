"""A form's fields: side-by-side boxes or rules to write on, with names and values.

They are read row by row, and each is a block. Only the drawing shows them: the text of two
fields looks like two columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.geometry import center, contains, union
from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.ruled.field_boxes import field_boxes
from pagetide.structure.tables.ruled.frames import Frame

LEAST_ROWS = 2  # of side-by-side fields; fewer are a pair of boxes
MOST_LINES = 4


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
    taken: set[int] = set()
    found: list[list[Draft]] = []
    for level in field_boxes(frames, list(boxes.values()), line):
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
