"""Further lines of an item's name that their own first letters show."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.rows.features import Band, figure_columns

_NEAR = 1.1  # times the distance that is usual of the lines: one item is no farther
_SAME = 1.07  # times the distance to the line below: no nearer to that
_OUT = 0.25  # line heights: a name's lines start no farther apart than this
_NUMBERED = re.compile(r"\(\w{1,3}\)\s*\w")  # `(2) Heating`, not `(KR)`


def reads_on(band: Band, place: int) -> bool:
    """Whether a line's only text is in brackets or in lowercase, below the name of an item.

    No item's name begins like this, and none is above its figures: the line below has text
    there too. Where other items have a lone line that begins like a name, it is of their kind.
    """
    upper, lower = band.lines[place - 1 : place + 1]
    text, near = lower.pieces[0], _OUT * band.line
    if len(lower.pieces) > 1 or not _begins_small(text) or not _is_near(band, place):
        return False
    items = [each for each in band.lines if len(figure_columns(each)) > 1]
    names = [p for each in items for p in each.pieces if abs(p.x0 - text.x0) < near]
    is_below = upper in items and any(piece in names for piece in upper.pieces)
    named = all(lower.columns <= each.columns for each in band.lines[place + 1 : place + 2])
    lone = (b for a, b in pairwise(band.lines) if a in items and len(b.pieces) == 1)
    others = (b.pieces[0] for b in lone if abs(b.pieces[0].x0 - text.x0) < near)
    return is_below and named and all(map(_begins_small, others)) and not _any_small(names)


def _any_small(names: Iterable[Piece]) -> bool:
    return any(map(_begins_small, names))


def _begins_small(piece: Piece) -> bool:
    """Whether a text starts in lowercase or with a bracket; scripts without case do not."""
    text = piece.text
    return text[0].islower() or (text[0] == "(" and not _NUMBERED.match(text))


def _is_near(band: Band, place: int) -> bool:
    """Whether a line is as near to the one above as lines usually are, or as the one below."""
    upper, lower, *below = (each.middle for each in band.lines[place - 1 : place + 2])
    gap = lower - upper
    return gap < _NEAR * band.pitch and all(gap < _SAME * (y - lower) for y in below)
