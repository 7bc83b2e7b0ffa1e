"""Where rows stop sharing columns: one table ends, and something else starts.

Rules and gaps join what a designer set at one width: a letterhead's rule, an address beside its
dates, and the item table below. The rows decide: those of one table repeat its columns.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, median

from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.tables.baseline import is_number, is_year
from pagetide.structure.tables.between.rows import WIDE_HEAD, is_head_band
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines, begins_small, has_figures
from pagetide.structure.tables.ruled.frames import Frame, framed
from pagetide.structure.tables.ruled.stacked_grids import by_rules
from pagetide.structure.tables.unruled.labelled import is_labelled, pairs_end
from pagetide.structure.tables.unruled.likeness import Likeness, Rows, gap

LOOK = 6  # rows on either side that are compared
LEAST_ABOVE, LEAST_BELOW = 2, 3  # rows of several pieces: fewer are a header, or a total
MOST_NOTES = 3  # lines between two tables, besides the second one's title
LEAST_RULES = 3  # below a title's
ALIKE = 0.6  # of the pieces: rows that align this well are in one table
UNLIKE = 0.35  # and those that align no better are in two
UNLIKE_APART = 0.55  # the same if a title, or space, is between them
ALONG = 0.3  # of a frame's height: rules between its columns, and shades' sides together
LARGER = 1.2  # times the height: a title's type
WHOLE = 0.95  # of a frame's width: a rule this long is around a header
LABELLED = 2  # rows: names, and their values
ABOVE_NAMES = 0.6  # line heights: an address ends this far above a line of references
PROSE_WIDE = 0.75  # of a frame's width: two consecutive lines this long are prose
ROOM = 1.6  # of the pitch of the rows on both sides


def parts(rows: Rows) -> list[list[Sequence[Piece]]]:
    """The rows, split where their columns change.

    Args:
        rows: From the top, each from left to right.
    """
    return _parts(rows, Likeness())


def _parts(rows: Rows, likeness: Likeness) -> list[list[Sequence[Piece]]]:
    place = _large_title(rows) or _next_head(rows) or _labelled_end(rows)
    place = place or _cut(rows, likeness)
    if place is None:
        return [list(rows)]
    return [*_parts(rows[:place], likeness), *_parts(rows[place:], likeness)]


def _large_title(rows: Rows) -> int | None:
    """The index of a single-piece row in larger type, with a line's space above it."""
    line = median([piece.y1 - piece.y0 for row in rows for piece in row] or [0.0])
    for place in range(1, len(rows) - 1):
        [title, *others] = rows[place]
        if not others and title.y1 - title.y0 > LARGER * line and gap(rows, place) > line:
            return place
    return None


def _next_head(rows: Rows) -> int | None:
    """The index of a title below figures, with its headers and figures below it."""
    left = min((piece.x0 for row in rows for piece in row), default=0.0)
    for place in range(LEAST_ABOVE, len(rows) - 2):
        title, heads, below = rows[place : place + 3]
        if (
            _is_caption(title, left)
            and (_are_names(heads) or _are_years(heads))
            and _has_figures(below)
            and (lone := _lone_above(rows, place)) is not None
        ):
            return lone
    return None


def _is_caption(row: Sequence[Piece], left: float) -> bool:
    """Whether a lone piece starts where a table does, not in lowercase, without figures."""
    text, height = row[0].text, row[0].y1 - row[0].y0
    if len(row) > 1 or row[0].x0 > left + height or begins_small(text):
        return False
    return not has_figures(text) or NUMBERED.match(text) is not None


def _lone_above(rows: Rows, place: int) -> int | None:
    """The first of the single pieces above a place that are below figures, as notes are."""
    first = place
    while first > LEAST_ABOVE and place - first < MOST_NOTES and len(rows[first - 1]) == 1:
        first -= 1
    return first if _has_figures(rows[first - 1]) else None


def _are_years(row: Sequence[Piece]) -> bool:
    return len(row) > 1 and all(is_year(piece.text) for piece in row)


