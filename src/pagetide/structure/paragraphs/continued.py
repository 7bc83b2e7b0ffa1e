"""Links paragraphs that continue elsewhere: the second part refers to the first.

In the next column, or below what stands beside the first part, such as a box in the text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from msgspec.structs import replace

from pagetide.document import Block, BlockPlace, Line
from pagetide.geometry import Box, box_of, direction, turned
from pagetide.layout.words import IS_LEFTWARD, first_width
from pagetide.structure.paragraphs.parts import (
    BETWEEN,
    FULL,
    PROSE,
    SEVERAL,
    SPACE,
    are_alike,
    begins_within,
    fills,
    height_of,
    inset_of,
    is_open,
    row_boxes,
    starts_bold,
    width_of,
)

ASKEW = math.radians(2)  # corners of blocks in a skewed image are not exact
MOST_BETWEEN = 4  # parts that may come between in reading order, such as a box's
LEADING = 1.3  # in heights: from one row to the next
FLUSH = 0.4  # in heights: how far starts and pitches differ


def with_continued(
    lines: Sequence[Line], blocks: Sequence[Block], page: int
) -> tuple[Block, ...]:
    """The blocks, with `continued_from` where the end of a column broke a paragraph.

    Such a paragraph's last row is full and the next text is further up and beside it. Either
    the row ends no sentence and the text starts in the middle of one (letters without a
    lowercase form count as such a start only in scripts without spaces), or with a capital
    that did not fit on the row; or the text is not set in, where paragraphs are.

    Args:
        lines: Of the page.
        blocks: In any order.
        page: Its number.
    """
    texts = sorted(
        (block for block in blocks if block.kind not in BETWEEN), key=lambda block: block.order
    )
    are_set_in = _are_set_in(lines, [block for block in texts if block.kind == "text"])
    before = _below(lines, texts, blocks)
    goes_on = set(before.values())
    before |= {
        after.order: first.order
        for first, after in pairwise(texts)
        if first.kind == after.kind == "text"
        and not (first.order in goes_on or after.order in before)
        and _goes_on(lines, first, after, are_set_in=are_set_in)
    }
    return tuple(
        replace(block, continued_from=BlockPlace(page=page, order=before[block.order]))
        if block.order in before
        else block
        for block in blocks
    )


def _below(
    lines: Sequence[Line], texts: Sequence[Block], blocks: Sequence[Block]
) -> dict[int, int]:
    """From the order of a part above or below a box in the text to that of the part before."""
    return {
        after.order: first.order
        for place, first in enumerate(texts)
        for after in texts[place + 1 : place + 1 + MOST_BETWEEN]
        if first.kind == after.kind == "text"
        and _goes_on_below(lines, first, after)
        and _has_beside(first, after, blocks)
    }


def _goes_on_below(lines: Sequence[Line], first: Block, after: Block) -> bool:
    """Whether a sentence runs on into the very next row, which is longer or shorter."""
    if not (first.line_indexes and after.line_indexes):
        return False
    last, begun = lines[first.line_indexes[-1]], lines[after.line_indexes[0]]
    if not (is_open(last.text) and begins_within(begun.text.lstrip())):
        return False
    own, below = row_boxes(lines, first), row_boxes(lines, after)
    height, width = height_of(own), width_of(own)
    pitch = median([b[1] - a[1] for a, b in pairwise(own)] or [LEADING * height])
    return (
        _are_flush(own, below, FLUSH * height)
        and abs(below[0][1] - own[-1][1] - pitch) < FLUSH * height
        and are_alike(own, below)
        and abs(width_of(below) - width) > PROSE / 2 * height
        and width > PROSE * height
        and own[-1][2] - own[-1][0] >= FULL * width
    )


def _are_flush(rows: Sequence[Box], others: Sequence[Box], near: float) -> bool:
    """Whether two parts have one margin: that of a narrower one of one row may be chance."""
    (left, right), (other_left, other_right) = map(_margins, (rows, others))
    is_row = len(min(rows, others, key=width_of)) == 1
    at_left, at_right = abs(left - other_left) < near, abs(right - other_right) < near
    return at_left or (at_right and not is_row)


def _margins(rows: Sequence[Box]) -> tuple[float, float]:
    return min(row[0] for row in rows), max(row[2] for row in rows)


def _has_beside(first: Block, after: Block, blocks: Sequence[Block]) -> bool:
    """Whether something beside the narrower of two parts takes what the other has more."""
    narrow, wide = sorted(
        (box_of(first.polygon), box_of(after.polygon)), key=lambda box: box[2] - box[0]
    )
    return any(
        box[1] < narrow[3]
        and box[3] > narrow[1]
        and (narrow[2] <= box[0] < wide[2] or wide[0] < box[2] <= narrow[0])
        for box in (box_of(block.polygon) for block in blocks)
    )


def _goes_on(lines: Sequence[Line], first: Block, after: Block, *, are_set_in: bool) -> bool:
    if len(first.line_indexes) < 2 or not after.line_indexes:
        return False
    last, begun = lines[first.line_indexes[-1]], lines[after.line_indexes[0]]
    angle = direction(first.polygon)
    away = math.remainder(direction(after.polygon) - angle, math.tau)
    if abs(away) > ASKEW:  # beside the page, as a paper's number is
        return False
    whole, other, row, top = (
        box_of(turned(each.polygon, -angle)) for each in (first, after, last, begun)
    )
    if top[1] >= row[1] or not _are_beside(whole, other):
        return False
    if not are_alike(row_boxes(lines, first), row_boxes(lines, after)):
        return False
    opened = is_open(last.text)
    if opened and begins_within(begun.text.lstrip()):
        return row[2] - row[0] >= FULL * (whole[2] - whole[0])
    if not (opened or are_set_in) or starts_bold(begun) or inset_of(lines, after) != 0:
        return False
    word = first_width(begun)
    room = row[0] - whole[0] if IS_LEFTWARD.search(last.text) else whole[2] - row[2]
    has_room = room > word + SPACE * (row[3] - row[1])
    return not has_room and fills(lines, first, SEVERAL) and fills(lines, after, SEVERAL - 1)


def _are_set_in(lines: Sequence[Line], blocks: Sequence[Block]) -> bool:
    """Whether the first rows of most paragraphs are set in, and of no few."""
    insets = [inset_of(lines, block) for block in blocks]
    found = sum(inset is not None and inset > 0 for inset in insets)
    return found >= SEVERAL and found > 2 * insets.count(0)


def _are_beside(one: Box, other: Box) -> bool:
    """Whether two boxes are side by side, and nearer to each other than one of them is wide."""
    gap = max(other[0] - one[2], one[0] - other[2])
    return 0 <= gap <= max(one[2] - one[0], other[2] - other[0])
