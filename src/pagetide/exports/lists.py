"""A list's lines as items: what marks them, and how deep they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from pagetide.document import Block, Page
from pagetide.exports.inline_marks import behind, unmarked
from pagetide.exports.markup import runs_right_to_left
from pagetide.exports.row_boxes import row_boxes
from pagetide.geometry import Box

# What stands before an item, however the page draws it. A dash before a number is a minus.
_BULLET = re.compile(r"\s*(?:[•◦▪‣●○■□▶➢✓]\s*|[·*–—-](?:\s+|$|(?=[^\W\d_])))")
_NUMBER = re.compile(r"\s*(0|[1-9][0-9]{0,8})[.)](?:\s+|$)")  # not `01.`, shown as `1.`
# Marks that neither Markdown nor HTML would number alike; they stay in the text.
_MARK = re.compile(
    r"\s*(?:\(\w{1,4}\)|[^\W\d_]\)|[^\W\d_]\.(?=\s)|[ivxlcIVXLC]{1,6}[.)](?=\s)"
    r"|\d+(?:\.\d+)+\.?(?=\s)|\d+[.)](?=\s)|\d{1,3}、|[\u2460-\u2473])"
)
_DEEPER = 0.6  # in line heights: so far to the right, and an item stands below the one before


@dataclass(kw_only=True)
class Item:
    """One item of a list, being put together.

    Attributes:
        number: Where it is numbered as Markdown and HTML number; None otherwise.
        lines: Its text, without bullet or number; another mark stays in it.
        below: The items that stand below it.
    """

    number: int | None = None
    lines: list[str] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)


def items(page: Page, block: Block) -> list[Item]:
    """A list block's items, those further in below those further out.

    A line begins an item if a bullet, a number or a mark such as `a)` begins it; another
    belongs to the item before. How far in an item stands is known where the block's text is
    that of its lines, row by row.
    """
    rows = block.text.split("\n")
    indents = _indents(rows, row_boxes(page, block), runs_right_to_left(block.text))
    top: list[Item] = []
    above: list[tuple[float, Item]] = []
    for row, indent in zip(rows, indents, strict=True):
        item = _begun(row)
        if item is None and above:
            above[-1][1].lines.append(row)
            continue
        item = item or Item(lines=[row])
        while above and indent <= above[-1][0]:
            above.pop()
        (above[-1][1].below if above else top).append(item)
        above.append((indent, item))
    return top


def begins_item(row: str) -> bool:
    """Whether a bullet, a number or another mark begins it."""
    return _begun(row) is not None


def runs(siblings: Sequence[Item]) -> list[list[Item]]:
    """Items that follow one another as one list can have them: bullets, or counting on."""
    found: list[list[Item]] = []
    for item in siblings:
        last = found[-1][-1].number if found else None
        if found and item.number == (None if last is None else last + 1):
            found[-1].append(item)
        else:
            found.append([item])
    return found


def _begun(whole: str) -> Item | None:
    row = unmarked(whole)
    if number := _NUMBER.match(row):
        return Item(number=int(number[1]), lines=[behind(whole, number.end())])
    if bullet := _BULLET.match(row):
        return Item(lines=[behind(whole, bullet.end())])
    return Item(lines=[whole]) if _MARK.match(row) else None


def _indents(rows: Sequence[str], boxes: Sequence[Box], from_right: bool) -> list[float]:
    """How far in each row stands, in steps; all alike where that is not known."""
    if not boxes:
        return [0.0] * len(rows)
    step = _DEEPER * median(bottom - top for _, top, _, bottom in boxes)
    starts = [-right if from_right else left for left, _, right, _ in boxes]
    ends: list[float] = []
    for start in sorted(starts):
        if not ends or start > ends[-1] + step:
            ends.append(start)
    return [float(sum(end <= start for end in ends)) for start in starts]
