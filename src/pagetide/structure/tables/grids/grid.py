"""A table's grid: the borders of rows and columns, and which of them are drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pagetide.geometry import Box
from pagetide.structure.tables.ruled.frames import Stroke

ONE_BORDER = 0.35  # line heights: rules closer than this are one border (a double rule)
AT_EDGE = 0.8  # line heights: a rule this close to the table's edge is its edge

Drawn = tuple[tuple[float, float], ...]
"""The stretches of a border along which a rule is drawn."""


@dataclass(frozen=True)
class Border:
    """A border between columns (or rows): drawn, partly drawn or only inferred from the text.

    Attributes:
        at: Its position.
        drawn: Where a rule or a shade's edge is drawn along it.
        ruled: Whether a rule is drawn, not only shade edges.
    """

    at: float
    drawn: Drawn = ()
    ruled: bool = False

    def covers(self, start: float, end: float) -> float:
        """The share of a stretch that is drawn, 0–1."""
        if end <= start:
            return 0.0
        covered = sum(max(0.0, min(end, b) - max(start, a)) for a, b in self.drawn)
        return min(1.0, covered / (end - start))


@dataclass(frozen=True)
class Grid:
    """Borders from the left and from the top, including the outer ones."""

    xs: tuple[Border, ...]
    ys: tuple[Border, ...]

    @property
    def columns(self) -> int:
        """Their number."""
        return len(self.xs) - 1

    @property
    def rows(self) -> int:
        """Their number."""
        return len(self.ys) - 1

    def column_at(self, x: float) -> int:
        """The column at a position; the nearest one for a position outside."""
        return max(0, min(bisect_right(self._across, x) - 1, self.columns - 1))

    def row_at(self, y: float) -> int:
        """The row at a position; the nearest one for a position outside."""
        return max(0, min(bisect_right(self._down, y) - 1, self.rows - 1))

    @cached_property
    def _across(self) -> tuple[float, ...]:
        return tuple(border.at for border in self.xs)

    @cached_property
    def _down(self) -> tuple[float, ...]:
        return tuple(border.at for border in self.ys)

    def beside(self, row: int, column: int) -> float:
        """The drawn share of the border on a unit's right."""
        return self.xs[column + 1].covers(self.ys[row].at, self.ys[row + 1].at)

    def below(self, row: int, column: int) -> float:
        """The drawn share of the border below a unit."""
        return self.ys[row + 1].covers(self.xs[column].at, self.xs[column + 1].at)

    def box(self, row: int, column: int, rows: int = 1, columns: int = 1) -> Box:
        """The box of some neighbouring units."""
        return (
            self.xs[column].at,
            self.ys[row].at,
            self.xs[column + columns].at,
            self.ys[row + rows].at,
        )

    def with_xs(self, places: Iterable[float]) -> Grid:
        """With additional undrawn column borders."""
        return replace(self, xs=_with(self.xs, places))

    def with_ys(self, places: Iterable[float]) -> Grid:
        """With additional undrawn row borders."""
        return replace(self, ys=_with(self.ys, places))

    def without_column(self, column: int) -> Grid:
        """With a column merged into its neighbour."""
        return replace(self, xs=_without(self.xs, column))

    def without_row(self, row: int) -> Grid:
        """With a row merged into its neighbour."""
        return replace(self, ys=_without(self.ys, row))


def grid_of(box: Box, across: Sequence[Stroke], down: Sequence[Stroke], line: float) -> Grid:
    """The grid drawn by the rules inside a box; the box itself if there are none.

    Args:
        box: Of the table.
        across: The horizontal rules.
        down: The vertical rules.
        line: The page's typical line height.
    """
    return Grid(
        xs=_borders(down, box[0], box[2], line), ys=_borders(across, box[1], box[3], line)
    )


def _borders(
    strokes: Sequence[Stroke], first: float, last: float, line: float
) -> tuple[Border, ...]:
    groups: list[list[Stroke]] = []
    for stroke in sorted(strokes):
        if not groups or stroke.at - groups[-1][-1].at > ONE_BORDER * line:
            groups.append([])
        groups[-1].append(stroke)
    found = [
        Border(
            sum(stroke.at for stroke in group) / len(group),
            _united((stroke.start, stroke.end) for stroke in group),
            ruled=any(stroke.thickness > 0 for stroke in group),
        )
        for group in groups
    ]
    if not found or found[0].at > first + AT_EDGE * line:
        found.insert(0, Border(first))
    if len(found) < 2 or found[-1].at < last - AT_EDGE * line:
        found.append(Border(max(last, found[-1].at + line)))
    return tuple(found)


def _united(stretches: Iterable[tuple[float, float]]) -> Drawn:
    """Disjoint stretches that cover the same."""
    union: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return tuple(union)


def _with(borders: Sequence[Border], places: Iterable[float]) -> tuple[Border, ...]:
    added = (Border(place) for place in places)
    return tuple(sorted((*borders, *added), key=lambda border: border.at))


def _without(borders: Sequence[Border], place: int) -> tuple[Border, ...]:
    """Without one of the two borders around a place: the less drawn one, inner ones first."""
    left, right = place, place + 1
    inner = [each for each in (left, right) if 0 < each < len(borders) - 1]
    if not inner:
        return tuple(borders)
    gone = min(inner, key=lambda each: sum(b - a for a, b in borders[each].drawn))
    kept = left + right - gone
    both = (borders[kept], borders[gone])
    merged = Border(
        borders[kept].at,
        _united(stretch for border in both for stretch in border.drawn),
        ruled=any(border.ruled for border in both),
    )
    return tuple(
        merged if index == kept else border
        for index, border in enumerate(borders)
        if index != gone
    )
