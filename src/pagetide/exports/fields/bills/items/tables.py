"""The tables of a bill, and their rows of non-empty cells."""

from __future__ import annotations

from collections.abc import Iterator

from pagetide.document import Block, Cell, Document, Page, Table


def tables_of(document: Document) -> Iterator[tuple[Page, Block, Table]]:
    """The document's tables in reading order, with their pages and blocks."""
    for page in document.pages:
        for block in sorted(page.blocks, key=lambda block: block.order):
            if block.table is not None:
                yield page, block, block.table


def rows_of(table: Table) -> dict[int, list[Cell]]:
    """The cells with text by row, both in order."""
    rows: dict[int, list[Cell]] = {}
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        if cell.text.strip():
            rows.setdefault(cell.row, []).append(cell)
    return rows
