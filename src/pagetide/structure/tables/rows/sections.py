"""Names of groups among items that have a key in the first column, where the names are not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf

from pagetide.structure.tables.baseline import Baseline
from pagetide.structure.tables.pieces import Piece, are_set_alike
from pagetide.structure.tables.rows.features import ROWS_APART, figure_columns

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
    places = [n for n in range(1, len(lines) - 1) if _is_keyless(lines[n])]
    apart = _between_rows(lines) if places else inf
    far = [n for n in places if _room(lines, n) > apart + FARTHER * line]
    sure = [lines[n].pieces[0] for n in far if _is_above_item(lines, n, apart)]
    names = (lines[n].pieces[0] for n in far)
    return [p for p in names if any(are_set_alike(p, each, ALIKE * line) for each in sure)]


def _is_keyless(line: Baseline) -> bool:
    """Whether a line is one text, not in the first column."""
    return len(line.pieces) == 1 and 0 not in line.columns and not figure_columns(line)


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
