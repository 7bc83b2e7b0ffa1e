"""Names in a column and values in the next, without colons: dates, numbers, references.

Such a list is often beside an address or a title whose lines are not level with it: read by
columns, names and values would be separated.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pagetide.geometry import Box, box_of, union
from pagetide.structure.draft import Draft
from pagetide.structure.rows import is_mark
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


class _Pair(NamedTuple):
    """A name and its value, in two lines or in one.

    Attributes:
        places: Of its lines.
        name: The name's box.
        value: The value's.
        has_colon: Whether the name ends with one.
        has_figures: Whether the value has.
    """

    places: tuple[int, ...]
    name: Box
    value: Box
    has_colon: bool
    has_figures: bool


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
    beside = list(_beside(rows, places, line))
    every = [*beside, *_within(rows, places, sorted(pair.value[0] for pair in beside))]
    found, taken = list[Draft](), set[int]()
    for pairs in _columns(every, line):
        own = {place for pair in pairs for place in pair.places}
        is_new = len(own) == sum(len(pair.places) for pair in pairs) and taken.isdisjoint(own)
        if is_new and _is_list(rows, pairs, places, line):
            found.append(Draft(rows=tuple(rows.row(pair.places) for pair in pairs)))
            taken |= own
    return found, [place for place in places if place not in taken]


def _beside(rows: RowsOf, places: Sequence[int], line: float) -> Iterator[_Pair]:
    """Each line that may be a name, with the next line to the right at its height."""
    levels: dict[int, list[int]] = defaultdict(list)
    for place in places:
        levels[round(_middle(rows.boxes[place]) / line)].append(place)
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
            value = min(near, key=lambda other: rows.boxes[other][0])
            texts = [rows.lines[rows.members[each]].text for each in (place, value)]
            said = texts[0].endswith(":"), has_figures(texts[1])
            yield _Pair((place, value), box, rows.boxes[value], *said)


def _within(rows: RowsOf, places: Sequence[int], edges: Sequence[float]) -> Iterator[_Pair]:
    """Each upright line that is a name and a value, which starts at one of these edges.

    The longest name of a list may be that close to its own value.
    """
    for place in places:
        line, box = rows.lines[rows.members[place]], rows.boxes[place]
        if box != box_of(line.polygon):
            continue
        boxes = [box_of(word.polygon) for word in line.words[: NAME_WORDS + 1]]
        near = EDGE * (box[3] - box[1])
        for count in range(1, len(boxes)):
            at = bisect_left(edges, boxes[count][0] - near)
            is_level = at < len(edges) and edges[at] <= boxes[count][0] + near
            name = " ".join(word.text for word in line.words[:count])
            is_name = _is_name(name) and not is_mark(name)
            if is_level and is_name and boxes[count - 1][2] < boxes[count][0]:
                x0, y0, x1, y1 = box
                sides = (x0, y0, boxes[count - 1][2], y1), (boxes[count][0], y0, x1, y1)
                value = "".join(word.text for word in line.words[count:])
                yield _Pair((place,), *sides, name.endswith(":"), has_figures(value))


def _is_name(text: str) -> bool:
    words = text.split()
    short = 0 < len(words) <= NAME_WORDS and len(text) <= NAME_LETTERS
    return short and text[:1].isalpha() and not has_figures(text)


def _columns(pairs: Iterable[_Pair], line: float) -> Iterator[list[_Pair]]:
    """Names that are left-aligned, with their values aligned at one side, from the top."""
    open_columns: list[list[_Pair]] = []
    for pair in sorted(pairs, key=lambda pair: pair.name[1]):
        for column in open_columns:
            last = column[-1]
            if (
                abs(last.name[0] - pair.name[0]) < EDGE * line
                and 0 < _middle(pair.name) - _middle(last.name) < PITCH * line
                and _are_level(last.value, pair.value, line)
            ):
                column.append(pair)
                break
        else:
            open_columns.append([pair])
    return (column for column in open_columns if _is_column(column))


def _is_column(pairs: Sequence[_Pair]) -> bool:
    """Whether there are enough names, and most are apart from their values."""
    apart = sum(len(pair.places) > 1 for pair in pairs)
    return len(pairs) >= LEAST and 2 * apart > len(pairs)


def _are_level(a: Box, b: Box, line: float) -> bool:
    return min(abs(a[0] - b[0]), abs(a[2] - b[2])) < EDGE * line


def _is_list(rows: RowsOf, pairs: Sequence[_Pair], places: Sequence[int], line: float) -> bool:
    """Whether values are near, most of them with figures, and nothing else is among them."""
    names, values = [pair.name for pair in pairs], [pair.value for pair in pairs]
    room = min(box[0] for box in values) - max(box[2] for box in names)
    figures = sum(pair.has_figures for pair in pairs)
    if not 0 < room < ROOM * line or figures < WITH_FIGURES * len(pairs):
        return False
    x0, y0, x1, y1 = union([*names, *values])
    own = {place for pair in pairs for place in pair.places}
    level = [place for place in places if y0 < _middle(rows.boxes[place]) < y1]
    inside = (p for p in level if rows.boxes[p][0] < x1 and rows.boxes[p][2] > x0)
    if not own.issuperset(inside):
        return False
    are_named = all(pair.has_colon for pair in pairs)
    return are_named or not _goes_on_right(rows, own, level, x1, line)


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
