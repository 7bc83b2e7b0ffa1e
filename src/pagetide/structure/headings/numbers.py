"""Joins numbers far to the left with their headings, and with the paragraphs they start.

So are bullets with their items. Otherwise the space between would be taken for a gutter, and
the number or bullet for a separate block.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from statistics import median

from pagetide.document import Line
from pagetide.geometry import Box
from pagetide.structure.rows import BULLETS, has_word

LARGE = 1.2  # typical line heights: of a heading that is not bold
GAP = 4.0  # of a number's height, to its heading
NEXT = 2.0  # of a number's height, to the middle of the next row
LONG = 15.0  # of a number's height: a line of a paragraph
BACK = 6.0  # of a number's height: the most that a paragraph's first line is indented
MOST_LEVEL = 50  # lines of the next rows that are examined
MOST_NUMBERS = 200  # a page with more isolated ones is a plot or a table
NUMBER = re.compile(
    r"(\d{1,2}(\.\d{1,3}){0,4}|[IVXLC]{1,6}|[A-Z])[.):]?|\(\d{1,2}\)|§\s?\d{1,3}"
)
_BULLET = re.compile(f"[{BULLETS}]")

Unit = tuple[int, ...]


def with_numbers(lines: Sequence[Line], boxes: Sequence[Box]) -> list[Unit]:
    """The places of all lines, a number's or bullet's together with that of the text after it.

    After a number that is a heading, or a paragraph whose next line returns below the number.

    Args:
        lines: Of running text, any order.
        boxes: Theirs, upright.
    """
    usual = median([box[3] - box[1] for box in boxes] or [0.0])
    numbers = [n for n, line in enumerate(lines) if NUMBER.fullmatch(line.text.strip())]
    bullets = {n for n, line in enumerate(lines) if _BULLET.fullmatch(line.text.strip())}
    numbers += sorted(bullets)
    if not 0 < len(numbers) <= MOST_NUMBERS:
        return [(place,) for place in range(len(lines))]
    order = sorted(range(len(lines)), key=lambda place: _middle(boxes[place]))
    middles = [_middle(boxes[place]) for place in order]
    of_heading: dict[int, int] = {}
    for number in numbers:
        box = boxes[number]
        near = (box[3] - box[1]) / 2
        low = bisect_left(middles, _middle(box) - near)
        high = bisect_right(middles, _middle(box) + near)
        behind = (p for p in order[low:high] if 0 <= boxes[p][0] - box[2] < 2 * GAP * near)
        nearest = min(behind, key=lambda place: boxes[place][0], default=None)
        if nearest is None:
            continue
        below = [boxes[p] for p in _below(box, middles, order)]
        if (
            (number in bullets and has_word(lines[nearest].text))
            or _heads(lines[nearest], boxes[nearest], usual)
            or _runs_in(box, boxes[nearest], below)
        ):
            of_heading.setdefault(nearest, number)
    taken = set(of_heading.values())
    return [
        (of_heading[place], place) if place in of_heading else (place,)
        for place in range(len(lines))
        if place not in taken
    ]


def _below(box: Box, middles: Sequence[float], order: Sequence[int]) -> Sequence[int]:
    """The places of the lines in the next row or two, from the top."""
    height = box[3] - box[1]
    low = bisect_right(middles, _middle(box) + height / 2)
    high = bisect_right(middles, _middle(box) + NEXT * height)
    return order[low : min(high, low + MOST_LEVEL)]


def _runs_in(number: Box, text: Box, below: Sequence[Box]) -> bool:
    """Whether a long line goes on left of its number, or below the gap after that."""
    height = number[3] - number[1]
    if text[2] - text[0] < LONG * height:
        return False
    rows = [box for box in below if box[0] < text[2] and box[2] > number[0] - BACK * height]
    if not rows:
        return False
    left, _, right, _ = rows[0]
    crosses = left < number[2] and right > text[0] + LONG * height / 2
    step = number[0] - left
    return crosses or height < step < BACK * height


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2


def _heads(line: Line, box: Box, usual: float) -> bool:
    """Whether a line is bold or large, as headings are, and not a number."""
    is_large = box[3] - box[1] >= LARGE * usual
    return has_word(line.text) and (line.bold or is_large)
