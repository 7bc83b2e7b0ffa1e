"""The row borders of a grid where nothing is drawn."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Mapping, Sequence, Set
from statistics import median

from pagetide.structure.tables.baseline import (
    IN_BRACKETS,
    Baseline,
    baselines_in,
    is_amount,
    is_number,
    is_value,
)
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece, are_set_alike, baselines
from pagetide.structure.tables.rows.boxes import (
    CLOSED,
    MOSTLY,
    bands_of,
    has_figures,
    has_higher_box,
    has_one_key,
    is_closed,
    is_of_wide_boxes,
    parted_columns,
)
from pagetide.structure.tables.rows.joins import are_named_twice
from pagetide.structure.tables.rows.of_heads import rows_of_heads
from pagetide.structure.tables.rows.parting import (
    LEADING,
    LEAST_FIGURES,
    ONE_PITCH,
    SECTION,
    close_lines,
    has_rows_of_figures,
    rows_in,
)
from pagetide.structure.tables.rows.ruled_items import items_of
from pagetide.structure.tables.rows.sections import section_names

WHOLE = 0.95  # of a table's width: a rule from side to side
LEAST_BODY = 3  # rows needed to measure the row distance
RULED_BANDS = 4  # between horizontal rules: fewer rules separate headers from rows, not rows
STRIPES = 6  # bands that show that each is a row
ALIKE = 1.6  # how much higher every other band may be
MOST_SUMS, SUM_WORDS = 2, 2  # of more sums, one may have no name, or a name in two parts
BOOK = 3  # rules of a book table: above and below it, and below its header
MOST_OF_HEAD = 0.4  # of its height


def with_rows(
    grid: Grid, pieces: Sequence[Piece], line: float, *, head_alone: bool, items: bool = False
) -> Grid:
    """Adds rows that only the text shows, in the whole table or in its header.

    Args:
        grid: With its columns known.
        pieces: The table's text.
        line: The page's typical line height.
        head_alone: Whether the rows below the header are known.
        items: Whether it is an item table below its headers.
    """
    bands = bands_of(grid, pieces)
    of_one_line = sum(len(baselines(inside)) == 1 for inside in bands.values())
    ruled = of_one_line >= 0.5 * len(bands) or _is_striped(grid)
    ordered = sorted(bands.items())
    # Below the first band, which may hold the first item too, headers have no amounts.
    bodies = (
        place
        for place, (_, inside) in enumerate(ordered)
        if _is_body(grid, inside) or (place > 0 and any(is_amount(p.text) for p in inside))
    )
    rule = rule_below_head(grid)
    body = max(next(bodies, 1), sum(band < rule for band in bands))
    closed = _closed(grid, bands)
    single = {band for band in closed if has_one_key(grid, bands[band])}
    keyed = len(bands) > 1 and len(single) == len(bands)
    single_rows = single if len(single) > max(RULED_BANDS, MOSTLY * len(bands)) else set[int]()
    parted = parted_columns(grid)
    names = section_names(baselines_in(grid, pieces), line)
    one_each = items_of(grid, bands)
    close = close_lines(baselines_in(grid, [p for _, own in ordered[1:] for p in own]))
    added: list[float] = []
    for place, (band, inside) in enumerate(ordered[:1] if head_alone else ordered):
        head = place < body and len(ordered) > 1
        own = keyed or (len(bands) >= RULED_BANDS and (ruled or band in closed))
        named = [piece for piece in inside if piece in names]
        is_one = band in one_each or _is_one_item(grid, band, inside)
        is_one |= band in single_rows and not _are_rows(grid, baselines_in(grid, inside))
        if place and not named and is_one:
            continue
        if is_of_wide_boxes(grid, band, inside, parted) or has_higher_box(grid, band, inside):
            continue
        section = _section_below(grid, inside, pieces, line) if place == 0 else []
        kept = [piece for piece in inside if piece not in section]
        lines = baselines_in(grid, kept)
        if own and place and _are_sums(grid, lines):
            rows = [[each] for each in lines]
        elif band in one_each and not named:
            rows = _below_heads(lines, one_each[band], grid, line)
        else:
            rows = [
                each
                for n, part in enumerate(_parts(kept, named))
                for each in rows_in(
                    grid,
                    part,
                    line,
                    first=place == n == 0,
                    head=head,
                    ruled=own,
                    closed=band in closed,
                    items=items,
                    close=close,
                )
            ]
        if section:
            rows.append(baselines_in(grid, section))
        for above, below in itertools.pairwise(rows):
            bottom = max(each.bottom for each in above)
            top = min(each.top for each in below)
            added.append((bottom + top) / 2)
    return grid.with_ys(added)


def _closed(grid: Grid, bands: Mapping[int, Sequence[Piece]]) -> set[int]:
    """The bands whose cells are closed: by rules, or by shades of every other row."""
    closed = {band for band in bands if is_closed(grid, band)}
    if _are_shaded_by_turns(grid, closed) and any(len(baselines(bands[n])) > 1 for n in closed):
        closed |= {n for n in bands if n and not _has_two_rows(grid, bands[n])}
    return closed


def _below_heads(
    lines: Sequence[Baseline], item: list[Baseline], grid: Grid, line: float
) -> list[list[Baseline]]:
    """The rows of a band that holds an item, and headers above it if any."""
    heads = lines[: len(lines) - len(item)]
    return [*(rows_of_heads(heads, grid, line) if heads else ()), item]


def _section_below(
    grid: Grid, inside: Sequence[Piece], pieces: Sequence[Piece], line: float
) -> list[Piece]:
    """A section name below headers: alone, and as far below them as rows are apart.

    Or the first column has no header, and another such name is further down.

    Args:
        grid: With its columns known.
        inside: The first band's text.
        pieces: The table's.
        line: The page's typical line height.
    """
    rows = baselines(inside)
    if _is_section_again(grid, rows, pieces, line):
        return rows[-1]
    pitches = [below.at - above.at for above, below in itertools.pairwise(grid.ys[1:])]
    if len(rows) < 2 or len(pitches) < LEAST_BODY or len(rows[-2]) < 2:
        return []
    pitch, gap = median(pitches), rows[-1][0].middle - median(p.middle for p in rows[-2])
    alone = len(rows[-1]) == 1 and grid.column_at(rows[-1][0].x0) == 0
    is_row = abs(gap - pitch) < ONE_PITCH * line and pitch > LEADING * line
    return rows[-1] if alone and is_row else []


def _is_section_again(
    grid: Grid, rows: Sequence[Sequence[Piece]], pieces: Sequence[Piece], line: float
) -> bool:
    """Whether a lone name is well below other columns' headers, and one like it lower down."""
    *heads, last = rows
    if not heads or len(last) > 1 or IN_BRACKETS.fullmatch(last[0].text):
        return False
    columns = {grid.column_at(piece.center) for row in heads for piece in row}
    first, bottom = last[0], max(piece.y1 for row in heads for piece in row)
    if 0 in columns or grid.column_at(first.x0) > 0 or first.y0 - bottom < SECTION * line:
        return False
    near = line / 8
    return any(
        len(row) == 1 and are_set_alike(row[0], first, near)
        for row in baselines(piece for piece in pieces if piece.y0 > first.y1)
    )


