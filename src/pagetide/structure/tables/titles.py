"""Shades behind a section's title: what stands over a ruled table is not its first row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pagetide.geometry import Box
from pagetide.structure.tables.frames import Stroke
from pagetide.structure.tables.pieces import Words, chunks_of, inside_of

HIGHEST = 3.0  # line heights
# Line heights between the shade and the table's first rule: a shade that touches it is a row.
NEAREST, FARTHEST = 0.2, 1.5
AS_WIDE = 0.9  # of the shade: the rule below


def without_titles(
    across: Sequence[Stroke],
    down: Sequence[Stroke],
    fills: Iterable[Box],
    words: Words,
    line: float,
) -> tuple[list[Stroke], list[Stroke]]:
    """The rules without the edges of shades that titles over ruled tables have.

    Args:
        across: From left to right, edges of shades with no thickness.
        down: From top to bottom, likewise.
        fills: The shades.
        words: The page's.
        line: Its typical line height.
    """
    titles = [fill for fill in fills if _is_title(fill, across, words, line)]
    if not titles:
        return list(across), list(down)
    near = line / 8
    kept = [s for s in across if not any(_is_level_edge(s, fill, near) for fill in titles)]
    steep = [s for s in down if not any(_is_side(s, fill, near) for fill in titles)]
    return kept, steep


def _is_title(fill: Box, across: Sequence[Stroke], words: Words, line: float) -> bool:
    x0, y0, x1, y1 = fill
    if y1 - y0 > HIGHEST * line or not any(
        stroke.thickness > 0
        and NEAREST * line < stroke.at - y1 < FARTHEST * line
        and min(x1, stroke.end) - max(x0, stroke.start) > AS_WIDE * (x1 - x0)
        for stroke in across
    ):
        return False
    return sum(len(chunks_of(of_line)) for of_line in inside_of(fill, words, line)) == 1


def _is_level_edge(stroke: Stroke, fill: Box, near: float) -> bool:
    on_edge = min(abs(stroke.at - fill[1]), abs(stroke.at - fill[3])) <= near
    inside = fill[0] - near <= stroke.start and stroke.end <= fill[2] + near
    return stroke.thickness == 0 and on_edge and inside


def _is_side(stroke: Stroke, fill: Box, near: float) -> bool:
    on_edge = min(abs(stroke.at - fill[0]), abs(stroke.at - fill[2])) <= near
    inside = fill[1] - near <= stroke.start and stroke.end <= fill[3] + near
    return stroke.thickness == 0 and on_edge and inside
