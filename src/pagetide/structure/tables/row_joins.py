"""Lines of a table's text joined to rows: which go on in the one above is fitted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pagetide.structure.tables.baseline import UNIT, Baseline, columns_of, is_number
from pagetide.structure.tables.columns import BEFORE, SIGNS
from pagetide.structure.tables.grid import Grid
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.row_features import Band
from pagetide.structure.tables.row_weights import WEIGHTS as NAMED
from pagetide.structure.tables.row_weights_unnamed import WEIGHTS as UNNAMED

WEIGHTS = NAMED | UNNAMED
_CODE = re.compile(r"[A-Z]{1,4}-")  # of articles


def joined(found: Sequence[Baseline], grid: Grid, line: float) -> list[list[Baseline]]:
    """Lines to rows, from the top.

    Args:
        found: Of a table's body.
        grid: With its columns known.
        line: The page's typical line height.
    """
    if len(found) < 2:
        return [list(found)]
    wrapped = [_wrapped(found[:place], each, grid) for place, each in enumerate(found) if place]
    bare = [found[0], *map(_without, found[1:], wrapped)]
    band = Band.of(bare, grid, line)
    rows, told = [[found[0]]], [found[0]]
    for place, (each, rest) in enumerate(zip(found[1:], wrapped, strict=True), 1):
        row = [*told, bare[place]]
        begins = _has_two_values(row) or sum(own.is_labelled for own in row) > 1
        begins |= _begins_amount(rows[-1], bare[place], grid)
        if len(rest) == len(each.pieces) or (
            not begins and goes_on(band.features(place)) > 0.5 and not band.ends_short(place)
        ):
            rows[-1].append(each)
            told.append(bare[place])
        else:
            rows.append([each])
            told = [bare[place]]
    return rows


def goes_on(features: Mapping[str, float]) -> float:
    """How sure it is, 0–1, that a line goes on in the row above it."""
    total = sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-min(max(total, -40.0), 40.0)))


def _wrapped(above: Sequence[Baseline], lower: Baseline, grid: Grid) -> list[Piece]:
    """The pieces of a line that only end what their columns say above.

    A sign such as `€` or `%` alone, a figure below its currency's sign, a code's number below
    its letters and, where nothing else is in the line, whatever goes on after a hyphen.
    """
    upper = {columns_of(grid, piece): piece.text for piece in above[-1].pieces}
    before = [
        columns_of(grid, p) for each in above[-2:-1] for p in each.pieces if p.text in BEFORE
    ]
    ends: list[Piece] = []
    for piece in lower.pieces:
        column = columns_of(grid, piece)
        said = upper.get(column, "")
        # What has its sign already ends there: another begins the next amount.
        signed = column in before or any(sign in said for sign in BEFORE)
        is_sign = piece.text in SIGNS and said and not signed
        if said in BEFORE or is_sign or (_CODE.fullmatch(said) and piece.text.isdecimal()):
            ends.append(piece)
    others = [p for p in lower.pieces if p not in ends]
    broken = all(upper.get(columns_of(grid, p), "").endswith("-") for p in others)
    return [*ends, *others] if broken else ends


def _begins_amount(row: Sequence[Baseline], line: Baseline, grid: Grid) -> bool:
    """Whether a currency's sign is alone in a column of which the row has something already."""
    taken = {columns_of(grid, piece) for each in row for piece in each.pieces}
    return any(p.text in BEFORE and columns_of(grid, p) in taken for p in line.pieces)


def _without(line: Baseline, pieces: Sequence[Piece]) -> Baseline:
    """A line without some of its pieces, as long as one is left."""
    left = tuple(piece for piece in line.pieces if piece not in pieces)
    return replace(line, pieces=left) if left else line


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
