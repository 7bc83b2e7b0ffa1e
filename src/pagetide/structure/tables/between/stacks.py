"""Stacked frames with a table's rows between them: the rules of one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pagetide.geometry import Box
from pagetide.structure.tables.between.names import COLUMNS, FLAT
from pagetide.structure.tables.between.rows import rows_between
from pagetide.structure.tables.by_height import by_height, first_row
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import has_figures
from pagetide.structure.tables.ruled.frames import Frame, is_closed_box, joined, same_width

GRID = 3  # rules in each direction, at least


def stacked(
    frames: Sequence[Frame], words: Words, line: float, charts: Sequence[Box] = ()
) -> list[Frame]:
    """Frames at least one row high, made of the frames that belong together.

    Args:
        frames: Rules that meet, and single rules.
        words: The page's.
        line: Its typical line height.
        charts: Boxes that no table extends over.
    """
    ordered = by_height(words)
    found = _stacked(frames, ordered, line, charts)
    if len(found) < len(frames):  # the row height is known only for joined frames
        found = _stacked(found, ordered, line, charts)
    whole = [f for f in found if f.box[3] - f.box[1] > FLAT * line]
    flat = [f for f in found if f.box[3] - f.box[1] <= FLAT * line]
    around = [(frame, [f for f in whole if _is_between(f, frame, line)]) for frame in whole]
    return [
        joined(
            [
                frame,
                *(f for f in flat if _inside(f, frame, line)),
                *(f for f in whole if _are_under_heads(f, frame, line) or f in inner),
            ]
        )
        for frame, inner in around
        if not any(frame in others for _, others in around)
    ]


def _stacked(
    frames: Sequence[Frame], words: Words, line: float, charts: Sequence[Box]
) -> list[Frame]:
    """The frames from the top, each joined with the one above if it continues its table."""
    found: list[Frame] = []
    grids = [frame.box for frame in frames if min(len(frame.across), len(frame.down)) >= GRID]
    for frame in sorted(frames, key=lambda f: f.box[1]):
        for place in reversed(range(len(found))):
            other = found[place]
            if not same_width(other, frame, line):
                continue
            is_plain = is_closed_box(frame) or not frame.down
            if _are_parted(other, frame, [*charts, *(grids if is_plain else ())]):
                found.append(frame)
                break
            if rows_between(other, frame, words, line):
                found[place] = joined([other, frame])
                break
            if other.box[3] <= frame.box[1]:  # no table extends over it from above
                found.append(frame)
                break
        else:
            found.append(frame)
    return found


def _are_parted(above: Frame, below: Frame, others: Sequence[Box]) -> bool:
    """Whether a chart, or a grid above a box or a rule, separates two frames."""
    return any(
        above.box[3] <= y0 < y1 <= below.box[1] and x0 < below.box[2] and below.box[0] < x1
        for x0, y0, x1, y1 in others
    )


def begins_with_head(frame: Frame, words: Words, line: float) -> bool:
    """Whether a table's header has a separate shade, over rows divided by rules.

    Or is in a box that rules close on three sides.
    """
    if _is_topped(frame, line) and _has_names(frame, words):
        return True
    is_shaded = bool(frame.across) and frame.across[0].thickness == 0
    is_drawn = any(stroke.thickness > 0 for stroke in frame.across)
    return is_shaded and is_drawn and len(first_row(frame, words)) >= COLUMNS


def _is_topped(frame: Frame, line: float) -> bool:
    """Whether a rule runs along a frame's top, and one down from each of its ends."""
    x0, y0, x1, _ = frame.box
    sides = [s.at for s in frame.down if s.thickness > 0 and s.start < y0 + line / 2]
    ends = all(any(abs(at - edge) < line / 2 for at in sides) for edge in (x0, x1))
    return ends and bool(frame.across) and frame.across[0].thickness > 0


def _has_names(frame: Frame, words: Words) -> bool:
    """Whether its first row has several words side by side, and no figure."""
    row = first_row(frame, words)
    return len(row) >= COLUMNS and not any(has_figures(text) for text in row)


def repeated_heads(frames: Sequence[Frame], words: Words) -> list[float]:
    """The tops of frames whose header is repeated on the page: each starts a table."""
    heads = [(tuple(first_row(frame, words)), frame.box[1]) for frame in frames]
    often = Counter(head for head, _ in heads)
    return sorted(top for head, top in heads if len(head) >= COLUMNS and often[head] > 1)


def _is_between(small: Frame, frame: Frame, line: float) -> bool:
    """Whether rules that start or end inside a frame alternate with the frame's rules.

    This is how rows beside a cell that spans several of them are divided.
    """
    inside = _inside(small, frame, line) and small.box[3] <= frame.box[3]
    top, bottom = small.box[1], small.box[3]
    turns = [s.at for s in frame.across if top < s.at < bottom]
    is_ruled = small.down or any(s.start < bottom and s.end > top for s in frame.down)
    return inside and small is not frame and bool(turns) and not is_ruled


def _are_under_heads(small: Frame, frame: Frame, line: float) -> bool:
    """Whether rules, all narrower than a frame's, lie between two consecutive ones of it."""
    x0, top, x1, bottom = small.box
    left, _, right, _ = frame.box
    is_narrow = left - line <= x0 and x1 <= right + line and x1 - x0 < right - left - line
    edges = [stroke.at for stroke in frame.across]
    return (
        is_narrow
        and not (small.down or frame.down)
        and any(above < top and bottom < below for above, below in pairwise(edges))
    )


def _inside(small: Frame, frame: Frame, line: float) -> bool:
    """Whether a short rule, such as one under headers, lies inside a frame."""
    return (
        frame.box[0] - line <= small.box[0]
        and small.box[2] <= frame.box[2] + line
        and frame.box[1] <= small.box[1] <= frame.box[3]
    )
