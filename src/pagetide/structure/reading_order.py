"""The order in which boxes on a page are read: a recursive XY-cut that knows tables.

The page falls into strips at its horizontal gaps. Neighbouring strips that share a gutter
(a vertical gap) make a band. Across its gutters a band is either columns of prose, read
one after the other and cut again, or a grid of cells, read row by row. Which of the two is
told by the lines: those of prose fill their column, those of a grid are short and stand on
the other column's baselines.

Source: the recursive XY-cut of Nagy and Seth, 1984; bands and the grid test are our own.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from pagetide.geometry import Box

Span = tuple[float, float]

# Lengths in typical line heights (the median over the page). Binary fractions: moving or
# scaling a page then changes no comparison.
SHRINK_Y = 3 / 16  # off each edge: text layers and detectors let neighbouring lines overlap
SHRINK_X = 1 / 8
MIN_GUTTER = 3 / 8
MARGIN_GAP = 1.5  # a first or last row this far from the rest is a header or footer
LOOSE_GAP = 3.0  # text under one column only, this far below, belongs to neither
LEADING = 3 / 4  # the gap between lines of one paragraph, shrunk edges counted in
PITCH = 5 / 4  # from one line of a paragraph to the next
MAX_DEPTH = 40  # deeper cuts come from hostile input only


@dataclass(frozen=True)
class Segment:
    """Boxes read one after another.

    Attributes:
        rows: Indexes, row by row, left to right in a row.
        gutters: Where a grid's columns part, from left to right, in the boxes' pixels; a
            few of its boxes may span them. Empty for running text.
    """

    rows: tuple[tuple[int, ...], ...]
    gutters: tuple[float, ...] = ()


@dataclass(frozen=True)
class _Strip:
    """Boxes between two horizontal cuts, and what they cover of the x axis."""

    members: list[int]
    covered: list[Span]
    top: float
    bottom: float


def xy_cut(boxes: Sequence[Box]) -> list[int]:
    """Indexes of the boxes in reading order, for scripts read left to right.

    Args:
        boxes: Lines, cells or larger areas of one page, one unit, y down.
    """
    return [index for segment in segments(boxes) for row in segment.rows for index in row]


def segments(boxes: Sequence[Box]) -> list[Segment]:
    """The boxes in reading order, parted into runs of text and grids of cells.

    Args:
        boxes: As for `xy_cut`; together the segments hold every index once.
    """
    if not boxes:
        return []
    return _Cutter(boxes).cut(list(range(len(boxes))), 0)


class _Cutter:
    """The boxes of one page, shrunk so that touching neighbours part."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = boxes
        self.line = median(box[3] - box[1] for box in boxes) or 1e-9
        self.across = [_shrunk(b[0], b[2], b[3] - b[1], self.line, SHRINK_X) for b in boxes]
        self.down = [_shrunk(b[1], b[3], b[3] - b[1], self.line, SHRINK_Y) for b in boxes]

    def cut(self, members: list[int], depth: int) -> list[Segment]:
        """The members in reading order: bands from the top, each cut at its gutters."""
        if len(members) == 1 or depth > MAX_DEPTH:
            return [Segment(self.rows(members))]
        found: list[Segment] = []
        for band in self.bands(self.strips(members), outermost=depth == 0):
            found += self.cut_band(band, depth)
        return found

    def cut_band(self, band: list[_Strip], depth: int) -> list[Segment]:
        members = [index for strip in band for index in strip.members]
        gutters = self.gutters(_covered(span for strip in band for span in strip.covered))
        if not gutters:
            return [Segment(self.rows(members))]
        columns = self.split(members, gutters)
        parting = self.parting(columns, gutters)
        if parting or len(band) == 1:
            parts = self.split(members, parting) if parting else columns
            return [s for part in parts for s in self.cut(part, depth + 1)]
        rows = tuple(self.cells(strip, depth) for strip in band)
        return [Segment(rows, tuple(self.most_gutters(band)))]

    def parting(self, columns: list[list[int]], gutters: list[float]) -> list[float]:
        """The gutters that part text from text: between prose, or where rows differ."""
        rows = [self.rows(column) for column in columns]
        levels = [[self._middle(row[0]) for row in of_column] for of_column in rows]
        long = [self.long_rows(of_column) for of_column in rows]
        strips = self.strips([index for column in columns for index in column])
        found = []
        for place, gutter in enumerate(gutters, start=1):
            left = self._apart(itertools.chain(*levels[:place]))
            right = self._apart(itertools.chain(*levels[place:]))
            beside = self.both_prose(long[place - 1], long[place])
            if beside or not self.match(left, right, strips):
                found.append(gutter)
        return found

    def cells(self, strip: _Strip, depth: int) -> tuple[int, ...]:
        """One row of a grid: cell by cell, so that a cell of several lines stays whole."""
        parts = self.split(strip.members, self.gutters(strip.covered))
        if len(parts) == 1:
            return tuple(itertools.chain(*self.rows(strip.members)))
        inner = [s for part in parts for s in self.cut(part, depth + 1)]
        return tuple(index for s in inner for row in s.rows for index in row)

    def strips(self, members: list[int]) -> list[_Strip]:
        """The members parted wherever a horizontal line can pass between them."""
        ordered = sorted(members, key=lambda index: self.down[index])
        groups: list[list[int]] = []
        bottom = float("-inf")
        for index in ordered:
            top, end = self.down[index]
            if top > bottom:
                groups.append([])
            groups[-1].append(index)
            bottom = max(bottom, end)
        return [self._strip(group) for group in groups]

    def _strip(self, members: list[int]) -> _Strip:
        return _Strip(
            members,
            _covered(self.across[index] for index in members),
            min(self.down[index][0] for index in members),
            max(self.down[index][1] for index in members),
        )

    def bands(self, strips: list[_Strip], *, outermost: bool) -> list[list[_Strip]]:
        """Neighbouring strips together, as long as a gutter passes through all of them."""
        bands = [[strips[0]]]
        covered = strips[0].covered
        for place, strip in enumerate(strips[1:], start=1):
            joined = _covered([*covered, *strip.covered])
            at_margin = outermost and place in (1, len(strips) - 1)
            if self._parts(bands[-1], covered, strip, joined, at_margin=at_margin):
                bands.append([])
                joined = strip.covered
            bands[-1].append(strip)
            covered = joined
        return bands

    def _parts(
        self,
        band: list[_Strip],
        covered: list[Span],
        strip: _Strip,
        joined: list[Span],
        *,
        at_margin: bool,
    ) -> bool:
        """Whether the strip begins a new band."""
        gap = (strip.top - band[-1].bottom) / self.line
        if at_margin and gap > MARGIN_GAP:
            return True
        before, own = self.gutters(covered), self.gutters(strip.covered)
        shared = self.gutters(joined)
        if before:
            return not shared or (not own and gap > LOOSE_GAP)
        if own:
            # Three lines above one column are that column's head; fewer stand alone, unless
            # they go on in the column without a break.
            begins = len(band) >= 3 or self._runs_on(covered, strip, gap)
            return not shared or not begins
        return bool(shared)

    def _runs_on(self, covered: list[Span], strip: _Strip, gap: float) -> bool:
        """Whether a single column above a strip is the beginning of one of the strip's."""
        near = self.line / 2
        (left, right), *others = covered
        return (not others and gap <= LEADING) and any(
            abs(left - start) <= near and right <= end + near for start, end in strip.covered
        )

    def gutters(self, covered: list[Span]) -> list[float]:
        """The middles of the vertical gaps wide enough to part columns."""
        return [
            (left[1] + right[0]) / 2
            for left, right in itertools.pairwise(covered)
            if right[0] - left[1] >= MIN_GUTTER * self.line
        ]

    def most_gutters(self, band: list[_Strip]) -> list[float]:
        """A grid's gutters, seen past a few strips that span columns, such as its head."""
        by_span = sorted(
            band, key=lambda strip: min(left - right for left, right in strip.covered)
        )
        most = len(band) // 5
        choices = [
            self.gutters(_covered(s for strip in by_span[out:] for s in strip.covered))
            for out in sorted({0, 1, 2, 3, most // 2, most})
            if out <= most
        ]
        return max(choices, key=len)

    def split(self, members: list[int], gutters: list[float]) -> list[list[int]]:
        """The members between the gutters, from left to right; none is empty."""
        columns: list[list[int]] = [[] for _ in range(len(gutters) + 1)]
        for index in members:
            left, right = self.across[index]
            columns[sum(gutter < (left + right) / 2 for gutter in gutters)].append(index)
        return [column for column in columns if column]

    def rows(self, members: list[int]) -> tuple[tuple[int, ...], ...]:
        """The members row by row, where a row's middles lie within half a line height."""
        rows: list[list[int]] = []
        middle = float("-inf")
        for index in sorted(members, key=self._middle):
            height = min(self.boxes[index][3] - self.boxes[index][1], self.line)
            if self._middle(index) - middle > height / 2:
                rows.append([])
                middle = self._middle(index)
            rows[-1].append(index)
        return tuple(tuple(sorted(row, key=lambda i: self.boxes[i][0])) for row in rows)

    def _middle(self, index: int) -> float:
        return (self.boxes[index][1] + self.boxes[index][3]) / 2

    def match(self, left: list[float], right: list[float], strips: list[_Strip]) -> bool:
        """Whether rows, given by their sorted middles, stand on one another's baselines.

        A row also matches that stands alone beside the middle of a cell of several rows.
        Only the stretch where both sides have rows is asked.
        """
        reach = self.line / 4
        low, high = max(left[0], right[0]) - reach, min(left[-1], right[-1]) + reach
        few, many = sorted(
            ([y for y in side if low <= y <= high] for side in (left, right)), key=len
        )
        matched = sum(_within(many, y - reach, y + reach) > 0 for y in few)
        for strip in strips:
            middle = (strip.top + strip.bottom) / 2
            alone = _within(few, strip.top, strip.bottom) == 1
            if alone and _within(many, strip.top, strip.bottom) > 1:
                matched += _within(few, middle - reach, middle + reach) and not _within(
                    many, middle - reach, middle + reach
                )
        return matched >= 0.6 * len(few)

    def both_prose(self, left: list[float], right: list[float]) -> bool:
        """Whether several long rows of both columns stand side by side."""
        near = PITCH * self.line
        beside = sum(_within(right, y - near, y + near) > 0 for y in left)
        return beside >= max(2, min(len(left), len(right)) / 4)

    def long_rows(self, rows: tuple[tuple[int, ...], ...]) -> list[float]:
        """Middles of a column's rows that hold a piece as long as a line of prose."""
        members = [index for row in rows for index in row]
        left = min(self.boxes[index][0] for index in members)
        right = max(self.boxes[index][2] for index in members)
        least = max(0.7 * (right - left), 8 * self.line)
        return [
            self._middle(row[0])
            for row in rows
            if any(self.boxes[i][2] - self.boxes[i][0] >= least for i in row)
        ]

    def _apart(self, middles: Iterable[float]) -> list[float]:
        """The middles in order, those of one row taken once."""
        found: list[float] = []
        for y in sorted(middles):
            if not found or y - found[-1] > self.line / 4:
                found.append(y)
        return found


def _shrunk(start: float, end: float, height: float, line: float, share: float) -> Span:
    off = min(share * min(height, line), (end - start) / 2)
    return (start + off, end - off)


def _covered(spans: Iterable[Span]) -> list[Span]:
    """The spans' union as disjoint spans in order."""
    union: list[Span] = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union


def _within(ordered: list[float], low: float, high: float) -> int:
    """How many values of the ordered list lie from low to high."""
    return bisect_right(ordered, high) - bisect_left(ordered, low)
