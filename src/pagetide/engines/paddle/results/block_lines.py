"""Which lines a block holds, in the order they are read in, and the text they make."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import Box, box_of, covering
from pagetide.structure.rows import Row
from pagetide.structure.upright import runs_leftward

_STANDING = 1.5  # a line this much taller than wide is one of vertical text


def members(lines: Sequence[Line], boxes: Sequence[Box]) -> list[list[int]]:
    """For each box, the indexes of the lines that belong to it, in reading order.

    PaddleX gives a line to every block it touches and reads the pieces again; here each
    belongs to one at most, see `geometry.covering`.
    """
    owned: list[list[int]] = [[] for _ in boxes]
    for index, line in enumerate(lines):
        owner = covering(box_of(line.polygon), boxes)
        if owner is not None:
            owned[owner].append(index)
    return [in_reading_order(lines, indexes) for indexes in owned]


def in_reading_order(lines: Sequence[Line], indexes: Sequence[int]) -> list[int]:
    """The indexes of one block's lines as they are read."""
    return [index for row in rows(lines, indexes) for index in row.indexes]


def rows(lines: Sequence[Line], indexes: Sequence[int]) -> list[Row]:
    """One block's lines as rows: from the top down, or from the right where text stands."""
    if not indexes:
        return []
    boxes = {index: box_of(lines[index].polygon) for index in indexes}
    if _stands(lines, boxes):
        columns = sorted(indexes, key=lambda i: (-boxes[i][2], boxes[i][1]))
        return [_row((index,), lines, boxes) for index in columns]
    leftward = runs_leftward(lines[index].text for index in indexes)
    side = -1 if leftward else 1
    return [
        _row(tuple(sorted(row, key=lambda i: side * boxes[i][0])), lines, boxes)
        for row in _baselines(indexes, boxes)
    ]


def text_of(lines: Sequence[Line], indexes: Sequence[int]) -> str:
    """The text of one block's lines: a line feed between rows.

    Never PaddleX's own `block_content`, which glues lines together without a space.
    """
    return "\n".join(row.text for row in rows(lines, indexes))


def _baselines(indexes: Sequence[int], boxes: dict[int, Box]) -> list[list[int]]:
    """The lines by rows: a line joins a row whose first line's height its middle lies in."""
    found: list[list[int]] = []
    for index in sorted(indexes, key=lambda i: _middle(boxes[i])):
        row = found[-1] if found else None
        if row and boxes[row[0]][1] <= _middle(boxes[index]) <= boxes[row[0]][3]:
            row.append(index)
        else:
            found.append([index])
    return found


def _row(indexes: tuple[int, ...], lines: Sequence[Line], boxes: dict[int, Box]) -> Row:
    return Row.of(
        indexes, tuple(lines[i] for i in indexes), tuple(boxes[index] for index in indexes)
    )


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2


def _stands(lines: Sequence[Line], boxes: dict[int, Box]) -> bool:
    """Whether most of the text runs down."""
    standing = sum(
        len(lines[i].text)
        for i, (x0, y0, x1, y1) in boxes.items()
        if y1 - y0 >= _STANDING * (x1 - x0) and len(lines[i].text) > 1
    )
    return 2 * standing > sum(len(lines[i].text) for i in boxes)
