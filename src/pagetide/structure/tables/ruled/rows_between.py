"""Whether what stands between two frames are rows of one table, whose rules both are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from pagetide.geometry import Box
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.paragraphs import is_mark
from pagetide.structure.tables.baseline import IN_BRACKETS, is_number, is_value
from pagetide.structure.tables.by_height import first_row, height_of, rows_in
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import (
    Piece,
    baselines,
    has_figures,
    share_level,
)
from pagetide.structure.tables.ruled.frames import Frame, framed, is_undivided, row_pitch
from pagetide.structure.tables.unruled.stubs import without_stub_lines

TOUCHING = 0.5  # line heights: frames each whole by itself, so close, are one table's rows
APART = 0.25  # line heights: a note stands further from a table than its rows do
SHADED_ROW = 3.0  # line heights: rows shaded by turns are no further apart
PROSE = 3  # words: a longer phrase that crosses the frames' sides is no row of theirs
SECTION = 0.5  # of the table's width: a section's name in it is shorter
LONG_SECTION = 0.8  # where the rows above and below stand in the same columns
AS_HIGH = 0.15  # line heights between rows of one height
COLUMNS = 3  # pieces of a row that tell a table
CLOSING = 4.0  # line heights: a rule so far below a table's last row does not close it
ALIKE = 0.5  # of a head's words: another table of the same kind
HEAD_RULES = 3  # at most around heads, above rows that no rules part
ALONG = 0.9  # of a frame's height
LARGE = 1.4  # line heights: letters so much larger than the page's are a title's
TITLE_LINES = 3
MOST_HEAD = 6  # rows of heads
WIDE_HEAD = 0.6  # of the table's width: heads close together are narrower, a title is not
PADDING = 1.5  # line heights between a rule and the row below it
MOSTLY = 0.6  # of a row's pieces
MOST = 0.8  # of a table's width: a sentence so long stands in none of its columns
LEVEL = 0.4  # line heights between edges or middles that line up
FLAT = 1.0  # line heights: what is less high is a rule, not a frame


def rows_between(above: Frame, below: Frame, words: Words, line: float) -> bool:
    """Whether what stands between two frames is in columns, or hardly room for text."""
    top, bottom = above.box[3], below.box[1]
    if _repeats_head(above, below, words):
        return False
    whole, shaded = _is_whole(above) and _is_whole(below), False
    if bottom - top > APART * line and any(
        _is_note(f, words, line) or _is_title(f, words, line) for f in (above, below)
    ):
        return False
    if bottom - top < (TOUCHING if whole else FLAT) * line:
        return True
    if is_closed(above, line) and not below.down:
        return False
    if whole:
        # On a picture, shades by turns look like boxes around rows.
        shaded = not _same_columns(above, below, line)
        plain = is_undivided(above, line) and is_undivided(below, line)
        if bottom - top >= SHADED_ROW * line or (shaded and not plain):
            return False
    between = _between(above, below, words, line)
    if between is None:
        return False
    if _is_rule(above, line) and _is_box(below, line):
        # Above a table that is closed all around nothing of it stands but heads.
        wide = WIDE_HEAD * (above.box[2] - above.box[0])
        if any(is_value(p.text) for p in between):
            return False  # the last row of what is above
        return is_head_band(baselines(between), (top, bottom), wide, line)
    return _are_rows(above, below, between, words, line, shaded=shaded)


def _is_rule(frame: Frame, line: float) -> bool:
    return frame.box[3] - frame.box[1] <= FLAT * line


def _is_box(frame: Frame, line: float) -> bool:
    """Whether rules are drawn along all four of a frame's sides, and one between columns."""
    x0, y0, x1, _ = frame.box
    sides = [s for s in frame.down if s.thickness > 0 and s.start < y0 + line / 2]
    closed = all(any(abs(s.at - edge) < line / 2 for s in sides) for edge in (x0, x1))
    is_topped = bool(frame.across) and frame.across[0].thickness > 0
    return closed and is_topped and not is_undivided(frame, line)


def _is_whole(frame: Frame) -> bool:
    """Whether rules run down in it that are drawn: shaded rows have edges alone."""
    return any(stroke.thickness > 0 for stroke in frame.down)


