"""Boxes of words from their first and last characters: upright, turned, scattered."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pagetide.geometry import Box, center, union
from pagetide.inputs.text.lines import NEW_LINE, PlacedWord, turned


def at_ends(words: Sequence[PlacedWord]) -> list[int]:
    """The indexes of the words that start or end one of PDFium's lines."""
    begins = [*(word[2] == NEW_LINE for word in words), True]
    return [at for at in range(len(words)) if begins[at] or begins[at + 1]]


def stands_behind(last: Box, letter: Box) -> bool:
    """Whether an upright letter continues where the last ended."""
    height = max(last[3] - last[1], letter[3] - letter[1])
    level = min(last[3], letter[3]) - max(last[1], letter[1])
    return level > 0 and -height / 2 <= letter[0] - last[2] <= height


def _upright(first: Box, last: Box) -> Box:
    left, low, right, high = first
    next_left, next_low, next_right, next_high = last
    return (
        left if left < next_left else next_left,
        low if low < next_low else next_low,
        right if right > next_right else next_right,
        high if high > next_high else next_high,
    )


def along(first: Box, last: Box, angle: float) -> Box:
    """A turned word's box, seen along its direction.

    Exact for quarter turns. Of other characters only upright bounds are known, `w cos + h sin`
    wide and `w sin + h cos` high, so their height is taken to be 0.7 of `w + h`, as it is for a
    letter half an em wide.
    """
    if angle % 90 == 0:
        return turned(_upright(first, last), angle)
    slant = abs(math.cos(math.radians(angle))) + abs(math.sin(math.radians(angle)))
    around = (first[2] - first[0] + first[3] - first[1]) / slant
    middles = [turned((*center(box), *center(box)), angle) for box in (first, last)]
    left, low, right, high = union(middles)
    return (
        left - 0.15 * around,
        low - 0.35 * around,
        right + 0.15 * around,
        high + 0.35 * around,
    )
