"""Headers that span several of a grid's columns, and labels beside such headers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.grids.openings import PARTED, Opened, Units
from pagetide.structure.tables.grids.shared_units import is_shared_unit
from pagetide.structure.tables.pieces import Piece

# In line heights: how far a header may be from the middle of its columns; of two stretches of
# columns the wider one is meant if it is no further from it than the other by this much.
CENTERED, NEARER = 0.75, 0.25
MOST_LINES = 2  # of a head that is over the middle of several columns
LEAST, LEVEL = 3, 0.25  # texts of a right-aligned column, and how even they end, in heights


def open_heads(grid: Grid, units: Units, head: int, line: float, opened: Opened) -> None:
    """Opens borders inside headers that span columns, and labels beside such headers."""
    first = [column for column in range(grid.columns) if units.get((0, column))]
    over_figures = head == 1 and len(first) == 1 and first[0] > 0  # what it heads is numbered
    for row in reversed(
        range(head - 1 + over_figures)
    ):  # a header may span what one below does
        _open_over(grid, units, row, line, opened)
    _open_shared_unit(grid, units, head, line, opened)
    if not any(row < head for row, _ in opened.right):
        return
    filled = [[c for c in range(grid.columns) if units.get((row, c))] for row in range(head)]
    # Headers end above a section name, which is only in the first column.
    last = next((row for row in range(1, head) if filled[row] == [0]), head) - 1
    for column in range(grid.columns):
        if not any(column in row for row in filled):
            continue
        for row in range(last):
            beside = (row, column) in opened.right or (row, column - 1) in opened.right
            under = (row + 1, column) in opened.right or (row + 1, column - 1) in opened.right
            if not beside and not under and grid.below(row, column) < PARTED:
                opened.below.add((row, column))


def _open_shared_unit(grid: Grid, units: Units, head: int, line: float, opened: Opened) -> None:
    """Opens a unit in the last header row that belongs to all columns."""
    rows = [
        [p for c in range(grid.columns) for p in units.get((r, c), ())] for r in range(head)
    ]
    if head < 2 or len(rows[-1]) != 1:
        return
    [unit], heads = rows[-1], [piece for row in rows[:-1] for piece in row]
    if is_shared_unit(unit, heads, grid, line):
        column = grid.column_at(unit.center)
        first, last = _while_free(grid, units, head - 1, column, 1, grid.columns - 1)
        opened.right.update((head - 1, each) for each in range(first, last))


def _open_over(grid: Grid, units: Units, row: int, line: float, opened: Opened) -> None:
    """Opens the borders of a row's headers that span several columns."""
    taken = 0
    groups = _repeated(grid, units, row)
    for column in range(grid.columns):
        if column < taken or not units.get((row, column)):
            continue
        first, last = _stands_over(grid, units, row, column, line)
        if first == last:
            own = (group for group in groups if group[0] <= column <= group[1])
            first, last = next(own, _as_below(grid, units, row, column, line, opened))
        first = max(first, taken)
        taken = last + 1
        opened.right.update((row, each) for each in range(first, last))


def _as_below(
    grid: Grid, units: Units, row: int, column: int, line: float, opened: Opened
) -> tuple[int, int]:
    """The columns of the header below, if a header is centred over it."""
    first = last = column
    while (row + 1, first - 1) in opened.right:
        first -= 1
    while (row + 1, last) in opened.right:
        last += 1
    below = [piece for c in range(first, last + 1) for piece in units.get((row + 1, c), ())]
    is_free = _while_free(grid, units, row, column, first, last) == (first, last)
    away = abs(_middle(below) - _middle(units[row, column])) if below else inf
    return (first, last) if is_free and away < NEARER * line else (column, column)


def _middle(pieces: Sequence[Piece]) -> float:
    return (min(piece.x0 for piece in pieces) + max(piece.x1 for piece in pieces)) / 2


