"""Names of groups among items that have text in the first column: a key, or their names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf

from pagetide.structure.tables.baseline import Baseline
from pagetide.structure.tables.pieces import Piece, are_set_alike, begins_small
from pagetide.structure.tables.rows.features import ROWS_APART, figure_columns, first_width

LEAST = 3  # items
KEYED = 0.9  # of the items: at least as many have text in the first column
# In line heights.
FARTHER = 0.1  # from the row above a name, more than rows are apart
ALIKE = 0.125  # between the left edges of two names


def section_names(lines: Sequence[Baseline], line: float) -> list[Piece]:
    """Lone names of groups, neither a further line of the item above nor the first of one.

    Each is farther below the row above than rows are apart, and nearer to an item below; or it
    is set like one that is.

    Args:
        lines: Of a table, from the top.
        line: The page's typical line height.
    """
    figures = set[int]().union(*(figure_columns(each) for each in lines if _is_item(each)))
    alone = [
        n
        for n in range(1, len(lines) - 1)
        if _is_alone(lines[n]) and figures.isdisjoint(lines[n].columns)
    ]
    apart = _between_rows(lines) if alone else inf
    far = [n for n in alone if _room(lines, n) > apart + FARTHER * line]
    right = _right_of_first(lines) if far else inf
    far = [n for n in far if 0 not in lines[n].columns or _is_whole(lines, n, right)]
    sure = [lines[n].pieces[0] for n in far if _is_above_item(lines, n, apart)]
    names = (lines[n].pieces[0] for n in far)
    return [p for p in names if any(are_set_alike(p, each, ALIKE * line) for each in sure)]


def _is_alone(line: Baseline) -> bool:
    """Whether a line is one text in one column, or in several but the first."""
    is_within = line.columns == {0} or 0 not in line.columns
    return len(line.pieces) == 1 and is_within and not figure_columns(line)


def _is_whole(lines: Sequence[Baseline], place: int, right: float) -> bool:
    """Whether a text in the first column left space for the next line's capitalised word.

    Otherwise it may be the first line of an item's name, whose figures are beside its last.
    """
    text, below = lines[place].pieces[0], lines[place + 1].pieces[0]
    return text.x1 + first_width(below) < right and not begins_small(below.text)


def _right_of_first(lines: Sequence[Baseline]) -> float:
    """The farthest right end of a text in the first column of a line with others."""
    firsts = (e.pieces for e in lines if 0 in e.columns and len(e.pieces) == len(e.columns))
    return max((pieces[0].x1 for pieces in firsts if len(pieces) > 1), default=-inf)


def _between_rows(lines: Sequence[Baseline]) -> float:
    """The least space between items; infinite if they are few, or have no keys."""
    items = [each for each in lines if _is_item(each)]
    keyed = sum(0 in each.columns for each in items)
    if len(items) < LEAST or keyed < KEYED * len(items):
        return inf
    rooms = (b.top - a.bottom for a, b in pairwise(lines) if _is_item(a) and _is_item(b))
    return min(rooms, default=inf)


def _is_above_item(lines: Sequence[Baseline], place: int, apart: float) -> bool:
    """Whether an item with a key is below, no farther than the row above, as rows are apart."""
    below, room = lines[place + 1], _room(lines, place + 1)
    near = ROWS_APART * apart < room < _room(lines, place)
    return near and 0 in below.columns and _is_item(below)


def _is_item(line: Baseline) -> bool:
    return len(figure_columns(line)) > 1


def _room(lines: Sequence[Baseline], place: int) -> float:
    """From the line above a place to the one there."""
    return lines[place].top - lines[place - 1].bottom
