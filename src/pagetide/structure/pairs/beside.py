"""Names with values beside them, in side-by-side columns: each column is read separately.

Values may be a little higher or lower than their names, so that their baselines join the
columns' rows; the names decide, which end with a colon and are below one another.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pagetide.geometry import union
from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.unruled.labelled import PAIR

LEAST = 2  # names of a column, and side-by-side columns
MOST_NAMES = 200  # on a page
MOST_VALUES = 3  # for each name
# In line heights.
PITCH = 3.0  # between names of a column
EDGE = 0.5  # between their left edges

_NAME = re.compile(r"[^\d:：]{2,40}[:：]")


def columns_of_pairs(
    rows: RowsOf, places: Sequence[int], line: float
) -> tuple[list[Draft], list[int]]:
    """Blocks of pairs, the columns as `parts`, and the places that are in none.

    Args:
        rows: The lines.
        places: Those of no table.
        line: The typical line height.
    """
    found, left = list[Draft](), list(places)
    for columns in _groups(rows, places, line):
        held = _held(rows, left, columns, line)
        if not held:
            continue
        parts = [_column(rows, names, own) for names, own in zip(columns, held, strict=True)]
        every = tuple(row for part in parts for row in part.rows)
        box = union(part.box for part in parts)
        found.append(Draft(rows=every, area=box, parts=tuple(parts)))
        taken = {place for own in held for place in own}
        left = [place for place in left if place not in taken]
    return found, left


def _groups(rows: RowsOf, places: Sequence[int], line: float) -> Iterator[list[list[int]]]:
    """Side-by-side columns of names, from the left; their values are apart."""
    texts = {place: rows.lines[rows.members[place]].text.strip() for place in places}
    bare = {place for place, text in texts.items() if _NAME.fullmatch(text)}
    names = [place for place in places if place in bare or PAIR.match(texts[place])]
    if len(bare) < LEAST or len(names) > MOST_NAMES:
        return
    group, bottom = list[list[int]](), 0.0
    for column in [*_columns(rows, names, line), []]:
        if group and (not column or rows.boxes[column[0]][1] > bottom):
            if len(group) >= LEAST and sum(n in bare for own in group for n in own) >= LEAST:
                yield sorted(group, key=lambda own: rows.boxes[own[0]][0])
            group, bottom = [], 0.0
        if column:
            group.append(column)
            bottom = max(bottom, rows.boxes[column[-1]][3])


def _columns(rows: RowsOf, names: Sequence[int], line: float) -> list[list[int]]:
    """Left-aligned names below one another, from the top."""
    found: list[list[int]] = []
    for name in sorted(names, key=lambda place: rows.boxes[place][1]):
        x0, y0, _, y1 = rows.boxes[name]
        for column in found:
            left, _, _, bottom = rows.boxes[column[-1]]
            is_below = bottom < (y0 + y1) / 2 and y0 - bottom < PITCH * line
            if abs(left - x0) < EDGE * line and is_below:
                column.append(name)
                break
        else:
            found.append([name])
    return [column for column in found if len(column) >= LEAST]


def _held(
    rows: RowsOf, places: Sequence[int], columns: Sequence[Sequence[int]], line: float
) -> list[list[int]]:
    """The text level with each column of names; none if something crosses."""
    starts = [min(rows.boxes[name][0] for name in column) for column in columns]
    ends = [rows.boxes[name] for column in columns for name in column]
    top, bottom = min(box[1] for box in ends), max(box[3] for box in ends)
    near = EDGE * line
    found: list[list[int]] = [[] for _ in columns]
    for place in places:
        x0, y0, x1, y1 = rows.boxes[place]
        if not top - near < (y0 + y1) / 2 < bottom + near:
            continue
        column = bisect_right(starts, x0 + near) - 1
        if column < 0 or any(x0 + near < start < x1 for start in starts):
            return []
        found[column].append(place)
    many = sum(map(len, found)) > (MOST_VALUES + 1) * len(ends)
    return [] if many else found


def _column(rows: RowsOf, names: Sequence[int], places: Sequence[int]) -> Draft:
    """A block of a column's names, each with what is nearest to it, from the top."""
    middles = {place: (rows.boxes[place][1] + rows.boxes[place][3]) / 2 for place in places}
    values: dict[int, list[int]] = defaultdict(list)
    for place in sorted(set(places) - set(names), key=lambda place: rows.boxes[place][0]):
        values[min(names, key=lambda name: abs(middles[name] - middles[place]))].append(place)
    return Draft(rows=tuple(rows.row([name, *values[name]]) for name in names))
