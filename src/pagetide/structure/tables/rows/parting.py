"""Row boundaries: baselines that start a row, and ones that continue it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from pagetide.structure.tables.baseline import (
    Baseline,
    are_counted,
    baselines_in,
    is_number,
    is_year,
    lists_values,
)
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece, has_figures
from pagetide.structure.tables.rows.joins import (
    are_named_and_paid,
    are_named_twice,
    are_paid_alike,
    has_two_values,
    joined,
)
from pagetide.structure.tables.rows.of_heads import rows_of_heads

ONE_PITCH = 0.15  # line heights: row distances that differ less are equal
LEADING = 1.3  # line heights: lines of one cell are closer
MOST_HEAD_LINES = 6
SECTION = 0.3  # line heights between a section name and a row: lines of one cell are closer
LEAST_FULL = 3  # baselines with most columns, which show what a row starts with
CLOSE = 0.75  # of the space between rows: lines of one header cell are closer
LEAST_ROOMS = 3  # spaces between rows, which show what that is
LEAST_FIGURES = 3  # of a row that is one though no rule separates it from the next


def rows_in(
    grid: Grid,
    pieces: Sequence[Piece],
    line: float,
    *,
    first: bool,
    head: bool,
    ruled: bool,
    closed: bool = False,
    items: bool = False,
    close: float = 0.0,
) -> list[list[Baseline]]:
    """The rows that a band between two rules holds.

    Args:
        grid: With its columns known.
        pieces: The band's text.
        line: The page's typical line height.
        first: Whether it is the table's first band, which may hold its header too.
        head: Whether it holds only headers.
        ruled: Whether rules separate most of the table's rows.
        closed: Whether rules are drawn around each of its cells.
        items: Whether the table is an item table below its headers.
        close: Pixels between two lines that are closer than the rows below the first band.
    """
    found = baselines_in(grid, pieces)
    if len(found) < 2 and not head:
        return [found] if found else []
    if first and len(found) == 1 + _lines_close_below(found, close):
        return rows_of_heads(found, grid, line, closed=closed)
    is_open = len(found) > 1 and not (closed or first)
    if is_open and (_is_section_with_row(found, grid, line) or _are_named(found, line)):
        return [list(found[:1]), list(found[1:])]
    full = [each for each in found if len(each.columns) >= max(2, grid.columns / 2)]
    figures = sum(each.has_figures for each in full)
    if rows := _heads_and_item(found, full, grid, line, first=first, head=head):
        return rows
    least = 4 if head else 3 if ruled and not _are_alike(full) else 0
    if len(full) < least or ((head or ruled) and figures < 0.6 * len(full)):
        if head:
            return rows_of_heads(found, grid, line, closed=closed)
        several = not closed and (
            has_two_values(found) or _stand_apart(found, line) or are_paid_alike(found, grid)
        )
        several |= are_named_twice(found, grid) or are_named_and_paid(found, grid)
        return joined(found, grid, line, items=items) if several else [found]
    top = _lines_of_head(found, grid) if first else 0
    if 0 < top <= MOST_HEAD_LINES:
        rows, top = _rows_of_top(found, top, grid, line)
        body = [piece for each in found[top:] for piece in each.pieces]
        below = rows_in(grid, body, line, first=False, head=False, ruled=ruled, items=items)
        return [*rows, *below]
    return joined(found, grid, line, items=items)


def _heads_and_item(
    found: Sequence[Baseline],
    full: Sequence[Baseline],
    grid: Grid,
    line: float,
    *,
    first: bool,
    head: bool,
) -> list[list[Baseline]]:
    """The rows of headers with one item or sum below or above them; otherwise empty."""
    if first and _are_head_and_item(full):
        place = found.index(full[-1])
        heads = place - _is_set_off(found[:place], line)
        section = [list(found[heads:place])] if heads < place else []
        return [*rows_of_heads(found[:heads], grid, line), *section, list(found[place:])]
    if head and _is_sum_above_heads(found):
        return [
            list(found[:1]),
            *rows_of_heads(found[1:-1], grid, line),
            list(found[-1:]),
        ]
    if head and _ends_in_item(found):
        return [*rows_of_heads(found[:-1], grid, line), list(found[-1:])]
    return []


def _rows_of_top(
    found: Sequence[Baseline], top: int, grid: Grid, line: float
) -> tuple[list[list[Baseline]], int]:
    """The rows of so many header lines, with a section's name below, and where they end."""
    close = close_lines(found[top + 1 :])
    top += _lines_close_below(found[top - 1 :], close)
    heads = top - (_section_lines(found[:top], line) or _is_section(found, top - 1, line))
    if any(each.columns == frozenset({0}) for each in found[top:-1]):
        top = heads  # names above their values, as further down
    section = [list(found[heads:top])] if heads < top else []
    return [*rows_of_heads(found[:heads], grid, line), *section], top


