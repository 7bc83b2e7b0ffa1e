"""Strips of a page: what is between two horizontal cuts, and its extents on the x axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[float, float]


@dataclass(frozen=True)
class Strip:
    """Boxes between two horizontal cuts, and their extents on the x axis."""

    members: list[int]
    covered: list[Span]
    top: float
    bottom: float


def shrunk(start: float, end: float, height: float, line: float, share: float) -> Span:
    """An extent without a share of a box's height, at most of a line's, at each end."""
    off = min(share * min(height, line), (end - start) / 2)
    return (start + off, end - off)


def covered_by(spans: Iterable[Span]) -> list[Span]:
    """The spans' union as disjoint spans in order."""
    union: list[Span] = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union


def between(span: Span, columns: Sequence[Span]) -> bool:
    """Whether a span is between columns and overlaps none of them."""
    over = any(span[0] < end and start < span[1] for start, end in columns)
    return not over and columns[0][1] <= span[0] and span[1] <= columns[-1][0]
