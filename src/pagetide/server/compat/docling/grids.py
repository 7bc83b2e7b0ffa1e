"""Tables as Docling has them: cells, and the grid in which each stands wherever it spans."""

from __future__ import annotations

from typing import Any

from pagetide.document import Cell, Page, Table
from pagetide.exports.tables.cells import header_rows, tidy
from pagetide.geometry import box_of
from pagetide.server.compat.docling.boxes import top_left

Node = dict[str, Any]


def table_of(page: Page, table: Table) -> Node:
    """A table as `TableData`."""
    table = tidy(table)
    head = header_rows(table)
    cells = [_cell(page, cell, head) for cell in table.cells]
    return {
        "table_cells": cells,
        "num_rows": table.rows,
        "num_cols": table.columns,
        "grid": _grid(table, cells),
    }


def _grid(table: Table, cells: list[Node]) -> list[list[Node]]:
    grid = [[_empty(r, c) for c in range(table.columns)] for r in range(table.rows)]
    for cell in cells:
        for row in range(cell["start_row_offset_idx"], cell["end_row_offset_idx"]):
            for column in range(cell["start_col_offset_idx"], cell["end_col_offset_idx"]):
                grid[row][column] = cell
    return grid


def _cell(page: Page, cell: Cell, head: int) -> Node:
    return {
        **_place(cell.row, cell.column, cell.row_span, cell.column_span),
        "text": cell.text,
        "bbox": top_left(page, box_of(cell.polygon)) if cell.polygon else None,
        "column_header": cell.header and cell.row < head,
        "row_header": cell.header and cell.row >= head,
    }


def _empty(row: int, column: int) -> Node:
    return {**_place(row, column, 1, 1), "text": "", "column_header": False}


def _place(row: int, column: int, down: int, across: int) -> Node:
    return {
        "row_span": down,
        "col_span": across,
        "start_row_offset_idx": row,
        "end_row_offset_idx": row + down,
        "start_col_offset_idx": column,
        "end_col_offset_idx": column + across,
        "row_section": False,
    }