def has_rows_of_figures(grid: Grid, pieces: Sequence[Piece], columns: int) -> bool:
    """Whether that many columns have figures below one another, as in a list of items."""
    figures = Counter(grid.column_at(piece.center) for piece in pieces if is_number(piece.text))
    return sum(count > 1 for count in figures.values()) >= columns


def _lines_of_head(found: Sequence[Baseline], grid: Grid) -> int:
    """How many lines are above the first with figures, or with a label."""
    if found[0].is_years and 0 not in found[0].columns and found[1].has_digits:
        return 1
    values = [each.pieces[-1].text for each in found if len(each.columns) > 1]
    if grid.columns == 2 and lists_values(values):
        return 0
    if counted := _lines_of_counts(found):
        return counted
    for place, each in enumerate(found):
        if each.is_body or each.is_labelled or each.ends_in_amount:
            return place
    return 0


def _lines_of_counts(found: Sequence[Baseline]) -> int:
    """How many lines end with one that completes columns' numbers `(1)`, `(2)`, `(3)`; or 0.

    A number with its unit below starts higher than those without.
    """
    for count in range(1, min(len(found), MOST_HEAD_LINES) + 1):
        pieces = sorted((p for e in found[:count] for p in e.pieces), key=lambda p: p.x0)
        if are_counted([piece.text for piece in pieces]):
            return count
    return 0


def close_lines(body: Sequence[Baseline]) -> float:
    """The space between lines that are closer than a body's; 0 if these are too few to tell."""
    rooms = [below.top - above.bottom for above, below in itertools.pairwise(body)]
    return CLOSE * min(rooms) if len(rooms) >= LEAST_ROOMS else 0.0


def _lines_close_below(found: Sequence[Baseline], close: float) -> int:
    """How many lines, such as years or dates, are closer than that below the first one.

    They complete the headers above them; none has a name.
    """
    count = 0
    for above, below in itertools.pairwise(found):
        if 0 in below.columns or below.top - above.bottom >= close:
            break
        count += 1
    return count


def _is_section_with_row(found: Sequence[Baseline], grid: Grid, line: float) -> bool:
    """Whether a lone name is above a row with figures, farther than lines of a cell are.

    It starts in the first column. All lines of the row are side by side.
    """
    first, row, *others = found
    if len(first.pieces) > 1 or grid.column_at(first.pieces[0].x0 + line / 4) > 0:
        return False
    beside = all(
        below.top < above.bottom for above, below in itertools.pairwise([row, *others])
    )
    is_row = 0 in row.columns and row.has_figures
    return is_row and beside and row.top - first.bottom > SECTION * line


def _are_named(found: Sequence[Baseline], line: float) -> bool:
    """Whether two separated lines have a name and a figure each, in different columns.

    For example `Mean` and `Sum` below a table's values.
    """
    upper, lower, *others = found
    is_apart = lower.top - upper.bottom > SECTION * line
    shared = upper.columns & lower.columns
    return not others and is_apart and shared == {0} and upper.has_figures and lower.has_figures