def _parts(pieces: Sequence[Piece], names: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of a band from the top, the names of groups apart from what is around them."""
    if not names:
        return [list(pieces)]
    edges = [edge for name in names for edge in (name.y0, name.y1)]
    parts: dict[int, list[Piece]] = {}
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        parts.setdefault(bisect(edges, piece.middle), []).append(piece)
    return list(parts.values())


def rule_below_head(grid: Grid) -> int:
    """How many rows are above the second of a table's three full-width rules; otherwise 0.

    These are around it and below its header, as in books.
    """
    left, right = grid.xs[0].at, grid.xs[-1].at
    wide = [
        place
        for place, border in enumerate(grid.ys)
        if border.ruled and border.covers(left, right) >= WHOLE
    ]
    if len(wide) != BOOK or wide[0] > 0 or wide[2] < grid.rows:
        return 0
    top, below, bottom = (grid.ys[place].at for place in wide)
    return wide[1] if below - top < MOST_OF_HEAD * (bottom - top) else 0


def _is_striped(grid: Grid) -> bool:
    """Whether rows have alternate shading or rules: each band is one, as high as others."""
    heights = [below.at - above.at for above, below in itertools.pairwise(grid.ys)]
    if len(heights) < STRIPES or any(not border.drawn for border in grid.ys[1:-1]):
        return False
    odd, even = sorted((median(heights[1::2]), median(heights[::2])))
    return even <= ALIKE * odd


def _are_shaded_by_turns(grid: Grid, closed: Set[int]) -> bool:
    """Whether each cell of every other row is shaded: the rows between count as well."""
    if grid.rows <= LEAST_BODY or any(border.ruled for border in grid.ys[1:-1]):
        return False
    body = range(1, grid.rows)
    return all((a in closed) != (b in closed) for a, b in itertools.pairwise(body))


def _is_body(grid: Grid, pieces: Sequence[Piece]) -> bool:
    """Whether a band is a body row; side-by-side addresses have figures in two columns.

    Also an item whose description continues for many lines without figures: headers end in
    them.
    """
    if has_figures(grid, pieces) or has_rows_of_figures(grid, pieces, LEAST_FIGURES):
        return True
    if _are_valued(grid, baselines_in(grid, pieces)):
        return True
    first, *others = baselines(pieces)
    return bool(others) and _is_item(grid, first)


def _are_valued(grid: Grid, lines: Sequence[Baseline]) -> bool:
    """Whether each of several lines has a name in the first column and a figure in the last.

    Headers have no figures below one another.
    """
    last = grid.columns - 1
    ends = [max(each.pieces, key=lambda piece: piece.x1) for each in lines]
    return len(lines) > 1 and all(
        0 in each.columns and grid.column_at(end.center) == last > 0 and is_value(end.text)
        for each, end in zip(lines, ends, strict=True)
    )


def _is_item(grid: Grid, line: Sequence[Piece]) -> bool:
    """Whether a line has a name, and several figures that make up most of the rest."""
    behind = [piece for piece in line if grid.column_at(piece.center) > 0]
    figures = sum(is_number(piece.text) for piece in behind)
    return len(behind) < len(line) and figures >= LEAST_FIGURES and has_figures(grid, line)


def _has_two_rows(grid: Grid, pieces: Sequence[Piece]) -> bool:
    """Whether a column of a band has figures below one another."""
    figures = [grid.column_at(piece.center) for piece in pieces if is_number(piece.text)]
    return len(figures) > len(set(figures))


def _is_one_item(grid: Grid, band: int, pieces: Sequence[Piece]) -> bool:
    """Whether a band between rules has figures in its first line only, and at most one key."""
    left, right = grid.xs[0].at, grid.xs[-1].at
    if any(edge.covers(left, right) < CLOSED for edge in grid.ys[band : band + 2]):
        return False
    first, *others = baselines_in(grid, pieces)
    keyed = sum(0 in each.columns for each in (first, *others))
    within = all(each.columns <= first.columns and not each.has_figures for each in others)
    return keyed <= 1 and first.has_figures and within


def _are_rows(grid: Grid, lines: Sequence[Baseline]) -> bool:
    """Whether lines are sums, or two with a name and an amount each."""
    return are_named_twice(lines, grid) or _are_sums(grid, lines)


def _are_sums(grid: Grid, lines: Sequence[Baseline]) -> bool:
    """Whether each of several lines is a name with figures, one in the last column.

    Below the last item a table's sums need not be separated by rules.
    """
    last = grid.columns - 1
    ends = [max(each.pieces, key=lambda piece: piece.x1) for each in lines]
    many = len(lines) > MOST_SUMS
    return len(lines) > 1 and all(
        is_number(end.text)
        and grid.column_at(end.center) == last
        and all(is_number(p.text) or (many and len(p.words) <= SUM_WORDS) for p in others)
        and (any(map(str.isalpha, name.text)) or (many and name is end))
        for each, end in zip(lines, ends, strict=True)
        for name, *others in [each.pieces]
    )
