"""How similar two rows are: whether their pieces are in the same columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import fmean, median

from pagetide.structure.tables.pieces import Piece

Rows = Sequence[Sequence[Piece]]
NEAR = 0.4  # line heights: edges or middles this close are aligned
HELD = 0.5


class Likeness:
    """The similarity of rows; each pair is computed once, for the many cuts that use it."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], float] = {}

    def of(self, a: Sequence[Piece], b: Sequence[Piece]) -> float:
        """Of two of the rows, which outlive this."""
        pair = (id(a), id(b))
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = likeness(a, b)
        return known

    def within(self, rows: Rows) -> float:
        """Of the two most similar neighbours: a header may be among them, or a total."""
        return max(self.of(a, b) for a, b in itertools.pairwise(rows))


def likeness(a: Sequence[Piece], b: Sequence[Piece]) -> float:
    """How well the pieces of the shorter row align with those of the other, −1 to 1."""
    few, many = (b, a) if len(b) < len(a) else (a, b)
    near = NEAR * median([piece.y1 - piece.y0 for piece in (*a, *b)])
    return fmean([_fit(piece, few, many, near) for piece in few])


def _touch(a: Piece, b: Piece) -> bool:
    return a.x0 < b.x1 and b.x0 < a.x1


def _fit(piece: Piece, own: Sequence[Piece], row: Sequence[Piece], near: float) -> float:
    """1 if a piece aligns, at an end or in the middle, with the one that it overlaps.

    `HELD` if one of the two only contains the other, as a header may contain its column's
    figures. If it overlaps several it is a header if centred over them; otherwise −1, as it
    crosses the row's column boundaries.
    """
    met = [other for other in row if _touch(piece, other)]
    if len(met) > 1:
        middle = (met[0].x0 + met[-1].x1) / 2
        return 1.0 if abs(piece.center - middle) <= 2 * near else -1.0
    if not met or sum(_touch(other, met[0]) for other in own) > 1:
        return 0.0
    a, b = piece, met[0]
    if min(abs(a.x0 - b.x0), abs(a.x1 - b.x1), abs(a.center - b.center)) <= near:
        return 1.0
    return HELD if (a.x0 - b.x0) * (a.x1 - b.x1) <= 0 else 0.0


def gap(rows: Rows, place: int) -> float:
    """The space above a row, in pixels."""
    return min(piece.y0 for piece in rows[place]) - max(piece.y1 for piece in rows[place - 1])
