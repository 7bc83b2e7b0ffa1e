"""Numbers and names at the ticks of a chart's axes: level with each other, evenly spaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.rows import Row

LEAST = 3
LETTERS = 12  # of the name of a tick
EVEN = 0.15  # how much the spaces between ticks differ
# In line heights.
FAR = 4.0  # from the figure to its vertical axis, and to the horizontal one
LEVEL = 0.3  # how much the ends, or the middles, of ticks differ


def ticks_of(figure: Box, rows: Sequence[Row]) -> list[int]:
    """The places of the rows at the ticks of axes left of a figure, and below it.

    Those of a vertical axis are numbers.

    Args:
        figure: What is drawn of it, perhaps only its bars.
        rows: Single lines that no figure holds.
    """
    left = [place for place, row in enumerate(rows) if _is_left(row, figure)]
    below = [place for place, row in enumerate(rows) if _is_below(row, figure)]
    columns = [*_level(left, rows, _right), *_level(left, rows, _left)]
    groups = [group for group in columns if _are_even(group, rows, _middle)]
    lines = _level(below, rows, _middle)
    groups += [group for group in lines if _are_even(group, rows, _centre)]
    return sorted({place for group in groups for place in group})


def _is_left(row: Row, figure: Box) -> bool:
    room = figure[0] - row.box[2]
    return (
        _is_short(row)
        and any(map(str.isdigit, row.text))
        and -row.height / 2 < room < FAR * row.height
        and figure[1] - row.height < row.middle < figure[3] + row.height
    )


def _is_below(row: Row, figure: Box) -> bool:
    room = row.box[1] - figure[3]
    is_within = figure[0] - row.height < _centre(row) < figure[2] + row.height
    return _is_short(row) and -row.height / 2 < room < FAR * row.height and is_within


def _is_short(row: Row) -> bool:
    return len(row.lines) == 1 and len(row.text) <= LETTERS


def _level(
    places: Sequence[int], rows: Sequence[Row], level: Callable[[Row], float]
) -> list[list[int]]:
    """The places in groups at one position."""
    groups: list[list[int]] = []
    for place in sorted(places, key=lambda place: level(rows[place])):
        last = rows[groups[-1][-1]] if groups else None
        if last is None or level(rows[place]) - level(last) > LEVEL * last.height:
            groups.append([])
        groups[-1].append(place)
    return groups


def _are_even(group: Sequence[int], rows: Sequence[Row], along: Callable[[Row], float]) -> bool:
    """Whether there are several, as far from each other."""
    at = sorted(along(rows[place]) for place in group)
    steps = [after - before for before, after in pairwise(at)]
    if len(group) < LEAST:
        return False
    step = median(steps)
    return step > 0 and all(abs(each - step) < EVEN * step for each in steps)


def _left(row: Row) -> float:
    return row.box[0]


def _right(row: Row) -> float:
    return row.box[2]


def _middle(row: Row) -> float:
    return row.middle


def _centre(row: Row) -> float:
    return (row.box[0] + row.box[2]) / 2
