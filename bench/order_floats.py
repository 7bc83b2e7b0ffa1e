"""Layouts with interruptions of columns: figures, tables, a large quotation."""

from __future__ import annotations

import math
from dataclasses import replace

from bench.order_pages import Part, Piece
from bench.order_sheet import Sheet

Order = tuple[int, ...]


def across(sheet: Sheet, *, table: bool) -> list[Order]:
    """A figure or table across the page in its middle: the columns above are read first."""
    sheet.running()
    top = sheet.title() if sheet.chance.random() < 0.5 else sheet.top
    columns = sheet.columns(*[1] * sheet.chance.choice([2, 2, 3]))
    middle = top + (sheet.bottom - top) * sheet.chance.uniform(0.25, 0.45)
    for edges in columns:
        sheet.column(edges, top, middle, headings=False)
    y = middle + sheet.pitch * sheet.chance.uniform(0.4, 1.6)
    if table:
        y = sheet.table(sheet.inner, y, sheet.chance.randint(4, 9))
    else:
        y = sheet.figure(sheet.inner, y, sheet.height * sheet.chance.uniform(0.1, 0.2))
    for edges in columns:
        sheet.column(edges, y, sheet.bottom, headings=False)
    sheet.number()
    return []


def across_some(sheet: Sheet) -> list[Order]:
    """A figure across two of three columns, at their top or their bottom.

    Read with the first of its columns, or before or after all of them.
    """
    sheet.running()
    columns = sheet.columns(1, 1, 1)
    wide = columns[:2] if sheet.chance.random() < 0.5 else columns[1:]
    tall = sheet.height * sheet.chance.uniform(0.15, 0.25)
    at_top = sheet.chance.random() < 0.5
    top, bottom = sheet.top, sheet.bottom
    held = sheet.parts
    sheet.parts = []
    edges = (wide[0][0], wide[1][1])
    y = sheet.figure(edges, top if at_top else bottom - tall - 5 * sheet.pitch, tall)
    figure, sheet.parts = sheet.parts, held
    first = len(held)
    starts = []
    for place in columns:
        starts.append(len(sheet.parts))
        if place not in wide:
            sheet.column(place, top, bottom)
        elif at_top:
            sheet.column(place, y, bottom)
        else:
            sheet.column(place, top, bottom - tall - 6.5 * sheet.pitch)
    end = len(sheet.parts)
    sheet.parts += figure
    own = range(end, end + len(figure))
    sheet.number()
    rest = range(end + len(figure), len(sheet.parts))
    at = [first, end, *(starts[columns.index(place)] for place in wide)]
    at += [starts[columns.index(wide[0]) + 1]]
    return [(*range(place), *own, *range(place, end), *rest) for place in at]


def in_column(sheet: Sheet, *, table: bool) -> list[Order]:
    """A figure or table in one column, at its top, its bottom or between."""
    sheet.running()
    top = sheet.title() if sheet.chance.random() < 0.5 else sheet.top
    columns = sheet.columns(*[1] * sheet.chance.choice([2, 2, 3]))
    chosen = sheet.chance.randrange(len(columns))
    share = sheet.chance.choice([0.0, 0.0, 0.4, 0.6])
    for place, edges in enumerate(columns):
        y = top
        if place == chosen:
            if share:
                bottom = top + (sheet.bottom - top) * share
                sheet.column(edges, top, bottom)
                y = bottom + sheet.pitch
            if table:
                y = sheet.table(edges, y, sheet.chance.randint(4, 9))
            else:
                y = sheet.figure(edges, y, sheet.height * sheet.chance.uniform(0.1, 0.2))
        sheet.column(edges, y, sheet.bottom)
    sheet.number()
    return []


def quotation(sheet: Sheet) -> list[Order]:
    """A line in large letters set between two columns, into both: read anywhere."""
    sheet.running()
    size, sheet.gap = sheet.size * 1.5, 0.0
    left, right = sheet.columns(1, 1)
    middle = (left[0] + right[1]) / 2
    deep = (right[1] - left[0]) * sheet.chance.uniform(0.12, 0.18)
    pieces = sheet.set_lines((middle - deep, middle + deep), 0.0, count=4, size=size)
    above = sheet.chance.randint(12, 20)
    beside = math.ceil((pieces[-1].box[3] + 2 * size) / sheet.pitch)
    y0 = sheet.top + above * sheet.pitch
    y1 = y0 + beside * sheet.pitch
    starts = []
    for edges, inner in (
        (left, (left[0], middle - deep - size)),
        (right, (middle + deep + size, right[1])),
    ):
        starts.append(len(sheet.parts))
        for part, top, bottom in ((edges, sheet.top, y0), (inner, y0, y1)):
            sheet.column(part, top, bottom - (sheet.pitch - sheet.size) / 2, headings=False)
        sheet.column(edges, y1, sheet.bottom, headings=False)
    y0 += (y1 - y0 - pieces[-1].box[3]) / 2
    end = len(sheet.parts)
    sheet.parts.append(Part(kind="aside", size=size, pieces=tuple(_lower(pieces, y0))))
    sheet.number()
    rest = range(end + 1, len(sheet.parts))
    return [
        (*range(place), end, *range(place, end), *rest) for place in range(starts[0], end + 1)
    ]


def _lower(pieces: list[Piece], y: float) -> list[Piece]:
    return [
        replace(piece, boxes=tuple((a, b + y, c, d + y) for a, b, c, d in piece.boxes))
        for piece in pieces
    ]
