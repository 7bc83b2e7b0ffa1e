"""Shades behind a section title, which is not a row of the table below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import Box
from pagetide.layout import Drawn
from pagetide.structure.tables.line_words import Words, inside_of, words_of
from pagetide.structure.tables.pieces import line_height
from pagetide.structure.tables.ruled.frames import Frame, Stroke, framed, strokes_of
from pagetide.structure.tables.ruled.of_groups import is_between_items

_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]+)[.)]?")
MOST_SHADES = 200  # a page with more is a picture: none of them is a title's
TALLEST = 6.0  # line heights of the page
HIGHEST = 3.0  # line heights of its own phrase
# Line heights between the shade and the table's first rule: a shade that touches it is a row.
NEAREST, FARTHEST = 0.2, 2.4
ALONE = 3.0  # line heights
GAP = 0.4  # line heights between a title's band and the table's first rule, in an image
LEAST_RULES = 5  # around a title and two rows
TOUCHING = 0.1  # line heights between the shades of neighbouring cells
NUMBERED = 2.0  # line heights between a title and its number, at most
AS_WIDE = 0.9  # of the shade: the rule below
SIDES = 3  # of the two cells of a title and its number


def without_titles(
    across: Sequence[Stroke],
    down: Sequence[Stroke],
    fills: Sequence[Box],
    words: Words,
    line: float,
) -> tuple[list[Stroke], list[Stroke]]:
    """The rules without the edges of title shades.

    Args:
        across: Horizontal, edges of shades with no thickness.
        down: Vertical, likewise.
        fills: The shades.
        words: The page's.
        line: Its typical line height.
    """
    titles = _apart(across, fills, words, line)
    if not titles:
        return list(across), list(down)
    near = line / 8
    kept = [s for s in across if not any(_is_level_edge(s, fill, near) for fill in titles)]
    steep = [s for s in down if not any(_is_side(s, fill, near) for fill in titles)]
    return kept, steep


def title_shades(lines: Sequence[Line], boxes: Sequence[Box], drawn: Drawn) -> list[Box]:
    """The shades behind a single phrase that are not in a table row.

    Args:
        lines: The text.
        boxes: The same lines, turned upright.
        drawn: Upright.
    """
    line = line_height(boxes)
    across, down = strokes_of(drawn.rules, line) or ([], [])
    few = len(drawn.fills) <= MOST_SHADES
    found = _apart(across, drawn.fills, words_of(lines, boxes), line) if few else []
    return [fill for fill in found if not _is_cell(fill, across, down, line / 4)]


def below_title(frame: Frame, words: Words, line: float) -> Frame:
    """A frame without the band of a title above it, as an image shows both.

    Between the edge of the band, which holds one phrase, and the table's first rule is less
    space than for a row.
    """
    if len(frame.across) < LEAST_RULES:
        return frame
    top, bottom, first = frame.across[:3]
    band = (frame.box[0], top.at, frame.box[2], bottom.at)
    if bottom.start > frame.box[0] + line:  # a rule under a header over several columns
        return frame
    if not (first.at - bottom.at < GAP * line and _has_one_phrase(band, words, line)):
        return frame
    sides = [s._replace(start=max(s.start, first.at)) for s in frame.down if s.end > first.at]
    return framed(frame.across[2:], sides)


def _apart(
    across: Sequence[Stroke], fills: Sequence[Box], words: Words, line: float
) -> list[Box]:
    """The shades of one phrase that are placed like titles: over a ruled table, or isolated.

    Neighbouring shades without text, such as a chart's bars, do not count as rows. Between
    items, a shade is like the other shades of its kind, however far from them.
    """
    if len(fills) > MOST_SHADES:
        return []
    filled = [fill for fill in fills if inside_of(fill, words, line)]
    named = [
        fill
        for fill in filled
        if fill[3] - fill[1] <= TALLEST * line and _has_one_phrase(fill, words, line)
    ]
    apart = [f for f in named if _is_over_rule(f, across, line) or _is_alone(f, filled, line)]
    others = (fill for fill in named if fill not in apart)
    return apart + [
        fill
        for fill in others
        if any(_are_alike(fill, each, line / 8) for each in apart)
        and is_between_items(fill, words, line)
    ]


def _is_cell(fill: Box, across: Sequence[Stroke], down: Sequence[Stroke], near: float) -> bool:
    """Whether a shade is behind one of several cells in a row, with rules around each.

    A title beside its number has two such cells.
    """
    x0, y0, x1, y1 = fill
    top, bottom = ([s for s in across if _runs_along(s, y, (x0, x1), near)] for y in (y0, y1))
    sides = [s.at for s in down if _runs_along(s, s.at, (y0, y1), near)]
    is_parted = any(min(abs(at - x0), abs(at - x1)) < near for at in sides)
    several = any(sum(s.start - near < at < s.end + near for at in sides) > SIDES for s in top)
    return bool(bottom) and is_parted and several


def _runs_along(stroke: Stroke, at: float, along: tuple[float, float], near: float) -> bool:
    """Whether a drawn rule is at a position, and as long as a stretch or longer."""
    start, end = along
    is_long = stroke.start < start + near and end - near < stroke.end
    return stroke.thickness > 0 and abs(stroke.at - at) < near and is_long


def _are_alike(one: Box, other: Box, near: float) -> bool:
    """Whether two shades are below one another, as wide and as high."""
    level = max(abs(one[0] - other[0]), abs(one[2] - other[2])) < near
    return level and abs((one[3] - one[1]) - (other[3] - other[1])) < near


def _has_one_phrase(fill: Box, words: Words, line: float) -> bool:
    """Whether a shade holds a single phrase, apart from a number at its start."""
    phrases = [chunk for own in inside_of(fill, words, line) for chunk in own.phrases]
    if len(phrases) == 2 and _NUMBER.fullmatch(phrases[0].text):
        number, title = phrases
        phrases = [title] if title.x0 - number.x1 < NUMBERED * line else phrases
    return len(phrases) == 1 and fill[3] - fill[1] <= HIGHEST * (phrases[0].y1 - phrases[0].y0)


def _is_over_rule(fill: Box, across: Sequence[Stroke], line: float) -> bool:
    """Whether a rule as wide is right below, without touching."""
    x0, _, x1, y1 = fill
    return any(
        stroke.thickness > 0
        and NEAREST * line < stroke.at - y1 < FARTHEST * line
        and min(x1, stroke.end) - max(x0, stroke.start) > AS_WIDE * (x1 - x0)
        for stroke in across
    )


def _is_alone(fill: Box, fills: Sequence[Box], line: float) -> bool:
    """Whether no other shade is near, as those of cells and alternately shaded rows are."""
    return not any(
        other is not fill
        and min(fill[2], other[2]) > max(fill[0], other[0]) - TOUCHING * line
        and other[1] - fill[3] < ALONE * line
        and fill[1] - other[3] < ALONE * line
        for other in fills
    )


def _is_level_edge(stroke: Stroke, fill: Box, near: float) -> bool:
    on_edge = min(abs(stroke.at - fill[1]), abs(stroke.at - fill[3])) <= near
    inside = fill[0] - near <= stroke.start and stroke.end <= fill[2] + near
    return stroke.thickness == 0 and on_edge and inside


def _is_side(stroke: Stroke, fill: Box, near: float) -> bool:
    on_edge = min(abs(stroke.at - fill[0]), abs(stroke.at - fill[2])) <= near
    inside = fill[1] - near <= stroke.start and stroke.end <= fill[3] + near
    return stroke.thickness == 0 and on_edge and inside
