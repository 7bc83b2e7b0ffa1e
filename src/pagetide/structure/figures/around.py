"""What belongs to a drawn figure: the names and numbers around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from statistics import median

from pagetide.geometry import Box, area, intersection_area, union
from pagetide.structure.figures.caption_names import CAPTION
from pagetide.structure.figures.ticks import ticks_of
from pagetide.structure.rows import Row
from pagetide.structure.tables.ruled.frames import Frame

LABEL = 0.4  # of the figure's width: the longest of its labels
LETTERS = 24
NEAR = 1.2  # line heights
UNIT = 3  # characters of one, at most
AXIS_LETTERS, MIDDLE = 48, 0.15  # of an axis's name, and its distance from the middle
KEY = 1.5  # line heights: the side of a legend's key, and the space after it
UPRIGHT = 2.0  # times its width: a key is no higher
MOST_KEYS = 50
LEGEND = 3.0  # line heights between a figure and its legend
HELD = 0.5  # of a curve's box that its axes contain
IN_ROW = 3  # a table's cells
LARGER = 1.25  # times the height of labels
_NUMBERED = re.compile(r"\d{1,3}[.)]\s")
ROUNDS = 3  # a tick's number, then the axis's name


def with_axes(figure: Box, frames: Sequence[Frame], others: Sequence[Box]) -> Box:
    """A figure's box with the axes that meet, on which its curve is drawn.

    Args:
        figure: What is drawn of it.
        frames: The page's rules.
        others: Boxes that no chart contains: tables and running text.
    """
    for frame in frames:
        whole = union([figure, frame.box])
        if (
            frame.across
            and frame.down
            and intersection_area(frame.box, figure) > HELD * area(figure)
            and not any(intersection_area(whole, other) for other in others)
        ):
            figure = whole
    return figure


def labels_of(figure: Box, rows: Sequence[Row], fills: Sequence[Box] = ()) -> list[int]:
    """The places of the rows that label a figure: short, near it, and in no paragraph.

    Several side by side above its labels do not count: they are a table's last row.

    Args:
        figure: Its box.
        rows: Single lines that no figure holds.
        fills: Boxes filled with a colour: a legend has a small one before each of its rows.
    """
    ticks = ticks_of(figure, rows)
    wide = figure[2] - figure[0]
    most = LABEL * wide
    keys = _keys(figure, rows, fills)
    long = [r for r in rows if r.box[2] - r.box[0] > most or len(r.text) > LETTERS]
    found: list[int] = []
    for turn in range(ROUNDS):
        keyed = [
            row
            for row in rows
            if row.box[2] - row.box[0] <= wide and _is_keyed(row, figure, keys)
        ]
        prose = [row for row in long if row not in keyed]
        new = [
            place
            for place, row in enumerate(rows)
            if place not in found
            and (
                row in keyed
                or (row not in long and _is_near(row, figure))
                or _names_axis(row, figure)
            )
            and not CAPTION.match(row.text)
            and not any(_ends(row, other) for other in prose if other is not row)
            and not _is_of_text(row, figure)
            and (row in keyed or not (turn and _is_row_above(row, figure, rows)))
            and not _is_title(row, figure, [rows[place] for place in {*ticks, *found}])
        ]
        if not new:
            break
        found += new
        figure = union([figure, *(rows[place].box for place in new)])
    return [*found, *(tick for tick in ticks if tick not in found)]


def _is_near(row: Row, figure: Box) -> bool:
    x0, y0, x1, y1 = row.box
    across, down = max(x0 - figure[2], figure[0] - x1), max(y0 - figure[3], figure[1] - y1)
    touches = intersection_area(row.box, figure) > 0
    # Beside it or below it; only an axis's unit is off a corner.
    is_beside = min(across, down) <= 0 or len(row.text) <= UNIT
    return touches or (max(across, down) <= NEAR * row.height and is_beside)


def _is_row_above(row: Row, figure: Box, rows: Sequence[Row]) -> bool:
    """Whether several rows are side by side above a figure, this one among them."""
    level = sum(abs(other.middle - row.middle) < row.height / 2 for other in rows)
    return row.box[3] <= figure[1] and level >= IN_ROW


def _is_of_text(row: Row, figure: Box) -> bool:
    """Whether a row outside a figure is a list's, or a bold one above that is not its title.

    Below an axis, `1. Quartal` is a label.
    """
    if intersection_area(row.box, figure) > 0:
        return False
    if row.bulleted or row.box[3] > figure[1]:
        return row.bulleted
    off = abs(row.box[0] + row.box[2] - figure[0] - figure[2]) / 2
    is_title = off < MIDDLE * (figure[2] - figure[0])
    return _NUMBERED.match(row.text) is not None or (row.bold and not is_title)


def _is_title(row: Row, figure: Box, labels: Sequence[Row]) -> bool:
    """Whether a row above a figure is larger than the labels known so far: a heading."""
    usual = median([label.height for label in labels] or [inf])
    return row.box[3] <= figure[1] and row.height > LARGER * usual


def _names_axis(row: Row, figure: Box) -> bool:
    """Whether a row is below the middle of a figure and is narrower."""
    x0, y0, x1, _ = row.box
    wide = figure[2] - figure[0]
    is_below = 0 <= y0 - figure[3] + row.height / 4 <= NEAR * row.height
    off = abs(x0 + x1 - figure[0] - figure[2]) / 2
    return is_below and off < MIDDLE * wide and x1 - x0 < wide and len(row.text) <= AXIS_LETTERS


def _keys(figure: Box, rows: Sequence[Row], fills: Sequence[Box]) -> list[Box]:
    """The shades near a figure that are small enough to be a legend's keys.

    A narrow upright bar is none: it is drawn before a heading, as high as its letters.
    """
    tall = max((row.height for row in rows), default=0.0)
    far = MOST_KEYS * tall
    return [
        (x0, y0, x1, y1)
        for x0, y0, x1, y1 in fills
        if max(x1 - x0, y1 - y0) <= KEY * tall
        and y1 - y0 <= UPRIGHT * (x1 - x0)
        and figure[0] - far <= x0 <= figure[2] + far
        and figure[1] - far <= y0 <= figure[3] + far
    ][:MOST_KEYS]


def _is_keyed(row: Row, figure: Box, fills: Sequence[Box]) -> bool:
    """Whether a small shade beside a row shows which part of a figure it names."""
    x0, _, x1, _ = row.box
    return any(
        max(right - left, bottom - top) <= KEY * row.height
        and 0 <= max(x0 - right, left - x1) <= KEY * row.height
        and top < row.middle < bottom
        and max(left - figure[2], figure[0] - right) <= LEGEND * row.height
        and top < figure[3] + LEGEND * row.height
        and bottom > figure[1] - LEGEND * row.height
        for left, top, right, bottom in fills
    )


def _ends(row: Row, other: Row) -> bool:
    """Whether a row is the last of a paragraph whose previous row is the other."""
    left = abs(row.box[0] - other.box[0]) < row.height / 2
    return left and abs(row.middle - other.middle) < 2 * row.height