def _stands_over(
    grid: Grid, units: Units, row: int, column: int, line: float
) -> tuple[int, int]:
    """The first and last column that a header spans."""
    pieces = units[row, column]
    ruled = _ruled_under(grid, row, column) if grid.below(row, column) >= PARTED else None
    if ruled:  # a rule under it shows its extent
        first, last = ruled
        if not any(units.get((row, c)) for c in range(first, last + 1) if c != column):
            return _while_free(grid, units, row, column, first, last)
    middle = _middle(pieces)
    free_first, free_last = _while_free(grid, units, row, column, 0, grid.columns - 1)
    if free_first < free_last and _walled(grid, row, free_first, free_last):
        return free_first, free_last
    best, nearest = (column, column), (inf, 0)
    if len({piece.y0 for piece in pieces}) > MOST_LINES:
        return best  # such as an address
    for first in range(free_first, column + 1):
        for last in range(column, free_last + 1):
            if first == last or not {(row + 1, first), (row + 1, last)} <= units.keys():
                continue
            middles = _middles(grid, units, row, first, last)
            away = min(abs(each - middle) for each in middles) / line
            if away <= CENTERED and (away // NEARER, first - last) < nearest:
                best, nearest = (first, last), (away // NEARER, first - last)
    return best


def _middles(grid: Grid, units: Units, row: int, first: int, last: int) -> Iterator[float]:
    """The middle of columns by the row below, by all rows below, and by their cells."""
    for rows in (range(row + 1, row + 2), range(row + 1, grid.rows)):
        ends = [p for r in rows for c in (first, last) for p in _own(grid, units, r, c)]
        if ends:
            yield (min(piece.x0 for piece in ends) + max(piece.x1 for piece in ends)) / 2
    places = max(first - 1, 0), first, first + 1, last
    before, own, following, right = (_right_edge(grid, units, row, c) for c in places)
    if own is None or following is None or right is None:
        return
    left = 2 * own - following if before is None else before
    yield (left + right) / 2


def _repeated(grid: Grid, units: Units, row: int) -> list[tuple[int, int]]:
    """The first and last columns of groups with equal headers in each; empty if they differ.

    Each has one header in the row above.
    """
    above = [column for column in range(1, grid.columns) if units.get((row, column))]
    wide, rest = divmod(grid.columns - 1, max(len(above), 1))
    groups = [(first, first + wide - 1) for first in range(1, grid.columns, max(wide, 1))]
    if len(above) < 2 or rest or wide < 2:
        return []
    texts = [
        [[piece.text for piece in units.get((row + 1, c), ())] for c in range(a, b + 1)]
        for a, b in groups
    ]
    alike = all(texts[0]) and all(each == texts[0] for each in texts)
    own = all(a <= column <= b for column, (a, b) in zip(above, groups, strict=True))
    free = all(grid.beside(row, column) < PARTED for a, b in groups for column in range(a, b))
    return groups if alike and own and free else []


def _own(grid: Grid, units: Units, row: int, column: int) -> Iterator[Piece]:
    """The pieces of a unit that are no wider than its column."""
    left, right = grid.xs[column].at, grid.xs[column + 1].at
    return (p for p in units.get((row, column), ()) if p.x1 - p.x0 <= right - left)


def _right_edge(grid: Grid, units: Units, row: int, column: int) -> float | None:
    """Where a column's texts below a row end, if they are right-aligned in wider cells."""
    below = [p for r in range(row + 1, grid.rows) for p in _own(grid, units, r, column)]
    ends = [piece.x1 for piece in below]
    if len(ends) < LEAST or max(ends) - min(ends) > LEVEL * (below[0].y1 - below[0].y0):
        return None
    return max(ends)


def _ruled_under(grid: Grid, row: int, column: int) -> tuple[int, int] | None:
    """The first and last column over the rule under a unit; None if that tells nothing."""
    for a, b in grid.ys[row + 1].drawn:
        inside = [
            each
            for each in range(grid.columns)
            if min(b, grid.xs[each + 1].at) - max(a, grid.xs[each].at)
            > PARTED * (grid.xs[each + 1].at - grid.xs[each].at)
        ]
        if column in inside and len(inside) < grid.columns:
            return inside[0], inside[-1]
    return None


def _walled(grid: Grid, row: int, first: int, last: int) -> bool:
    """Whether rules are on both sides of some units; the table's edge counts as one."""
    left = first > 0 and grid.beside(row, first - 1) >= PARTED
    right = grid.beside(row, last) >= PARTED
    return (left and (right or last == grid.columns - 1)) or (right and left)


def _while_free(
    grid: Grid, units: Units, row: int, column: int, least: int, most: int
) -> tuple[int, int]:
    """How far left and right of a unit there is neither text nor a rule."""
    first = last = column
    while (
        first > least
        and not units.get((row, first - 1))
        and grid.beside(row, first - 1) < PARTED
    ):
        first -= 1
    while last < most and not units.get((row, last + 1)) and grid.beside(row, last) < PARTED:
        last += 1
    return first, last
