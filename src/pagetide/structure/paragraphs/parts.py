"""The parts of a paragraph that a column's or a page's end broke, by their rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from pagetide.document import Block, BlockKind, Line
from pagetide.geometry import Box, box_of, direction, turned, union
from pagetide.layout.words import IS_LEFTWARD, is_unspaced

# What may be between the parts, at the columns' ends and starts.
BETWEEN: frozenset[BlockKind] = frozenset(
    {"figure", "chart", "table", "caption", "footnote", "header", "footer", "page_number"}
)
_OPEN = re.compile(r".*[^\W_][,;)’'\u00ad‐–-]?", re.DOTALL)  # no sentence ends like this
FULL = 0.7  # of the part's width: covered by its last row, if the column's end broke it
SPACE = 0.75  # in heights of a row: a space, and how far boxes end before their letters
PROSE = 8.0  # in heights: the width of a column of text, at least
SEVERAL = 3  # rows of a part that may end and go on with a capital; and paragraphs set in
_ALIKE = 0.88  # the heights of rows of one size
_FLUSH, _MOST_INSET = 0.4, 6.0  # in heights: a first row set in


def is_open(text: str) -> bool:
    """Whether no sentence ends with a row's text."""
    return _OPEN.fullmatch(text.rstrip()) is not None


def starts_bold(line: Line) -> bool:
    """Whether a line starts like a definition or an example that has a name."""
    return line.bold or any(s.kind == "bold" and s.start == 0 for s in line.styles)


def fills(lines: Sequence[Line], block: Block, least: int) -> bool:
    """Whether a block has at least so many rows and all but its first and last are full."""
    boxes = row_boxes(lines, block)
    width = width_of(boxes)
    full = all(box[2] - box[0] >= FULL * width for box in boxes[:-1])
    return len(boxes) >= least and full and width > PROSE * (boxes[0][3] - boxes[0][1])


def width_of(rows: Sequence[Box]) -> float:
    """From the leftmost row's start to the rightmost one's end."""
    return max(box[2] for box in rows) - min(box[0] for box in rows)


def height_of(rows: Sequence[Box]) -> float:
    """The height of a usual row."""
    return median(box[3] - box[1] for box in rows)


def are_alike(rows: Sequence[Box], others: Sequence[Box]) -> bool:
    """Whether two parts' rows are as high, up to what letters make higher."""
    low, high = sorted((height_of(rows), height_of(others)))
    return low > _ALIKE * high


def row_boxes(lines: Sequence[Line], block: Block) -> list[Box]:
    """The boxes of a block's rows, turned so that they are level."""
    angle = direction(block.polygon)
    rows: list[Box] = []
    for box in (box_of(turned(lines[n].polygon, -angle)) for n in block.line_indexes):
        if rows and box[1] + box[3] < 2 * rows[-1][3]:
            rows[-1] = union([rows[-1], box])
        else:
            rows.append(box)
    return rows


def inset_of(lines: Sequence[Line], block: Block) -> float | None:
    """How far a paragraph's first row is set in, in heights; None if it has no other, or hangs.

    0 if the rows are flush, in whichever direction they run.
    """
    boxes = row_boxes(lines, block)
    if len(boxes) < 2:
        return None
    height = boxes[0][3] - boxes[0][1]
    leftward = IS_LEFTWARD.search(block.text)
    inset = (boxes[1][2] - boxes[0][2] if leftward else boxes[0][0] - boxes[1][0]) / height
    if inset < -_FLUSH or inset > _MOST_INSET:
        return None
    return inset if inset > _FLUSH else 0.0


def begins_within(text: str) -> bool:
    """Whether a text starts in the middle of a sentence; a letter and a full stop may not."""
    return (text[:1].islower() and text[1:2] not in (".", ")")) or is_unspaced(text)
