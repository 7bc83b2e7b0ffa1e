"""Names with a value each at the end of a line of dots (a leader), drawn or typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pagetide.geometry import Box, union
from pagetide.structure.tables.found import FoundTable, shares
from pagetide.structure.tables.pieces import Piece, baselines
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.typed_leaders import are_pages, typed_leaders

_LEAST = 2  # rows
# In line heights.
_NEAR = 1.5  # between a leader's end and its value
_PITCH = 2.5  # between rows
_LEVEL = 0.5  # between the ends of leaders, and values' edges


class _Led(NamedTuple):
    """A row: its leader, the positions of the name and the value, and the value's text."""

    leader: Stroke
    name: Box
    value: Box
    text: str


def with_led(sheet: Sheet, found: list[FoundTable]) -> list[FoundTable]:
    """The tables, plus those whose rows have leaders; text with leaders has two columns.

    Typed leaders of a table of contents lead to pages: it is none of these tables.
    """
    typed = typed_leaders(sheet.left(found))
    leaders = [*sheet.leaders, *typed.leaders]
    if not leaders:
        return found
    rows = baselines(chunk for of_line in typed.without for chunk in of_line.phrases)
    for group in _groups(list(_led(leaders, rows, sheet.line)), sheet.line):
        box = union([each for row in group for each in (row.name, row.value)])
        if shares(box, found) or (typed.leaders and are_pages([row.text for row in group])):
            continue
        border = min(row.value[0] for row in group) - sheet.line / 8
        across = _between(group, box)
        table = sheet.built(box, across, [], typed.apart, columns=[border], body=box[1])
        if table and table.table.columns == 2:
            found = [*found, table]
    return found


def _between(rows: Sequence[_Led], box: Box) -> list[Stroke]:
    """Rules around the rows as if drawn, derived from their leaders."""
    middles = [(a.name[3] + b.name[1]) / 2 for a, b in pairwise(rows)]
    return [Stroke(at, box[0], box[2]) for at in (box[1], *middles, box[3])]


def _led(
    leaders: Sequence[Stroke], rows: Sequence[Sequence[Piece]], line: float
) -> Iterator[_Led]:
    """Rows with a leader between text on its left and right, from the top."""
    near = _NEAR * line
    for row in rows:
        low, high = min(piece.y0 for piece in row), max(piece.y1 for piece in row)
        for leader in leaders:
            if not low < leader.at < high + line / 4:
                continue
            value = [p for p in row if leader.end - near / 4 < p.x0 < leader.end + near]
            name = [p for p in row if leader.start - near < p.x1 < leader.start + near / 4]
            if len(value) == len(name) == 1:
                yield _Led(leader, name[0][1:5], value[0][1:5], value[0].text)


def _groups(rows: Sequence[_Led], line: float) -> Iterator[list[_Led]]:
    """Consecutive rows whose values are aligned."""
    open_groups: list[list[_Led]] = []
    for row in rows:
        for group in open_groups:
            if _goes_on(group[-1], row, line):
                group.append(row)
                break
        else:
            open_groups.append([row])
    return (group for group in open_groups if len(group) >= _LEAST)


def _goes_on(above: _Led, below: _Led, line: float) -> bool:
    edges = zip(above.value[::2], below.value[::2], strict=True)
    lines_up = min(abs(one - other) for one, other in edges) < _LEVEL * line
    starts = abs(above.name[0] - below.name[0]) < _LEVEL * line
    return starts and lines_up and 0 < below.name[1] - above.name[1] < _PITCH * line
