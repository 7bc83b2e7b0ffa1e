"""Rows found from line spacing alone, if it is of two kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise

from pagetide.structure.tables.baseline import UNIT, Baseline, is_number
from pagetide.structure.tables.pieces import Piece, begins_small

LEAST = 4  # lines needed to see two kinds of spacing
APART = 0.14  # line heights between the widest space within rows and the narrowest between them
BESIDE = -0.1  # line heights: lines that overlap more are side by side
WITHIN = 0.75  # line heights within a row, at most
SECTION = 0.3  # line heights below a section name if no cell has several lines
SECTIONS = 0.34  # of the rows that may have a name above them
OUT = 0.25  # of a line's height: names of one row start no farther left than its first line
Row = list[Baseline]


def rows_by_room(
    found: Sequence[Baseline], column: Callable[[Piece], object], line: float
) -> list[Row] | None:
    """Groups lines into rows by line spacing; None if that is not conclusive.

    Cells have padding, so lines of one cell are closer than rows. The groups must be valid
    rows: none has two figures in a column, two lines that both fill all of its columns, or a
    line that starts left of its name.

    Args:
        found: Of a table's body, from the top.
        column: Gives the column (or columns) of a piece.
        line: The page's typical line height.
    """
    if len(found) < LEAST:
        return None
    rooms = [(below.top - above.bottom) / line for above, below in pairwise(found)]
    for most in _splits(rooms):
        rows = _parted(found, rooms, most)
        if all(_is_row(row, column) for row in rows):
            return _with_sections(rows, line)
    return None


def bridges(found: Sequence[Baseline]) -> set[int]:
    """The indexes of lines beside two rows at once: a group name at its vertical middle."""
    return {
        place
        for place, (above, each, below) in enumerate(
            zip(found, found[1:], found[2:], strict=False), 1
        )
        if each.top < above.bottom
        and below.top < each.bottom
        and len(each.columns) == 1
        and min(len(above.columns), len(below.columns)) > 1
        and each.columns.isdisjoint(above.columns | below.columns)
    }


def _splits(rooms: Sequence[float]) -> Iterator[float]:
    """Candidates for the widest space within a row, the largest jump to the next one first."""
    ordered = sorted(rooms)
    jumps = [
        (wide - narrow, narrow)
        for narrow, wide in pairwise(ordered)
        if wide - narrow >= APART and BESIDE <= narrow <= WITHIN
    ]
    return (narrow for _, narrow in sorted(jumps, reverse=True))


def _parted(found: Sequence[Baseline], rooms: Sequence[float], most: float) -> list[Row]:
    rows: list[Row] = [[found[0]]]
    for each, room in zip(found[1:], rooms, strict=True):
        if room <= most:
            rows[-1].append(each)
        else:
            rows.append([each])
    return rows


def _with_sections(rows: Sequence[Row], line: float) -> list[Row]:
    """The rows, split after a section name with more space below it than within a cell."""
    named = [len(row) > 1 and _begins_with_name(row) for row in rows]
    rooms = [
        below.top - above.bottom
        for row, is_named in zip(rows, named, strict=True)
        for above, below in pairwise(row[is_named:])
    ]
    if not rooms and sum(named) > SECTIONS * len(rows):
        return list(rows)  # names of several lines that have their figures beside the last
    least = max(rooms) + APART * line if rooms else SECTION * line
    found: list[Row] = []
    for row, is_named in zip(rows, named, strict=True):
        apart = is_named and row[1].top - row[0].bottom >= least
        found += [row[:1], row[1:]] if apart else [row]
    return found


def _begins_with_name(row: Sequence[Baseline]) -> bool:
    """Whether a row starts with only a name, above a line with a name and figures.

    Where items have keys, the name may be in the next column, above an item's name.
    """
    name, below = row[0], row[1]
    is_above = 0 in name.columns or (
        name.columns <= below.columns and not is_number(name.pieces[0].text)
    )
    is_alone = len(name.pieces) == 1 and is_above
    return is_alone and 0 in below.columns and below.has_figures


def _is_row(row: Sequence[Baseline], column: Callable[[Piece], object]) -> bool:
    """Whether lines can be one row: no column has two figures, and a cell has one line."""
    if len(row) == 1:
        return True
    kinds = [
        (column(piece), is_number(piece.text) and not UNIT.fullmatch(piece.text))
        for each in row
        for piece in each.pieces[0 in each.columns :]
    ]
    firsts = dict(reversed(kinds))  # below words, figures are more of these: serial numbers
    figures = Counter(of for of, is_figure in kinds if is_figure and firsts[of])
    if any(count > 1 for count in figures.values()):
        return False
    above = set[int]()
    for each in row:
        if lies_across(each, above):
            return False
        above |= each.columns
    counts = Counter(column for each in row for column in each.columns)
    is_wrapped = len(counts) == 1 and all(begins_small(e.pieces[0].text) for e in row[1:])
    return (min(counts.values()) == 1 or is_wrapped) and not _hangs_out(row)


def lies_across(line: Baseline, above: Set[int]) -> bool:
    """Whether a line's only text is under texts of other columns, as a note's is.

    Args:
        line: Of a table.
        above: The columns that have text above it, in what may be its row.
    """
    if len(line.pieces) > 1 or len(line.columns) < 2:
        return False
    return not above.isdisjoint(line.columns - {min(line.columns)})


def _hangs_out(row: Sequence[Baseline]) -> bool:
    """Whether a line starts left of the row's name, as the next section's does."""
    names = [each.pieces[0] for each in row if 0 in each.columns]
    near = OUT * (names[0].y1 - names[0].y0) if names else 0.0
    return any(name.x0 < names[0].x0 - near for name in names[1:])
