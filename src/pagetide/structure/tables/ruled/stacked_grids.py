"""Grids drawn on top of each other: where column rules change, another table starts."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagetide.structure.tables.ruled.frames import Frame, Stroke, framed

LEAST_ROWS = 2  # of each grid
LEAST_BETWEEN = 2  # rules between its columns
WIDE = 0.95  # of a frame: a rule from side to side
NEAR = 0.5  # line heights between rules that are one
SHARED = 0.25  # of the fewer rules: grids that share more are one
THROUGH = 0.5  # of a row's height: a rule that divides it

Places = frozenset[int]


@dataclass(frozen=True)
class _Grid:
    """Rows of a frame, from one full-width rule to another.

    Attributes:
        top: Its upper edge.
        bottom: Its lower edge.
        rows: How many rows its rules form, full-width or in some columns.
        between: Which rules divide its columns.
        bands: How many stretches it has from one full-width rule to the next.
    """

    top: float
    bottom: float
    rows: int
    between: Places
    bands: int = 1

    @property
    def is_confirmed(self) -> bool:
        """Whether it has columns, and enough rows to confirm them."""
        return len(self.between) >= LEAST_BETWEEN and self.rows >= LEAST_ROWS

    @property
    def is_pair(self) -> bool:
        """Whether it is two boxes side by side."""
        return len(self.between) == self.bands == 1

    def goes_on(self, below: _Grid) -> bool:
        """Whether enough of the same rules divide both."""
        few = min(len(self.between), len(below.between))
        return len(self.between & below.between) > SHARED * few

    def with_rows(self, below: _Grid) -> _Grid:
        """Both as one."""
        rows, between = self.rows + below.rows, self.between | below.between
        return _Grid(self.top, below.bottom, rows, between, self.bands + below.bands)


def by_rules(frame: Frame, line: float) -> list[Frame]:
    """The frames that a frame is split into where its column rules change.

    Forms change their columns from row to row: a frame stays whole unless two consecutive grids
    have several rows each. Undivided parts between grids are in none.

    Args:
        frame: Upright, with rules between its columns.
        line: The page's typical line height.
    """
    grids = _grids(frame, line)
    if not any(a.is_confirmed and b.is_confirmed for a, b in pairwise(grids)):
        return [frame]
    return [_part(frame, grid, line) for grid in grids if not grid.is_pair]


def _grids(frame: Frame, line: float) -> list[_Grid]:
    found: list[_Grid] = []
    plain: _Grid | None = None  # rows that no rule divides, below the last found
    for row in _rows(frame, line):
        if not row.between:
            plain = plain.with_rows(row) if plain else row
        elif found and found[-1].goes_on(row):
            found[-1] = (found[-1].with_rows(plain) if plain else found[-1]).with_rows(row)
            plain = None
        else:
            found.append(row)
            plain = None
    return found


def _rows(frame: Frame, line: float) -> Iterator[_Grid]:
    """The parts between two full-width rules, from the top."""
    x0, _, x1, _ = frame.box
    near = NEAR * line
    inner = sorted((s for s in frame.down if x0 + near < s.at < x1 - near), key=_at)
    starts = [n for n, s in enumerate(inner) if not n or s.at - inner[n - 1].at > near]
    numbered = [(bisect_right(starts, n), s) for n, s in enumerate(inner)]
    wide = [s.at for s in frame.across if s.end - s.start > WIDE * (x1 - x0)]
    edges = sorted([*wide, *_ends(inner, wide, near)])
    for top, bottom in pairwise(edges):
        if bottom - top > near:
            least = THROUGH * (bottom - top)
            through = (n for n, s in numbered if min(s.end, bottom) - max(s.start, top) > least)
            within = {
                round(s.at / near) for s in frame.across if top + near < s.at < bottom - near
            }
            yield _Grid(top, bottom, 1 + len(within), frozenset(through))


def _ends(down: Sequence[Stroke], edges: Sequence[float], near: float) -> Iterator[float]:
    """Where several rules between columns end though no rule is full-width."""
    for end, count in Counter(round(s.end / near) for s in down).items():
        at = end * near
        if count > 1 and all(abs(at - edge) > 2 * near for edge in edges):
            yield at


def _at(stroke: Stroke) -> float:
    return stroke.at


def _part(frame: Frame, grid: _Grid, line: float) -> Frame:
    near = NEAR * line
    top, bottom = grid.top, grid.bottom
    across = [s for s in frame.across if top - near < s.at < bottom + near]
    down = [s for s in frame.down if min(s.end, bottom) - max(s.start, top) > near]
    clipped = [s._replace(start=max(s.start, top), end=min(s.end, bottom)) for s in down]
    return framed(across, clipped)
