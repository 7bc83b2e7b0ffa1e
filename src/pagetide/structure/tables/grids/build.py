"""Builds one table from a box, the rules in it and the words in it."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from pagetide.document import Line, Table
from pagetide.geometry import Box
from pagetide.structure.tables.baseline import is_number, is_value
from pagetide.structure.tables.grids.cells import filled, without_idle
from pagetide.structure.tables.grids.close_heads import parted_by_edges
from pagetide.structure.tables.grids.columns import gutters_of
from pagetide.structure.tables.grids.flag_columns import flag_gutters
from pagetide.structure.tables.grids.flags import with_flags
from pagetide.structure.tables.grids.grid import Grid, grid_of
from pagetide.structure.tables.grids.head_rows import head_rows
from pagetide.structure.tables.grids.level_words import LevelGutter, level_gutters
from pagetide.structure.tables.grids.openings import PARTED, Units
from pagetide.structure.tables.grids.spans import spans_of
from pagetide.structure.tables.grids.units_apart import unit_gutters
from pagetide.structure.tables.line_words import Words, together
from pagetide.structure.tables.pieces import Piece, baselines, chunks_of
from pagetide.structure.tables.rows.borders import rule_below_head, with_rows
from pagetide.structure.tables.rows.boxes import are_labelled, is_of_boxes
from pagetide.structure.tables.ruled.frames import SHADES, Stroke

MOST_UNITS = 20_000  # a grid with more is not a table that anybody reads
MOST_COLUMNS = 150

GUTTER_GAP = 0.4  # of a word's height: words this far apart, across a gutter, are in two cells
SPILLS = 0.1  # of its height: the part of a word beyond a rule that it crosses
NEAR = 0.15  # of its height: how far a border inferred from other rows may lie inside a word
WIDER = 1.3  # than the usual space in the table
SPILL = 0.2  # of a phrase's width: how much of it may extend into the next column
WHOLE = 0.95  # of the longest horizontal rule: a shade edge that runs along a whole row
FEW_RULES = 4  # horizontal: around a table, below its header and above its sum
LEAST_BODY = 3  # rows needed to find column boundaries
LEAST_MARKS, MARK = 3, 8  # short texts in a column of marks, and characters of one at most
LEVEL = 0.3  # line heights between their edges or middles, at most


def built(
    box: Box,
    across: Sequence[Stroke],
    down: Sequence[Stroke],
    words: Words,
    lines: Sequence[Line],
    line: float,
    *,
    columns: Sequence[float] = (),
    body: float | None = None,
    items: bool = False,
) -> Table | None:
    """The table in a box, or None if there is none.

    Args:
        box: Upright; all of it is the table.
        across: The horizontal rules inside.
        down: The vertical rules inside.
        words: The words inside, by line.
        lines: The page's, which the words' `line` indexes.
        line: The page's typical line height.
        columns: Column boundaries known without drawn rules.
        body: Where its header ends, if known.
        items: Whether it is an item table, whose rows below the header are found from their
            text; otherwise they are between the horizontal rules where the header is known.
    """
    grid = grid_of(box, *_meant(across, down, line), line).with_xs(columns)
    if _too_large(grid):
        return None
    pieces = _pieces(grid, words)
    if not pieces:
        return None
    grid = _with_columns(grid, pieces, line)
    whole = together(words)
    close = pieces if whole is words else _pieces(grid, whole)
    grid = grid.with_xs(unit_gutters(close, [border.at for border in grid.xs]))
    level = level_gutters(close, [border.at for border in grid.xs])
    grid, moved = with_flags(grid.with_xs([gutter.at for gutter in level]), close)
    known = [border.at for border in grid.xs]
    flags = flag_gutters(close, known)
    grid = grid.with_xs([gutter.at for gutter in flags if gutter.at not in known])
    level += [*moved, *flags]
    pieces = parted_by_edges(grid, _pieces(grid, words, level), line)
    boxed = is_of_boxes(grid, pieces)
    if not boxed:
        headed = body is not None and not items
        grid = with_rows(grid, pieces, line, head_alone=headed, items=items)
    grid = _without_empty(grid, pieces, line)
    if _too_large(grid) or grid.rows * grid.columns < 2:
        return None
    units: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for piece in pieces:
        units[grid.row_at(piece.middle), grid.column_at(piece.center)].append(piece)
    crossing = _crossing(grid, units, line)
    if body is None and boxed and are_labelled(grid, pieces):
        head = 0
    elif body is None:
        head = max(head_rows(grid, units), rule_below_head(grid))
    else:
        head = sum(below.at < body + line / 4 for below in grid.ys[1:-1])
    spans = spans_of(grid, units, head, line, crossing)
    return without_idle(filled(grid, spans, units, lines, head))


def _crossing(grid: Grid, units: Units, line: float) -> set[tuple[int, int]]:
    """The units whose text crosses their right border.

    Of two texts side by side, one may extend beyond its cell; for a single text the cell is
    wider, unless it is a figure right-aligned with those above it.
    """
    found: set[tuple[int, int]] = set()
    ends: dict[int, list[float]] = defaultdict(list)
    texts = Counter(row for (row, _), pieces in units.items() for _ in pieces)
    for (row, column), pieces in sorted(units.items()):
        for piece in pieces:
            is_figure = is_number(piece.text)
            inset = max(line / 4, SPILL * (piece.x1 - piece.x0))
            begins = piece.x0 + (line / 4 if texts[row] == 1 else inset)
            first, last = grid.column_at(begins), grid.column_at(piece.x1 - inset)
            spills = first < last == column and is_figure  # it extends to the left only
            if not (spills and any(abs(piece.x1 - end) < line / 4 for end in ends[column])):
                found.update((row, each) for each in range(first, last))
            if is_figure:
                ends[column].append(piece.x1)
    return {(r, c) for r, c in found if not ({(r, c), (r, c + 1)} <= units.keys())}


def _too_large(grid: Grid) -> bool:
    return grid.columns > MOST_COLUMNS or grid.rows * grid.columns > MOST_UNITS


def _meant(
    across: Sequence[Stroke], down: Sequence[Stroke], line: float
) -> tuple[Sequence[Stroke], Sequence[Stroke]]:
    """The rules without the edges of fills, if enough drawn rules remain.

    Word processors fill a cell and then its text once more. Rows with alternate shading have no
    other rules between them.
    """
    flat = [stroke for stroke in across if stroke.thickness > 0]
    steep = [stroke for stroke in down if stroke.thickness > 0]
    if len(flat) <= 2 or len(steep) <= 2:
        return across, down
    wide = WHOLE * max(stroke.end - stroke.start for stroke in flat)
    shades = [s for s in across if s.thickness == 0 and s.end - s.start > wide]
    by_turns = len(flat) <= FEW_RULES and len(shades) > len(flat)
    if not by_turns:  # a dark header's edge, if its rules are not detected
        shades = [s for s in shades if all(abs(s.at - rule.at) > line / 2 for rule in flat)]
        shades = shades if len(shades) <= SHADES else []
    return [*flat, *shades], steep


def _pieces(grid: Grid, words: Words, close: Sequence[LevelGutter] = ()) -> list[Piece]:
    """Phrases, split where a drawn border, or one of `close`, is between two words."""
    found: list[Piece] = []
    spaces = [gap for of_line in words for gap in _gaps(of_line) if 0 < gap < GUTTER_GAP * 2]
    wide = max(GUTTER_GAP, WIDER * median(spaces) if spaces else 0.0)
    for of_line in words:
        run: list[Piece] = []
        for word in of_line:
            near = run and any(_is_between(run[-1], word, gutter) for gutter in close)
            if run and (near or _parted(grid, run[-1], word, wide)):
                found += chunks_of(run)
                run = []
            run.append(word)
        found += chunks_of(run)
    return found


def _is_between(left: Piece, right: Piece, gutter: LevelGutter) -> bool:
    return left.x1 <= gutter.at <= right.x0 and right.y0 < gutter.bottom


def _gaps(words: Sequence[Piece]) -> Iterator[float]:
    """The gaps between words of a line, in word heights."""
    for left, right in itertools.pairwise(words):
        yield (right.x0 - left.x1) / max(right.y1 - right.y0, 1.0)


def _parted(grid: Grid, left: Piece, right: Piece, wide: float) -> bool:
    a, b = grid.column_at(left.center), grid.column_at(right.center)
    if a == b:
        return False
    row = grid.row_at(left.middle)
    low, high = min(a, b), max(a, b)
    drawn = [c for c in range(low, high) if grid.beside(row, c) >= PARTED]
    if drawn:
        spill = SPILLS * (right.y1 - right.y0)  # a text wider than its cell
        at = grid.xs[drawn[0] + 1].at
        return not (left.x1 - spill > at or right.x0 + spill < at)
    height = right.y1 - right.y0
    far, near = right.x0 - left.x1 >= wide * height, NEAR * height
    return far and any(
        left.x1 - near <= grid.xs[c + 1].at <= right.x0 + near for c in range(low, high)
    )


def _with_columns(grid: Grid, pieces: Sequence[Piece], line: float) -> Grid:
    """Adds columns that only the text shows."""
    added: list[float] = []
    inner = sum(bool(border.drawn) for border in grid.xs[1:-1])
    for column in range(grid.columns):
        left, right = grid.xs[column].at, grid.xs[column + 1].at
        inside = [p for p in pieces if left <= p.x0 + line / 2 and p.x1 - line / 2 <= right]
        rows = baselines(inside)
        body = _body(rows)
        gutters = gutters_of(body, rows[: len(rows) - len(body)], line)
        several = sum(len(row) > 1 for row in rows)
        if inner >= 2 and several < max(3, 0.6 * len(rows)):
            added += [at for at in gutters if _is_of_marks(body, at, line)]
        elif several >= max(2, 0.3 * len(rows)):
            added += gutters
    return grid.with_xs(added)


def _is_of_marks(rows: Sequence[Sequence[Piece]], gutter: float, line: float) -> bool:
    """Whether aligned short texts are right of a gutter: note numbers."""
    marks = [piece for row in rows for piece in row[1:] if piece.x0 > gutter]
    if len(marks) < LEAST_MARKS or max(len(mark.text) for mark in marks) > MARK:
        return False
    edges = zip(*((mark.x0, mark.center, mark.x1) for mark in marks), strict=True)
    return any(max(own) - min(own) < LEVEL * line for own in edges)


def _body(rows: list[list[Piece]]) -> list[list[Piece]]:
    """The rows from the first with figures on: a header may cover several columns."""
    for place, row in enumerate(rows):
        figures = sum(is_value(p.text) for p in row[1:])
        if figures > 0.5 * (len(row) - 1):
            return rows[place:] if len(rows) - place >= LEAST_BODY else rows
    return rows


def _without_empty(grid: Grid, pieces: Sequence[Piece], line: float) -> Grid:
    """Without empty rows and columns: gaps of double rules, and blank bands."""
    rows = {grid.row_at(piece.middle) for piece in pieces}
    for row in reversed(range(grid.rows)):
        if row not in rows and grid.rows > 1:
            grid = grid.without_row(row)
    columns = {
        column
        for piece in pieces
        for column in [grid.column_at(piece.center)]
        if piece.x1 - piece.x0 < grid.xs[column + 1].at - grid.xs[column].at + line / 2
    }
    for column in reversed(range(grid.columns)):
        is_narrow = grid.xs[column + 1].at - grid.xs[column].at < line
        if column not in columns and grid.columns > 1 and (is_narrow or _is_open(grid, column)):
            grid = grid.without_column(column)
    return grid


def _is_open(grid: Grid, column: int) -> bool:
    """Whether a column's outer side has no rule: the margin of a shaded area."""
    return (column == 0 and not grid.xs[0].drawn) or (
        column == grid.columns - 1 and not grid.xs[-1].drawn
    )