def _is_note(frame: Frame, words: Words, line: float) -> bool:
    """Whether a frame is drawn or shaded around sentences: a note beside or between tables.

    A band of one line without sides may be a section's name in a table.
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


def _is_title(frame: Frame, words: Words, line: float) -> bool:
    """Whether nothing but a title in large letters stands on a shade or in a box."""
    rows = rows_in(frame.box, words)
    large = all(p.y1 - p.y0 > LARGE * line for row in rows for p in row)
    return 0 < len(rows) <= TITLE_LINES and large and max(map(len, rows[1:]), default=1) == 1


def is_closed(frame: Frame, line: float) -> bool:
    """Whether rules part columns in several rows, down to the last rule: no row is below it."""
    if len(frame.across) <= HEAD_RULES:
        return False
    long = ALONG * (frame.box[3] - frame.box[1])
    drawn = [s for s in frame.down if s.thickness > 0 and s.end - s.start >= long]
    return not is_undivided(framed(frame.across, drawn), line)


def _same_columns(a: Frame, b: Frame, line: float) -> bool:
    """Whether the same columns are parted by rules: rows shaded by turns."""
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
    """The pieces between two frames; None where one of them is no part of a table there."""
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
    """Whether the pieces between two frames are rows of the table that both are of."""
    top, bottom = above.box[3], below.box[1]
    width = above.box[2] - above.box[0] + 2 * line
    rows = baselines(between)
    if _is_rule(above, line) and rows and len(rows[0]) == 1:
        first = rows[0][0]
        is_prose = len(first.words) > PROSE and first.x1 - first.x0 > WIDE_HEAD * width
        if is_prose or NUMBERED.match(first.text):
            return False  # a page header's rule, or the caption's own
    if len(rows) > 1 and _is_note_below(rows, WIDE_HEAD * width, line):
        return False
    if _ends_in_head(above, rows, words, line) or _begins_anew(above, rows, words, line):
        return False
    if above.down and _is_rule(below, line) and any(_is_across(row, above) for row in rows):
        return False  # the rule is that of the page's foot
    counts = [len(row) for row in rows]
    if shaded and counts and (counts[0] < COLUMNS or any(1 < n < COLUMNS for n in counts)):
        return False
    several = sum(len(row) - is_mark(row[0].text) > 1 for row in rows)
    if len(rows) == 1 and not several and bottom - top < SHADED_ROW * line:
        return _is_of_table(above, below, rows[0][0], words, line)
    return (
        several >= max(1, 0.5 * len(without_stub_lines(rows)))
        or _is_one_row(rows, top, line)
        or _is_named_row(above, rows, words, line)
        or _is_centred_row(above, rows, words, line)
        or is_head_band(rows, (top, bottom), WIDE_HEAD * width, line)
    )


def _is_of_table(above: Frame, below: Frame, name: Piece, words: Words, line: float) -> bool:
    """Whether a phrase alone between two frames is a section's name, or a unit, in a table.

    It stands between a head and its rows, or between rows of one table.
    """
    top, bottom = above.box[3], below.box[1]
    x0, y0, x1, y1 = above.box
    head = y0 - PADDING * line if _is_rule(above, line) else y0  # on its rule, or within
    next_row = (*below.box[:3], max(below.box[3], 2 * bottom - top))
    if IN_BRACKETS.fullmatch(name.text):
        both = all(_widest(box, words) > 1 for box in ((x0, head, x1, y1), next_row))
        return both and not _are_names(_first_in(next_row, words))
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


def _is_named_row(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether a section's name stands between two rules, and the section's first row below."""
    if len(rows) < 2 or len(rows[0]) > 1 or _is_rule(above, line):
        return False
    name = rows[0][0]
    short = SECTION * (above.box[2] - above.box[0])
    return (
        name.x1 - name.x0 < short
        and _is_one_row(rows[1:], name.y1, line)
        and _stand_in_columns(rows[1], above, words, line)
    )


