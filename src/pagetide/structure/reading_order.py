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
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from pagetide.geometry import Box, union
from pagetide.structure.gutters import gutters_of
from pagetide.structure.masks import across_gutters, place_of
from pagetide.structure.sides import Rows, Sides

Span = tuple[float, float]

# Lengths in typical line heights (the median over the page). Binary fractions: moving or
# scaling a page then changes no comparison.
SHRINK_Y = 3 / 16  # off each edge: text layers and detectors let neighbouring lines overlap
SHRINK_X = 1 / 8
MIN_GUTTER = 3 / 8
NEW_GUTTER = 3 / 4  # where fewer strips show it: within a line, words part as far
MARGIN_GAP = 1.5  # a first or last row this far from the rest is a header or footer
MARGIN_ROWS = 2.5  # and as tall as this at most
HEADLINE = 1.25  # line heights: the letters of headlines that begin articles below others
HEAD_GAP = 1.0  # line heights above these
SECTION_GAP = 1.25  # between blocks of a letterhead, shrunk edges counted in
LOOSE_HEAD = 1.5  # times as far from what is above it as from what is below
SET_IN = 3.0  # line heights: so far a list is set in below its head
LOOSE_GAP = 3.0  # text under one column only, this far below, belongs to neither
LOOSE_LINE = 0.6  # of its column's width that a line's words take, at least
LEADING = 3 / 4  # the gap between lines of one paragraph, shrunk edges counted in
MOST_COLUMNS = 100  # more stand in no page of text: they are cells
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
        self.long_gutters = gutters_of(boxes, self.line)

    def cut(self, members: list[int], depth: int) -> list[Segment]:
        """The members in reading order: bands from the top, each cut at its gutters."""
        if len(members) == 1 or depth > MAX_DEPTH:
            return [Segment(self.rows(members))]
        inset = across_gutters(members, self.across, self.down, self.line)
        if inset:
            hidden = set(inset)
            rest = self.cut([i for i in members if i not in hidden], depth + 1)
            return self._with_inset(rest, inset, depth)
        found: list[Segment] = []
        for band in self.bands(self.strips(members), outermost=depth == 0):
            found += self.cut_band(band, depth)
        return found

    def _with_inset(self, rest: list[Segment], inset: list[int], depth: int) -> list[Segment]:
        """The segments, and what was set into their columns where its place is."""
        ordered = [i for segment in rest for row in segment.rows for i in row]
        box = union(self.boxes[i] for i in inset)
        place = place_of(box, [self.boxes[i] for i in ordered])
        follows = ordered[place] if place >= 0 else -1
        within = [any(follows in row for row in segment.rows) for segment in rest]
        at = within.index(True) + 1 if any(within) else 0
        return [*rest[:at], *self.cut(inset, depth + 1), *rest[at:]]

    def cut_band(self, band: list[_Strip], depth: int) -> list[Segment]:
        members = [index for strip in band for index in strip.members]
        gutters = self._gutters_of(band)
        if not gutters:
            return [Segment(self.rows(members))]
        columns = self.split(members, gutters)
        sides = self._sides(columns) if len(columns) <= MOST_COLUMNS else None
        parting = [gutter for at, gutter in enumerate(gutters) if sides and sides.part(at)]
        if parting and sides and sides.has_prose:
            alone = self._alone_above(band, parting) if depth < MAX_DEPTH else 0
            if alone:
                above, below = band[:alone], band[alone:]
                return [*self.cut_band(above, depth + 1), *self.cut_band(below, depth + 1)]
        elif parting and sides:
            sections = self._headed(self._sections(band), parting)
            if self._are_level([self.split(section, parting) for section in sections]):
                return [s for section in sections for s in self.cut(section, depth + 1)]
        beside = self._beside(band, gutters)
        if not parting and beside < len(band):
            below = self.bands(band[beside:], outermost=False)
            if any(self._gutters_of(each) for each in below) and depth < MAX_DEPTH:
                cut = (self.cut_band(each, depth + 1) for each in (band[:beside], *below))
                return [segment for segments in cut for segment in segments]
        if parting or len(band) == 1:
            parts = self.split(members, parting) if parting else columns
            return [s for part in parts for s in self.cut(part, depth + 1)]
        rows = tuple(self.cells(strip, depth) for strip in band)
        return [Segment(rows, tuple(self.most_gutters(band)))]

    def _gutters_of(self, band: list[_Strip]) -> list[float]:
        return self.gutters(_covered(span for strip in band for span in strip.covered))

    def _beside(self, band: list[_Strip], gutters: list[float]) -> int:
        """How many strips of a band there are up to the last with text in several columns.

        A date at the end of a page's first line makes a gutter of all that is below it.
        """
        several = [
            place
            for place, strip in enumerate(band, start=1)
            if len({bisect_left(gutters, left) for left, _ in strip.covered}) > 1
        ]
        return max(several, default=len(band))

    def _sides(self, columns: list[list[int]]) -> Sides:
        everything = [index for column in columns for index in column]
        spans = [(strip.top, strip.bottom) for strip in self.strips(everything)]
        return Sides(self.boxes, self.line, [self.rows(column) for column in columns], spans)

    def _alone_above(self, band: list[_Strip], parting: list[float]) -> int:
        """How many strips stand far above a band's columns, in one of them, beside nothing.

        A letter's address above what is set in columns below it; 0 where there are none.
        """
        found, columns = 0, set[int]()
        for place, (above, strip) in enumerate(itertools.pairwise(band), start=1):
            columns.update(bisect_left(parting, left) for left, _ in above.covered)
            if len(columns) > 1:
                break
            if strip.top - above.bottom > LOOSE_GAP * self.line:
                found = place
        return found

    def _sections(self, band: list[_Strip]) -> list[list[int]]:
        """The members of a band, parted where a gap as high as a line goes through it."""
        found = [list(band[0].members)]
        for above, strip in itertools.pairwise(band):
            if strip.top - above.bottom > SECTION_GAP * self.line:
                found.append([])
            found[-1] += strip.members
        return found

    def _headed(self, sections: list[list[int]], parting: list[float]) -> list[list[int]]:
        """The sections, a row of heads with the blocks that stand below them."""
        found = [sections[0]]
        for section in sections[1:]:
            heads, blocks = (self.split(each, parting) for each in (found[-1], section))
            if len(heads) == len(blocks) and all(map(self._heads, heads, blocks)):
                found[-1] = [*found[-1], *section]
            else:
                found.append(section)
        return found

    def _heads(self, head: list[int], block: list[int]) -> bool:
        """Whether one row stands above several, which begin where it does or set in."""
        starts = [min(self.boxes[index][0] for index in each) for each in (head, block)]
        set_in = (starts[1] - starts[0]) / self.line
        several = len(self.rows(head)) == 1 < len(self.rows(block))
        return several and -1 / 2 <= set_in <= SET_IN

    def _are_level(self, sections: list[list[list[int]]]) -> bool:
        """Whether blocks that stand side by side, such as addresses, begin at one height.

        Columns of text have their breaks where they will.
        """
        several = [columns for columns in sections if len(columns) > 1]
        tops = [
            [min(self.down[index][0] for index in column) for column in columns]
            for columns in several
        ]
        return (
            len(sections) > 1
            and bool(several)
            and all(max(t) - min(t) <= self.line / 2 for t in tops)
        )

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
            after = strips[place + 1] if place + 1 < len(strips) else None
            joined = _covered([*covered, *strip.covered])
            at_margin = outermost and self._at_margin(strips, place)
            if self._parts(bands[-1], covered, strip, joined, after, at_margin=at_margin):
                bands.append([bands[-1].pop()] if self._is_head(bands[-1], strip) else [])
                joined = _covered(s for each in (*bands[-1], strip) for s in each.covered)
            bands[-1].append(strip)
            covered = joined
        return bands

    def _is_head(self, band: list[_Strip], below: _Strip) -> bool:
        """Whether a band of columns ends with a head of what is below it, from side to side."""
        if len(band) < 2 or len(band[-1].covered) > 1 or len(below.covered) > 1:
            return False
        last, above = band[-1], band[-2]
        (left, right), (start, end) = last.covered[0], below.covered[0]
        near = LOOSE_HEAD * (below.top - last.bottom) < last.top - above.bottom
        return near and abs(left - start) <= self.line / 2 and right < end

    def _at_margin(self, strips: list[_Strip], place: int) -> bool:
        """Whether above this strip the page's header ends, or with it its footer begins."""
        edge = {1: strips[0], len(strips) - 1: strips[-1]}.get(place)
        return edge is not None and edge.bottom - edge.top <= MARGIN_ROWS * self.line

    def _parts(
        self,
        band: list[_Strip],
        covered: list[Span],
        strip: _Strip,
        joined: list[Span],
        after: _Strip | None,
        *,
        at_margin: bool,
    ) -> bool:
        """Whether the strip begins a new band."""
        gap = (strip.top - band[-1].bottom) / self.line
        if at_margin and gap > MARGIN_GAP:
            return True
        if len(strip.covered) == 1 and _between(strip.covered[0], covered):
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
            # Three lines above one column are that column's head; fewer stand alone, unless
            # they go on in the column without a break.
            begins = len(band) >= 3 or self._runs_on(covered, strip, gap)
            return not shared or not begins
        return bool(shared)

    def _is_headline(self, strip: _Strip) -> bool:
        """Whether all that stands in a strip is in larger letters than the page's text."""
        heights = (self.boxes[index][3] - self.boxes[index][1] for index in strip.members)
        return min(heights) >= HEADLINE * self.line

    def _share(self, strip: _Strip, after: _Strip | None) -> bool:
        """Whether a gutter passes through both strips."""
        return after is not None and bool(
            self.gutters(_covered([*strip.covered, *after.covered]))
        )

    def _is_loose(self, strip: _Strip, covered: list[Span]) -> bool:
        """Whether a strip is a line of the single column there is, its words set far apart."""
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

    def _runs_on(self, covered: list[Span], strip: _Strip, gap: float) -> bool:
        """Whether a single column above a strip is the beginning of one of the strip's.

        A column's first line may stand higher than a heading that begins the column beside it,
        and be longer than its second line.
        """
        near = self.line / 2
        (left, right), *others = covered
        ends = [*(start for start, _ in strip.covered[1:]), float("inf")]
        return (not others and gap <= LEADING) and any(
            abs(left - start) <= near and right < end
            for (start, _), end in zip(strip.covered, ends, strict=True)
        )

    def gutters(self, covered: list[Span], least: float = MIN_GUTTER) -> list[float]:
        """The middles of the vertical gaps wide enough to part columns."""
        return [
            (left[1] + right[0]) / 2
            for left, right in itertools.pairwise(covered)
            if right[0] - left[1] >= least * self.line
        ]

    def _gutters_at(self, strip: _Strip, covered: list[Span], least: float) -> list[float]:
        """The gutters that are so wide, or that go on above and below a strip."""
        wide = self.gutters(covered, least)
        return [g for g in self.gutters(covered) if g in wide or self._goes_on(strip, g)]

    def _goes_on(self, strip: _Strip, gutter: float) -> bool:
        return any(
            top <= strip.top and strip.bottom <= bottom and left <= gutter <= right
            for left, top, right, bottom in self.long_gutters
        )

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
            columns[bisect_left(gutters, (left + right) / 2)].append(index)
        return [column for column in columns if column]

    def rows(self, members: list[int]) -> Rows:
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


def _between(span: Span, columns: Sequence[Span]) -> bool:
    """Whether a span stands between columns and over none of them."""
    over = any(span[0] < end and start < span[1] for start, end in columns)
    return not over and columns[0][1] <= span[0] and span[1] <= columns[-1][0]
