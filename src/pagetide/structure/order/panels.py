"""Shaded panels beside a text, as in a warning: a symbol over a word, read before the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pagetide.geometry import Box, center, contains, union

MOST_FILLS = 200  # a page with more is a drawing
MOST_LINES = 3  # in a panel
LEAST_LINES = 2  # of the text beside it
NARROW = 0.5  # of the text's width
FULL = 0.75  # of the text's width: a line that another one continues
# In line heights.
NEXT = 0.6  # from a line to one that goes on below: a panel's text ends where the panel does
BESIDE = 2.0  # from a panel to its text
LEVEL = 0.25  # between the left ends of a text's lines


def panels(boxes: Sequence[Box], fills: Sequence[Box], line: float) -> Iterator[list[Box]]:
    """Panels, each with the box of the text beside it.

    Cells of a table's shaded column are no panels: each is beside a line of its row, or goes on
    in a cell below.

    Args:
        boxes: Of the page's lines.
        fills: Its shades.
        line: The typical line height.
    """
    if len(fills) > MOST_FILLS:
        return
    for fill in fills:
        own = [box for box in boxes if contains(fill, center(box))]
        if not 0 < len(own) <= MOST_LINES or _is_cell(fill, fills, line):
            continue
        level = [box for box in boxes if fill[1] < center(box)[1] < fill[3] and box not in own]
        text = sorted(level, key=lambda box: box[1])
        if _is_text(text, fill, line) and not _is_cut(text, boxes, line):
            x0, _, x1, _ = union(text)
            yield [fill, (max(x0 - line / 4, fill[2]), fill[1], x1 + line / 4, fill[3])]


def _is_cell(fill: Box, fills: Sequence[Box], line: float) -> bool:
    """Whether another shade touches a shade: beside it, or as wide above or below it."""
    x0, y0, x1, y1 = fill
    near = line / 4
    others = [other for other in fills if other != fill]
    beside = (o for o in others if min(y1, o[3]) - max(y0, o[1]) > near)
    level = (o for o in others if max(abs(x0 - o[0]), abs(x1 - o[2])) < near)
    return any(min(abs(x0 - o[2]), abs(x1 - o[0])) < near for o in beside) or any(
        min(abs(y0 - o[3]), abs(y1 - o[1])) < near for o in level
    )


def _is_text(lines: Sequence[Box], fill: Box, line: float) -> bool:
    """Whether lines from the top are a text right of a panel, wider than it, that wraps."""
    if len(lines) < LEAST_LINES:
        return False
    x0, _, x1, _ = union(lines)
    is_beside = -line / 4 < x0 - fill[2] < BESIDE * line
    is_level = all(box[0] - x0 < LEVEL * line for box in lines)
    full = sum(box[2] - x0 > FULL * (x1 - x0) for box in lines[:-1])
    is_narrow = fill[2] - fill[0] < NARROW * (x1 - x0)
    return is_beside and is_level and is_narrow and 2 * full >= len(lines) - 1


def _is_cut(text: Sequence[Box], boxes: Sequence[Box], line: float) -> bool:
    """Whether a text goes on above or below."""
    x0, top, x1, bottom = union(text)
    return any(
        box not in text
        and x0 - line / 4 < box[0] < x1
        and -line / 2 < max(top - box[3], box[1] - bottom) < NEXT * line
        for box in boxes
    )