def _is_centred_row(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether a name stands beside the middle of a text of several lines, both in columns."""
    pieces = [piece for row in rows for piece in row]
    overlap = any(b.y0 < a.y1 for a, b in pairwise(pieces))
    others = [piece for row in rows_in(above.box, words) for piece in row]
    beside = max(p.x0 for p in pieces) > min(p.x1 for p in pieces) if pieces else False
    return overlap and beside and share_level(pieces, others, LEVEL * line) == 1


def _line_up(above: Frame, below: Frame, words: Words, line: float) -> bool:
    """Whether a frame begins with a row of values, each where one stands in the frame above."""
    return _stand_in_columns(_first_in(below.box, words), above, words, line)


def _stand_in_columns(first: Sequence[Piece], above: Frame, words: Words, line: float) -> bool:
    """Whether a row is one of values, each where one stands in the frame above.

    A table of its own would begin with names.
    """
    if _are_names(first):
        return False
    others = [piece for row in rows_in(above.box, words) for piece in row]
    return share_level(first, others, LEVEL * line) > MOSTLY


def _first_in(box: Box, words: Words) -> Sequence[Piece]:
    """The first row inside; empty where there is none."""
    return next(iter(rows_in(box, words)), [])


def _are_names(row: Sequence[Piece]) -> bool:
    """Whether nothing but names stands in a row; so, too, where nothing does."""
    return all(any(map(str.isalpha, piece.text)) for piece in row)


def _is_note_below(rows: Sequence[Sequence[Piece]], wide: float, line: float) -> bool:
    """Whether the last row is a sentence from side to side, apart from the row above it."""
    *_, above, last = rows
    room = min(piece.y0 for piece in last) - max(piece.y1 for piece in above)
    sentence = last[0]
    is_long = len(sentence.words) > 2 * PROSE and sentence.x1 - sentence.x0 > wide
    return len(last) == 1 and is_long and room > line


def _ends_in_head(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether names of other columns end the rows, apart from figures above them."""
    head = rows[-1] if rows else []
    if len(head) < COLUMNS or not _are_names(head) or any(has_figures(p.text) for p in head):
        return False
    x0, y0, x1, y1 = above.box
    on_rule = (x0, y0 - PADDING * line, x1, y1)
    inside = rows_in(above.box, words) or (len(rows) > 1 and rows_in(on_rule, words))
    if not inside:
        return False
    if len(rows) > 1:
        valued, bottom = rows[-2], max(piece.y1 for piece in rows[-2])
    else:  # below a frame that is closed
        valued, bottom = inside[-1], above.box[3] if _is_whole(above) else inf
    room = min(piece.y0 for piece in head) - bottom
    are_valued = any(has_figures(piece.text) for piece in valued)
    return room > line and are_valued and share_level(head, inside[0], LEVEL * line) < MOSTLY


def _begins_anew(
    above: Frame, rows: Sequence[Sequence[Piece]], words: Words, line: float
) -> bool:
    """Whether names of other columns stand below a frame that ends in figures."""
    names, inside = rows[0] if rows else [], rows_in(above.box, words)
    if len(names) < COLUMNS or len(inside) < 2 or any(has_figures(p.text) for p in names):
        return False
    valued = 2 * sum(is_number(piece.text) for piece in inside[-1]) >= len(inside[-1])
    held = [piece for row in inside for piece in row]
    return valued and share_level(names, held, LEVEL * line) < MOSTLY


def _is_across(row: Sequence[Piece], frame: Frame) -> bool:
    """Whether nothing but a sentence stands in a row, from a frame's left side on."""
    x0, _, x1, _ = frame.box
    sentence = row[0]
    is_long = len(sentence.words) > 2 * PROSE and sentence.x1 - sentence.x0 > MOST * (x1 - x0)
    return len(row) == 1 and is_long


def _first_height(frame: Frame) -> float:
    """How high a frame's first row is; 0 where no rule ends it."""
    return frame.across[1].at - frame.across[0].at if len(frame.across) > 1 else 0.0


def is_head_band(
    rows: Sequence[Sequence[Piece]], rules: tuple[float, float], wide: float, line: float
) -> bool:
    """Whether rows fill the room between two rules as the heads of columns do.

    Args:
        rows: Between the rules, from the top.
        rules: Their heights.
        wide: As wide a piece is, at least, that is a title rather than a head.
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
    """Whether a row is a unit alone, which is that of several columns."""
    return len(row) == 1 and bool(IN_BRACKETS.fullmatch(row[0].text))


def _is_one_row(rows: Sequence[Sequence[Piece]], top: float, line: float) -> bool:
    """Whether the rows right below a rule are one: in columns, some of which go on below."""
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
    """How many pieces the row inside has that has most."""
    return max(map(len, rows_in(box, words)), default=0)


def _has_cells(frame: Frame, line: float) -> bool:
    """Whether rules, or the edges of shades, part it into columns."""
    x0, _, x1, _ = frame.box
    inner = {round(s.at / line) for s in frame.down if x0 + line < s.at < x1 - line}
    return len(inner) >= COLUMNS - 1


def _repeats_head(above: Frame, below: Frame, words: Words) -> bool:
    """Whether a frame begins with the head that the other begins with: the next table's."""
    first, again = (first_row(frame, words) for frame in (above, below))
    alike = len(set(first) & set(again)) >= ALIKE * len(again)
    return len(again) >= COLUMNS and first[:1] == again[:1] and alike
