"""Joins pieces of lines, drawn or detected, into rules: pure functions, in page pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pagetide.layout import Rule

Piece = tuple[float, float, float, float]
"""A straight piece that runs across or down: its position across its direction, its two ends
along it, and its thickness. A plain tuple: a page may have thousands.
"""

# In points. Two edges this close are one: of a filled cell and of the line around it.
_LEVEL = 0.8
# A gap of this width plus the lines' thickness does not count: writers leave out the corners.
_GAP = 1.0
# Pieces this short are dashes: they may leave gaps as wide as themselves.
_DASH = 6.0
_DRAWN = 0.2  # of all pieces: shades on both sides may have their edges on a rule


def joined(pieces: Iterable[Piece], *, unit: float) -> list[Piece]:
    """The pieces of one direction, with collinear touching ones joined.

    Dashes of one line are joined over their gaps.

    Args:
        pieces: In any order.
        unit: Pixels per point.
    """
    whole: list[Piece] = []
    for level in _levels(sorted(pieces), _LEVEL * unit):
        whole += _joined_level(level, unit)
    return whole


def rules_of(
    across: Iterable[Piece], down: Iterable[Piece], *, unit: float, shortest: float
) -> list[Rule]:
    """Rules from upright pieces, horizontal ones first; see `joined`.

    Args:
        across: Horizontal pieces: `(y, x0, x1, thickness)`.
        down: Vertical pieces: `(x, y0, y1, thickness)`.
        unit: Pixels per point.
        shortest: Pixels; rules shorter than this after joining are left out.
    """
    rules = [
        Rule(start=(start, at), end=(end, at), thickness=thickness)
        for at, start, end, thickness in _rounded(joined(across, unit=unit), shortest)
    ]
    rules += [
        Rule(start=(at, start), end=(at, end), thickness=thickness)
        for at, start, end, thickness in _rounded(joined(down, unit=unit), shortest)
    ]
    return rules


def _rounded(pieces: Iterable[Piece], shortest: float) -> list[Piece]:
    return [
        (round(at, 2), round(start, 2), round(end, 2), round(thickness, 2))
        for at, start, end, thickness in pieces
        if end - start >= shortest
    ]


def _levels(pieces: Sequence[Piece], tolerance: float) -> Iterable[list[Piece]]:
    """Runs of sorted collinear pieces."""
    level: list[Piece] = []
    for piece in pieces:
        if level and piece[0] - level[0][0] > tolerance:
            yield level
            level = []
        level.append(piece)
    if level:
        yield level


def _joined_level(level: list[Piece], unit: float) -> list[Piece]:
    if len(level) == 1:
        return level
    whole: list[Piece] = []
    level.sort(key=lambda piece: piece[1])
    at, start, end, thickness = level[0]
    # A joined piece is at its parts' mean position, weighted by length.
    length = end - start + 1e-6
    weighed, last = at * length, length
    drawn = length if thickness else 0.0

    def closed() -> Piece:
        # A dot on the edge of a shade does not make a drawn line of it.
        return (weighed / length, start, end, thickness if drawn >= _DRAWN * length else 0.0)

    for at, first, stop, thick in level[1:]:
        own = stop - first + 1e-6
        dash = min(own, last, _DASH * unit) if max(own, last) <= 2 * _DASH * unit else 0.0
        if first - end > max(_GAP * unit + min(thickness, thick), dash):
            whole.append(closed())
            start, end, thickness, weighed, length, drawn = first, stop, thick, 0.0, 0.0, 0.0
        end, thickness = max(end, stop), max(thickness, thick)
        weighed, length, last = weighed + at * own, length + own, own
        drawn += own if thick else 0.0
    whole.append(closed())
    return whole
