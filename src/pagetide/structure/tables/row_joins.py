"""Lines of a table's text joined to rows: which go on in the one above is fitted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pagetide.structure.tables.baseline import UNIT, Baseline, columns_of, is_number
from pagetide.structure.tables.columns import SIGNS
from pagetide.structure.tables.grid import Grid
from pagetide.structure.tables.row_features import Band
from pagetide.structure.tables.row_weights import WEIGHTS as NAMED
from pagetide.structure.tables.row_weights_unnamed import WEIGHTS as UNNAMED

WEIGHTS = NAMED | UNNAMED


def joined(found: Sequence[Baseline], grid: Grid, line: float) -> list[list[Baseline]]:
    """Lines to rows, from the top.

    Args:
        found: Of a table's body.
        grid: With its columns known.
        line: The page's typical line height.
    """
    if len(found) < 2:
        return [list(found)]
    band = Band.of(found, grid, line)
    rows = [[found[0]]]
    for place, each in enumerate(found[1:], 1):
        row = [*rows[-1], each]
        begins = _has_two_values(row) or sum(own.is_labelled for own in row) > 1
        if (
            _is_broken(found[place - 1], each, grid)
            or _is_of_signs(found[place - 1], each, grid)
            or (
                not begins
                and goes_on(band.features(place)) > 0.5
                and not band.ends_short(place)
            )
        ):
            rows[-1].append(each)
        else:
            rows.append([each])
    return rows


def goes_on(features: Mapping[str, float]) -> float:
    """How sure it is, 0–1, that a line goes on in the row above it."""
    total = sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-min(max(total, -40.0), 40.0)))


def _is_broken(upper: Baseline, lower: Baseline, grid: Grid) -> bool:
    """Whether all that stands in a line goes on after a hyphen in its column, as codes do."""
    broken = {columns_of(grid, p) for p in upper.pieces if p.text.endswith("-")}
    return all(columns_of(grid, piece) in broken for piece in lower.pieces)


def _is_of_signs(upper: Baseline, lower: Baseline, grid: Grid) -> bool:
    """Whether a line has nothing but signs of figures, as `€` or `%`, or what these are of."""
    signs = {columns_of(grid, piece) for piece in upper.pieces if piece.text in SIGNS}
    return all(
        piece.text in SIGNS or columns_of(grid, piece) in signs for piece in lower.pieces
    )


def _has_two_values(row: Sequence[Baseline]) -> bool:
    """Whether lines have figures twice in one column: no row has."""
    taken: set[int] = set()
    for each in row:
        own = set(each.columns) if _is_of_figures(each) else set[int]()
        if len(own & taken) > 1:
            return True
        taken |= own
    return False


def _is_of_figures(each: Baseline) -> bool:
    """Whether what stands beside a line's first piece are figures, not units of them."""
    texts = [piece.text for piece in each.pieces[1:]]
    return bool(texts) and all(is_number(t) and not UNIT.fullmatch(t) for t in texts)