def _stand_apart(found: Sequence[Baseline], line: float) -> bool:
    """Whether two lines are farther apart than lines of a cell are."""
    rooms = (below.top - upper.bottom for upper, below in itertools.pairwise(found))
    return max(rooms) > SECTION * line


def _are_alike(full: Sequence[Baseline]) -> bool:
    """Whether two baselines have a name and figures: two rows, though no rule is between."""
    return sum(map(_is_item, full)) > 1


def _are_head_and_item(full: Sequence[Baseline]) -> bool:
    """Whether the last of some baselines has figures below the others' names or years."""
    if len(full) < 2:
        return False
    *above, last = full
    if not last.columns <= frozenset[int]().union(*(each.columns for each in above)):
        return False
    heads = [piece.text for each in above for piece in each.pieces]
    figures = [p.text for p in last.pieces if p.text[-1:].isdigit() and is_number(p.text)]
    named = all(is_year(text) or not has_figures(text) for text in heads)
    return named and not all(map(is_year, figures))


def _is_set_off(heads: Sequence[Baseline], line: float) -> bool:
    """Whether the last of some headers is a section's name: alone, and apart from the others.

    Above it is the header of its column.
    """
    if len(heads) < 2 or heads[-1].columns != frozenset({0}) or 0 not in heads[-2].columns:
        return False
    bottom = max(each.bottom for each in heads[:-1])
    return len(heads[-1].pieces) == 1 and heads[-1].top - bottom > SECTION * line


def _ends_in_item(found: Sequence[Baseline]) -> bool:
    """Whether the last of some baselines has figures, and a name with nothing above it."""
    *above, last = found
    heads = frozenset[int]().union(*(each.columns for each in above))
    return (
        0 in last.columns - heads
        and last.columns - {0} <= heads
        and _are_head_and_item([*above, Baseline(last.pieces, last.columns & heads)])
    )


def _is_sum_above_heads(found: Sequence[Baseline]) -> bool:
    """Whether the first has a name and figures, and the others are headers with an item."""
    is_sum = 0 in found[0].columns and found[0].is_body
    return is_sum and len(found) >= LEAST_FULL and _ends_in_item(found[1:])


def _section_lines(heads: Sequence[Baseline], line: float) -> int:
    """How many lines below headers are a lone name with a cell's line spacing; otherwise 0.

    No header is over it.
    """
    count = 0
    while count < len(heads) - 1 and heads[-1 - count].columns == frozenset({0}):
        count += 1
    above, own = heads[: len(heads) - count], heads[len(heads) - count :]
    if not own or any(0 in each.columns for each in above):
        return 0
    rooms = [below.top - upper.bottom for upper, below in itertools.pairwise(own)]
    is_below = own[0].top > max(each.bottom for each in above) - line / 8
    return count if is_below and max(rooms, default=0.0) < SECTION * line else 0


def _is_section(found: Sequence[Baseline], place: int, line: float) -> bool:
    """Whether a lone name below headers is as far from these as all rows below it.

    They are as far apart as rows, or every other one is such a name, above its values.
    """
    if place < 1 or len(found) - place < LEAST_FULL or found[place].columns != frozenset({0}):
        return False
    gaps = [b.middle - a.middle for a, b in itertools.pairwise(found[place - 1 :])]
    if max(gaps) - min(gaps) >= ONE_PITCH * line:
        return False
    alone = [len(each.pieces) == 1 and 0 in each.columns for each in found[place:]]
    by_turns = sum(alone) >= LEAST_FULL and all(a != b for a, b in itertools.pairwise(alone))
    return by_turns or min(gaps) > LEADING * line


def _is_item(baseline: Baseline) -> bool:
    figures = sum(is_number(piece.text) for piece in baseline.pieces[1:])
    return 0 in baseline.columns and figures >= LEAST_FIGURES
