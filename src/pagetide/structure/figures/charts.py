"""Charts and diagrams of a page, with their lines, which are in no table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pagetide.geometry import Box, area, center, contains, intersection_area
from pagetide.layout import Drawn
from pagetide.structure.figures.around import labels_of
from pagetide.structure.figures.drawn import BACKGROUND, PROSE_ROWS, TEXT_IN_PICTURE
from pagetide.structure.running import RowsOf

_MOST = 20  # of a page
_FAR = 0.5  # of a chart's longer side: labels, and text that continues in one, are no farther
_MOST_NEAR = 400  # lines around a chart: if there are more, none is its label
_WIDE = 12.0  # of its height: longer lines are in no chart


class Chart(NamedTuple):
    """A chart's box, and the places of the lines in it and around it."""

    box: Box
    places: tuple[int, ...]


def charts_on(rows: RowsOf, drawn: Drawn, page: Box) -> list[Chart]:
    """A page's charts; none is behind the text, or has paragraphs in it.

    Args:
        rows: Of the page's lines.
        drawn: What is drawn, upright.
        page: The page's box.
    """
    found: list[Chart] = []
    left = list(range(len(rows.boxes))) if drawn.charts else []
    for box in drawn.charts[:_MOST]:
        inside = [place for place in left if contains(box, center(rows.boxes[place]))]
        if not _lies_behind(box, [rows.boxes[place] for place in inside], page):
            places = _with_labels(box, inside, left, rows, drawn.fills)
            found.append(Chart(box, tuple(places)))
            taken = set(places)
            left = [place for place in left if place not in taken]
    return found


def _lies_behind(box: Box, texts: Sequence[Box], page: Box) -> bool:
    """Whether a drawing is the background of a page, or of paragraphs."""
    text = sum(intersection_area(each, box) for each in texts)
    long = sum(x1 - x0 > _WIDE * (y1 - y0) for x0, y0, x1, y1 in texts)
    return (
        area(box) > BACKGROUND * area(page)
        or text > TEXT_IN_PICTURE * area(box)
        or long >= PROSE_ROWS
    )


def _with_labels(
    box: Box, inside: list[int], left: Sequence[int], rows: RowsOf, fills: Sequence[Box]
) -> list[int]:
    x0, y0, x1, y1 = box
    held, far = set(inside), _FAR * (max(x1 - x0, y1 - y0))
    outside = [
        place
        for place in left
        if place not in held
        and rows.boxes[place][0] < x1 + far
        and rows.boxes[place][2] > x0 - far
        and rows.boxes[place][1] < y1 + far
        and rows.boxes[place][3] > y0 - far
    ]
    if len(outside) > _MOST_NEAR:
        return inside
    labels = labels_of(box, [rows.row([place]) for place in outside], fills)
    return inside + [outside[label] for label in labels]
