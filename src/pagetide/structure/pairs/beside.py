"""Names with values beside them, in side-by-side columns: each column is read separately.

Values may be a little higher or lower than their names, so that their baselines join the
columns' rows; the names decide, which end with a colon and are below one another. A name may
have several lines, the last of which ends with the colon.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pagetide.geometry import Box, union
from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.unruled.labelled import PAIR

LEAST = 2  # names of a column, and side-by-side columns
MOST_NAMES = 200  # on a page
MOST_VALUES = 3  # for each name
# In line heights.
PITCH = 3.0  # between names of a column
EDGE = 0.5  # between their left edges
CLOSE = 0.5  # between the lines of a name

Name = tuple[int, ...]
"""The places of a name's lines, from the top."""

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
        whole = _whole(rows, left, columns, line)
        held = _held(rows, left, whole, line)
        if not held:
            continue
        parts = [_column(rows, names, own) for names, own in zip(whole, held, strict=True)]
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


def _whole(
    rows: RowsOf, places: Sequence[int], columns: Sequence[Sequence[int]], line: float
) -> list[list[Name]]:
    """The names with the lines before their last ones, each from the top."""
    ends = [*(min(rows.boxes[n][0] for n in column) for column in columns[1:]), math.inf]
    return [
        [_begun(rows, places, name, end, line) for name in column]
        for column, end in zip(columns, ends, strict=True)
    ]


def _begun(rows: RowsOf, places: Sequence[int], name: int, end: float, line: float) -> Name:
    """A name's lines: above its last one others may be, beside which its value is."""
    found = [name]
    while above := [p for p in places if _is_above(rows, p, found[0], line)]:
        _, y0, x1, _ = union(rows.boxes[place] for place in (above[0], *found))
        bottom = rows.boxes[found[0]][1]
        beside = (_middle(b) for b in map(rows.boxes.__getitem__, places) if x1 <= b[0] < end)
        if not any(y0 < middle < bottom for middle in beside):
            break
        found.insert(0, above[0])
    return tuple(found)


def _is_above(rows: RowsOf, place: int, name: int, line: float) -> bool:
    """Whether a line is left-aligned with a name and close above it, and is no name itself."""
    (x0, _, _, bottom), (left, top, _, _) = rows.boxes[place], rows.boxes[name]
    is_close = abs(x0 - left) < EDGE * line and abs(top - bottom) < CLOSE * line
    text = rows.lines[rows.members[place]].text.strip()
    return is_close and bool(_NAME.fullmatch(text + ":"))


def _held(
    rows: RowsOf, places: Sequence[int], columns: Sequence[Sequence[Name]], line: float
) -> list[list[int]]:
    """The text level with each column of names; none if something crosses."""
    starts = [min(rows.boxes[n][0] for name in column for n in name) for column in columns]
    ends = [rows.boxes[n] for column in columns for name in column for n in name]
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


def _column(rows: RowsOf, names: Sequence[Name], places: Sequence[int]) -> Draft:
    """A block of a column's names, each with what is nearest to it, from the top."""
    middles = {name: _middle(union(rows.boxes[n] for n in name)) for name in names}
    values: dict[Name, list[int]] = defaultdict(list)
    for place in set(places).difference(*names):
        middle = _middle(rows.boxes[place])
        values[min(names, key=lambda name: abs(middles[name] - middle))].append(place)
    for own in values.values():
        own.sort(key=lambda place: (rows.boxes[place][0], rows.boxes[place][1]))
    return Draft(rows=tuple(rows.row([*name, *values[name]]) for name in names))


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2
