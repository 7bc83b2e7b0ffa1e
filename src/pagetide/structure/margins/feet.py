"""A page foot in columns, as in business letters: everything far below the rest of a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.margins.edges import (
    FOOT,
    FOOT_GUTTER,
    FOOT_ROOM,
    FOOT_ROWS,
    NOTE,
    is_page_number,
)
from pagetide.structure.running import RowsOf

COLUMNS = 2


def feet(
    rows: RowsOf, places: Sequence[int], solids: Sequence[Box], page: Box
) -> tuple[list[Draft], list[int]]:
    """The columns of a page's foot, a separate page number, and the places that are in none.

    Args:
        rows: The lines.
        places: Those that may be in it.
        solids: Boxes of the tables.
        page: The page's box.
    """
    low = page[3] - FOOT * (page[3] - page[1])
    found = [place for place in places if rows.boxes[place][1] > low]
    if len(found) <= COLUMNS:
        return [], list(places)
    usual = median(rows.boxes[place][3] - rows.boxes[place][1] for place in places)
    top = min(rows.boxes[place][1] for place in found)
    others = [rows.boxes[place] for place in places if rows.boxes[place][1] <= low]
    above = max((box[3] for box in (*others, *solids)), default=top)
    columns = _columns(found, rows.boxes)
    fits = all(len(column) <= FOOT_ROWS for column in columns)
    several = max(map(len, columns)) > 1
    noted = any(NOTE.match(_texts(rows, column)[0]) for column in columns if len(column) > 1)
    if (
        top - above < FOOT_ROOM * usual
        or len(columns) < COLUMNS
        or not (fits and several)
        or noted
    ):
        return [], list(places)
    drafts = [
        Draft(
            kind="page_number" if is_page_number(" ".join(_texts(rows, column))) else "footer",
            rows=tuple(rows.row([place]) for place in column),
        )
        for column in columns
    ]
    taken = set(found)
    return drafts, [place for place in places if place not in taken]


def _columns(places: Sequence[int], boxes: Sequence[Box]) -> list[list[int]]:
    """The places by column, split at full-height gaps, each from the top."""
    ordered = sorted(places, key=lambda place: boxes[place][0])
    line = median(boxes[place][3] - boxes[place][1] for place in places)
    columns, right = [[ordered[0]]], boxes[ordered[0]][2]
    for _, place in pairwise(ordered):
        if boxes[place][0] - right > FOOT_GUTTER * line:
            columns.append([])
        columns[-1].append(place)
        right = max(right, boxes[place][2])
    return [sorted(column, key=lambda place: boxes[place][1]) for column in columns]


def _texts(rows: RowsOf, places: Sequence[int]) -> list[str]:
    return [rows.lines[rows.members[place]].text for place in places]
