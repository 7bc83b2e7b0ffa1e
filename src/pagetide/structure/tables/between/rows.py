"""Whether the text between two frames consists of rows of one table that includes both."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import inf

from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.rows import is_mark
from pagetide.structure.tables.baseline import IN_BRACKETS, is_number, is_value
from pagetide.structure.tables.between.ends import (
    LARGE,
    PROSE,
    ends_in_title,
    is_across,
    is_note,
    is_note_below,
    is_title,
    repeats_head,
)
from pagetide.structure.tables.between.names import (
    COLUMNS,
    FLAT,
    LEVEL,
    MOSTLY,
    PADDING,
    are_names,
    is_centred_row,
    is_named_row,
    is_of_table,
    is_one_row,
    is_rule,
)
from pagetide.structure.tables.by_height import height_of, rows_in
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece, baselines, has_figures, share_level
from pagetide.structure.tables.ruled.frames import Frame, framed, is_undivided
from pagetide.structure.tables.unruled.stubs import without_stub_lines

TOUCHING = 0.5  # line heights: complete frames this close are rows of one table
APART = 0.25  # line heights: a note is farther from a table than its rows are
SHADED_ROW = 3.0  # line heights: rows with alternate shading are no farther apart
CLOSING = 4.0  # line heights: a rule this far below a table's last row does not close it
HEAD_RULES = 3  # at most around headers, above rows that no rules separate
ALONG = 0.9  # of a frame's height
MOST_HEAD = 6  # header rows
WIDE_HEAD = 0.6  # of the table's width: headers close together are narrower, a title is not


def rows_between(above: Frame, below: Frame, words: Words, line: float) -> bool:
    """Whether the text between two frames is in columns, or there is hardly room for text."""
    top, bottom = above.box[3], below.box[1]
    if repeats_head(above, below, words):
        return False
    whole, shaded = _is_whole(above) and _is_whole(below), False
    if bottom - top > APART * line and any(
        is_note(f, words, line) or is_title(f, words, line) for f in (above, below)
    ):
        return False
    if bottom - top < (TOUCHING if whole else FLAT) * line:
        return True
    if is_closed(above, line) and is_undivided(below, line):
        return False
    if whole:
        # In an image, alternate shading looks like boxes around rows.
        shaded = not _same_columns(above, below, line)
        plain = is_undivided(above, line) and is_undivided(below, line)
        if bottom - top >= SHADED_ROW * line or (shaded and not plain):
            return False
    between = _between(above, below, words, line)
    if between is None:
        return False
    if is_rule(above, line) and _is_box(below, line):
        # Above a table that is closed on all sides, only headers can belong to it.
        wide = WIDE_HEAD * (above.box[2] - above.box[0])
        if any(is_value(p.text) for p in between):
            return False  # the last row of the table above
        return is_head_band(baselines(between), (top, bottom), wide, line)
    return _are_rows(above, below, between, words, line, shaded=shaded)


def _is_box(frame: Frame, line: float) -> bool:
    """Whether rules run along all four sides of a frame, and one between columns."""
    x0, y0, x1, _ = frame.box
    sides = [s for s in frame.down if s.thickness > 0 and s.start < y0 + line / 2]
    closed = all(any(abs(s.at - edge) < line / 2 for s in sides) for edge in (x0, x1))
    is_topped = bool(frame.across) and frame.across[0].thickness > 0
    return closed and is_topped and not is_undivided(frame, line)


def _is_whole(frame: Frame) -> bool:
    """Whether drawn rules run down inside it; shaded rows have only edges."""
    return any(stroke.thickness > 0 for stroke in frame.down)


def is_closed(frame: Frame, line: float) -> bool:
    """Whether rules divide columns in several rows, down to the last rule: no row is below."""
    if len(frame.across) <= HEAD_RULES:
        return False
    long = ALONG * (frame.box[3] - frame.box[1])
    drawn = [s for s in frame.down if s.thickness > 0 and s.end - s.start >= long]
    return not is_undivided(framed(frame.across, drawn), line)


def _same_columns(a: Frame, b: Frame, line: float) -> bool:
    """Whether rules divide both into the same columns: rows with alternate shading."""
    edges = (a.box[0], a.box[2])
    one, other = (
        [
            s.at
            for s in frame.down
            if s.thickness > 0 and all(abs(s.at - edge) > line for edge in edges)
        ]
        for frame in (a, b)
    )
    return bool(one) and _all_near(one, other, line / 2) and _all_near(other, one, line / 2)


def _all_near(places: Sequence[float], others: Sequence[float], near: float) -> bool:
    return all(any(abs(place - other) < near for other in others) for place in places)


def _between(above: Frame, below: Frame, words: Words, line: float) -> list[Piece] | None:
    """The pieces between two frames; None if one of them cannot be part of a table."""
    top, bottom = above.box[3], below.box[1]
    left, right = above.box[0] - line, above.box[2] + line
    low = bisect_left(words, top - 2 * line, key=height_of)
    high = bisect_right(words, bottom + 2 * line, key=height_of)
    found = [
        chunk
        for of_line in words[low:high]
        for chunk in of_line.between(top, bottom).phrases
        if chunk.x1 > left and chunk.x0 < right
    ]
    if (
        any(len(c.words) > PROSE and (c.x0 < left or c.x1 > right) for c in found)
        or any(c.y1 - c.y0 > LARGE * line for c in found)
        or (found and bottom - max(c.y1 for c in found) > CLOSING * line)
    ):
        return None
    return [chunk for chunk in found if left <= chunk.center <= right]


def _are_rows(
    above: Frame,
    below: Frame,
    between: Sequence[Piece],
    words: Words,
    line: float,
    *,
    shaded: bool,
) -> bool:
    """Whether the pieces between two frames are rows of a table that includes both."""
    top, bottom = above.box[3], below.box[1]
    width = above.box[2] - above.box[0] + 2 * line
    rows = baselines(between)
    if is_rule(above, line) and rows and len(rows[0]) == 1:
        first = rows[0][0]
        is_prose = len(first.words) > PROSE and first.x1 - first.x0 > WIDE_HEAD * width
        if is_prose or NUMBERED.match(first.text):
            return False  # the rule of a page header or of the caption
    if len(rows) > 1 and is_note_below(rows, WIDE_HEAD * width, line):
        return False
    if _ends_in_head(above, rows, words, line) or _begins_anew(above, rows, words, line):
        return False
    if above.down and is_rule(below, line) and any(is_across(row, above) for row in rows):
        return False  # the rule of the page footer
    if is_rule(below, line) and _ends_in_sentences(above, rows):
        return False  # the rule below the notes, or of what follows them
    counts = [len(row) for row in rows]
    if shaded and counts and (counts[0] < COLUMNS or any(1 < n < COLUMNS for n in counts)):
        return False
    several = sum(len(row) - is_mark(row[0].text) > 1 for row in rows)
    if is_rule(below, line) and rows and ends_in_title(rows):
        return several > MOSTLY * (len(rows) - 1)  # otherwise it is the title's rule
    if len(rows) == 1 and not several and bottom - top < SHADED_ROW * line:
        return is_of_table(above, below, rows[0][0], words, line)
    return (
        several >= max(1, 0.5 * len(without_stub_lines(rows)))
        or is_one_row(rows, top, line)
        or is_named_row(above, rows, words, line)
        or is_centred_row(above, rows, words, line)
        or is_head_band(rows, (top, bottom), WIDE_HEAD * width, line)
    )


def _ends_in_sentences(above: Frame, rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether figures are above several lines of text, at least one of them full-width."""
    alone = [len(row) == 1 for row in rows]
    last = rows[len(rows) - alone[::-1].index(False) :] if False in alone else []
    return len(last) > 1 and any(is_across(row, above) for row in last)


