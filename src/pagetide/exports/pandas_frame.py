"""Tables as pandas' data frames: `pip install "pagetide[pandas]"`."""

from __future__ import annotations

from typing import Any

from pagetide.document import Table
from pagetide.errors import RuntimeUnavailable
from pagetide.exports.cells import grid, header_rows, tidy


def frame_of(table: Table) -> Any:
    """A table as a `pandas.DataFrame` of texts, its head as the columns' names.

    Raises:
        RuntimeUnavailable: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise RuntimeUnavailable(
            'Data frames need pandas: pip install "pagetide[pandas]".'
        ) from None
    names, rows = named_rows(table)
    return pandas.DataFrame(rows, columns=names or None)


def named_rows(table: Table) -> tuple[list[str], list[list[str]]]:
    """The columns' names, none where the table has no head, and the rows below it.

    A name has what all rows of the head say above the column, also where a cell spans several.
    """
    whole = tidy(table)
    head = header_rows(whole)
    told = [
        (cell.column, cell.column + cell.column_span, " ".join(cell.text.split()))
        for cell in whole.cells
        if cell.row < head and cell.text.strip()
    ]
    names = [
        " ".join(text for start, end, text in told if start <= column < end)
        for column in range(whole.columns)
    ]
    return (names if head else []), grid(whole)[head:]
