"""Which of the pictures drawn on a page are figures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pagetide.geometry import Box, area, center, contains, intersection_area
from pagetide.layout import Drawn
from pagetide.structure.figures.around import with_axes
from pagetide.structure.tables.ruled.frames import Frame

BACKGROUND = 0.6  # of the page: a picture this large is behind the text
TEXT_IN_PICTURE = 0.3  # of the picture: with more text, it is behind the text
WITHIN = 0.9  # of a picture, in another
PROSE_ROWS = 4  # long lines in a picture and in none of the pictures in it
LETTER = 1.5  # line heights: a picture no larger, in a line, is a letter: a currency sign
AXIS_LABEL = 8.0  # of its height: longer lines are running text, which no chart contains


def drawn_figures(
    drawn: Drawn,
    frames: Sequence[Frame],
    tables: Sequence[Box],
    texts: Sequence[Box],
    page: Box,
) -> list[Box]:
    """The pictures that are figures, the largest first, with the axes they are drawn on.

    None is behind the text, in a table or in another, or a letter of a line.

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
            or _is_letter(picture, texts, tables)
            or _is_around(picture, drawn.pictures, long)
            or any(intersection_area(table, picture) > area(table) / 2 for table in tables)
        )
        inside = any(intersection_area(other, picture) > size / 2 for other in figures)
        if not behind and not inside and size > 0:
            figures.append(with_axes(picture, frames, [*tables, *long]))
    return figures


def _is_letter(picture: Box, texts: Sequence[Box], tables: Sequence[Box]) -> bool:
    """Whether a picture is as small as a letter, and is in a table or at a line's end."""
    x0, y0, x1, y1 = picture
    line = median(box[3] - box[1] for box in texts) if texts else 0.0
    return max(x1 - x0, y1 - y0) <= LETTER * line and (
        any(contains(table, center(picture)) for table in tables)
        or any(
            top < (y0 + y1) / 2 < bottom and max(left - x1, x0 - right) < line
            for left, top, right, bottom in texts
        )
    )


def _is_around(picture: Box, pictures: Sequence[Box], long: Sequence[Box]) -> bool:
    """Whether a drawing surrounds smaller pictures and running text between them."""
    inner = [
        other
        for other in pictures
        if other != picture and intersection_area(other, picture) > WITHIN * area(other) > 0
    ]
    own = [box for box in long if contains(picture, center(box))]
    free = [box for box in own if not any(contains(other, center(box)) for other in inner)]
    return len(inner) > 1 and len(free) >= PROSE_ROWS
