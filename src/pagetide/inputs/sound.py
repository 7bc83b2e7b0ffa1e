"""Checks that a page assembled by a child is consistent.

A child compromised by a document may return anything. Indexes of lines, blocks and cells are
the parent's own if it assembles a page; if a child did, they are checked before anything relies
on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Protocol

from pagetide.document import Block, Page, Table
from pagetide.document.marks import TextPlace

MOST_NOTES = 8000  # of a page: exports number them
MOST_UNITS = 100_000  # of a table, five times as many as are ever produced


class Sized(Protocol):
    """A page's size."""

    @property
    def width(self) -> int:
        """In pixels."""

    @property
    def height(self) -> int:
        """In pixels."""

    @property
    def dpi(self) -> float:
        """Pixels per inch."""


def is_sound(page: Page, number: int, reply: Sized) -> bool:
    """Whether a page is the requested one, and all its indexes are valid.

    Args:
        page: From the child.
        number: That of the requested page.
        reply: The page's size, given with it.
    """
    lines = len(page.lines)
    orders = {block.order for block in page.blocks}
    notes = chain.from_iterable((note.place, *note.marked) for note in page.footnotes)
    return (
        page.number == number
        and (page.width, page.height, page.dpi) == (reply.width, reply.height, reply.dpi)
        and len(page.footnotes) <= MOST_NOTES
        and page.error is None
        and page.model is None
        and len(orders) == len(page.blocks)
        and all(_is_block(block, lines, orders, number) for block in page.blocks)
        and all(_is_place(place, page) for place in notes)
    )


def _is_block(block: Block, lines: int, orders: set[int], page: int) -> bool:
    references = (order for order in (block.caption_of, block.continues) if order is not None)
    before = block.continued_from
    return (
        _are_within(block.line_indexes, lines)
        and all(order in orders for order in references)
        and (before is None or (before.page == page and before.order in orders))
        and (block.table is None or _is_table(block.table, lines))
    )


def _is_table(table: Table, lines: int) -> bool:
    sized = 0 < table.rows * table.columns <= MOST_UNITS and table.rows > 0
    return sized and all(
        0 <= cell.row < cell.row + cell.row_span <= table.rows
        and 0 <= cell.column < cell.column + cell.column_span <= table.columns
        and _are_within(cell.line_indexes, lines)
        for cell in table.cells
    )


def _is_place(place: TextPlace, page: Page) -> bool:
    if not 0 <= place.line < len(page.lines):
        return False
    return 0 <= place.start <= place.end <= len(page.lines[place.line].text)


def _are_within(indexes: Iterable[int], count: int) -> bool:
    return all(0 <= index < count for index in indexes)
