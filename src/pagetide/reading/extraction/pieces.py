"""A document as pieces with ids: its lines, and the cells and blocks that have none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pagetide.document import Block, Cell, Document, Line, Page, Word
from pagetide.geometry import Polygon


class Piece(NamedTuple):
    """Text that a value may rest on.

    Attributes:
        id: Its name in the prompt.
        text: In one row.
        line: Its place in the page's lines; None where it is none.
        words: Of a line.
    """

    id: str
    page: int
    text: str
    polygon: Polygon
    line: int | None = None
    words: tuple[Word, ...] = ()
    confidence: float | None = None


class Row(NamedTuple):
    """Pieces that stand beside each other, and the block they are of (None where in none)."""

    pieces: tuple[Piece, ...]
    page: int
    block: int | None

    def __str__(self) -> str:
        return " | ".join(f"[{piece.id}] {piece.text}" for piece in self.pieces)


def rows_of(document: Document) -> list[Row]:
    """The document's rows in reading order, each piece once."""
    return [row for page in document.pages for row in _rows_on(page) if row.pieces]


def in_one_row(text: str) -> str:
    """A text without line ends and what does not show: nothing in it can feign a row."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())


def _rows_on(page: Page) -> Iterator[Row]:
    left = dict.fromkeys(range(len(page.lines)))
    for block in sorted(page.blocks, key=lambda block: block.order):
        for pieces in _pieces_of(page, block, left):
            yield Row(tuple(each for each in pieces if each.text), page.number, block.order)
    for index in left:
        yield Row((_of_line(page, index),), page.number, None)


def _pieces_of(page: Page, block: Block, left: dict[int, None]) -> Iterator[list[Piece]]:
    if block.table and block.table.cells:
        rows = sorted({cell.row for cell in block.table.cells})
        for row in rows:
            cells = [cell for cell in block.table.cells if cell.row == row]
            yield [piece for cell in cells for piece in _of_cell(page, block, cell, left)]
    elif not block.line_indexes and block.continues is None:
        yield [_of_block(page, block)]
    for index in block.line_indexes:
        if index in left:
            del left[index]
            yield [_of_line(page, index)]


def _of_cell(page: Page, block: Block, cell: Cell, left: dict[int, None]) -> Iterator[Piece]:
    if not cell.line_indexes:
        yield Piece(
            f"p{page.number}b{block.order}r{cell.row}c{cell.column}",
            page.number,
            in_one_row(cell.text),
            cell.polygon or block.polygon,
            confidence=cell.confidence,
        )
    for index in cell.line_indexes:
        if index in left:
            del left[index]
            yield _of_line(page, index)


def _of_block(page: Page, block: Block) -> Piece:
    text = in_one_row(block.text)
    return Piece(f"p{page.number}b{block.order}", page.number, text, block.polygon)


def _of_line(page: Page, index: int) -> Piece:
    line: Line = page.lines[index]
    return Piece(
        f"p{page.number}l{index}",
        page.number,
        in_one_row(line.text),
        line.polygon,
        line=index,
        words=line.words,
        confidence=line.confidence,
    )
