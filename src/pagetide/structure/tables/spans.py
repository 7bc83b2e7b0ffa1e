"""Units of a grid joined to cells: what no rule parts, and heads that stand over columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pagetide.structure.tables.grid import Grid
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.rows import is_number

PARTED = 0.5  # of a unit's side: drawn that far, a rule parts it from its neighbour
MOSTLY = 0.5  # of the table's height: a rule drawn so far is one of a lattice
CENTERED = 0.75  # line heights: how far from the middle of its columns a head may stand
LABELLED = 2  # texts of a row, at most, whose label runs across columns
ONE_PHRASE = 1.25  # line heights: pieces closer than that, no rule between, are one cell's


@dataclass(frozen=True, order=True)
class Span:
    """A cell's place: its first row and column, and how many of each."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


Units = Mapping[tuple[int, int], Sequence[Piece]]


@dataclass
class _Open:
    """Borders between neighbouring units that part nothing."""

    right: set[tuple[int, int]] = field(default_factory=set)
    below: set[tuple[int, int]] = field(default_factory=set)


def spans_of(
    grid: Grid, units: Units, head: int, line: float, crossing: set[tuple[int, int]]
) -> list[Span]:
    """The cells, every unit in one of them, none overlapping.

    Args:
        grid: With all its borders.
        units: The text in each unit.
        head: How many rows are the table's head.
        line: The page's typical line height.
        crossing: Units with text that runs across their right border.
    """
    opened = _Open()
    top, bottom = grid.ys[0].at, grid.ys[-1].at
    lattice = [each.covers(top, bottom) >= MOSTLY for each in grid.xs]
    full = [
        sum(bool(units.get((row, c))) for c in range(grid.columns)) for row in range(grid.rows)
    ]
    for row in range(grid.rows):
        for column in range(grid.columns - 1):
            left, right = units.get((row, column), ()), units.get((row, column + 1), ())
            if grid.beside(row, column) >= PARTED:
                at = grid.xs[column + 1].at
                free = any(_lies_on(piece, at, line) for piece in (*left, *right))
            else:
                # The edges of rows shaded by turns are drawn in every other row alone: there
                # a row tells nothing but where it has one text.
                told = grid.xs[column + 1].ruled or full[row] == 1
                near = lattice[column + 1] and told and _near(left, right, line)
                free = near or (row, column) in crossing
            if free:
                opened.right.add((row, column))
    for row in range(grid.rows - 1):
        if not grid.ys[row + 1].drawn:
            continue
        for column in range(grid.columns):
            if grid.below(row, column) >= PARTED:
                continue
            empty = not units.get((row, column)) or not units.get((row + 1, column))
            caged = (column == 0 or lattice[column]) and (
                column + 2 > grid.columns or lattice[column + 1]
            )
            if row + 1 < head or (empty and caged):
                opened.below.add((row, column))
    _open_beside(grid, units, crossing, full, head, opened)
    _open_sums(grid, units, full, head, opened)
    _open_heads(grid, units, head, line, opened)
    return sorted(_rectangles(grid, units, opened))


def _open_beside(
    grid: Grid,
    units: Units,
    crossing: set[tuple[int, int]],
    full: Sequence[int],
    head: int,
    opened: _Open,
) -> None:
    """Text that runs across columns has the empty ones beside it too: a section, or a sum."""
    for row, column in crossing:
        begins = min(p.x0 for c in range(grid.columns) for p in units.get((row, c), ()))
        is_named = full[row] == 1 and begins < grid.xs[1].at  # a section, though among heads
        if is_named or (row >= head and full[row] <= LABELLED):
            left = [(place, place) for place in reversed(range(column))]
            right = [(place, place + 1) for place in range(column + 1, grid.columns - 1)]
            for side in (left, right):
                for place, unit in side:
                    if units.get((row, unit)) or grid.beside(row, place) >= PARTED:
                        break
                    opened.right.add((row, place))


def _open_sums(grid: Grid, units: Units, full: Sequence[int], head: int, opened: _Open) -> None:
    """A sum's name has all cells but the last: in its column the items have figures."""
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


def _is_figure(pieces: Sequence[Piece]) -> bool:
    return bool(pieces) and is_number(" ".join(piece.text for piece in pieces))


def _lies_on(piece: Piece, at: float, line: float) -> bool:
    """Whether a word lies across a border: what was seen there is no rule."""
    return piece.x0 + line / 2 < at < piece.x1 - line / 2 and not piece.words


def _near(left: Sequence[Piece], right: Sequence[Piece], line: float) -> bool:
    """Whether nothing but a rule could tell two units' text apart."""
    if not left or not right:
        return True
    return min(p.x0 for p in right) - max(p.x1 for p in left) < ONE_PHRASE * line


