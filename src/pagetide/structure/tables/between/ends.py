"""What ends a table between two frames: notes, titles, and headers of another table."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.structure.tables.between.names import COLUMNS
from pagetide.structure.tables.by_height import first_row, rows_in
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.ruled.frames import Frame, is_undivided

PROSE = 3  # words: a longer phrase that crosses the frames' sides is not a row of them
ALIKE = 0.5  # of a header's words: another table of the same kind
LARGER = 1.1  # times the height: a title's letters
LARGE = 1.4  # line heights: letters this much larger than the page's are a title
TITLE_LINES = 3
MOST = 0.8  # of a table's width: a sentence this long fits none of its columns


def is_note(frame: Frame, words: Words, line: float) -> bool:
    """Whether a frame encloses or shades sentences: a note beside or between tables.

    A band of one line without sides may be a section name in a table.
    """
    if not frame.down or not is_undivided(frame, line):
        return False
    rows = rows_in(frame.box, words)
    longest = max((len(piece.words) for row in rows for piece in row), default=0)
    has_sides = any(stroke.thickness > 0 for stroke in frame.down)
    return (
        longest > (PROSE if has_sides else 2 * PROSE)
        and (has_sides or len(rows) > 1)
        and all(len(row) == 1 for row in rows)
    )


def is_title(frame: Frame, words: Words, line: float) -> bool:
    """Whether a shade or box contains only a title in large letters."""
    rows = rows_in(frame.box, words)
    large = all(p.y1 - p.y0 > LARGE * line for row in rows for p in row)
    return 0 < len(rows) <= TITLE_LINES and large and max(map(len, rows[1:]), default=1) == 1


def is_note_below(rows: Sequence[Sequence[Piece]], wide: float, line: float) -> bool:
    """Whether the last row is a full-width sentence, set apart from the row above."""
    *_, above, last = rows
    room = min(piece.y0 for piece in last) - max(piece.y1 for piece in above)
    sentence = last[0]
    is_long = len(sentence.words) > 2 * PROSE and sentence.x1 - sentence.x0 > wide
    return len(last) == 1 and is_long and room > line


def ends_in_title(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether the last row before a rule is a title: a phrase, larger than all above it."""
    *others, last = rows
    heights = [piece.y1 - piece.y0 for row in others for piece in row]
    return len(last) == 1 and bool(others) and last[0].y1 - last[0].y0 > LARGER * max(heights)


def is_across(row: Sequence[Piece], frame: Frame) -> bool:
    """Whether a row is only a sentence that starts at a frame's left side."""
    x0, _, x1, _ = frame.box
    sentence = row[0]
    is_long = len(sentence.words) > 2 * PROSE and sentence.x1 - sentence.x0 > MOST * (x1 - x0)
    return len(row) == 1 and is_long


def repeats_head(above: Frame, below: Frame, words: Words) -> bool:
    """Whether both frames start with the same header, so the lower one is a new table."""
    first, again = (first_row(frame, words) for frame in (above, below))
    alike = len(set(first) & set(again)) >= ALIKE * len(again)
    return len(again) >= COLUMNS and first[:1] == again[:1] and alike
