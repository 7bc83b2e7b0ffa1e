"""Boxes drawn in a grid whose lines are rows: labelled, wide and side-by-side boxes."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from pagetide.structure.tables.baseline import baselines_in, is_value, numbered
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece, baselines
from pagetide.structure.tables.pieces import has_figures as digits_in
from pagetide.structure.tables.rows.joins import are_paid_alike, has_two_values
from pagetide.structure.tables.rows.parting import has_rows_of_figures

BOXED = 2  # lines of a form's box: a label and its value
SMALLER = 0.92  # times the height: a label over a filled-in value
LEAST_BOXED = 2  # bands of such boxes
MOSTLY = 0.6  # of the bands: rules are drawn around each of their cells
CLOSED = 0.9  # of a border, and of a row's borders
ONE_TEXT = 0.75  # of the lines in a form's boxes: they have no side-by-side texts


def bands_of(grid: Grid, pieces: Iterable[Piece]) -> dict[int, list[Piece]]:
    """The pieces between two of a grid's borders, by row."""
    bands: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        bands[grid.row_at(piece.middle)].append(piece)
    return bands


def is_of_boxes(grid: Grid, pieces: Sequence[Piece]) -> bool:
    """Whether a form's boxes are side by side and below each other, labels over values.

    Rules are drawn around each, though some are wider than others; none holds more than two
    lines, and the upper one has no figures. Each band between rules is then a row.
    """
    bands = bands_of(grid, pieces)
    lines = [baselines(inside) for inside in bands.values()]
    if sum(len(own) == BOXED for own in lines) < LEAST_BOXED or max(map(len, lines)) > BOXED:
        return False
    labels = [piece.text for own in lines for piece in own[0]]
    parted = parted_columns(grid)
    return not any(map(digits_in, labels)) and all(
        is_closed(grid, band) or is_of_wide_boxes(grid, band, inside, parted)
        for band, inside in bands.items()
    )


def are_labelled(grid: Grid, pieces: Sequence[Piece]) -> bool:
    """Whether a form's boxes have labels: in smaller letters, or over figures.

    Then none of their rows is a header.
    """
    boxes: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for piece in pieces:
        boxes[grid.row_at(piece.middle), grid.column_at(piece.center)].append(piece)
    pairs = [rows for inside in boxes.values() if len(rows := baselines(inside)) == BOXED]
    smaller = sum(
        max(p.y1 - p.y0 for p in label) < SMALLER * max(p.y1 - p.y0 for p in value)
        for label, value in pairs
    )
    figures = sum(any(digits_in(piece.text) for piece in value) for _, value in pairs)
    return max(smaller, figures) >= MOSTLY * len(pairs)


def has_one_key(grid: Grid, pieces: Iterable[Piece]) -> bool:
    """Whether a band has one line in the first column, or is in a cell that started above."""
    return len(baselines(p for p in pieces if grid.column_at(p.center) == 0)) <= 1


def is_closed(grid: Grid, row: int) -> bool:
    """Whether rules are drawn around each of a row's cells."""
    sides = [grid.beside(row, column) >= CLOSED for column in range(grid.columns - 1)]
    edges = [grid.below(row, column) >= CLOSED for column in range(grid.columns)]
    return bool(sides) and all(edges) and sum(sides) >= CLOSED * len(sides)


def has_higher_box(grid: Grid, row: int, pieces: Sequence[Piece]) -> bool:
    """Whether rules divide all of a row's cells, some of which span other rows.

    Lines below one another in such a box are in one cell, unless they are rows of figures.
    """
    sides = [grid.beside(row, column) for column in range(grid.columns - 1)]
    edges = [grid.below(row, column) for column in range(grid.columns)]
    is_ruled = all(border.ruled for border in grid.xs[1:-1])
    is_parted = is_ruled and len(sides) > 1 and min(sides) >= CLOSED
    reach_over = max(edges) >= CLOSED and min(edges) <= 1 - CLOSED
    return is_parted and reach_over and not has_rows_of_figures(grid, pieces, 2)


def parted_columns(grid: Grid) -> frozenset[int]:
    """The columns with a rule on their right in any row."""
    return frozenset(
        column
        for column in range(grid.columns - 1)
        if any(grid.beside(row, column) >= CLOSED for row in range(grid.rows))
    )


def is_of_wide_boxes(grid: Grid, row: int, pieces: Sequence[Piece], parted: Set[int]) -> bool:
    """Whether rules surround a row's cells, some of which are wider than other rows'.

    A form's boxes are like this, even with lines of an address in one of them; columns that no
    rule divides have side-by-side texts.

    Args:
        grid: With its columns known.
        row: Of it.
        pieces: The row's text.
        parted: From `parted_columns`.
    """
    if any(grid.below(row, column) < CLOSED for column in range(grid.columns)):
        return False
    sides = [grid.beside(row, column) for column in range(grid.columns - 1)]
    missing = [column for column, side in enumerate(sides) if side < CLOSED]
    if not 0 < len(missing) < len(sides) or not all(
        sides[column] <= 1 - CLOSED and column in parted for column in missing
    ):
        return False
    found = baselines_in(grid, pieces)
    if has_two_values(found) or are_paid_alike(found, grid):
        return False
    edges = [grid.xs[column + 1].at for column in range(len(sides)) if column not in missing]
    boxes: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        boxes[bisect(edges, piece.center)].append(piece)
    lines = [line for inside in boxes.values() for line in baselines(inside)]
    return sum(len(line) == 1 for line in lines) >= ONE_TEXT * len(lines)


def has_figures(grid: Grid, pieces: Iterable[Piece]) -> bool:
    """Whether most pieces right of the first column are figures.

    Years and column numbers do not count.
    """
    texts = [p.text for p in pieces if grid.column_at(p.center) > 0]
    counted = numbered(texts)
    figures = [t for t in texts if is_value(t) and t not in counted]
    return len(figures) > 0.5 * len(texts)