def _are_names(row: Sequence[Piece]) -> bool:
    """Whether several pieces are side by side, most with letters: marks are not headers."""
    named = sum(any(map(str.isalpha, piece.text)) for piece in row)
    unfigured = not any(has_figures(piece.text) for piece in row)
    return unfigured and len(row) > 1 and 2 * named > len(row)


def _labelled_end(rows: Rows) -> int | None:
    """The index of the last two rows, names over values, below rows of fewer pieces."""
    place = len(rows) - 2
    if place < LEAST_ABOVE or len(rows[place - 1]) >= len(rows[place]):
        return None
    line = median(piece.y1 - piece.y0 for piece in rows[place])
    apart = gap(rows, place) > ABOVE_NAMES * line
    return place if apart and is_labelled(rows[place], rows[place + 1], line) else None


def _has_figures(row: Sequence[Piece]) -> bool:
    return any(is_number(piece.text) for piece in row[1:])


def parted(frame: Frame, words: Words, line: float) -> list[Frame]:
    """The frames that a frame's rows split it into; parts without two rules are in none.

    Rules between columns give the columns: a frame with any, except a header's, stays whole.

    Args:
        frame: Upright.
        words: The page's.
        line: Its typical line height.
    """
    rows = _rows_in(frame, words, line)
    if labels := _labels(rows, frame, line):
        rule, top = labels
        below = _between(frame, top, frame.box[3] + line / 2)
        own = _between(frame, frame.box[1], rule)
        return [*([own] if own else []), *(parted(below, words, line) if below else [])]
    if _is_ruled(frame, line):
        return by_rules(frame, line)
    names = pairs_end(rows, _wide(frame))
    rows = [row for row in rows if row[0].middle > names]
    if not rows:
        return []
    heads = _heads(rows, frame, line)
    first, *others = parts(rows[heads:])
    several: list[Rows] = [[*rows[:heads], *first], *others]
    wide = PROSE_WIDE * (frame.box[2] - frame.box[0])
    several = [part for each in several for part in _between_prose(each, wide)]
    if len(several) < 2 and names < frame.box[1]:
        return [frame]
    tops = [min(piece.y0 for piece in part[0]) for part in several]
    bottoms = [max(piece.y1 for piece in part[-1]) for part in several]
    # A rule between two parts belongs to the nearer one.
    middles = [(below + above) / 2 for below, above in zip(bottoms, tops[1:], strict=False)]
    top = max(names, frame.box[1]) - line / 2
    edges = itertools.pairwise([top, *middles, frame.box[3] + line / 2])
    return [_below_title(part, line) for edge in edges if (part := _between(frame, *edge))]


def _rows_in(frame: Frame, words: Words, line: float) -> list[list[Piece]]:
    inside = inside_of(frame.box, words, line)
    return baselines(chunk for of_line in inside for chunk in of_line.phrases)


def _labels(rows: Rows, frame: Frame, line: float) -> tuple[float, float] | None:
    """Where names over their values end, alone between the first two wide rules, if so.

    No rule is between them.

    Returns:
        The rule below them, and where the rest starts: at this rule, or below it if it is the
        lower edge of a shade behind the names.
    """
    first, second = [*_wide(frame), math.inf, math.inf][:2]
    band = [row for row in rows if row[0].middle < second]
    if len(band) != LABELLED or not is_labelled(band[0], band[1], line):
        return None
    x0, _, x1, _ = frame.box
    high = [s for s in frame.down if s.start < second - line / 2]
    if any(x0 + line / 2 < stroke.at < x1 - line / 2 for stroke in high):
        return None
    shaded = not any(s.thickness for s in frame.across if s.at in (first, second))
    return second, second + line / 8 if shaded else second


def _below_title(frame: Frame, line: float) -> Frame:
    """A frame without its first rule, if all others are shorter ones of one length.

    The first is a section's, above a table that fills a part of its width.
    """
    title, *others = frame.across
    starts, ends = ([s.start for s in others], [s.end for s in others])
    if len(others) < LEAST_RULES or frame.down or title.end - max(ends) < line:
        return frame
    same = max(starts) - min(starts) < line / 2 and max(ends) - min(ends) < line / 2
    return framed(others, []) if same and abs(title.start - starts[0]) < line / 2 else frame


