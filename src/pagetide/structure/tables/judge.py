"""Whether a built grid is a table, and which of two overlapping ones to keep."""

from __future__ import annotations

from collections import Counter

from pagetide.document import Table
from pagetide.structure.tables.pieces import LEADER

LONG_CELL = 25  # words: running text
SPARSE = 0.3  # of the units: fewer with text are a form, a chart or a frame around something
MANY_COLUMNS = 6
SCATTERED = 0.25  # of the units: fewer with text are a form
LEAST_UNITS = 6  # two by two is as often a form or a chart's corners as a table


def is_table(table: Table, *, ruled: bool) -> bool:
    """Whether it has filled rows and columns that are not just running text.

    Args:
        table: As built.
        ruled: Whether rules divide its columns.
    """
    texts = [cell for cell in table.cells if cell.text]
    rows = Counter(cell.row for cell in texts)
    columns = Counter(cell.column for cell in texts)
    full = sum(count > 1 for count in rows.values())
    if len(rows) * len(columns) < LEAST_UNITS or full < 2:
        return False
    if (
        sum(count > 1 for count in columns.values()) < 2
        or density(table) < SPARSE
        or (not ruled and full < 0.4 * len(rows))
    ):
        return False
    words = [len(LEADER.sub("", cell.text).split()) for cell in texts]
    long = sum(count for count in words if count > LONG_CELL)
    return ruled or table.columns > 2 or long <= 0.5 * sum(words)


def is_form(table: Table) -> bool:
    """Whether every row starts with a name with space for a value next to it.

    Args:
        table: With rules around all of its cells.
    """
    named = {cell.row for cell in table.cells if cell.text and cell.column == 0}
    words = max((len(cell.text.split()) for cell in table.cells), default=0)
    return table.columns > 1 and len(named) == table.rows > 1 and words <= LONG_CELL


def is_scattered(table: Table) -> bool:
    """Whether its many columns hold so little that it is a form, even if ruled."""
    texts = sum(bool(cell.text) for cell in table.cells)
    return table.columns >= MANY_COLUMNS and texts < SCATTERED * table.rows * table.columns


def density(table: Table) -> float:
    """The share of the grid covered by cells with text, 0–1."""
    covered = sum(cell.row_span * cell.column_span for cell in table.cells if cell.text)
    return covered / (table.rows * table.columns)
