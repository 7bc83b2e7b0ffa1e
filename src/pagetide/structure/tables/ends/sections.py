"""Tables split in two by a section name among their rows: the parts are joined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pagetide.geometry import intersection_area, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.tables.ends.edge_rows import has_values
from pagetide.structure.tables.ends.headed import lines_above
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.line_words import inside_of
from pagetide.structure.tables.pieces import baselines, share_level
from pagetide.structure.tables.ruled.frames import Stroke, clipped
from pagetide.structure.tables.sheet import Sheet

LEAST_COLUMNS = 4  # that both parts have: with fewer, a match may be chance
FAR = 3.5  # line heights from one part to the next, with the name between
LARGER = 1.15  # times the height of rows: a heading
LEAST_ABOVE = 3  # texts of a row above a section name
LEADING = 1.5  # line heights between rows, and above a section name


def with_sections(sheet: Sheet, found: Sequence[FoundTable]) -> list[FoundTable]:
    """The tables, those that continue below a section name joined with the part above.

    Args:
        sheet: The page.
        found: Its tables.
    """
    tables = sorted(found, key=lambda each: (each.box[1], each.box[0]))
    done: list[FoundTable] = []
    while tables:
        upper = tables.pop(0)
        for lower in filter(partial(_goes_on, sheet, upper), tables):
            others = [each for each in (*done, *tables) if each is not lower]
            if whole := _whole(sheet, upper, lower, others):
                tables[tables.index(lower)] = whole
                break
        else:
            done.append(_with_rows_above(sheet, upper, [*done, *tables]))
    return done


def _goes_on(sheet: Sheet, upper: FoundTable, lower: FoundTable) -> bool:
    """Whether a table has the columns of the one right above, no header, and a name above."""
    line, columns = sheet.line, upper.table.columns
    near = all(abs(upper.box[side] - lower.box[side]) < line for side in (0, 2))
    gap = lower.box[1] - upper.box[3]
    if not (near and LEAST_COLUMNS <= columns == lower.table.columns and gap < FAR * line):
        return False
    if gap < 0 or not has_values(lower.table, 0):
        return False
    between = (upper.box[0], upper.box[3], upper.box[2], lower.box[1])
    words = inside_of(between, sheet.words, line)
    names = baselines(chunk for own in words for chunk in own.phrases)
    heights = [word.y1 - word.y0 for own in lower.held for word in own]
    most = LARGER * max(heights, default=line)
    if len(names) != 1 or len(names[0]) != 1 or NUMBERED.match(names[0][0].text):
        return False
    return names[0][0].y1 - names[0][0].y0 < most


def _with_rows_above(
    sheet: Sheet, table: FoundTable, others: Sequence[FoundTable]
) -> FoundTable:
    """A table that starts with a section name, extended by the section above in its columns."""
    if _texts_in(table, 0) != 1 or _texts_in(table, 1) < LEAST_ABOVE:
        return table
    line, held = sheet.line, [chunk for own in table.held for chunk in own.phrases]
    x0, top, x1, bottom = table.box
    edges, left = list[float](), sheet.left([table, *others])
    for row in lines_above(table.box, left, line):
        if top - max(piece.y1 for piece in row) > LEADING * line:
            break
        is_name = bool(edges) and len(row) == 1 and abs(row[0].x0 - held[0].x0) < line / 8
        is_row = len(row) >= LEAST_ABOVE and share_level(row, held, line / 8) == 1
        if not (is_name or is_row) or max(p.y1 - p.y0 for p in row) > LARGER * line:
            break
        edges.append((max(piece.y1 for piece in row) + top) / 2)
        top = min(piece.y0 for piece in row)
        if is_name:
            break
    if not edges:
        return table
    across = clipped(sheet.across, (table.box[1], bottom + line / 2), (x0, x1))
    across = [*(Stroke(at, x0, x1, 0.0) for at in edges[::-1]), *across]
    down = clipped(sheet.down, (x0 - line / 2, x1 + line / 2), (top, bottom))
    whole = sheet.built((x0, top, x1, bottom), across, down, sheet.left(others))
    size = (table.table.columns, table.table.rows + len(edges))
    return whole if whole and (whole.table.columns, whole.table.rows) == size else table


def _texts_in(table: FoundTable, row: int) -> int:
    """How many cells of a row have text."""
    return sum(bool(cell.text) for cell in table.table.cells if cell.row == row)


def _whole(
    sheet: Sheet, upper: FoundTable, lower: FoundTable, others: Sequence[FoundTable]
) -> FoundTable | None:
    """Both as one, if that has their columns and their rows plus the name."""
    box = union([upper.box, lower.box])
    if any(intersection_area(box, each.box) for each in others):
        return None
    whole = sheet.build(box, sheet.left(others))
    rows = upper.table.rows + lower.table.rows + 1
    is_same = whole and (whole.table.columns, whole.table.rows) == (upper.table.columns, rows)
    return whole if is_same else None
