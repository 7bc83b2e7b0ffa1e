"""Labels in a narrow column, each followed by the text level with its start.

For example the times of a programme with the events beside them, or the points of minutes. A
label may have several lines, and the text beside it others: both are read as a whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from pagetide.geometry import union
from pagetide.structure.order.bands import Bands
from pagetide.structure.order.sides import Rows

LEAST = 3  # labels
NARROW = 0.25  # of the whole width
FILLED = 0.7  # of the text's width, by a line that goes on below
# In line heights.
WIDE = 1.8  # most labels, at least: the numbers and bullets of lists are narrower
LEVEL = 0.75  # between the middles of a label and its text
PITCH = 1.5  # from one line of a label to the next, at most


class Labelled(NamedTuple):
    """A label's lines and those of its text, as indexes."""

    label: Rows
    text: Rows


def labelled(bands: Bands, left: Sequence[int], right: Sequence[int]) -> list[Labelled]:
    """Each label with its text, from the top; empty if others are on one side.

    Args:
        bands: The page's boxes.
        left: Indexes of those that may be labels.
        right: Indexes of those beside them.
    """
    rows = bands.rows(list(right))
    if not _is_narrow(bands, left, right):
        return []
    labels = _labels(bands, bands.rows(list(left)))
    starts = [_level(bands, label[0], rows) for label in labels]
    lines = sum(map(len, labels))
    if len(labels) < LEAST or len(rows) <= lines or starts != sorted({0, *starts} - {-1}):
        return []
    ends = [*starts[1:], len(rows)]
    found = [
        Labelled(label, rows[start:stop])
        for label, start, stop in zip(labels, starts, ends, strict=True)
    ]
    return found if all(_goes_on(bands, each) for each in found) else []


def past_ends(
    bands: Bands, left: Sequence[int], right: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Those of the left side that are above all of the right, beside it, and below it.

    A heading in the labels' column has nothing beside it: it heads, or ends, them all.
    """
    top = min(bands.down[index][0] for index in right)
    bottom = max(bands.down[index][1] for index in right)
    above = [index for index in left if bands.down[index][1] <= top]
    below = [index for index in left if bands.down[index][0] >= bottom]
    beside = [index for index in left if index not in above and index not in below]
    return above, beside, below


def runs_on(bands: Bands, found: Sequence[Labelled]) -> bool:
    """Whether the texts are single lines, some of which fill their width and go on below."""
    end = max(bands.boxes[row[-1]][2] for each in found for row in each.text)
    are_single = all(len(row) == 1 for each in found for row in each.text)
    long = (_is_filled(bands, row, end) for each in found for row in each.text[:-1])
    return are_single and any(long)


def _is_narrow(bands: Bands, left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the labels are narrow beside the text, but wider than a list's marks."""
    x0, _, x1, _ = union(bands.boxes[index] for index in (*left, *right))
    end = max(bands.boxes[index][2] for index in left)
    widths = [
        bands.boxes[row[-1]][2] - bands.boxes[row[0]][0] for row in bands.rows(list(left))
    ]
    return median(widths) > WIDE * bands.line and end - x0 < NARROW * (x1 - x0)


def _labels(bands: Bands, rows: Rows) -> list[Rows]:
    """The rows, with those joined that are as near as the lines of one label."""
    found: list[Rows] = [rows[:1]]
    for above, row in itertools.pairwise(rows):
        if _middle(bands, row) - _middle(bands, above) < PITCH * bands.line:
            found[-1] += (row,)
        else:
            found.append((row,))
    return found


def _level(bands: Bands, row: Sequence[int], rows: Rows) -> int:
    """The place of the first of these rows that is level with one; -1 if there is none."""
    near = LEVEL * bands.line
    at = _middle(bands, row)
    return next((n for n, each in enumerate(rows) if abs(_middle(bands, each) - at) < near), -1)


def _goes_on(bands: Bands, found: Labelled) -> bool:
    """Whether lines below a label's first are the label's: its text goes on past them.

    Otherwise the next line of the text is beside a label of its own.
    """
    end = max(bands.boxes[row[-1]][2] for row in found.text)
    places = [_level(bands, row, found.text) for row in found.label[1:]]
    return all(place < 1 or _is_filled(bands, found.text[place - 1], end) for place in places)


def _is_filled(bands: Bands, row: Sequence[int], end: float) -> bool:
    start = bands.boxes[row[0]][0]
    return bands.boxes[row[-1]][2] - start > FILLED * (end - start)


def _middle(bands: Bands, row: Sequence[int]) -> float:
    """The middle of a row, or of the first line of a table."""
    _, top, _, bottom = bands.boxes[row[0]]
    return (top + min(bottom, top + 2 * bands.line)) / 2
