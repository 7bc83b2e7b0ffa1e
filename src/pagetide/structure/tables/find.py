"""Finds the tables on a page: in frames, in areas from a layout model, and in text columns."""

from __future__ import annotations

from collections.abc import Sequence, Set

from pagetide.document import Line, Table
from pagetide.geometry import Box, box_of
from pagetide.layout import Area, Drawn
from pagetide.structure.tables.ends.edge_rows import without_edge_rows
from pagetide.structure.tables.ends.head_at_foot import with_head_at_foot
from pagetide.structure.tables.ends.head_boxes import with_head_boxes
from pagetide.structure.tables.ends.heads_by_type import (
    with_bold_heads,
    without_heads_of_labels,
)
from pagetide.structure.tables.ends.sections import with_sections
from pagetide.structure.tables.ends.split import split_tables
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.items.in_items import with_items
from pagetide.structure.tables.line_words import inside_of
from pagetide.structure.tables.model_cells import cells_filled
from pagetide.structure.tables.ruled.frames import MOST_RULES
from pagetide.structure.tables.ruled.in_frames import RULES, framed_table, with_ruled
from pagetide.structure.tables.sheet import MOST_WORDS, Sheet
from pagetide.structure.tables.unruled.in_columns import (
    with_described,
    with_hinted,
    with_labelled,
    with_unruled,
)
from pagetide.structure.tables.unruled.led import with_led
from pagetide.structure.tables.whole import has_no_margins, in_columns, is_all, is_page

MOST_LINES = 5000  # pages with more are not examined: no person reads them
NEXT_ROW = 5.0  # line heights to a rule that ends one more row: a page footer is farther


def find_tables(
    lines: Sequence[Line],
    boxes: Sequence[Box],
    drawn: Drawn,
    areas: Sequence[Area],
    width: float,
    height: float,
    *,
    charts: Sequence[Box] = (),
    left_out: Set[int] = frozenset(),
) -> list[FoundTable]:
    """The tables on a page, from the top.

    A table from a table model (`Area.table`) is taken as it is and filled; an area of kind
    `table` where neither rules nor columns show one is laid out by its text. A page with more
    than 5000 lines, 20 000 words or 1000 rules is not searched: it has no tables.

    Args:
        lines: The text, upright or as it stands on the page.
        boxes: The same lines, turned upright.
        drawn: Upright.
        areas: Upright, their tables' cells too.
        width: The page's, in pixels.
        height: Likewise.
        charts: Boxes that no table extends over.
        left_out: Indexes of lines that are in no table, such as a chart's.

    Returns:
        Tables whose cells' `line_indexes` are indexes into `lines`. A word is in at most one
        cell of one table; a line whose words are in several tables is in one cell of each.
    """
    if not lines or len(lines) > MOST_LINES:
        return []
    size = width * height
    page = Sheet(lines, boxes, drawn, size=size, charts=charts, left_out=left_out)
    if not page.looked_at:
        return []
    found: list[FoundTable] = []
    if not any(each.table for each in areas) and (whole := _whole(page, width, height)):
        return [whole]
    for each in areas:
        if each.table is not None and each.table.cells:
            found.append(_seen(page, box_of(each.polygon), each.table, found))
    seen = list(found)
    found = with_ruled(page, found)
    hints = [box_of(each.polygon) for each in areas if each.kind == "table"]
    found = with_hinted(page, found, hints)
    found = with_items(page, with_unruled(page, found), ruled=found)
    found = with_described(page, with_labelled(page, found))
    parted = split_tables(page, [e for e in found if e not in seen], tables_on_part)
    found = [*seen, *with_sections(page, [without_edge_rows(page, each) for each in parted])]
    found = with_led(page, with_head_boxes(found, page.line))
    found = with_bold_heads(without_heads_of_labels(found, lines), lines)
    found = with_head_at_foot(page, found, height)
    return sorted(found, key=lambda each: (each.box[1], each.box[0]))


def are_searched(lines: Sequence[Line], drawn: Drawn) -> bool:
    """Whether a page has few enough lines, words and rules to be searched for tables."""
    return (
        len(lines) <= MOST_LINES
        and len(drawn.rules) <= MOST_RULES
        and sum(len(line.words) for line in lines) <= MOST_WORDS
        and not drawn.too_many
    )


def table_of_area(
    lines: Sequence[Line], boxes: Sequence[Box], drawn: Drawn, box: Box
) -> Table | None:
    """The table that fills a box, such as an image of only a table.

    Same arguments as `find_tables`.

    Returns:
        None if the box has no text, or not two cells.
    """
    if not lines or len(lines) > MOST_LINES:
        return None
    page = Sheet(lines, boxes, drawn)
    if not page.looked_at:
        return None
    found = page.build(box, page.words)
    return None if found is None else found.table


def tables_on_part(part: Sheet) -> list[FoundTable]:
    """The tables on a part of a page."""
    ruled = with_ruled(part, [])
    return with_items(part, with_unruled(part, ruled), ruled=ruled)


def _seen(sheet: Sheet, box: Box, table: Table, found: Sequence[FoundTable]) -> FoundTable:
    """A table detected by a model, with the words that no other table has."""
    inside = inside_of(box, sheet.left(found), sheet.line)
    held = inside if any(cell.polygon for cell in table.cells) else []
    return FoundTable(box, cells_filled(table, held, sheet.lines), held)


def _whole(sheet: Sheet, width: float, height: float) -> FoundTable | None:
    """The table of an image of only a table: its text extends to all four edges."""
    if not has_no_margins(sheet.text_box, sheet.words, sheet.line, (width, height)):
        return None
    grids = [f for f in sheet.frames if len(f.down) >= RULES and len(f.across) > RULES]
    closed = [each.box for frame in grids if (each := framed_table(sheet, frame, sheet.words))]
    ruled = [each.box for each in with_ruled(sheet, [])]
    if is_page(closed, [] if _go_on(sheet, ruled) else ruled, sheet.rows):
        return None
    x0, y0 = min(sheet.text_box[0], 0.0), min(sheet.text_box[1], 0.0)
    top, bottom = in_columns(sheet.rows)
    box = (x0, y0 if top is None else top, width, height if bottom is None else bottom)
    found = sheet.build(box, sheet.words)
    return found if found and is_all(found.table) else None


def _go_on(sheet: Sheet, boxes: Sequence[Box]) -> bool:
    """Whether a rule above or below a box is as wide as it: one more row of its table."""
    near = sheet.line
    return any(
        abs(rule.start - x0) < near
        and abs(rule.end - x1) < near
        and not any(top - near < rule.at < bottom + near for _, top, _, bottom in boxes)
        and max(y0 - rule.at, rule.at - y1) < NEXT_ROW * sheet.line
        for x0, y0, x1, y1 in boxes
        for rule in sheet.across
    )
