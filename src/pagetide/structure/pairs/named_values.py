"""Names in a column and values in the next, without colons: dates, numbers, references.

Such a list is often beside an address or a title whose lines are not level with it: read by
columns, names and values would be separated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pagetide.geometry import Box, union
from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.pieces import has_figures

LEAST = 3  # names
NAME_WORDS, NAME_LETTERS = 4, 30  # of a name, at most
WITH_FIGURES = 0.5  # of the values
MOST_LINES = 1000  # a page with more is not examined
# In line heights.
LEVEL = 0.2  # between the middles of a name and its value
PITCH = 3.0  # between names
EDGE = 0.3  # between the left edges of names, and of values
ROOM = 4.0  # between the longest name and the values


def lists_of_pairs(
    rows: RowsOf, places: Sequence[int], line: float
) -> tuple[list[Draft], list[int]]:
    """A block for each such list, a row for each pair, and the places that are in none.

    Args:
        rows: The lines.
        places: Those of no table.
        line: The typical line height.
    """
    if len(places) > MOST_LINES:
        return [], list(places)
    beside = _beside(rows, places, line)
    found, taken = list[Draft](), set[int]()
    for names in _columns(rows, beside, line):
        pairs = [(name, beside[name]) for name in names]
        own = {place for pair in pairs for place in pair}
        is_new = len(own) == 2 * len(pairs) and taken.isdisjoint(own)
        if is_new and _is_list(rows, pairs, places, line):
            found.append(Draft(rows=tuple(rows.row(pair) for pair in pairs)))
            taken |= own
    return found, [place for place in places if place not in taken]


def _beside(rows: RowsOf, places: Sequence[int], line: float) -> dict[int, int]:
    """For each line that may be a name, the next line to the right at its height."""
    levels: dict[int, list[int]] = defaultdict(list)
    for place in places:
        levels[round(_middle(rows.boxes[place]) / line)].append(place)
    found = {}
    for place in places:
        box = rows.boxes[place]
        if not _is_name(rows.lines[rows.members[place]].text):
            continue
        at = round(_middle(box) / line)
        near = [
            other
            for level in (at - 1, at, at + 1)
            for other in levels[level]
            if rows.boxes[other][0] >= box[2]
            and abs(_middle(rows.boxes[other]) - _middle(box)) < LEVEL * line
        ]
        if near:
            found[place] = min(near, key=lambda other: rows.boxes[other][0])
    return found


def _is_name(text: str) -> bool:
    words = text.split()
    short = 0 < len(words) <= NAME_WORDS and len(text) <= NAME_LETTERS
    return short and text[:1].isalpha() and not has_figures(text)


def _columns(rows: RowsOf, beside: Mapping[int, int], line: float) -> Iterator[list[int]]:
    """Names that are left-aligned, with their values aligned at one side, from the top."""
    open_columns: list[list[int]] = []
    for name in sorted(beside, key=lambda place: rows.boxes[place][1]):
        for column in open_columns:
            last = column[-1]
            if (
                abs(rows.boxes[last][0] - rows.boxes[name][0]) < EDGE * line
                and 0 < _middle(rows.boxes[name]) - _middle(rows.boxes[last]) < PITCH * line
                and _are_level(rows.boxes[beside[last]], rows.boxes[beside[name]], line)
            ):
                column.append(name)
                break
        else:
            open_columns.append([name])
    return (column for column in open_columns if len(column) >= LEAST)


def _are_level(a: Box, b: Box, line: float) -> bool:
    return min(abs(a[0] - b[0]), abs(a[2] - b[2])) < EDGE * line


def _is_list(
    rows: RowsOf, pairs: Sequence[tuple[int, int]], places: Sequence[int], line: float
) -> bool:
    """Whether values are near, most of them with figures, and nothing else is among them."""
    names = [rows.boxes[name] for name, _ in pairs]
    values = [rows.boxes[value] for _, value in pairs]
    room = min(box[0] for box in values) - max(box[2] for box in names)
    figures = sum(has_figures(rows.lines[rows.members[value]].text) for _, value in pairs)
    if not 0 < room < ROOM * line or figures < WITH_FIGURES * len(pairs):
        return False
    x0, y0, x1, y1 = union([*names, *values])
    own = {place for pair in pairs for place in pair}
    level = [place for place in places if y0 < _middle(rows.boxes[place]) < y1]
    inside = (p for p in level if rows.boxes[p][0] < x1 and rows.boxes[p][2] > x0)
    return own.issuperset(inside) and not _goes_on_right(rows, own, level, x1, line)


def _goes_on_right(
    rows: RowsOf, own: set[int], level: Sequence[int], right: float, line: float
) -> bool:
    """Whether most of the rows have something more to the right: then they are a table's."""
    beyond = [p for p in level if p not in own and rows.boxes[p][0] >= right]
    heights = [_middle(rows.boxes[place]) for place in own]
    same = sum(
        any(abs(_middle(rows.boxes[p]) - at) < LEVEL * line for at in heights) for p in beyond
    )
    return same > len(own) / 4


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2
