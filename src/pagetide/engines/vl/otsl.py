"""Tables as PaddleOCR-VL writes them: OTSL, six tags that say how the cells lie.

Each tag stands for one place of the grid, row by row: `<fcel>` begins a cell with text,
`<ecel>` one without; `<lcel>` belongs to the cell on its left, `<ucel>` to the one above,
`<xcel>` to both; `<nl>` ends the row. A model may write any nonsense, so every sequence is
read: what does not fit becomes a cell of its own, and no text is lost.

Source: the language is that of Lysak et al., "Optimized Table Tokenization for Table
Structure Recognition", 2023; the parser is our own.
"""

from __future__ import annotations

import re

from pagetide.document import Cell, Table

MOST_PLACES = 20_000  # of a grid; the longest answer has a third as many tokens

_TAG = re.compile(r"<(fcel|ecel|lcel|ucel|xcel|nl)>")
_CUT_TAG = re.compile(r"<[a-z]{0,4}$")  # what an answer cut at its limit may end with
_Place = tuple[str, str]  # a tag's name, and the text behind it


def table_of(text: str) -> Table | None:
    """The table that a model's answer describes.

    Args:
        text: As the model wrote it. Text where a row has no tag yet is a cell of its own.

    Returns:
        Cells that never overlap and fill the grid; rows that are shorter than others are
        filled with empty cells. None where there is no tag, no cell, or a grid of more than
        `MOST_PLACES` places.
    """
    if not _TAG.search(text):
        return None
    rows = _rows(_CUT_TAG.sub("", text))
    columns = max(map(len, rows), default=0)
    if not columns or len(rows) * columns > MOST_PLACES:
        return None
    for row in rows:
        row += [("ecel", "")] * (columns - len(row))
    return Table(rows=len(rows), columns=columns, cells=tuple(_cells(rows)))


def _rows(text: str) -> list[list[_Place]]:
    first, *pieces = _TAG.split(text)
    rows: list[list[_Place]] = [[]]
    if first.strip():
        rows[-1].append(("fcel", _flat(first)))
    for tag, content in zip(pieces[::2], pieces[1::2], strict=True):
        if tag != "nl":
            rows[-1].append((tag, _flat(content)))
            continue
        rows.append([])
        if content.strip():
            rows[-1].append(("fcel", _flat(content)))
    return [row for row in rows if row]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cells(rows: list[list[_Place]]) -> list[Cell]:
    taken: set[tuple[int, int]] = set()
    cells = []
    for y, row in enumerate(rows):
        for x in range(len(row)):
            if (y, x) not in taken:
                height, width = _extent(rows, y, x, taken)
                places = [(y + j, x + i) for j in range(height) for i in range(width)]
                taken.update(places)
                texts = (rows[j][i][1] for j, i in places)
                cells.append(
                    Cell(
                        row=y,
                        column=x,
                        row_span=height,
                        column_span=width,
                        text=" ".join(filter(None, texts)),
                    )
                )
    return cells


def _extent(
    rows: list[list[_Place]], y: int, x: int, taken: set[tuple[int, int]]
) -> tuple[int, int]:
    """Rows and columns of the cell that begins here."""
    width = height = 1
    while x + width < len(rows[y]) and _goes_on(rows, y, x + width, "lcel", taken):
        width += 1
    while y + height < len(rows) and _row_goes_on(rows, y + height, x, width, taken):
        height += 1
    return height, width


def _goes_on(
    rows: list[list[_Place]], y: int, x: int, tag: str, taken: set[tuple[int, int]]
) -> bool:
    return rows[y][x][0] == tag and (y, x) not in taken


def _row_goes_on(
    rows: list[list[_Place]], y: int, x: int, width: int, taken: set[tuple[int, int]]
) -> bool:
    """Whether the row at `y` belongs to the cell above it, over the cell's whole width."""
    within = {"lcel", "ucel", "xcel"}
    rest = range(x + 1, x + width)
    return _goes_on(rows, y, x, "ucel", taken) and all(
        rows[y][i][0] in within and (y, i) not in taken for i in rest
    )
