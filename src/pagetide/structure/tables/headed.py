"""Heads above a table's first rule or row, and the row below its last shade."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.margins import is_sure_number
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.frames import Stroke, clipped
from pagetide.structure.tables.labelled import PAIR
from pagetide.structure.tables.pieces import (
    Piece,
    Words,
    baselines,
    chunks_of,
    has_figures,
    inside_of,
    phrase,
)

HEAD_GAP = 1.25  # line heights: heads above a rule stand so far apart; words do not
MOST_HEAD = 6  # line heights
FIRST_ROWS = 3  # line heights of the table that tell how many columns it has
AS_WIDE = 0.9  # of a table's width: a rule above it that parts it from all above
OVER = 1.0  # line heights from the middle of what a head stands over, at most
OF_CELL = 0.4  # line heights between the lines of a cell
CUT = 0.1  # line heights between two parts of a phrase
LEVEL = 0.4  # line heights: of a sum's end and those of the figures above, and of rows' edges
AS_FAR = 1.2  # of the rows' distance: one more row is no farther below
WIDE_HEAD = 0.4  # of the table's width: a head is narrower, or it is a title


def headed(
    box: Box, words: Words, line: float, *, near: float, across: Sequence[Stroke] = ()
) -> Box:
    """A table's box with its heads.

    Args:
        box: From its first rule, or its first row.
        words: Those that may be its heads or stand in it.
        line: The page's typical line height.
        near: How far above the heads stand at most, in line heights.
        across: The page's rules from left to right: above one as wide as the table is nothing
            of it.
    """
    x0, y0, x1, y1 = box
    wide = clipped(across, (-math.inf, y0 - line / 2), (x0, x1))
    ends = [rule.at for rule in wide if rule.end - rule.start >= AS_WIDE * (x1 - x0)]
    heads = _heads(box, words, line, near)
    ceiling = max(ends, default=-math.inf)
    heads = [row for row in heads if row[0].middle > ceiling]
    first = inside_of((x0, y0, x1, y0 + FIRST_ROWS * line), words, line)
    below = baselines(
        chunk for of_line in first for chunk in chunks_of(of_line) if len(chunk.text) > 1
    )
    if sum(map(len, heads)) < max(2, max(map(len, below), default=0) / 2):
        return box
    return (x0, min(piece.y0 for row in heads for piece in row), x1, y1)


def footed(box: Box, words: Words, line: float, *, near: float) -> Box:
    """A table's box with the row below its last shade, whose cells may have several lines.

    Args:
        box: To the end of its last shade.
        words: Those that may stand in the row.
        line: The page's typical line height.
        near: How far below it stands at most, in line heights.
    """
    x0, _, x1, y1 = box
    below = inside_of((x0, y1 - line / 2, x1, y1 + MOST_HEAD * line), words, line)
    rows = baselines(chunk for of_line in below for chunk in chunks_of(of_line))
    bottom = y1
    if any(_are_over_values(*both, line) for both in pairwise(rows[:2])):
        return box
    for row in rows:
        gap = (min(piece.y0 for piece in row) - bottom) / line
        is_first = bottom == y1
        wide = max(piece.x1 - piece.x0 for piece in row) > WIDE_HEAD * (x1 - x0)
        if wide or gap > (near if is_first else OF_CELL) or (is_first and len(row) < 2):
            break
        bottom = max(bottom, *(piece.y1 for piece in row))
    return (x0, box[1], x1, bottom)


def _are_over_values(names: Sequence[Piece], row: Sequence[Piece], line: float) -> bool:
    """Whether pieces without figures begin where those right below them do."""
    named = not any(has_figures(piece.text) for piece in names)
    near = min(p.y0 for p in row) - max(p.y1 for p in names) <= line
    level = all(abs(a.x0 - b.x0) < LEVEL * line for a, b in zip(names, row, strict=False))
    return len(names) == len(row) > 1 and named and near and level


def with_rows_below(box: Box, rows: Sequence[Sequence[Piece]]) -> Box:
    """A box with the rows right below it that begin and end where its text does, with a figure.

    Their pieces may be wider than its columns, as a sum's are, or so wide that a name and
    its figure are one piece; the last row has several.

    Args:
        box: Around rows.
        rows: The page's, from the top.
    """
    x0, y0, x1, y1 = box
    beside = [[p for p in row if p.x1 > x0 and p.x0 < x1] for row in rows]
    inside = [row for row in beside if row and y0 <= row[0].middle <= y1]
    if len(inside) < 2:
        return box
    line = median(piece.y1 - piece.y0 for row in inside for piece in row)
    pitch = median(b[0].middle - a[0].middle for a, b in pairwise(inside))
    left, right = min(row[0].x0 for row in inside), max(row[-1].x1 for row in inside)
    last, bottom = inside[-1][0].middle, y1
    for row in beside:
        if not row or row[0].middle <= last + line / 2:
            continue
        words = row[-1].words or (row[-1],)
        level = abs(row[0].x0 - left) < LEVEL * line and abs(row[-1].x1 - right) < LEVEL * line
        if row[0].middle - last > AS_FAR * pitch or not level or not is_number(words[-1].text):
            break
        last = row[0].middle
        if len(row) > 1:
            bottom = max(piece.y1 for piece in row)
    return (x0, y0, x1, bottom)


def summed(box: Box, words: Words, line: float) -> Box:
    """A table's box with the sum right below its last rule, whose figure ends where its do.

    What is below the sum with a figure in another column is of the table too; several sums
    are a table by themselves.

    Args:
        box: To its last rule.
        words: Those that may stand in it or below.
        line: The page's typical line height.
    """
    x0, y0, x1, y1 = box
    inside = [piece for of_line in inside_of(box, words, line) for piece in of_line]
    rights = [piece.x1 for piece in inside if is_number(piece.text)]
    right = max(rights, default=-math.inf)
    inner = [at for at in rights if right - at > LEVEL * line]
    below = inside_of((x0, y1 - line / 4, x1, y1 + MOST_HEAD * line), words, line)
    usual = _usual_count(inside_of(box, words, line))
    sums, bottom = 0, y1
    for row in baselines(chunk for of_line in below for chunk in chunks_of(of_line)):
        gap = min(piece.y0 for piece in row) - bottom
        figures = sum(is_number(piece.text) for piece in row[1:])
        full = not sums and len(row) >= usual and 2 * figures >= len(row)
        wide = any(piece.x1 - piece.x0 > WIDE_HEAD * (x1 - x0) for piece in row) and not full
        cell = len(row) == 1 and gap <= OF_CELL * line
        goes_on = sums > 0 and (cell or any(_is_sum(row, at, line) for at in inner))
        is_sum = full or _is_sum(row, right, line)
        if gap > HEAD_GAP * line or wide or not (goes_on or is_sum):
            break
        sums += not goes_on
        bottom = max(piece.y1 for piece in row)
    return (x0, y0, x1, bottom if sums == 1 else y1)


def _usual_count(words: Words) -> float:
    """How many pieces rows of several usually have: three at least."""
    rows = baselines(chunk for of_line in words for chunk in chunks_of(of_line))
    return max(3.0, median([len(row) for row in rows if len(row) > 1] or [0]))


def _is_sum(row: Sequence[Piece], right: float, line: float) -> bool:
    """Whether a name and figures stand side by side, the last ending at a place."""
    last = row[-1]
    is_figure = is_number(last.text) and has_figures(last.text)
    return len(row) > 1 and is_figure and abs(last.x1 - right) < LEVEL * line


def between_rows(box: Box, words: Words, line: float) -> list[float]:
    """Where room is left between rows of a box whose cells may have several lines."""
    rows = baselines(c for of in inside_of(box, words, line) for c in chunks_of(of))
    edges = [(min(p.y0 for p in row), max(p.y1 for p in row)) for row in rows]
    return [
        (bottom + top) / 2
        for (_, bottom), (top, _) in pairwise(edges)
        if top - bottom > OF_CELL * line
    ]


def _heads(box: Box, words: Words, line: float, near: float) -> list[list[Piece]]:
    """The rows right above a box that could be heads, from the lowest."""
    x0, y0, x1, _ = box
    space = (x0, y0 - MOST_HEAD * line, x1, y0 + line / 2)
    above = inside_of(space, words, line)
    rows = baselines(chunk for of_line in above for chunk in chunks_of(of_line, HEAD_GAP))
    top, taken = y0, list[list[Piece]]()
    for row in map(_whole, reversed(rows)):
        wide = max(piece.x1 - piece.x0 for piece in row) > WIDE_HEAD * (x1 - x0)
        far = top - max(piece.y1 for piece in row) > near * line
        runs = any(is_sure_number(piece.text) for piece in row)  # a page's header
        named = all(PAIR.match(piece.text) for piece in row)
        if wide or far or runs or named or row[0].x0 < x0 - line / 2:
            break
        top = min(top, *(piece.y0 for piece in row))
        taken.append(row)
    while taken and len(taken[-1]) == 1 and not _stands_over(taken[-1][0], taken[-2:-1], line):
        taken.pop()
    return taken


def _whole(row: Sequence[Piece]) -> list[Piece]:
    """A row whose pieces that touch are one: a text layer cuts lines where the type changes."""
    found: list[Piece] = []
    for piece in row:
        near = CUT * (piece.y1 - piece.y0)
        touches = bool(found) and abs(piece.x0 - found[-1].x1) < near
        found[-1:] = [phrase([found[-1], piece])] if touches else [*found[-1:], piece]
    return found


def _stands_over(head: Piece, below: Sequence[Sequence[Piece]], line: float) -> bool:
    """Whether a head by itself stands in the middle over all of the next row but its first."""
    return any(
        len(row) > 2
        and head.x0 > row[0].x1
        and abs(head.center - (row[1].x0 + row[-1].x1) / 2) < OVER * line
        for row in below
    )
