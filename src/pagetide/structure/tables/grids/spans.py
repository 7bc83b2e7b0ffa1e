"""Merges units of a grid into cells where no rule separates them, or a header spans them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.grids.openings import PARTED, Opened, Units
from pagetide.structure.tables.grids.span_heads import open_heads
from pagetide.structure.tables.pieces import Piece, baselines, begins_small
from pagetide.structure.tables.rows.boxes import is_of_wide_boxes, parted_columns

MOSTLY = 0.5  # of the table's height: a rule this long is part of a lattice
LABELLED = 2  # texts of a row, at most, whose label crosses columns
MOST_OF_HEADS = 4  # lines of a header row; an address in a form's first boxes has more
TIGHT = 0.5  # line heights between the lines of one cell
OVER = 0.25  # of the columns: a rule over fewer is over a sum, beside rows of others
CLOSER = 0.25  # line heights: lines of a text are closer than rows by this much
ONE_PHRASE = 0.75  # line heights: closer pieces without a rule between are in one cell


@dataclass(frozen=True, order=True)
class Span:
    """A cell's position: its first row and column, and how many of each."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


def spans_of(
    grid: Grid, units: Units, head: int, line: float, crossing: set[tuple[int, int]]
) -> list[Span]:
    """The cells: every unit is in one of them, and none overlap.

    Args:
        grid: With all its borders.
        units: The text in each unit.
        head: The number of header rows.
        line: The page's typical line height.
        crossing: Units whose text crosses their right border.
    """
    opened = Opened()
    top, bottom = grid.ys[0].at, grid.ys[-1].at
    lattice = [each.covers(top, bottom) >= MOSTLY for each in grid.xs]
    full = [
        sum(bool(units.get((row, c))) for c in range(grid.columns)) for row in range(grid.rows)
    ]
    parted = parted_columns(grid)
    for row in range(grid.rows):
        own = [piece for c in range(grid.columns) for piece in units.get((row, c), ())]
        is_body = row >= head or len(baselines(own)) > MOST_OF_HEADS
        wide = is_body and is_of_wide_boxes(grid, row, own, parted)
        for column in range(grid.columns - 1):
            left, right = units.get((row, column), ()), units.get((row, column + 1), ())
            if grid.beside(row, column) >= PARTED:
                at = grid.xs[column + 1].at
                free = any(_lies_on(piece, at, line) for piece in (*left, *right))
            else:
                # With alternate shading, edges are drawn in every other row only: such an edge
                # decides nothing for a row, unless the row has a single text.
                is_certain = grid.xs[column + 1].ruled or full[row] == 1
                near = lattice[column + 1] and is_certain and _near(left, right, line)
                free = near or wide or (row, column) in crossing
            if free:
                opened.right.add((row, column))
    for row in range(grid.rows - 1):
        if not grid.ys[row + 1].drawn:
            continue
        for column in range(grid.columns):
            if grid.below(row, column) >= PARTED:
                continue
            caged = (column == 0 or lattice[column]) and (
                column + 2 > grid.columns or lattice[column + 1]
            )
            if row + 1 < head or (caged and _is_one_cell(grid, units, row, column, line)):
                opened.below.add((row, column))
    _open_beside(grid, units, crossing, full, head, opened)
    _open_sums(grid, units, full, head, opened)
    _part_sums(grid, units, full, head, opened)
    _part_names_outside(grid, units, head, opened)
    open_heads(grid, units, head, line, opened)
    return sorted(_rectangles(grid, units, opened))


def _is_one_cell(grid: Grid, units: Units, row: int, column: int, line: float) -> bool:
    """Whether nothing separates a unit from the one below: it is empty, or its text continues.

    Where a rule divides all columns but one, its cell is higher.
    """
    above, below = units.get((row, column)), units.get((row + 1, column))
    others = [c for c in range(grid.columns) if c != column]
    if len(others) > 1 and all(grid.below(row, c) >= PARTED for c in others):
        return True
    if above and below:
        is_ruled = grid.ys[row + 1].ruled
        goes_on = _goes_on(above, below, line)
        return goes_on or (is_ruled and _is_set_on(grid, units, row, column, line))
    parted = sum(grid.below(row, c) >= PARTED for c in range(grid.columns))
    return parted >= OVER * grid.columns


def _goes_on(above: Sequence[Piece], below: Sequence[Piece], line: float) -> bool:
    """Whether a text continues on the next line, over a border drawn only beside it."""
    is_tight = _room(above, below) < TIGHT * line
    return is_tight and begins_small(min(below, key=lambda piece: piece.y0).text)


def _is_set_on(grid: Grid, units: Units, row: int, column: int, line: float) -> bool:
    """Whether lines are as close as in a text, and closer than lines across a border beside."""
    rooms = {
        c: _room(above, below)
        for c in range(grid.columns)
        if (above := units.get((row, c))) and (below := units.get((row + 1, c)))
    }
    parted = [room for c, room in rooms.items() if grid.below(row, c) >= PARTED]
    own = rooms.get(column, TIGHT * line)
    return own < TIGHT * line and bool(parted) and own + CLOSER * line < min(parted)


def _room(above: Sequence[Piece], below: Sequence[Piece]) -> float:
    return min(piece.y0 for piece in below) - max(piece.y1 for piece in above)