def _open_heads(grid: Grid, units: Units, head: int, line: float, opened: _Open) -> None:
    """Heads that stand over several columns, and labels that stand beside such heads."""
    first = [column for column in range(grid.columns) if units.get((0, column))]
    over_figures = head == 1 and len(first) == 1 and first[0] > 0  # what it heads is numbered
    for row in range(head - 1 + over_figures):
        _open_over(grid, units, row, line, opened)
    if not any(row < head for row, _ in opened.right):
        return
    for column in range(grid.columns):
        filled = [row for row in range(head) if units.get((row, column))]
        if not filled:
            continue
        for row in range(head - 1):
            if [c for c in range(grid.columns) if units.get((row + 1, c))] == [0]:
                break  # a section's name below the heads
            beside = (row, column) in opened.right or (row, column - 1) in opened.right
            under = (row + 1, column) in opened.right or (row + 1, column - 1) in opened.right
            if not beside and not under and grid.below(row, column) < PARTED:
                opened.below.add((row, column))


def _open_over(grid: Grid, units: Units, row: int, line: float, opened: _Open) -> None:
    """A row's heads that stand over several columns."""
    taken = 0
    groups = _repeated(grid, units, row)
    for column in range(grid.columns):
        if column < taken or not units.get((row, column)):
            continue
        first, last = _stands_over(grid, units, row, column, line)
        if first == last:
            own = (group for group in groups if group[0] <= column <= group[1])
            first, last = next(own, (first, last))
        first = max(first, taken)
        taken = last + 1
        opened.right.update((row, each) for each in range(first, last))


def _stands_over(
    grid: Grid, units: Units, row: int, column: int, line: float
) -> tuple[int, int]:
    """The first and last column that a head stands over."""
    pieces = units[row, column]
    if grid.below(row, column) >= PARTED:  # a rule under it says how far it reaches
        first, last = _ruled_under(grid, row, column)
        if not any(units.get((row, c)) for c in range(first, last + 1) if c != column):
            return _while_free(grid, units, row, column, first, last)
    left = min(piece.x0 for piece in pieces)
    right = max(piece.x1 for piece in pieces)
    middle = (left + right) / 2
    free_first, free_last = _while_free(grid, units, row, column, 0, grid.columns - 1)
    if free_first < free_last and _walled(grid, row, free_first, free_last):
        return free_first, free_last
    best, widest = (column, column), (1, 0.0)
    for first in range(free_first, column + 1):
        for last in range(column, free_last + 1):
            ends = [units.get((row + 1, first)), units.get((row + 1, last))]
            if not all(ends):
                continue
            low = min(piece.x0 for pieces in ends for piece in pieces or ())
            high = max(piece.x1 for pieces in ends for piece in pieces or ())
            away = abs((low + high) / 2 - middle)
            if away <= CENTERED * line and (last - first + 1, -away) > widest:
                best, widest = (first, last), (last - first + 1, -away)
    return best


def _repeated(grid: Grid, units: Units, row: int) -> list[tuple[int, int]]:
    """The first and last columns of groups with the same heads in each; none where they differ.

    Each has one head of its own in the row above.
    """
    above = [column for column in range(1, grid.columns) if units.get((row, column))]
    wide, rest = divmod(grid.columns - 1, max(len(above), 1))
    groups = [(first, first + wide - 1) for first in range(1, grid.columns, max(wide, 1))]
    if len(above) < 2 or rest or wide < 2:
        return []
    said = [
        [[piece.text for piece in units.get((row + 1, c), ())] for c in range(a, b + 1)]
        for a, b in groups
    ]
    alike = all(said[0]) and all(each == said[0] for each in said)
    own = all(a <= column <= b for column, (a, b) in zip(above, groups, strict=True))
    free = all(grid.beside(row, column) < PARTED for a, b in groups for column in range(a, b))
    return groups if alike and own and free else []


def _ruled_under(grid: Grid, row: int, column: int) -> tuple[int, int]:
    """The first and last column over the stretch of rule that is under a unit."""
    for a, b in grid.ys[row + 1].drawn:
        inside = [
            each
            for each in range(grid.columns)
            if min(b, grid.xs[each + 1].at) - max(a, grid.xs[each].at)
            > PARTED * (grid.xs[each + 1].at - grid.xs[each].at)
        ]
        if column in inside and len(inside) < grid.columns:
            return inside[0], inside[-1]
    return column, column


def _walled(grid: Grid, row: int, first: int, last: int) -> bool:
    """Whether rules stand on both sides of some units, the table's edge being one too."""
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


def _rectangles(grid: Grid, units: Units, opened: _Open) -> list[Span]:
    """Units to cells, from the top left; each as wide, then as high, as it can be."""
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
            else:  # nothing spans nothing
                found += [Span(*unit) for unit in units_]
    return found
