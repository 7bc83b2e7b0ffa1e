"""Names with a value each at the end of a line of dots (a leader), drawn or typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise
from math import inf
from typing import NamedTuple

from pagetide.geometry import Box, union
from pagetide.structure.tables.found import FoundTable, shares
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.typed_leaders import are_pages, typed_leaders

_LEAST = 2  # rows
# In line heights.
_NEAR = 1.5  # between a leader's end and its value
_ROOM = 1.5  # between rows
_LEVEL = 0.5  # between the ends of leaders, and values' edges
_CLOSE = 0.5  # between a name and the description below it, at most
_NEARER = 0.125  # how much closer a description is to its name than to what is below
_LARGER = 1.1  # times the height: a title below, not a description


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
    pieces = [chunk for of_line in typed.without for chunk in of_line.phrases]
    rows = list(_led(leaders, pieces, sheet.line))
    for group in _groups(_described(rows, pieces, sheet.line), sheet.line):
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


def _led(leaders: Sequence[Stroke], pieces: Sequence[Piece], line: float) -> Iterator[_Led]:
    """Rows with a leader between text on its left and right, from the top."""
    near = _NEAR * line
    for leader in sorted(leaders):
        level = [p for p in pieces if p.y0 < leader.at < p.y1 + line / 4]
        value = [p for p in level if leader.end - near / 4 < p.x0 < leader.end + near]
        name = [p for p in level if leader.start - near < p.x1 < leader.start + near / 4]
        if len(value) == len(name) == 1:
            yield _Led(leader, name[0][1:5], value[0][1:5], value[0].text)


def _described(rows: Sequence[_Led], pieces: Sequence[Piece], line: float) -> Iterator[_Led]:
    """The rows, those names with the description below them that have one."""
    names = {row.name for row in rows}
    texts = sorted(pieces, key=lambda piece: piece.y0)
    for row in rows:
        below = [p for p in texts if p.y0 > row.name[3] - line / 4 and _is_under(p, row)]
        lines = list(_description(row, below, names, line))
        yield row._replace(name=union([row.name, *lines]))


def _is_under(piece: Piece, row: _Led) -> bool:
    return piece.x0 < row.value[2] and row.name[0] < piece.x1


def _description(
    row: _Led, below: Sequence[Piece], names: Set[Box], line: float
) -> Iterator[Box]:
    """The lines right below a name, if they are closer to it than to what is below them.

    Args:
        row: Of the name.
        below: What is below it in its columns, from the top.
        names: Of all rows.
        line: The page's typical line height.
    """
    x0, y0, _, y1 = row.name
    boxes = [piece[1:5] for piece in below]
    count = next(
        (
            place
            for place, box in enumerate(boxes)
            if box in names
            or abs(box[0] - x0) > line
            or box[2] > row.value[0]
            or box[3] - box[1] > _LARGER * (y1 - y0)
            or box[1] - (boxes[place - 1][3] if place else y1) > _CLOSE * line
        ),
        len(boxes),
    )
    after = boxes[count][1] - boxes[count - 1][3] if 0 < count < len(boxes) else inf
    if count and boxes[0][1] - y1 < after - _NEARER * line:
        yield from boxes[:count]


def _groups(rows: Iterable[_Led], line: float) -> Iterator[list[_Led]]:
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
    is_next = above.name[1] < below.name[1] < above.name[3] + _ROOM * line
    return starts and lines_up and is_next