def _ends_in_head(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether the rows end with names of other columns, set apart from figures above them."""
    head = rows[-1] if rows else []
    if len(head) < COLUMNS or not are_names(head) or any(has_figures(p.text) for p in head):
        return False
    x0, y0, x1, y1 = above.box
    on_rule = (x0, y0 - PADDING * line, x1, y1)
    inside = rows_in(above.box, words) or (len(rows) > 1 and rows_in(on_rule, words))
    if not inside:
        return False
    if len(rows) > 1:
        valued, bottom = rows[-2], max(piece.y1 for piece in rows[-2])
    else:  # below a closed frame
        valued, bottom = inside[-1], above.box[3] if _is_whole(above) else inf
    room = min(piece.y0 for piece in head) - bottom
    are_valued = any(has_figures(piece.text) for piece in valued)
    return room > line and are_valued and share_level(head, inside[0], LEVEL * line) < MOSTLY


def _begins_anew(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether names of other columns follow a frame that ends in figures."""
    names, inside = rows[0] if rows else [], rows_in(above.box, words)
    if len(names) < COLUMNS or len(inside) < 2 or any(has_figures(p.text) for p in names):
        return False
    valued = 2 * sum(is_number(piece.text) for piece in inside[-1]) >= len(inside[-1])
    held = [piece for row in inside for piece in row]
    return valued and share_level(names, held, LEVEL * line) < MOSTLY


def is_head_band(
    rows: Sequence[Sequence[Piece]], rules: tuple[float, float], wide: float, line: float
) -> bool:
    """Whether rows fill the space between two rules as column headers do.

    Args:
        rows: Between the rules, from the top.
        rules: Their vertical positions.
        wide: The width from which a piece is a title rather than a header.
        line: The page's typical line height.
    """
    named = rows[:-1] if rows and _is_unit(rows[-1]) else rows
    if not 0 < len(named) <= MOST_HEAD or len(named[-1]) < COLUMNS:
        return False
    pieces = [piece for row in rows for piece in row]
    edges = [rules[0], *(max(p.y1 for p in row) for row in rows)]
    starts = [*(min(p.y0 for p in row) for row in rows), rules[1]]
    rooms = (below - above for above, below in zip(edges, starts, strict=True))
    return max(rooms) < PADDING * line and all(p.x1 - p.x0 < wide for p in pieces)


def _is_unit(row: Sequence[Piece]) -> bool:
    """Whether a row is only a unit, shared by several columns."""
    return len(row) == 1 and bool(IN_BRACKETS.fullmatch(row[0].text))
