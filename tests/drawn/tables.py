"""Pages with tables, ruled, half ruled and not ruled, and their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from samples import pdf
from samples import words_office as office
from samples import words_quay as quay
from samples.sheet import Sheet
from tests.drawn.sheets import A5, LEFT, RIGHT, measure, sheet

SIZE, LEADING, PITCH = 9.0, 11.0, 20.0
Ruling = Literal["all", "between rows", "head and foot", "none"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table: the text's lines, and the part of the grid it covers."""

    row: int
    column: int
    text: str
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True)
class DrawnTable:
    """A table: its cells, row by row, and the edges of its columns."""

    cells: tuple[Cell, ...]
    edges: tuple[float, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return max(cell.row + cell.rows for cell in self.cells), len(self.edges) - 1

    @property
    def texts(self) -> list[list[str]]:
        """The text at each place of the grid; a span's is at its first."""
        rows, columns = self.shape
        texts = [[""] * columns for _ in range(rows)]
        for cell in self.cells:
            texts[cell.row][cell.column] = cell.text
        return texts

    @property
    def spans(self) -> dict[str, tuple[int, int]]:
        """Rows and columns that a cell spans, by its text, where there is more than one."""
        sizes = {cell.text: (cell.rows, cell.columns) for cell in self.cells}
        return {text: size for text, size in sizes.items() if size != (1, 1)}


Page = tuple[Sheet, tuple[DrawnTable, ...]]  # the tables from the top


def grid(texts: Sequence[Sequence[str]], edges: Sequence[float]) -> DrawnTable:
    """A table without spans; without text the cell is empty."""
    cells = [
        Cell(row, column, text)
        for row, each in enumerate(texts)
        for column, text in enumerate(each)
    ]
    return DrawnTable(tuple(cells), tuple(edges))


def even(count: int, left: float = LEFT, right: float = RIGHT) -> list[float]:
    """The edges of this many columns of equal width."""
    return [left + (right - left) * i / count for i in range(count + 1)]


def put(page: Sheet, top: float, table: DrawnTable, ruling: Ruling) -> float:
    """Draw a table; returns its bottom. Figures are right-aligned in their column."""
    tops = _tops(table, top)
    for cell in table.cells:
        _write(page, table, tops, cell)
        if ruling == "all":
            _frame(page, table, tops, cell)
    level = {"between rows": tops, "head and foot": [tops[0], tops[1], tops[-1]]}
    for y in level.get(ruling, []):
        page.rule(table.edges[0], y, table.edges[-1], y)
    return tops[-1]


def _tops(table: DrawnTable, top: float) -> list[float]:
    """The edges between rows and around them."""
    heights = [PITCH] * table.shape[0]
    for cell in table.cells:
        tall = PITCH + LEADING * cell.text.count("\n")
        heights[cell.row] = max(heights[cell.row], tall)
    return list(accumulate(heights, initial=top))


def _write(page: Sheet, table: DrawnTable, tops: Sequence[float], cell: Cell) -> None:
    left, right = table.edges[cell.column], table.edges[cell.column + cell.columns]
    for number, text in enumerate(cell.text.split("\n")):
        wide = measure(text, "sans") * SIZE
        x = left + 4 if cell.column == 0 else right - 4 - wide
        if cell.columns > 1:
            x = (left + right - wide) / 2
        if text:
            page.write(x, tops[cell.row] + 13.5 + LEADING * number, text, SIZE, "sans")


def _frame(page: Sheet, table: DrawnTable, tops: Sequence[float], cell: Cell) -> None:
    x0, x1 = table.edges[cell.column], table.edges[cell.column + cell.columns]
    y0, y1 = tops[cell.row], tops[cell.row + cell.rows]
    for ends in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
        page.rule(*ends)


def _under_heads() -> DrawnTable:
    """Heads over two columns each, and one that is two rows tall."""
    heads = [
        Cell(0, 0, "Day", rows=2),
        Cell(0, 1, "High water", columns=2),
        Cell(0, 3, "Low water", columns=2),
        *(Cell(1, 1 + i, text) for i, text in enumerate(("Time", "Height") * 2)),
    ]
    body = [
        Cell(2 + row, column, text)
        for row, each in enumerate(quay.RULED[1:6])
        for column, text in enumerate(each[:5])
    ]
    return DrawnTable((*heads, *body), tuple(even(5)))


def _articles() -> DrawnTable:
    """Some cells have two lines."""
    texts: list[tuple[str, ...]] = [("Article", "Pieces", "Price", "Sum")]
    for _, article, *figures in office.INVOICE_ROWS[:5]:
        first, comma, rest = article.partition(", ")
        texts.append((f"{first}{comma.strip()}\n{rest}", *figures))
    return grid(texts, [LEFT, 220, 270, 325, RIGHT])


def _gaps() -> DrawnTable:
    """Empty cells."""
    texts = [
        [text if (row + column) % 4 or not row else "" for column, text in enumerate(each)]
        for row, each in enumerate(quay.RULED)
    ]
    return grid(texts, even(6))


def _page(ruling: Ruling, *tables: DrawnTable, wide: bool = False) -> Page:
    """Prose, then each table below its caption and above more prose."""
    page = sheet()
    if wide:
        page.width, page.height = A5[1], A5[0]
    width = page.width - 2 * LEFT
    y = page.paragraphs(LEFT, 50, width, quay.TABLE_TEXT, SIZE, "sans")
    for number, table in enumerate(tables, 1):
        page.write(LEFT, y + 16, f"Table {number}. Of the east pontoon", SIZE, "bold")
        y = put(page, y + 26, table, ruling) + 24
        y = page.paragraphs(LEFT, y, width, quay.ENGLISH, SIZE, "sans")
    return page, tables


RULED = grid(quay.RULED, even(6))
OPEN = grid(quay.OPEN, [LEFT, 130, 180, 230, 280, 330, RIGHT])
WIDE = grid(
    (quay.SCHEDULE_COLUMNS, *quay.SCHEDULE[:9]),
    [LEFT, 80, 190, 260, 320, 375, 440, 505, 559],
)
FEW = grid(quay.RULED[:4], even(6)), grid([row[:5] for row in quay.OPEN[:5]], even(5))
UNRULED_HEADS = "heads over columns, no rules"
PAGES: dict[str, Page] = {
    "all rules": _page("all", RULED),
    "rules between rows": _page("between rows", RULED),
    "rules at head and foot": _page("head and foot", WIDE, wide=True),
    "no rules": _page("none", OPEN),
    "heads over columns, all rules": _page("all", _under_heads()),
    UNRULED_HEADS: _page("none", _under_heads()),
    "cells of two lines, all rules": _page("all", _articles()),
    "cells of two lines, rules between rows": _page("between rows", _articles()),
    "cells of two lines, rules at head and foot": _page("head and foot", _articles()),
    "empty cells, all rules": _page("all", _gaps()),
    "empty cells, rules at head and foot": _page("head and foot", _gaps()),
    "two tables, all rules": _page("all", *FEW),
    "two tables, no rules": _page("none", *FEW),
}


def tables_pdf() -> bytes:
    """All pages, digital."""
    return pdf.write([pdf.text_page(page) for page, _ in PAGES.values()], jpeg_quality=60)