def _wide(frame: Frame) -> list[float]:
    """The vertical positions of full-width rules."""
    x0, _, x1, _ = frame.box
    return [s.at for s in frame.across if s.end - s.start > WHOLE * (x1 - x0)]


def _between_prose(rows: Rows, wide: float) -> list[Rows]:
    """The rows above and below full-width lines; all if there are none."""
    prose = [len(row) == 1 and row[0].x1 - row[0].x0 > wide for row in rows]
    inside = [
        place
        for place, is_prose in enumerate(prose)
        if is_prose and (any(prose[place - 1 : place]) or any(prose[place + 1 : place + 2]))
    ]
    if not inside:
        return [rows]
    edges = [-1, *inside, len(rows)]
    found = [rows[a + 1 : b] for a, b in itertools.pairwise(edges)]
    return [part for part in found if sum(len(row) > 1 for row in part) >= LEAST_ABOVE]


def _heads(rows: Rows, frame: Frame, line: float) -> int:
    """How many rows between the frame's first two rules are placed like a table's headers."""
    x0, top, x1, _ = frame.box
    wide = _wide(frame)
    if len(wide) < 2 or wide[0] > top + line / 2:
        return 0
    band = [row for row in rows if max(piece.y1 for piece in row) <= wide[1] + line / 2]
    return len(band) * is_head_band(band, (wide[0], wide[1]), WIDE_HEAD * (x1 - x0), line)


def _is_ruled(frame: Frame, line: float) -> bool:
    """Whether vertical rules between columns extend along more than a header."""
    lengths: dict[int, float] = defaultdict(float)
    for stroke in frame.down:
        lengths[round(stroke.at / line)] += stroke.end - stroke.start
    least = ALONG * (frame.box[3] - frame.box[1])
    return sum(length > least for length in lengths.values()) > 2


def _between(frame: Frame, top: float, bottom: float) -> Frame | None:
    across = [s for s in frame.across if top <= s.at <= bottom]
    down = [s for s in frame.down if s.start < bottom and s.end > top]
    if len(across) < 2:
        return None
    clipped = [s._replace(start=max(s.start, top), end=min(s.end, bottom)) for s in down]
    return framed(across, clipped)


def _cut(rows: Rows, likeness: Likeness) -> int | None:
    """The index where rows above and below are least alike, though alike among themselves.

    Of equally good places, the one below the widest gap, where a title may be.
    """
    found = [
        (apart, -gap(rows, place), place)
        for place in range(LEAST_ABOVE, len(rows) - LEAST_BELOW + 1)
        if (apart := _across(rows, place, likeness)) is not None
    ]
    return min(found)[2] if found else None


def _across(rows: Rows, place: int, likeness: Likeness) -> float | None:
    """The similarity of the rows on both sides; None if they may be in one table."""
    above = [row for row in rows[:place] if len(row) > 1][-LOOK:]
    below = [row for row in rows[place:] if len(row) > 1][:LOOK]
    if len(above) < LEAST_ABOVE or len(below) < LEAST_BELOW:
        return None
    across = fmean([likeness.of(a, b) for a in above for b in below])
    most = UNLIKE_APART if _stand_apart(rows, place) else UNLIKE
    if across > most or min(likeness.within(above), likeness.within(below)) < ALIKE:
        return None
    return across


def _stand_apart(rows: Rows, place: int) -> bool:
    """Whether a single piece starts the rows below, or the gap is wider than between rows."""
    if len(rows[place]) == 1:
        return True
    near = [gap(rows, p) for p in range(max(1, place - LOOK), min(len(rows), place + LOOK))]
    line = median(piece.y1 - piece.y0 for piece in rows[place])
    return gap(rows, place) + line > ROOM * (median(near) + line)
