"""A first or last row that is one text from side to side: a caption, or a note, and no row.

Of 479 tables by hand 11 captions and 8 notes were found as such rows, and no row of a table.
"""

from __future__ import annotations

from msgspec.structs import replace

from pagetide.document import Cell, Table
from pagetide.geometry import Box, box_of
from pagetide.structure.tables.baseline import is_number, is_year
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.sheet import Sheet

LEAST_ROWS = 3


def without_edge_rows(sheet: Sheet, table: FoundTable) -> FoundTable:
    """A table without captions above its heads and notes below its rows.

    What rules close at a side is a cell as any other, and so is a section's name above values.

    Args:
        sheet: Its page.
        table: Found there, not seen by a model.
    """
    if (caption := _alone(table.table, 0)) and not has_values(table.table, 1):
        box = box_of(caption.polygon or ())
        if not _is_closed(sheet, box):
            return without_edge_rows(sheet, _without(table, 0, box))
    if note := _alone(table.table, table.table.rows - 1):
        box = box_of(note.polygon or ())
        if not _is_closed(sheet, box):
            return without_edge_rows(sheet, _without(table, note.row, box))
    return table


def _alone(table: Table, row: int) -> Cell | None:
    """The cell that is a row by itself, if there is one and other rows are left."""
    own = [cell for cell in table.cells if cell.row <= row < cell.row + cell.row_span]
    if len(own) != 1 or table.rows < LEAST_ROWS or not own[0].text or not own[0].polygon:
        return None
    [cell] = own
    return cell if (cell.column_span, cell.row_span) == (table.columns, 1) else None


def has_values(table: Table, row: int) -> bool:
    """Whether a row has figures behind its name, years aside: a head has none."""
    texts = [cell.text for cell in table.cells if cell.row == row and cell.column]
    return any(is_number(text) and not is_year(text) for text in texts)


def _is_closed(sheet: Sheet, box: Box) -> bool:
    x0, y0, x1, y1 = box
    middle, near = (y0 + y1) / 2, sheet.line
    return any(
        rule.thickness > 0
        and rule.start < middle < rule.end
        and min(abs(rule.at - x0), abs(rule.at - x1)) < near
        for rule in sheet.down
    )


def _without(found: FoundTable, row: int, box: Box) -> FoundTable:
    """A table without its first or its last row, which is in a box."""
    x0, top, x1, bottom = found.box
    top, bottom = (top, box[1]) if row else (box[3], bottom)
    cells = tuple(
        replace(cell, row=cell.row - (not row)) for cell in found.table.cells if cell.row != row
    )
    table = replace(found.table, rows=found.table.rows - 1, cells=cells)
    held = [[word for word in own if top <= word.middle <= bottom] for own in found.held]
    return FoundTable((x0, top, x1, bottom), table, held)
