"""Rows of a table's headers: split below headers that span several columns."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence

from pagetide.structure.tables.baseline import (
    IN_BRACKETS,
    Baseline,
    baselines_in,
    numbered,
)
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.grids.shared_units import is_shared_unit
from pagetide.structure.tables.pieces import Piece, baselines, has_figures

# `$m`, `£’000`, `%`, `mg/l`, `Mill.`: without brackets, as those belong to units that end a
# header cell.
_UNIT = re.compile(
    r"[$€£¥%]\s?(?:m|mn|bn|k|[’'\u2019]?0{3})?|[’'\u2019]0{3}|[A-Z]{3}|[µmkc]?[gl]/[lk]g?"
)
BELOW = 1.5  # line heights: a header is no higher over its columns
LOOSE = 0.4  # line heights between a header and one below: lines of one cell are closer
LEADING = 0.25  # of a line's height: lines overlap less; a shorter header beside starts higher
LARGER = 1.2  # times the height: lines of one cell have one size
LEAST_UNITS = 3  # of a row of units
LEVEL = 0.25  # line heights between the middles of headers, one centred over the other
MOST_HEADS = 500  # pieces: more are not headers, and all pairs are compared


def rows_of_heads(
    found: Sequence[Baseline], grid: Grid, line: float, *, closed: bool = False
) -> list[list[Baseline]]:
    """A header's lines, split below headers that span several columns, and above their unit.

    Lines that each have a name, such as `Train no.`, `Days` and `Notes` in timetables, and
    units below nearly all headers are separate rows if they are farther apart than lines of one
    cell. Names in two languages are not: they have no figures, and each a cell of its own.

    Args:
        found: The lines.
        grid: With its columns known.
        line: The page's typical line height.
        closed: Whether rules are drawn around each cell.
    """
    texts = (piece.text for each in found for piece in each.pieces)
    closed = closed and not any(map(has_figures, texts))
    parts = [[found[0]]]
    for upper, lower in itertools.pairwise(found):
        is_far = not closed and lower.top - upper.bottom > LOOSE * line
        if _is_title(upper, lower) or (is_far and _are_two(upper, lower)):
            parts.append([])
        parts[-1].append(lower)
    return [row for part in parts for row in _rows_of_part(part, grid, line)]


def _rows_of_part(found: Sequence[Baseline], grid: Grid, line: float) -> list[list[Baseline]]:
    """The rows of lines that are as near as those of one header."""
    *above, last = baselines(piece for each in found for piece in each.pieces)
    heads = [piece for row in above for piece in row]
    if len(last) == 1 and is_shared_unit(last[0], heads, grid, line):
        return [*rows_of_heads(baselines_in(grid, heads), grid, line), baselines_in(grid, last)]
    if above and _are_units(last, grid):
        return [*rows_of_heads(baselines_in(grid, heads), grid, line), baselines_in(grid, last)]
    pieces = [piece for each in found for piece in each.pieces]
    if len(pieces) > MOST_HEADS:
        return [list(found)]
    cuts, spanning = [], list[Piece]()
    for row in reversed(baselines(pieces)):
        under = [
            (piece, _under(piece, row, _beside_names(piece, pieces, grid), line))
            for piece in row
        ]
        groups = _same_groups(under)
        over = [
            (p, below)
            for p, below in under
            if groups
            or _stands_over(p, below, grid, line)
            or _is_stacked(p, below, spanning, line)
        ]
        if over:
            spanning += [piece for piece, _ in over]
            bottom = max(piece.y1 for piece, _ in over)
            top = min(piece.y0 for _, below in over for piece in below)
            cuts.append((bottom + top) / 2)
    rows: list[list[Piece]] = [[] for _ in range(len(cuts) + 1)]
    for piece in pieces:
        rows[bisect_left(sorted(cuts), piece.middle)].append(piece)
    return [baselines_in(grid, row) for row in rows if row]


def _is_stacked(
    piece: Piece, under: Sequence[Piece], spanning: Sequence[Piece], line: float
) -> bool:
    """Whether a header is centred over one that spans columns, farther than lines of a cell."""
    if len(under) != 1 or under[0] not in spanning:
        return False
    is_far = under[0].y0 - piece.y1 > LOOSE * line
    return is_far and abs(under[0].center - piece.center) < LEVEL * line


def _is_title(upper: Baseline, lower: Baseline) -> bool:
    """Whether a lone phrase is in larger letters than the headers right below it."""
    heights = [max(p.y1 - p.y0 for p in each.pieces) for each in (upper, lower)]
    is_alone = len(upper.pieces) == 1 and 0 in upper.columns
    return is_alone and len(lower.pieces) > 2 and heights[0] > LARGER * heights[1]


def _are_two(upper: Baseline, lower: Baseline) -> bool:
    """Whether each of two lines has a name, or the lower has text below most headers."""
    named = [0 in each.columns and len(each.columns) > 1 for each in (upper, lower)]
    is_below = lower.columns <= upper.columns and len(lower.pieces) == len(lower.columns)
    return all(named) or (is_below and len(lower.columns) >= max(3, len(upper.columns) - 1))


def _are_units(row: Sequence[Piece], grid: Grid) -> bool:
    """Whether a line has only units, or numbers in brackets, for nearly all columns."""
    texts = [piece.text.strip() for piece in row]
    is_full = len(row) >= max(LEAST_UNITS, grid.columns - 1)
    return is_full and (all(map(_UNIT.fullmatch, texts)) or numbered(texts) == set(texts))


def _same_groups(under: Sequence[tuple[Piece, Sequence[Piece]]]) -> bool:
    """Whether each of several headers, all different, has the same headers below it."""
    below = [tuple(piece.text for piece in pieces) for _, pieces in under if pieces]
    texts = {piece.text for piece, pieces in under if pieces}
    return len(texts) == len(below) > 1 == len(set(below)) and len(below[0]) > 1


def _beside_names(piece: Piece, pieces: Sequence[Piece], grid: Grid) -> Sequence[Piece]:
    """The pieces that a header may span: names in the first column are under no other."""
    if grid.column_at(piece.center) == 0:
        return pieces
    return [each for each in pieces if grid.column_at(each.center) > 0]


def _under(
    piece: Piece, row: Sequence[Piece], pieces: Sequence[Piece], line: float
) -> list[Piece]:
    """The next line below a piece, as far as its neighbours leave space."""
    left = max((o.x1 for o in row if o.x1 <= piece.x0), default=float("-inf"))
    right = min((o.x0 for o in row if o.x0 >= piece.x1), default=float("inf"))
    low, high = (left + piece.x0) / 2, (piece.x1 + right) / 2
    if low == float("-inf"):  # the first and the last extend as far out as in
        low = piece.x0 - (high - piece.x1)
    elif high == float("inf"):
        high = piece.x1 + (piece.x0 - low)
    lower = [p for p in pieces if p.y0 > piece.middle and low < p.center < high]
    bottom = piece.y1 - LEADING * (piece.y1 - piece.y0)
    under = [p for p in lower if p.y0 > bottom]
    if len(under) < len(lower):  # beside a text as tall as two lines it spans no more
        under = [p for p in under if p.x0 < piece.x1 and piece.x0 < p.x1]
    nearest = min(under, key=lambda p: p.y0, default=piece)
    if nearest.y0 - piece.y1 >= BELOW * max(line, piece.y1 - piece.y0):
        return []
    bottom = _bottom_of_cell(nearest, under, line)
    return [p for p in under if p.middle < bottom]


def _bottom_of_cell(piece: Piece, pieces: Sequence[Piece], line: float) -> float:
    """Where the lines of a cell end that starts with a piece: headers beside may be lower."""
    bottom = piece.y1
    for each in sorted(pieces, key=lambda p: p.y0):
        is_below = each.y0 > bottom - LEADING * line and each.y0 - bottom < LOOSE * line
        if is_below and each.x0 < piece.x1 and piece.x0 < each.x1:
            bottom = each.y1
    return bottom


def _stands_over(piece: Piece, under: Sequence[Piece], grid: Grid, line: float) -> bool:
    """Whether a piece of a header spans two or more pieces of the next line."""
    touched = [p for p in under if p.x0 < piece.x1 and piece.x0 < p.x1]
    if len({grid.column_at(p.center) for p in touched}) > 1:
        return True
    if len(touched) == 1 and IN_BRACKETS.fullmatch(touched[0].text):
        return False  # its unit
    near = max(line, piece.y1 - piece.y0) / 2
    own_size = [p for p in touched if piece.y1 - piece.y0 < LARGER * (p.y1 - p.y0)]
    tight = any(p.y0 - piece.y1 < 2 * LOOSE * near for p in own_size)
    if tight and any(
        min(abs(p.x0 - piece.x0), abs(p.x1 - piece.x1), abs(p.center - piece.center)) < near
        for p in touched
    ):
        return False
    before = [p for p in under if p.center < piece.center]
    after = [p for p in under if p.center >= piece.center]
    own = grid.column_at(piece.center)
    beside = not touched and any(grid.column_at(p.center) == own for p in under)
    return any(
        grid.column_at(a.center) != grid.column_at(b.center)
        and abs((a.x0 + b.x1) / 2 - piece.center) < (3 * near if beside else near)
        for a in before
        for b in after
    )
