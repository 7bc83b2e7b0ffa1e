"""Tables with a rule, or a shade's edge, between all rows: what is between two is one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import dropwhile

from pagetide.structure.tables.baseline import (
    UNIT,
    Baseline,
    baselines_in,
    columns_of,
    is_value,
)
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece

LEAST = 2  # bands of several lines, which show that no further row is in a band


def items_of(grid: Grid, bands: Mapping[int, Sequence[Piece]]) -> dict[int, list[Baseline]]:
    """The lines of each band that is one row, by band; none if any band has more rows.

    A row has its figures in its first line, and a group of rows in several. The first band may
    hold headers above its row, which are left out, or only headers: a row has figures in all
    columns in which the others have them.

    Args:
        grid: With its columns known.
        bands: The text between the drawn borders, by row.
    """
    first, *others = sorted(bands)
    found = {band: baselines_in(grid, bands[band]) for band in others}
    several = [lines for lines in found.values() if len(lines) > 1]
    if len(several) < LEAST or not all(_is_item(lines, grid) for lines in several):
        return {}
    lines = baselines_in(grid, bands[first])
    common = set[int].intersection(*(_values(own[0], grid) for own in several))
    item = dropwhile(lambda each: not common <= _values(each, grid), lines) if common else ()
    below = list(item)
    return {first: below, **found} if _is_item(below, grid) else found


def _is_item(lines: Sequence[Baseline], grid: Grid) -> bool:
    """Whether only the first of some lines has figures in its columns of figures."""
    if not lines:
        return False
    first, *others = lines
    values = _values(first, grid)
    within = all(each.columns <= first.columns for each in others)
    return bool(values) and within and not any(values & _values(each, grid) for each in others)


def _values(baseline: Baseline, grid: Grid) -> set[int]:
    """The columns in which figures are, without the first; units and years are none."""
    figures = (p for p in baseline.pieces if is_value(p.text) and not UNIT.fullmatch(p.text))
    return {columns_of(grid, piece)[1] for piece in figures} - {0}
