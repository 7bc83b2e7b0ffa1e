"""Whether a name or single row between two frames belongs to their table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pagetide.geometry import Box
from pagetide.structure.tables.baseline import IN_BRACKETS
from pagetide.structure.tables.by_height import rows_in
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece, share_level
from pagetide.structure.tables.ruled.frames import Frame, row_pitch

SECTION = 0.5  # of the table's width: a section name in it is shorter
LONG_SECTION = 0.8  # where the rows above and below use the same columns
AS_HIGH = 0.15  # line heights between rows of equal height
COLUMNS = 3  # pieces in a row that indicate a table
PADDING = 1.5  # line heights between a rule and the row below it
MOSTLY = 0.6  # of a row's pieces
LEVEL = 0.4  # line heights between aligned edges or middles
FLAT = 1.0  # line heights: anything lower is a rule, not a frame


def is_rule(frame: Frame, line: float) -> bool:
    """Whether a frame is too low to hold a row: a single rule."""
    return frame.box[3] - frame.box[1] <= FLAT * line


def is_of_table(above: Frame, below: Frame, name: Piece, words: Words, line: float) -> bool:
    """Whether a lone phrase between two frames is a section name, or a unit, in a table.

    It is between a header and its rows, or between rows of one table.
    """
    top, bottom = above.box[3], below.box[1]
    x0, y0, x1, y1 = above.box
    head = y0 - PADDING * line if is_rule(above, line) else y0  # on its rule, or inside
    next_row = (*below.box[:3], max(below.box[3], 2 * bottom - top))
    if IN_BRACKETS.fullmatch(name.text):
        both = all(_widest(box, words) > 1 for box in ((x0, head, x1, y1), next_row))
        return both and not are_names(_first_in(next_row, words))
    # A rule would close the table, unless the name's row is as high as the others.
    is_open = bool(above.across) and above.across[-1].thickness == 0
    pitches = (row_pitch(above), _first_height(below))
    is_row = any(abs(pitch - (bottom - top)) < AS_HIGH * line for pitch in pitches)
    lines_up = _line_up(above, below, words, line)
    short = (LONG_SECTION if lines_up else SECTION) * (x1 - x0 + 2 * line)
    in_columns = (
        _widest(box, words) >= COLUMNS or _has_cells(frame, line)
        for box, frame in (
            ((x0, head, x1, y1), above),
            (next_row if is_row else below.box, below),
        )
    )
    is_next = is_open or is_row or lines_up
    return is_next and name.x1 - name.x0 < short and all(in_columns)


def is_named_row(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether two rules enclose a section name and the first row of that section."""
    if len(rows) < 2 or len(rows[0]) > 1 or is_rule(above, line):
        return False
    name = rows[0][0]
    short = SECTION * (above.box[2] - above.box[0])
    return (
        name.x1 - name.x0 < short
        and is_one_row(rows[1:], name.y1, line)
        and _stand_in_columns(rows[1], above, words, line)
    )


def is_centred_row(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether a name is vertically centred beside a text of several lines, both in columns."""
    pieces = [piece for row in rows for piece in row]
    overlap = any(b.y0 < a.y1 for a, b in pairwise(pieces))
    others = [piece for row in rows_in(above.box, words) for piece in row]
    beside = max(p.x0 for p in pieces) > min(p.x1 for p in pieces) if pieces else False
    return overlap and beside and share_level(pieces, others, LEVEL * line) == 1


def _line_up(above: Frame, below: Frame, words: Words, line: float) -> bool:
    """Whether a frame starts with a row of values aligned with values of the frame above."""
    return _stand_in_columns(_first_in(below.box, words), above, words, line)


def _stand_in_columns(first: Sequence[Piece], above: Frame, words: Words, line: float) -> bool:
    """Whether a row has only values, each aligned with a value in the frame above.

    A separate table would start with names.
    """
    if are_names(first):
        return False
    others = [piece for row in rows_in(above.box, words) for piece in row]
    return share_level(first, others, LEVEL * line) > MOSTLY


def _first_in(box: Box, words: Words) -> Sequence[Piece]:
    """The first row inside; empty if there is none."""
    return next(iter(rows_in(box, words)), [])


def are_names(row: Sequence[Piece]) -> bool:
    """Whether a row contains only names; true for an empty row."""
    return all(any(map(str.isalpha, piece.text)) for piece in row)


def _first_height(frame: Frame) -> float:
    """The height of a frame's first row; 0 if no rule ends it."""
    return frame.across[1].at - frame.across[0].at if len(frame.across) > 1 else 0.0


def is_one_row(rows: Sequence[Sequence[Piece]], top: float, line: float) -> bool:
    """Whether the lines right below a rule are one row: in columns, some of which continue."""
    first = sorted(rows[0], key=lambda piece: piece.x0) if rows else []
    if len(first) < COLUMNS or min(piece.y0 for piece in first) - top >= PADDING * line:
        return False
    ends = [*(piece.x0 for piece in first[1:]), float("inf")]
    return all(
        any(
            (abs(piece.x0 - own.x0) < line / 2 and piece.x1 < end)
            or (abs(piece.x1 - own.x1) < line / 2 and piece.x0 > own.x0 - line / 2)
            for own, end in zip(first, ends, strict=True)
        )
        for row in rows[1:]
        for piece in row
    )


def _widest(box: Box, words: Words) -> int:
    """The largest number of pieces in any row inside."""
    return max(map(len, rows_in(box, words)), default=0)


def _has_cells(frame: Frame, line: float) -> bool:
    """Whether rules or shade edges divide it into columns."""
    x0, _, x1, _ = frame.box
    inner = {round(s.at / line) for s in frame.down if x0 + line < s.at < x1 - line}
    return len(inner) >= COLUMNS - 1
