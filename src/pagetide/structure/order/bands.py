"""Divides a page's boxes into strips, and strips with a common gutter into bands."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Container, Sequence
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.order.gutters import gutters_of
from pagetide.structure.order.sides import UNKNOWN, Rows, Starts
from pagetide.structure.order.strips import Span, Strip, between, covered_by, shrunk

# Lengths in typical line heights (the median over the page). Binary fractions: moving or
# scaling a page then changes no comparison.
SHRINK_Y = 3 / 16  # off each edge: in text layers and from detectors neighbouring lines overlap
SHRINK_X = 1 / 8
MIN_GUTTER = 3 / 8
NEW_GUTTER = 3 / 4  # if fewer strips show it: within a line, words are as far apart
MARGIN_GAP = 1.5  # a first or last row this far from the rest is a header or footer
MARGIN_ROWS = 2.5  # and at most this tall
HEADLINE = 1.25  # line heights: the letters of headlines that start articles below others
HEAD_GAP = 1.0  # line heights above these
LOOSE_HEAD = 1.25  # times as far from what is above it as from what is below
LARGER = 1.15  # times the height of the lines below it: a header's letters
LOOSE_GAP = 3.0  # text this far above or below columns, under one of them, is not part of them
LOOSE_LINE = 0.6  # of its column's width covered by a line's words, at least
INDENT = 3.0  # of a paragraph's first line, at most
PROSE = 8.0  # the width of such a line, at least
SET_IN = 3.0  # a list is indented this far below its header
LEADING = 7 / 8  # the gap between lines of one paragraph, including the shrunk edges


class Bands:
    """The boxes of one page, shrunk so that touching neighbours separate.

    Attributes:
        boxes: Unchanged.
        tables: Indexes of those that are tables, or boxes and figures of several lines.
        starts: How their text starts.
        line: Their typical height.
        across: The horizontal extent of each, shrunk.
        down: The vertical extent, likewise.
    """

    def __init__(
        self,
        boxes: Sequence[Box],
        line: float = 0.0,
        tables: Container[int] = (),
        starts: Starts = UNKNOWN,
    ) -> None:
        self.boxes, self.tables, self.starts = boxes, tables, starts
        self.line = line or median(box[3] - box[1] for box in boxes) or 1e-9
        self.across = [shrunk(b[0], b[2], b[3] - b[1], self.line, SHRINK_X) for b in boxes]
        self.down = [shrunk(b[1], b[3], b[3] - b[1], self.line, SHRINK_Y) for b in boxes]
        self.long_gutters = gutters_of(boxes, self.line)

    def strips(self, members: list[int]) -> list[Strip]:
        """The members split wherever a horizontal line can pass between them."""
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

    def bands(self, strips: list[Strip], *, outermost: bool) -> list[list[Strip]]:
        """Groups neighbouring strips as long as a gutter runs through all of them."""
        bands = [[strips[0]]]
        covered = strips[0].covered
        for place, strip in enumerate(strips[1:], start=1):
            after = strips[place + 1] if place + 1 < len(strips) else None
            joined = covered_by([*covered, *strip.covered])
            at_margin = outermost and self._at_margin(strips, place)
            if self._parts(bands[-1], covered, strip, joined, after, at_margin=at_margin):
                kept = len(bands[-1]) - self._taken(bands[-1], strip)
                bands.append(bands[-1][kept:])
                del bands[-2][kept:]
                joined = covered_by(s for each in (*bands[-1], strip) for s in each.covered)
            bands[-1].append(strip)
            covered = joined
        return bands

    def gutters_of_band(self, band: list[Strip]) -> list[float]:
        """The gutters that run through all of a band's strips."""
        return self.gutters(covered_by(span for strip in band for span in strip.covered))

    def gutters(self, covered: list[Span], least: float = MIN_GUTTER) -> list[float]:
        """The middles of the vertical gaps wide enough to separate columns."""
        return [
            (left[1] + right[0]) / 2
            for left, right in itertools.pairwise(covered)
            if right[0] - left[1] >= least * self.line
        ]

    def split(self, members: list[int], gutters: list[float]) -> list[list[int]]:
        """The members between the gutters, from left to right; none is empty."""
        columns: list[list[int]] = [[] for _ in range(len(gutters) + 1)]
        for index in members:
            left, right = self.across[index]
            columns[bisect_left(gutters, (left + right) / 2)].append(index)
        return [column for column in columns if column]

    def rows(self, members: list[int]) -> Rows:
        """The members row by row; the middles of a row are within half a line height."""
        rows: list[list[int]] = []
        middle = float("-inf")
        for index in sorted(members, key=self._middle):
            height = min(self.boxes[index][3] - self.boxes[index][1], self.line)
            if self._middle(index) - middle > height / 2:
                rows.append([])
                middle = self._middle(index)
            rows[-1].append(index)
        return tuple(tuple(sorted(row, key=lambda i: self.boxes[i][0])) for row in rows)

    def _strip(self, members: list[int]) -> Strip:
        return Strip(
            members,
            covered_by(self.across[index] for index in members),
            min(self.down[index][0] for index in members),
            max(self.down[index][1] for index in members),
        )

    def _taken(self, band: list[Strip], below: Strip) -> int:
        """How many strips at the end of a band belong to what is below it.

        They are a column's first line, or a header with the first, shorter lines of its text.
        """
        if self._begins_column(band, below):
            return 1
        upwards = itertools.pairwise([below, *reversed(band)])
        lines = sum(1 for _ in itertools.takewhile(lambda two: self._run_on(*two), upwards))
        for count in (lines, 0):
            first = len(band) - count
            if self._is_head(band[:first], [*band, below][first]):
                return count + 1
        return 0

    def _run_on(self, below: Strip, above: Strip) -> bool:
        """Whether two strips are lines of one text, with nothing beside them."""
        near = below.top - above.bottom <= LEADING * self.line
        set_in = abs(below.covered[0][0] - above.covered[0][0]) / self.line
        return near and set_in <= SET_IN and len(below.covered) == len(above.covered) == 1

    def _is_head(self, band: list[Strip], below: Strip) -> bool:
        """Whether a band of columns ends with a full-width header of what is below it.

        It is clearly nearer to that, or nearer and in larger letters.
        """
        if len(band) < 2 or len(band[-1].covered) > 1 or len(below.covered) > 1:
            return False
        last, above = band[-1], band[-2]
        (left, right), (start, end) = last.covered[0], below.covered[0]
        is_large = self._height(last) >= LARGER * self._height(below)
        least = 1.0 if is_large else LOOSE_HEAD
        near = least * (below.top - last.bottom) < last.top - above.bottom
        set_in = (start - left) / self.line
        return near and -1 / 2 <= set_in <= SET_IN and right < end

    def _height(self, strip: Strip) -> float:
        return min(self.boxes[index][3] - self.boxes[index][1] for index in strip.members)

    def _begins_column(self, band: list[Strip], below: Strip) -> bool:
        """Whether a band ends with the first line of a column below other than the first.

        It may be higher than a heading at the start of the column beside it.
        """
        last, near = band[-1], self.line / 2
        if len(band) < 2 or len(last.covered) > 1:
            return False
        [(left, right)], gap = last.covered, below.top - last.bottom
        return gap <= LEADING * self.line and any(
            self._is_first((left, right), (start, end)) and right <= end + near
            for start, end in below.covered[1:]
        )

    def _at_margin(self, strips: list[Strip], place: int) -> bool:
        """Whether the page's header ends above this strip, or its footer starts with it."""
        edge = {1: strips[0], len(strips) - 1: strips[-1]}.get(place)
        return edge is not None and edge.bottom - edge.top <= MARGIN_ROWS * self.line

    def _parts(
        self,
        band: list[Strip],
        covered: list[Span],
        strip: Strip,
        joined: list[Span],
        after: Strip | None,
        *,
        at_margin: bool,
    ) -> bool:
        """Whether the strip starts a new band."""
        gap = (strip.top - band[-1].bottom) / self.line
        if at_margin and gap > MARGIN_GAP:
            return True
        if len(strip.covered) == 1 and between(strip.covered[0], covered):
            return True  # a title, centred
        if self._is_loose(strip, covered) and not self._share(strip, after):
            return False
        if len(band) == 1 and self._is_loose(band[0], strip.covered):
            return False
        least = NEW_GUTTER if len(band) < 2 else MIN_GUTTER
        before = self._gutters_at(strip, covered, least)
        own = self._gutters_at(strip, strip.covered, NEW_GUTTER)
        shared = self._gutters_at(strip, joined, least)
        if len(shared) < len(before) and gap > HEAD_GAP and self._is_headline(strip):
            return True
        if before:
            left, right = covered[0][0], covered[-1][1]
            goes_on = any(left < gutter < right for gutter in shared)
            return not goes_on or (not own and gap > LOOSE_GAP)
        if own:
            # Three lines above one column are that column's header; fewer are separate, unless
            # they continue in the column without a break.
            begins = len(band) >= 3 or self._runs_on(covered, strip, gap)
            return not shared or not begins
        return bool(shared)

    def _is_headline(self, strip: Strip) -> bool:
        """Whether everything in a strip is in larger letters than the page's text."""
        return self._height(strip) >= HEADLINE * self.line

    def _share(self, strip: Strip, after: Strip | None) -> bool:
        """Whether a gutter runs through both strips."""
        return after is not None and bool(
            self.gutters(covered_by([*strip.covered, *after.covered]))
        )

    def _is_loose(self, strip: Strip, covered: list[Span]) -> bool:
        """Whether a strip is a line of a single column with widely spaced words."""
        if len(covered) > 1 or len(strip.covered) == 1:
            return False
        near, (left, right) = self.line / 2, covered[0]
        pieces = sum(end - start for start, end in strip.covered)
        return (
            strip.bottom - strip.top <= self.line
            and abs(strip.covered[0][0] - left) <= near
            and strip.covered[-1][1] <= right + near
            and pieces >= LOOSE_LINE * (right - left)
        )

    def _runs_on(self, covered: list[Span], strip: Strip, gap: float) -> bool:
        """Whether a single column above a strip is the start of one of the strip's.

        A column's first line may be higher than a heading at the start of the column beside it,
        and longer than its second line.
        """
        (left, right), *others = covered
        ends = [*(start for start, _ in strip.covered[1:]), float("inf")]
        return (not others and gap <= LEADING) and any(
            self._is_first((left, right), column) and right < end
            for column, end in zip(strip.covered, ends, strict=True)
        )

    def _is_first(self, span: Span, column: Span) -> bool:
        """Whether a line may be the first of a column: a paragraph's may be set in, if full."""
        set_in, width = (span[0] - column[0]) / self.line, (span[1] - span[0]) / self.line
        is_full = span[1] > column[1] - INDENT * self.line and width > PROSE
        return abs(set_in) <= 1 / 2 or (0 < set_in <= INDENT and is_full)

    def _gutters_at(self, strip: Strip, covered: list[Span], least: float) -> list[float]:
        """The gutters of this width, or that continue above and below a strip."""
        wide = self.gutters(covered, least)
        return [g for g in self.gutters(covered) if g in wide or self._goes_on(strip, g)]

    def _goes_on(self, strip: Strip, gutter: float) -> bool:
        return any(
            top <= strip.top and strip.bottom <= bottom and left <= gutter <= right
            for left, top, right, bottom in self.long_gutters
        )

    def _middle(self, index: int) -> float:
        return (self.boxes[index][1] + self.boxes[index][3]) / 2
