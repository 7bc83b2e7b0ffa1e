"""Lines in item tables, where only sums are labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pagetide.document import Page, Table
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.pairs.near import fits
from pagetide.languages.labels import SUMS, columns, kinds, plain

_LABELLED = 2  # rows of labels with one value each
_BAND = 3  # rows of one, at most
_NO_SUMS = frozenset(kinds()) - SUMS


def lines_of_items(page: Page, heads: Mapping[int, float]) -> set[int]:
    """The lines of tables with a bill's columns, or with more than two columns and rows.

    Text above such a table's header is not an item, nor is a table one of items if its columns
    are labels of other things.

    Args:
        page: The page.
        heads: The lines of rows that name the columns of items, and where their rows start.
    """
    found: set[int] = set()
    for block in page.blocks:
        table = block.table
        if table is None or table.columns < 3 or _is_band(table):
            continue
        own = set(block.line_indexes)
        if tops := [heads[line] for line in own & heads.keys()]:
            top = min(tops)
            above = {line for line in own if page.lines[line].polygon[0][1] < top}
            found.update(own - above - _in_boxes(table))
            continue
        _, first = heads_of(table)
        above = {i for cell in table.cells if cell.row < first - 1 for i in cell.line_indexes}
        kinds_of = {columns().get(plain(cell.text)) for cell in table.cells} - {None}
        if len(kinds_of) > 1 or (table.rows > 2 and not _has_labels(table)):
            found.update(own - above - _in_boxes(table))
    return found


def _is_band(table: Table) -> bool:
    """Whether it is a row of labels with values, including a total and dates or other sums."""
    if table.rows > _BAND:
        return False
    names = {name_of(cell.text) for cell in table.cells if cell.row < table.rows - 1}
    others = SUMS - {"total"} if table.rows == _LABELLED else ()
    return "total" in names and any(
        kinds().get(name) == "date" or name in others for name in names
    )


def _in_boxes(table: Table) -> set[int]:
    """The lines of cells that are a box with a label over its value."""
    boxes = ((cell, cell.text.partition("\n")) for cell in table.cells if "\n" in cell.text)
    named = (cell for cell, box in boxes if (name := name_of(box[0])) and fits(name, box[2]))
    return {line for cell in named for line in cell.line_indexes}


def _has_labels(table: Table) -> bool:
    """Whether two or more labels other than sums' are in one row, column or cell."""
    stacks = (cell.text.split("\n") for cell in table.cells if "\n" in cell.text)
    if any(sum(name_of(line) in _NO_SUMS for line in stack) > 1 for stack in stacks):
        return True
    heads = ((cell, cell.text.partition("\n")[0]) for cell in table.cells)
    labels = [cell for cell, text in heads if text.endswith(":") or name_of(text) in _NO_SUMS]
    rows, columns = (Counter(getattr(c, way) for c in labels) for way in ("row", "column"))
    return any(count > 1 for count in (*rows.values(), *columns.values()))
