"""Tables of names and descriptions, detected by their headers, however long the texts are.

Columns of prose alone are not a table. They are one below a shade or a rule with short names on
it, each aligned with the start of a column's texts: a glossary, parameters, duties. Below names
that are only bold they are, too, if each row starts in all columns, and some continue.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from itertools import islice, pairwise
from statistics import median
from typing import NamedTuple

from pagetide.geometry import Box, union
from pagetide.structure.tables.pieces import Piece, phrase
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.unruled.labelled import is_name
from pagetide.structure.tables.unruled.tabular import is_set_in_columns

Row = Sequence[Piece]

MOST_HEADS = 50  # on a page: below each, all rows may have to be examined
MOST_NAMES = 6
LEAST_ROWS, MOST_ROWS = 3, 200
LEAST_LINES = 2  # on which the first two columns both have text
LEAST_BELOW_BOLD = 3  # rows
# In line heights.
NEAR = 0.4  # between the starts of a name and of a text below it
RULED = 1.0  # from a header down to its rule
ROOM = 1.5  # between lines below it; and above all rows' usual distance, twice as much
GUTTER = 0.3  # between a text and the next column's, at least


class Described(NamedTuple):
    """Such a table: its box, and its column boundaries."""

    box: Box
    columns: list[float]


def described_tables(
    rows: Sequence[Row],
    across: Sequence[Stroke],
    fills: Sequence[Box],
    line: float,
    bold: Set[int] = frozenset(),
) -> Iterator[Described]:
    """Such tables, from the top.

    Args:
        rows: The phrases that no table has, grouped by baseline, from the top, each from left
            to right.
        across: The page's horizontal rules.
        fills: Its shades.
        line: Its typical line height.
        bold: Indexes of the lines in bold type.
    """
    named = (place for place, row in enumerate(rows[:-LEAST_ROWS]) if _are_names(row))
    heads = (
        (place, _reach(rows[place], across, fills, line), _is_set_off(rows, place, bold))
        for place in named
    )
    ends = 0
    for place, reach, is_bold in islice((each for each in heads if any(each[1:])), MOST_HEADS):
        if place < ends:
            continue
        head, starts = rows[place], [name.x0 for name in rows[place]]
        sides = reach or (starts[0] - line, math.inf)
        body = list(_body(rows[place + 1 : place + 1 + MOST_ROWS], starts, sides, line))
        if _is_described(body, starts, line) and (
            reach or (is_bold and _begin_together(body, starts, line))
        ):
            ends = place + 1 + len(body)
            box = union(piece[1:5] for row in (head, *body) for piece in row)
            yield Described(box, list(_borders([head, *body], starts)))


def _are_names(row: Row) -> bool:
    return 2 <= len(row) <= MOST_NAMES and all(
        is_name(piece.text) and not piece.text.endswith((":", "：")) for piece in row
    )


def _is_set_off(rows: Sequence[Row], place: int, bold: Set[int]) -> bool:
    """Whether all of a row is bold, and none of the next."""
    return all(piece.line in bold for piece in rows[place]) and not any(
        piece.line in bold for piece in rows[place + 1]
    )


def _reach(
    head: Row, across: Sequence[Stroke], fills: Sequence[Box], line: float
) -> tuple[float, float] | None:
    """The sides of the shade behind a row, or of the rule below it; None without either."""
    x0, y0, x1, y1 = union(piece[1:5] for piece in head)
    bands = [
        (fill[0], fill[2])
        for fill in fills
        if fill[1] <= head[0].middle <= fill[3] and fill[3] - fill[1] < y1 - y0 + 2 * line
    ]
    rules = [
        (stroke.start, stroke.end)
        for stroke in across
        if stroke.thickness > 0 and y1 - line / 4 <= stroke.at <= y1 + RULED * line
    ]
    near = NEAR * line
    sides = ((a, b) for a, b in (*bands, *rules) if a < x0 + near and b > x1 + line)
    return next(sides, None)


def _body(
    rows: Sequence[Row], starts: Sequence[float], reach: tuple[float, float], line: float
) -> Iterator[Row]:
    """The rows below a header, as long as their texts align with its columns."""
    left, right = reach
    above: list[float] = []
    last = None
    for row in rows:
        own = [
            part
            for piece in row
            if piece.x1 > left and piece.x0 < right
            for part in _parted(piece, starts, line)
        ]
        if not own:
            continue
        far = max(ROOM * line, 2 * median(above)) if above else ROOM * line
        top = min(piece.y0 for piece in own)
        if last is not None and top - last > far:
            return
        if not all(_is_in_column(piece, starts, right, line) for piece in own):
            return
        if last is not None:
            above.append(top - last)
        last = max(piece.y1 for piece in own)
        yield own


def _borders(rows: Sequence[Row], starts: Sequence[float]) -> Iterator[float]:
    """The column boundaries: halfway between the texts of one column and those of the next."""
    for start in starts[1:]:
        ends = (piece.x1 for row in rows for piece in row if piece.x0 < start - 1)
        yield (max(end for end in ends if end < start) + start) / 2


def _parted(piece: Piece, starts: Sequence[float], line: float) -> Iterator[Piece]:
    """A phrase, split where one of its words starts a column, with some space before."""
    words = piece.words or (piece,)
    run: list[Piece] = []
    for word in words:
        begins = any(abs(word.x0 - start) < NEAR * line for start in starts)
        if run and begins and word.x0 - run[-1].x1 > GUTTER * line:
            yield phrase(run)
            run = []
        run.append(word)
    yield phrase(run)


def _is_in_column(piece: Piece, starts: Sequence[float], right: float, line: float) -> bool:
    """Whether a text starts where a column does, and ends before the next."""
    for start, after in pairwise([*starts, right + line]):
        if abs(piece.x0 - start) < NEAR * line:
            return piece.x1 < after
    return False


def _is_described(rows: Sequence[Row], starts: Sequence[float], line: float) -> bool:
    """Whether rows have texts in all columns, and those of the first are names."""
    if len(rows) < LEAST_ROWS:
        return False
    columns = [
        [piece for row in rows for piece in row if abs(piece.x0 - start) < NEAR * line]
        for start in starts
    ]
    beside = sum(len(row) > 1 and row[0] in columns[0] for row in rows)
    return beside >= LEAST_LINES and all(columns) and not is_set_in_columns(columns[:1])


def _begin_together(rows: Sequence[Row], starts: Sequence[float], line: float) -> bool:
    """Whether all columns start a text where the first does, and several continue below.

    Lines of side-by-side addresses are separate, and at most the last continues.
    """
    begun = [abs(row[0].x0 - starts[0]) < NEAR * line for row in rows]
    full = [len(row) == len(starts) for row in rows]
    going_on = sum(a and not b for a, b in pairwise(begun))
    whole = all(f for f, is_begun in zip(full, begun, strict=True) if is_begun)
    return sum(begun) >= LEAST_BELOW_BOLD and going_on >= LEAST_LINES and whole
