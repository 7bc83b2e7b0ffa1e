"""A long table set in several parts side by side, each with the same headers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pagetide.structure.tables.by_height import rows_in
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import has_figures
from pagetide.structure.tables.ruled.frames import Frame, framed

LONG = 0.9  # of a frame's height: the rule between two parts
LEAST_HEADS = 2  # side by side, of each part: a rule between any two columns separates no parts


def side_by_side(frame: Frame, words: Words, line: float) -> list[Frame]:
    """The frames that long vertical rules divide a frame into, if all have the same headers.

    Args:
        frame: Upright.
        words: The page's, by height.
        line: Its typical line height.
    """
    x0, y0, x1, y1 = frame.box
    rules = [s.at for s in frame.down if s.end - s.start > LONG * (y1 - y0)]
    inner = [at for at in rules if x0 + line < at < x1 - line]
    if not inner:
        return [frame]
    edges = [x0, *(b for a, b in pairwise([x0, *inner]) if b - a > line), x1]
    found = [_between(frame, a, b) for a, b in pairwise(edges)]
    heads = [_heads(part, words) for part in found]
    alike = heads[0] and all(each == heads[0] for each in heads)
    return found if alike else [frame]


def _between(frame: Frame, x0: float, x1: float) -> Frame:
    across = [
        stroke._replace(start=max(stroke.start, x0), end=min(stroke.end, x1))
        for stroke in frame.across
        if min(stroke.end, x1) - max(stroke.start, x0) > (x1 - x0) / 2
    ]
    sides = [stroke for stroke in frame.down if x0 <= stroke.at <= x1]
    return framed(across, sides)


def _heads(frame: Frame, words: Words) -> Sequence[str]:
    """The text between a frame's first two rules, if it is side-by-side names."""
    x0, _, x1, _ = frame.box
    rows = [
        row
        for top, bottom in pairwise([stroke.at for stroke in frame.across[:2]])
        for row in rows_in((x0, top, x1, bottom), words)
    ]
    texts = [piece.text for row in rows for piece in row]
    named = not any(has_figures(text) for text in texts)
    return texts if named and max(map(len, rows), default=0) >= LEAST_HEADS else []