def _open_beside(
    grid: Grid,
    units: Units,
    crossing: set[tuple[int, int]],
    full: Sequence[int],
    head: int,
    opened: Opened,
) -> None:
    """Opens empty units beside text that crosses columns: a section name, or a sum."""
    named = {  # a section name, though among headers: only text from the first column on
        row
        for row in {row for row, _ in crossing}
        if full[row] == 1
        and min(p.x0 for c in range(grid.columns) for p in units.get((row, c), ()))
        < grid.xs[1].at
    }
    for row, column in crossing:
        if row in named or (row >= head and full[row] <= LABELLED):
            left = [(place, place) for place in reversed(range(column))]
            right = [(place, place + 1) for place in range(column + 1, grid.columns - 1)]
            for side in (left, right):
                for place, unit in side:
                    if units.get((row, unit)) or grid.beside(row, place) >= PARTED:
                        break
                    opened.right.add((row, place))


def _open_sums(
    grid: Grid, units: Units, full: Sequence[int], head: int, opened: Opened
) -> None:
    """Gives a sum's name all cells but the last: in its column the items have figures."""
    last = grid.columns - 1
    for row in range(head, grid.rows):
        if full[row] != LABELLED or not _is_figure(units.get((row, last), ())):
            continue
        place = next(column for column in range(last) if units.get((row, column)))
        items = [r for r in range(head, grid.rows) if full[r] > LABELLED]
        others = [units[r, place] for r in items if units.get((r, place))]
        if _is_figure(units[row, place]) or 2 * sum(map(_is_figure, others)) <= len(others):
            continue
        if all(grid.beside(row, column) < PARTED for column in range(last - 1)):
            opened.right.update((row, column) for column in range(last - 1))


def _part_sums(
    grid: Grid, units: Units, full: Sequence[int], head: int, opened: Opened
) -> None:
    """Closes the space between the names of two sums with a rule only between their amounts."""
    last = grid.columns - 1
    named = {
        row: next(column for column in range(grid.columns) if units.get((row, column)))
        for row in range(head, grid.rows)
        if full[row] == LABELLED and _is_figure(units.get((row, last), ()))
    }
    for row, column in named.items():
        if row + 1 in named and grid.below(row, last) >= PARTED:
            opened.below.difference_update({(row, column), (row, named[row + 1])})


def _part_names_outside(grid: Grid, units: Units, head: int, opened: Opened) -> None:
    """Closes the space between the names of sums that are left of where the rules end.

    Each row has its name, if any, on the same line as its figures. No rule is drawn around
    the names, so that nothing else shows where one ends.
    """
    if grid.xs[0].covers(grid.ys[0].at, grid.ys[-1].at) < MOSTLY:
        return
    outside = {row: _columns_outside(grid, row) for row in range(head, grid.rows)}
    for row in range(head, grid.rows - 1):
        columns = min(outside[row], outside[row + 1])
        if columns and all(_is_one_line(grid, units, each) for each in (row, row + 1)):
            opened.below.difference_update((row, column) for column in range(columns))


def _columns_outside(grid: Grid, row: int) -> int:
    """How many of a row's first columns are left of all its vertical rules."""
    drawn = (c for c, b in enumerate(grid.xs) if b.covers(*_height(grid, row)) >= PARTED)
    return next(drawn, 0)


def _height(grid: Grid, row: int) -> tuple[float, float]:
    return grid.ys[row].at, grid.ys[row + 1].at


def _is_one_line(grid: Grid, units: Units, row: int) -> bool:
    own = [piece for column in range(grid.columns) for piece in units.get((row, column), ())]
    return len(baselines(own)) == 1


def _is_figure(pieces: Sequence[Piece]) -> bool:
    return bool(pieces) and is_number(" ".join(piece.text for piece in pieces))


def _lies_on(piece: Piece, at: float, line: float) -> bool:
    """Whether a word crosses a border: what was detected there is not a rule."""
    return piece.x0 + line / 2 < at < piece.x1 - line / 2 and not piece.words


def _near(left: Sequence[Piece], right: Sequence[Piece], line: float) -> bool:
    """Whether only a rule could separate two units' texts."""
    if not left or not right:
        return True
    return min(p.x0 for p in right) - max(p.x1 for p in left) < ONE_PHRASE * line


def _rectangles(grid: Grid, units: Units, opened: Opened) -> list[Span]:
    """Merges units into cells, from the top left; each as wide, then as high, as possible."""
    taken: set[tuple[int, int]] = set()
    found = []
    for row in range(grid.rows):
        for column in range(grid.columns):
            if (row, column) in taken:
                continue
            columns = 1
            while (row, column + columns - 1) in opened.right and (
                row,
                column + columns,
            ) not in taken:
                columns += 1
            rows = 1
            while (
                row + rows < grid.rows
                and (row + rows, column - 1) not in opened.right
                and (row + rows, column + columns - 1) not in opened.right
                and all(
                    (row + rows - 1, each) in opened.below and (row + rows, each) not in taken
                    for each in range(column, column + columns)
                )
            ):
                rows += 1
            taken.update(
                (r, c) for r in range(row, row + rows) for c in range(column, column + columns)
            )
            units_ = [
                (r, c) for r in range(row, row + rows) for c in range(column, column + columns)
            ]
            if any(units.get(unit) for unit in units_):
                found.append(Span(row, column, rows, columns))
            else:  # an empty unit spans nothing
                found += [Span(*unit) for unit in units_]
    return found
