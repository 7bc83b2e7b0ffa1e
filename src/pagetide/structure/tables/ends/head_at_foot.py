"""A table's headers alone at the end of a page: its rows are on the next one."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.structure.rows import is_bold
from pagetide.structure.tables.found import FoundTable, shares
from pagetide.structure.tables.pieces import has_figures
from pagetide.structure.tables.ruled.frames import SIDES, Frame
from pagetide.structure.tables.sheet import Sheet

LOW = 0.7  # of the page's height: headers further up have something below them
APART = 1.2  # line heights from the headers to a page's footer


def with_head_at_foot(
    sheet: Sheet, found: Sequence[FoundTable], height: float
) -> list[FoundTable]:
    """The tables, with a row of headers in cells that ends the page's text, if there is one.

    Args:
        sheet: The page.
        found: Its tables.
        height: The page's.
    """
    left = sheet.left(found)
    for frame in sheet.frames:
        if frame.box[1] < LOW * height or not _is_row(frame) or shares(frame.box, found):
            continue
        table = sheet.built(frame.box, frame.across, frame.down, left)
        if table and _are_heads(sheet, table) and _ends_page(sheet, frame):
            return [*found, table.with_headers(1)]
    return list(found)


def _is_row(frame: Frame) -> bool:
    """Whether rules surround cells side by side."""
    return len(frame.across) == SIDES and len(frame.down) > SIDES


def _are_heads(sheet: Sheet, found: FoundTable) -> bool:
    """Whether each cell of one row has bold text, without figures."""
    cells = found.table.cells
    lines = [sheet.lines[index] for cell in cells for index in cell.line_indexes]
    named = all(cell.text.strip() and not has_figures(cell.text) for cell in cells)
    bold = all(map(is_bold, lines))
    return found.table.rows == 1 and len(cells) == found.table.columns and named and bold


def _ends_page(sheet: Sheet, frame: Frame) -> bool:
    """Whether nothing is right below a frame; a footer is farther away."""
    bottom = frame.box[3]
    below = (word.y0 for own in sheet.words for word in own if word.middle > bottom)
    return min(below, default=float("inf")) - bottom > APART * sheet.line
