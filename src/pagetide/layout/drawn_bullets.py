"""Inserts bullets that a PDF draws beside its text into the lines that follow them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Line, Word
from pagetide.geometry import Box, box_of, direction, polygon_of
from pagetide.layout.edits import Edit, edited
from pagetide.layout.words import IS_LEFTWARD

BULLET = "•"
_REACH = 2.5  # line heights from a bullet to its text, at most
_LEVEL = 0.25, 0.85  # of a line: its depth in it
_LARGEST = 0.6  # of a line's height
_ALIKE, _SAME_GAP = 1.3, 0.25  # the ratio of the sizes of two; gaps, in line heights
_ASKEW = math.radians(5)


class _Before(NamedTuple):
    """The bullet before a line, the height of the line, and the gap between, in pixels."""

    box: Box
    height: float
    gap: float


def with_drawn_bullets(lines: Sequence[Line], bullets: Sequence[Box]) -> tuple[Line, ...]:
    """The lines, with drawn bullets before them added to their text and words.

    A single mark may be anything, and a row of them a chart's key: at least two lines, one
    below the other, must have equal ones at equal distances.

    Args:
        lines: Of a page.
        bullets: Small isolated marks on it.
    """
    ordered = sorted(bullets, key=_middle)
    middles = [_middle(box) for box in ordered]
    found = dict[int, _Before]()
    for place, line in enumerate(lines if ordered else ()):
        _, top, _, low = box_of(line.polygon)
        near = ordered[bisect_left(middles, top) : bisect_right(middles, low)]
        if near and (before := _before(line, near)):
            found[place] = before
    alike = {n for n, a in found.items() if any(_alike(a, b) for b in found.values())}
    return tuple(
        _with(line, found[place].box) if place in alike else line
        for place, line in enumerate(lines)
    )


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2


def _before(line: Line, near: Sequence[Box]) -> _Before | None:
    left, top, right, low = box_of(line.polygon)
    height, leftward = low - top, bool(IS_LEFTWARD.search(line.text))
    askew = abs(math.remainder(direction(line.polygon), math.tau)) > _ASKEW
    if askew or height <= 0:
        return None
    fitting = [
        _Before(box, height, box[0] - right if leftward else left - box[2])
        for box in near
        if _LEVEL[0] <= (_middle(box) - top) / height <= _LEVEL[1]
        and box[3] - box[1] <= _LARGEST * height
    ]
    reached = [each for each in fitting if 0 <= each.gap <= _REACH * height]
    return min(reached, key=lambda each: each.gap, default=None)


def _alike(a: _Before, b: _Before) -> bool:
    sizes = sorted(each.box[3] - each.box[1] for each in (a, b))
    lower = min(a.height, b.height)
    is_below = abs(_middle(a.box) - _middle(b.box)) > lower / 2
    near = abs(a.gap - b.gap) <= _SAME_GAP * lower
    return is_below and near and sizes[1] <= _ALIKE * sizes[0]


def _with(line: Line, bullet: Box) -> Line:
    mark = Word(text=BULLET, polygon=polygon_of(bullet), confidence=line.confidence)
    changed = edited(line, [Edit(0, 0, f"{BULLET} ")])
    left, top, right, low = box_of(line.polygon)
    whole = (min(left, bullet[0]), top, max(right, bullet[2]), low)
    return replace(
        changed, polygon=polygon_of(whole), words=(mark, *line.words) if line.words else ()
    )
