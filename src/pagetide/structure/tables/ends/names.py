"""The names above tables: where one looks like another, each begins a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.sheet import Sheet

Rows = Sequence[Sequence[Piece]]

# In line heights.
NEAR = 3.0  # from a name to its table's first row, and from headers to the name of a section
LEVEL = 0.125  # between the edges, middles or heights of names that look alike
INDENT = 0.25  # from a table's left edge


def name_of(sheet: Sheet, rows: Rows, box: Box) -> Piece | None:
    """The lone phrase right above a table, or in its first row.

    It is a section's, not the table's, if headers are right above it.

    Args:
        sheet: The page.
        rows: The table's, from the top.
        box: Around them, upright.
    """
    x0, top, x1, _ = box
    first = rows[0] if rows else []
    end = first[0].y1 if len(first) == 1 else top
    above = [
        own
        for row in sheet.rows
        if row[0].middle < end and (own := [p for p in row if p.x1 > x0 and p.x0 < x1])
    ]
    [before, name] = [[], [], *above][-2:]
    if len(name) != 1 or end - name[0].y1 > NEAR * sheet.line:
        return None
    low = max((piece.y1 for piece in before), default=0.0)
    is_headed = len(before) > 1 and name[0].y0 - low < NEAR * sheet.line
    return None if is_headed else name[0]


def is_named_alike(sheet: Sheet, name: Piece | None, rows: Rows) -> bool:
    """Whether the last of rows is a title that looks like the name of the table above it.

    It looks like no other row of that table: sections of one table look alike, too.

    Args:
        sheet: The page.
        name: The table's, if any.
        rows: Those below its first, down to the title.
    """
    *above, [title] = rows
    lone = [row[0] for row in above if len(row) == 1]
    upper = [row for row in above if len(row) > 1]
    return (
        name is not None
        and _look_alike(sheet, title, name)
        and not any(_look_alike(sheet, title, each) for each in lone)
        and _stands_out(sheet, title, upper)
    )


def _look_alike(sheet: Sheet, one: Piece, other: Piece) -> bool:
    """Whether two phrases are as high and as bold, and start or are centred level."""
    near = LEVEL * sheet.line
    level = min(abs(one.x0 - other.x0), abs(one.center - other.center)) < near
    high = abs((one.y1 - one.y0) - (other.y1 - other.y0)) < near
    return level and high and sheet.lines[one.line].bold == sheet.lines[other.line].bold


def _stands_out(sheet: Sheet, title: Piece, rows: Rows) -> bool:
    """Whether a title is bolder or larger than rows, or indented."""
    bold = sum(sheet.lines[row[0].line].bold for row in rows)
    usual = median([piece.y1 - piece.y0 for row in rows for piece in row] or [0.0])
    left = min((row[0].x0 for row in rows), default=title.x0)
    return (
        (sheet.lines[title.line].bold and 2 * bold <= len(rows))
        or title.y1 - title.y0 - usual > LEVEL * sheet.line
        or title.x0 - left > INDENT * sheet.line
    )
