"""What HTML and the formats around it share: text made safe, and tables."""

from __future__ import annotations

import re
from html import escape

from pagetide.document import Cell, Table

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: str) -> str:
    """Text that HTML and XML show as it is, between tags and inside quotes.

    A character that XML cannot hold becomes U+FFFD.
    """
    return escape(_NOT_XML.sub("\ufffd", text))


def table(grid: Table) -> str:
    """A table as an HTML element, a line for each row, without blank lines."""
    rows: list[dict[int, Cell]] = [{} for _ in range(grid.rows)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell
    taken = {
        (row, column)
        for cell in grid.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    lines = ["<table>"]
    for number, row in enumerate(rows):
        cells = [
            _cell(row[column]) if column in row else "<td></td>"
            for column in range(grid.columns)
            if column in row or (number, column) not in taken
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


def _cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = "".join(
        f' {name}="{count}"'
        for name, count in (("colspan", cell.column_span), ("rowspan", cell.row_span))
        if count > 1
    )
    text = "<br>".join(escaped(line) for line in cell.text.split("\n") if line.strip())
    return f"<{tag}{spans}>{text}</{tag}>"
