"""From a model's HTML tokens to a grid of cells with spans: pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pagetide.document import Cell, Table
from pagetide.geometry import Polygon

_SPAN = re.compile(r'(row|col)span="?(\d+)')
_MOST = 1000  # rows or columns of a span, whatever a token says


@dataclass(frozen=True, kw_only=True)
class Token:
    """What the model wrote.

    Attributes:
        text: HTML, or a part of it: `<tr>`, `<td`, ` colspan="2"`, `>`, `<td></td>` …
        confidence: 0–1.
        polygon: Of a token that begins a cell, where the cell lies.
    """

    text: str
    confidence: float | None = None
    polygon: Polygon | None = None


@dataclass(kw_only=True)
class _Open:
    """A cell as it is written."""

    token: Token
    row: int
    header: bool
    rows: int = 1
    columns: int = 1


def table_of(tokens: Sequence[Token]) -> Table:
    """The table that tokens write.

    Cells take the first free place of their row, as in HTML; a span over rows ends with the
    table's last row. What is not HTML of a table is passed over.

    Args:
        tokens: In the model's order, without those of its start and end.
    """
    written, rows = _written(tokens)
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for cell in written:
        column = 0
        while (cell.row, column) in taken:
            column += 1
        height = min(cell.rows, rows - cell.row)
        width = _free_width(taken, cell, column)
        taken.update(
            (cell.row + down, column + right)
            for down in range(height)
            for right in range(width)
        )
        cells.append(
            Cell(
                row=cell.row,
                column=column,
                row_span=height,
                column_span=width,
                polygon=cell.token.polygon,
                confidence=cell.token.confidence,
                header=cell.header,
            )
        )
    columns = max((column for _, column in taken), default=-1) + 1
    return Table(rows=rows if columns else 0, columns=columns, cells=tuple(cells))


def _free_width(taken: set[tuple[int, int]], cell: _Open, column: int) -> int:
    """How many columns a cell may take before it meets one from above."""
    for width in range(1, cell.columns):
        if (cell.row, column + width) in taken:
            return width
    return cell.columns


def _written(tokens: Sequence[Token]) -> tuple[list[_Open], int]:
    """The cells in their order, and the number of rows."""
    cells: list[_Open] = []
    rows, is_header, is_open = 0, False, False
    for token in tokens:
        text = token.text
        if text in ("<thead>", "</thead>"):
            is_header = text == "<thead>"
        elif text == "<tr>":
            rows += 1
        elif text.startswith("<td"):
            rows = max(rows, 1)
            cells.append(_Open(token=token, row=rows - 1, header=is_header))
            is_open = text == "<td"
        elif is_open and (span := _SPAN.search(text)):
            count = max(1, min(int(span[2]), _MOST))
            if span[1] == "row":
                cells[-1].rows = count
            else:
                cells[-1].columns = count
        elif text == ">":
            is_open = False
    return cells, rows
