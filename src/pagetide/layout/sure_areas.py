"""Whether a layout model knows pages such as this one, and what remains where it does not.

A model trained on papers finds something on every page: on letters, bills and forms it takes
whole columns for figures, items for references and headings for captions. It is unsure of
them, or leaves much of the text out; there the lines by themselves tell more.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import Box, Point, box_of, center, contains
from pagetide.layout import PICTURED, Area

SURE = 0.8  # mean confidence of the letters outside tables, 0 for those in no area
LETTERED = 0.1  # of a page's letters: a figure with more of them may be a form


def describe(areas: Sequence[Area], lines: Sequence[Line]) -> bool:
    """Whether the text outside tables, if there is any line, is in areas the model is sure of.

    Text in a figure is in none: the model takes forms for one.

    Args:
        areas: Of the page.
        lines: All of the page, with polygons in the same pixels.
    """
    boxes = [(box_of(area.polygon), area) for area in areas]
    letters = believed = 0.0
    for middle, count in _places(lines):
        around = [area for box, area in boxes if contains(box, middle)]
        if not any(area.kind == "table" for area in around):
            letters += count
            believed += count * max(map(_confidence, around), default=0.0)
    return not lines or believed > SURE * letters


def figures(areas: Sequence[Area], lines: Sequence[Line]) -> list[Box]:
    """The boxes of figures with few of the page's letters in them; see `describe`."""
    places = _places(lines)
    most = LETTERED * sum(count for _, count in places)
    boxes = [box_of(area.polygon) for area in areas if area.kind in PICTURED]
    return [
        box
        for box in boxes
        if sum(count for middle, count in places if contains(box, middle)) <= most
    ]


def _places(lines: Sequence[Line]) -> list[tuple[Point, int]]:
    """The middle of each line, and how many letters it has."""
    return [(center(box_of(line.polygon)), len(line.text)) for line in lines]


def _confidence(area: Area) -> float:
    if area.kind in PICTURED:
        return 0.0
    return 1.0 if area.confidence is None else area.confidence
