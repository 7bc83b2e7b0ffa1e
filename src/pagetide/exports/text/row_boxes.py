"""The positions of the rows of a block's text: those of their lines."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Block, Line, Page
from pagetide.exports.text.hyphens import HYPHENS
from pagetide.exports.text.inline_marks import unmarked
from pagetide.geometry import Box, box_of, direction, turned, union


def row_boxes(page: Page, block: Block) -> list[Box]:
    """The box of each row, turned so that the block's text is upright.

    Empty if the block's text is not that of its lines, row by row; the last row may be longer,
    where it goes on on the next page.
    """
    return [union(boxes) for boxes in line_boxes(lines_of_rows(page, block), block)]


def line_boxes(rows: Sequence[Sequence[Line]], block: Block) -> list[list[Box]]:
    """The boxes of each row's lines; see `row_boxes`."""
    angle = direction(block.polygon)
    return [[box_of(turned(line.polygon, -angle)) for line in row] for row in rows]


def lines_of_rows(page: Page, block: Block) -> list[Sequence[Line]]:
    """The lines of each row; see `row_boxes`."""
    return lines_of_texts(unmarked(block.text).split("\n"), page.lines_of(block))


def lines_of_texts(rows: Sequence[str], lines: Sequence[Line]) -> list[Sequence[Line]]:
    """The lines of each of some rows' texts; empty if these are not the lines' texts."""
    found: list[Sequence[Line]] = []
    place = 0
    for row in rows:
        first, at = place, 0
        while place < len(lines) and (end := _end_of(lines[place].text, row, at)):
            at, place = end, place + 1
            if at == len(row):
                break
            at += row[at] in " \t"
        is_last = len(found) + 1 == len(rows) and place == len(lines)
        if place == first or (at < len(row) and not is_last):
            return []
        found.append(lines[first:place])
    return found if place == len(lines) else []


def _end_of(text: str, row: str, at: int) -> int:
    """Where the text ends in the row, with its hyphen or without; 0 if it is not there."""
    if text and row.startswith(text, at):
        return at + len(text)
    if text.endswith((*HYPHENS, "\u00ad")) and text[:-1] and row.startswith(text[:-1], at):
        return at + len(text) - 1
    return 0
