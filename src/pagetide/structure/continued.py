"""Links paragraphs that continue in the next column: the second part refers to the first."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, BlockPlace, Line
from pagetide.geometry import Box, box_of, direction, turned
from pagetide.layout.words import is_unspaced

# What may be between the parts of a paragraph, at the columns' ends and starts.
_BETWEEN: frozenset[BlockKind] = frozenset(
    {"figure", "chart", "table", "caption", "footnote", "header", "footer", "page_number"}
)
_OPEN = re.compile(r".*[^\W_][,;)’'\u00ad‐–-]?", re.DOTALL)  # no sentence ends like this
ASKEW = math.radians(2)  # corners of blocks in a skewed image are not exact
FULL = 0.7  # of the part's width: covered by its last row, if the column's end broke it


def with_continued(
    lines: Sequence[Line], blocks: Sequence[Block], page: int
) -> tuple[Block, ...]:
    """The blocks, with `continued_from` where the end of a column broke a paragraph.

    Such a paragraph's last row is full and ends no sentence, and the next text starts in the
    middle of one, further up and beside it. Letters without a lowercase form count as such a
    start only in scripts without spaces.

    Args:
        lines: Of the page.
        blocks: In any order.
        page: Its number.
    """
    texts = sorted(
        (block for block in blocks if block.kind not in _BETWEEN), key=lambda block: block.order
    )
    before = {
        after.order: BlockPlace(page=page, order=first.order)
        for first, after in pairwise(texts)
        if first.kind == after.kind == "text" and _goes_on(lines, first, after)
    }
    return tuple(
        replace(block, continued_from=before[block.order]) if block.order in before else block
        for block in blocks
    )


def _goes_on(lines: Sequence[Line], first: Block, after: Block) -> bool:
    if len(first.line_indexes) < 2 or not after.line_indexes:
        return False
    last, begun = lines[first.line_indexes[-1]], lines[after.line_indexes[0]]
    if not _OPEN.fullmatch(last.text.rstrip()) or not _begins_within(begun.text.lstrip()):
        return False
    angle = direction(first.polygon)
    away = math.remainder(direction(after.polygon) - angle, math.tau)
    if abs(away) > ASKEW:  # beside the page, as a paper's number is
        return False
    whole, other, row, top = (
        box_of(turned(each.polygon, -angle)) for each in (first, after, last, begun)
    )
    is_full = row[2] - row[0] >= FULL * (whole[2] - whole[0])
    return is_full and top[1] < row[1] and _are_beside(whole, other)


def _begins_within(text: str) -> bool:
    return text[:1].islower() or is_unspaced(text)


def _are_beside(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0]
