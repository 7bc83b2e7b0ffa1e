"""A picture's rules and shades, put together."""

from __future__ import annotations

import cv2
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pagetide.engines.rules.check_boxes import find_check_boxes
from pagetide.engines.rules.letters import letter_height
from pagetide.engines.rules.shades import find_shades
from pagetide.engines.rules.strokes import level_strokes
from pagetide.engines.rules.upright import Upright
from pagetide.geometry import Box, union
from pagetide.layout import Drawn, Rule
from pagetide.layout.ruling import Piece, rules_of

_MOST_RULES = 2000

# A page at 144 dpi has 1684 rows; at twice that, rules are found as well at half the size.
_MOST_PIXELS = 2600
# Letters so low, and the lines beside them, are distinguished better at twice the size; of a
# whole page that would take too long.
_SMALL, _FEW_PIXELS = 11.0, 600_000

# In heights of a letter; 0.7 of a line of text is a letter's height, and the rest is space.
_SHORTEST = 3.4
_SHORTEST_DOWN = 4.0
_SHORTEST_MEETING = 1.7
_MEETING = 0.5
_PIECE, _PIECE_DOWN = 2.5, 1.6  # of a broken line
_POINT = 6.0  # points in a letter's height


def look(grey: NDArray[np.uint8], angle: float) -> Drawn:
    """See `find_rules`."""
    letter = letter_height(grey)
    upright = Upright.of(grey.shape[1], grey.shape[0], angle, _scale(grey, letter))
    letter *= upright.scale
    grey = upright.set(grey)
    shades, grounds = find_shades(grey, letter)
    across, down = _strokes(grey, letter)
    if grounds:
        left, top, right, bottom = (round(side) for side in union(grounds))
        light = _strokes(cv2.bitwise_not(grey[top:bottom, left:right]), letter)
        across += [(y + top, x0 + left, x1 + left, wide) for y, x0, x1, wide in light[0]]
        down += [(x + left, y0 + top, y1 + top, wide) for x, y0, y1, wide in light[1]]
    rules = _rules(across, down, shades, letter)
    boxes = find_check_boxes(grey, letter)
    return Drawn(
        rules=tuple([_back(rule, upright) for rule in rules[:_MOST_RULES]]),
        fills=tuple([upright.box_back(box) for box in shades]),
        check_boxes=tuple([replace(b, box=upright.box_back(b.box)) for b in boxes]),
        too_many=len(rules) > _MOST_RULES,
    )


def _scale(grey: NDArray[np.uint8], letter: float) -> float:
    """How much larger or smaller a picture is looked at."""
    if max(grey.shape) > _MOST_PIXELS:
        return 0.5
    return 2.0 if letter < _SMALL and grey.size < _FEW_PIXELS else 1.0


def _strokes(grey: NDArray[np.uint8], letter: float) -> tuple[list[Piece], list[Piece]]:
    """Dark lines that run across, and those that run down."""
    turned = np.asarray(cv2.transpose(grey), np.uint8)
    return level_strokes(grey, letter, _PIECE), level_strokes(turned, letter, _PIECE_DOWN)


def _rules(
    across: list[Piece], down: list[Piece], fills: tuple[Box, ...], letter: float
) -> list[Rule]:
    for x0, y0, x1, y1 in fills:
        across += [(y0, x0, x1, 0.0), (y1, x0, x1, 0.0)]
        down += [(x0, y0, y1, 0.0), (x1, y0, y1, 0.0)]
    unit = letter / _POINT
    level = rules_of(across, [], unit=unit, shortest=_SHORTEST * letter)
    upright = rules_of([], down, unit=unit, shortest=_SHORTEST_MEETING * letter)
    return level + [
        rule
        for rule in upright
        if rule.end[1] - rule.start[1] >= _SHORTEST_DOWN * letter
        or any(_meet(other, rule, _MEETING * letter) for other in level)
    ]


def _meet(level: Rule, upright: Rule, near: float) -> bool:
    """Whether an upright rule begins or ends at a level one, or crosses it."""
    (x, top), bottom = upright.start, upright.end[1]
    return (
        level.start[0] - near <= x <= level.end[0] + near
        and top - near <= level.start[1] <= bottom + near
    )


def _back(rule: Rule, upright: Upright) -> Rule:
    return Rule(
        start=upright.back(rule.start),
        end=upright.back(rule.end),
        thickness=upright.length_back(rule.thickness),
    )
