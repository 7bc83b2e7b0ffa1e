"""The words of upright lines in runs that stand together, without more than their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pagetide.document import Line
from pagetide.geometry import Box, Polygon, box_of
from pagetide.structure.tables.pieces import FIGURE_GAP, is_figure


class Run(NamedTuple):
    """Neighbouring words of a line, and the box around them."""

    texts: Sequence[str]
    boxes: Sequence[Box]
    box: Box


def runs_in(line: Line, gap: float) -> list[Run] | None:
    """A line's words, parted where a space between two is wider.

    None where figures may be of two columns, which takes a look at the whole page; empty where
    words do not run to the right, or are parted by anything but single spaces.

    Args:
        line: Upright, as it stands on the page.
        gap: Between two words of a run at most, in heights.
    """
    texts = [word.text for word in line.words]
    boxes = [_box(word.polygon) for word in line.words]
    is_plain = " ".join(texts) == line.text and bool(texts)
    cuts = [0]
    for place in range(1, len(boxes)):
        x0, y0, x1, y1 = boxes[place]
        right = boxes[place - 1][2]
        space = (x0 - right) / (y1 - y0) if y1 > y0 else 0.0
        if space > FIGURE_GAP:
            if is_figure(texts[place]) and is_figure(texts[place - 1]):
                return None
            if space > gap:
                cuts.append(place)
        is_plain = is_plain and x1 >= right
    if not is_plain:
        return []
    ends = [*cuts[1:], len(boxes)]
    return [_run(texts[a:b], boxes[a:b]) for a, b in zip(cuts, ends, strict=True)]


def _run(texts: Sequence[str], boxes: Sequence[Box]) -> Run:
    tops, feet = [box[1] for box in boxes], [box[3] for box in boxes]
    return Run(texts, boxes, (boxes[0][0], min(tops), boxes[-1][2], max(feet)))


def _box(polygon: Polygon) -> Box:
    """The box around a word, without a search where it is one."""
    if len(polygon) == 4:
        (x0, y0), (right, top), (x1, y1), (left, foot) = polygon
        if x0 == left and y0 == top and x1 == right and y1 == foot and x0 <= x1 and y0 <= y1:
            return (x0, y0, x1, y1)
    return box_of(polygon)
