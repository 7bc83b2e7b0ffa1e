"""Tables as PaddleOCR writes them, HTML, as grids of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from pagetide.document import Cell, Table

# A model that loses its thread may write any number: no page has wider cells.
MOST_SPAN = 1000
_BREAKS = ("br", "p", "div", "li")
_SPACES = re.compile(r"[ \t\r\f\v]*\n\s*|[ \t\r\f\v]+")


@dataclass
class _Written:
    """A cell as written: its text in pieces, and its spans."""

    row_span: int = 1
    column_span: int = 1
    header: bool = False
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        joined = "".join(self.pieces)
        return _SPACES.sub(lambda gap: "\n" if "\n" in gap[0] else " ", joined).strip()


class _Rows(HTMLParser):
    """The cells of the first table in a text, row by row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Written]] = []
        self._cell: _Written | None = None
        self._in_head = False
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens."""
        if tag == "table":
            self._depth += 1
        elif self._depth > 1:
            return  # a table within a cell is text of the cell
        elif tag == "thead":
            self._in_head = True
        elif tag == "tr":
            self._cell = None
            self.rows.append([])
        elif tag in ("td", "th"):
            self._open(tag, dict(attrs))
        elif tag in _BREAKS and self._cell:
            self._cell.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """A tag closes."""
        if tag == "table":
            self._depth -= 1
        elif self._depth > 1:
            return
        elif tag == "thead":
            self._in_head = False
        elif tag in ("td", "th", "tr"):
            self._cell = None
        elif tag in _BREAKS and self._cell:
            self._cell.pieces.append("\n")

    def _text_in(self, data: str) -> None:
        if self._cell:
            self._cell.pieces.append(data)

    handle_data = _text_in  # the parser's name for it

    def _open(self, tag: str, attributes: dict[str, str | None]) -> None:
        if not self.rows:
            self.rows.append([])
        self._cell = _Written(
            row_span=_span(attributes.get("rowspan")),
            column_span=_span(attributes.get("colspan")) or 1,
            header=tag == "th" or self._in_head,
        )
        self.rows[-1].append(self._cell)


def table_of(html: str) -> Table | None:
    """The first table in a text; None where it has no cells.

    A cell that reaches beyond the last row ends there. Cells stand in the order they are
    written in.
    """
    parser = _Rows()
    parser.feed(html)
    parser.close()
    rows = [row for row in parser.rows if row]
    cells = _placed(rows)
    if not cells:
        return None
    columns = max(cell.column + cell.column_span for cell in cells)
    return Table(rows=len(rows), columns=columns, cells=tuple(cells))


def _placed(rows: Sequence[Sequence[_Written]]) -> list[Cell]:
    taken: list[set[int]] = [set() for _ in rows]
    cells = []
    for number, row in enumerate(rows):
        column = 0
        for written in row:
            while column in taken[number]:
                column += 1
            left = len(rows) - number
            row_span = min(written.row_span or left, left)
            width = range(column, column + _free(taken[number], column, written.column_span))
            for below in taken[number : number + row_span]:
                below.update(width)
            cells.append(
                Cell(
                    row=number,
                    column=column,
                    row_span=row_span,
                    column_span=len(width),
                    text=written.text,
                    header=written.header,
                )
            )
    return cells


def _free(taken: set[int], column: int, wanted: int) -> int:
    """How many of the wanted columns are free, up to one that a cell from above takes."""
    return next((i for i in range(1, wanted) if column + i in taken), wanted)


def _span(text: str | None) -> int:
    try:
        return min(max(int(text or "1"), 0), MOST_SPAN)
    except ValueError:
        return 1
