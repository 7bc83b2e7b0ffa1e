"""Which of the pictures that are drawn on a page are figures."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.geometry import Box, area, center, contains, intersection_area
from pagetide.layout import Drawn
from pagetide.structure.figures import with_axes
from pagetide.structure.tables.frames import Frame

BACKGROUND = 0.6  # of the page: a picture that large lies behind the text
TEXT_IN_PICTURE = 0.3  # of the picture: more text than that, and it lies behind the text
WITHIN = 0.9  # of a picture, in another
PROSE_ROWS = 4  # long lines in a picture and in none of the pictures that are in it
AXIS_LABEL = 8.0  # of its height: longer lines are running text, which no chart holds


def drawn_figures(
    drawn: Drawn,
    frames: Sequence[Frame],
    tables: Sequence[Box],
    texts: Sequence[Box],
    page: Box,
) -> list[Box]:
    """The pictures that are figures, the largest first, with the axes they are drawn on.

    None lies behind the text, in a table or in another.

    Args:
        drawn: What is drawn on the page, upright.
        frames: Its rules that meet.
        tables: Boxes of the tables found.
        texts: Boxes of the lines in none of them.
        page: The page's.
    """
    figures: list[Box] = []
    long = [box for box in texts if box[2] - box[0] > AXIS_LABEL * (box[3] - box[1])]
    for picture in sorted(drawn.pictures, key=area, reverse=True):
        size = area(picture)
        text = sum(intersection_area(box, picture) for box in texts)
        behind = (
            size > BACKGROUND * area(page)
            or text > TEXT_IN_PICTURE * size
            or _is_around(picture, drawn.pictures, long)
            or any(intersection_area(table, picture) > area(table) / 2 for table in tables)
        )
        inside = any(intersection_area(other, picture) > size / 2 for other in figures)
        if not behind and not inside and size > 0:
            figures.append(with_axes(picture, frames, [*tables, *long]))
    return figures


def _is_around(picture: Box, pictures: Sequence[Box], long: Sequence[Box]) -> bool:
    """Whether what is drawn lies around smaller pictures and running text between them."""
    inner = [
        other
        for other in pictures
        if other != picture and intersection_area(other, picture) > WITHIN * area(other) > 0
    ]
    own = [box for box in long if contains(picture, center(box))]
    free = [box for box in own if not any(contains(other, center(box)) for other in inner)]
    return len(inner) > 1 and len(free) >= PROSE_ROWS
