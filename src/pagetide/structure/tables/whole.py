"""Tells an image of only a table from a page with narrow margins."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pagetide.document import Table
from pagetide.geometry import Box, contains
from pagetide.structure.margins.edges import is_sure_number
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.judge import is_table
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece

EDGE = 2.0  # line heights: text this near all edges has no margins (real crops: 1.9 at most)
MARGIN = 0.05  # of the longer side, if some type is that much larger than the text:
TITLE = 1.4  # line heights
PROSE = 4  # words: pieces of running text in columns have more
APART = 2  # rows: this many above an image's columns are an address, not a header
FEW, MANY = 0.25, 0.5  # of all rows in columns

Rows = Sequence[Sequence[Piece]]


def has_no_margins(text: Box, words: Words, line: float, size: tuple[float, float]) -> bool:
    """Whether text extends to all four edges of an image; a page has margins.

    Args:
        text: Around it all.
        words: By line.
        line: The typical line height.
        size: The image's width and height.
    """
    x0, y0, x1, y1 = text
    near = EDGE * line
    if any(w.y1 - w.y0 > TITLE * line for of_line in words for w in of_line):
        near = min(near, MARGIN * max(size))  # on a slide, margins and type are large
    return min(x0, y0) >= -EDGE * line and max(x0, y0, size[0] - x1, size[1] - y1) <= near


def is_page(closed: Sequence[Box], ruled: Sequence[Box], rows: Rows) -> bool:
    """Whether a page number is at the edge, or text is outside of the areas with rules.

    Little of that text is in columns, or it belongs to a table as well.

    Args:
        closed: Boxes of the tables whose cells rules divide.
        ruled: Of all that have rules.
        rows: Of the text.
    """
    if any(is_sure_number(piece.text) for row in (*rows[:1], *rows[-1:]) for piece in row):
        return True
    several = sum(len(row) > 1 for row in rows)
    for held, most in ((closed, MANY), (ruled, FEW)):
        outside = [row for row in rows if not _is_in(row, held)]
        in_several = sum(len(row) > 1 for row in outside)
        if APART < len(outside) < len(rows) and in_several < most * several:
            return True
    return False


def _is_in(row: Sequence[Piece], boxes: Sequence[Box]) -> bool:
    return all(any(contains(box, (p.center, p.middle)) for box in boxes) for p in row)


def in_columns(rows: Rows) -> tuple[float | None, float | None]:
    """Where text in columns starts and ends, if some rows above or below are not in columns.

    None if it is the first or last row, or the one next to it, which may be a header.
    """
    several = [place for place, row in enumerate(rows) if len(row) > 1]
    if not several:
        return None, None
    first, last = several[0], several[-1]
    top = min(piece.y0 for piece in rows[first]) if first >= APART else None
    bottom = max(piece.y1 for piece in rows[last]) if len(rows) - last > APART else None
    return top, bottom


def is_all(table: Table) -> bool:
    """Whether the table built from a whole image is one: of figures, or of short phrases."""
    if not is_table(table, ruled=False):
        return False
    texts = [cell.text for cell in table.cells if cell.text and cell.column]
    figures = sum(map(is_number, texts)) >= 0.5 * len(texts)
    short = median(len(text.split()) for text in texts) < PROSE
    return figures or (short and table.columns > 2)
