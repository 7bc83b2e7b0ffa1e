"""Bar charts, whose edges and axes look like the rules of a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pagetide.geometry import Box, intersection_area
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.ruled.frames import Frame, Stroke

LEVEL = 0.4  # line heights between the feet of bars, and between their widths
APART = 0.5  # line heights between two bars; cells touch
HIGHER = 1.0  # line heights: the least difference in height between bars
LEAST_BARS = 2


def are_bars(frame: Frame, fills: Sequence[Box], words: Words, line: float) -> bool:
    """Whether fills of one width are apart on a rule of a frame, some higher than others.

    A shaded column of a table has texts in several rows; a bar has at most one. A shaded cell
    has rules along both sides.

    Args:
        frame: Upright.
        fills: The page's shaded boxes.
        words: The page's, by line.
        line: The page's typical line height.
    """
    x0, y0, x1, y1 = frame.box
    around = (x0 - line, y0 - line, x1 + line, y1 + line)
    own = [
        box
        for box in fills
        if intersection_area(box, around) > 0
        and len(inside_of(box, words, line)) < 2
        and not _is_cell(box, frame.down, line)
    ]
    for axis in (stroke for stroke in frame.across if stroke.thickness > 0):
        bars = sorted(box for box in own if abs(box[3] - axis.at) < LEVEL * line)
        widths, tops = [b[2] - b[0] for b in bars], [b[1] for b in bars]
        if (
            len(bars) >= LEAST_BARS
            and max(widths) - min(widths) < LEVEL * line
            and max(tops) - min(tops) > HIGHER * line
            and all(b[0] - a[2] > APART * line for a, b in pairwise(bars))
        ):
            return True
    return False


def _is_cell(fill: Box, down: Sequence[Stroke], line: float) -> bool:
    """Whether a drawn rule runs along each side of a fill, from its top to its foot."""
    x0, top, x1, foot = fill
    near = LEVEL * line
    along = [s.at for s in down if s.thickness and s.start < top + near and foot - near < s.end]
    return all(any(abs(at - side) < near for at in along) for side in (x0, x1))
