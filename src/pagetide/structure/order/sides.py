"""Whether boxes on both sides of a gutter are columns of text, or cells of one grid.

Uses geometry alone: the lines of prose fill their column, the entries of an index break
anywhere, those of a grid are short and share baselines.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from pagetide.geometry import Box

Rows = tuple[tuple[int, ...], ...]

PITCH = 5 / 4  # from one line of a paragraph to the next, in line heights
LISTED = 6  # rows of a column that may be a list
OWN_BREAKS = 2
HEADED = 4  # rows, the first of which may be a header
LINES = 3  # beside a table
ITEMS = 2  # of a list beside text
PAIRS = 3  # rows of names and values
ALIKE = 1.5  # times as long
# In line heights.
TALL = 2.5  # a table or frame; anything lower may be a line in large letters
LEADING = 1 / 2  # between the lines of a paragraph, two above and two below an end


@dataclass(frozen=True)
class Starts:
    """How the text of boxes starts, as far as known.

    Attributes:
        items: Indexes of those that start with a bullet.
        inside: Indexes of those that start inside a sentence.
        anew: Indexes of those that start with a capital or a figure.
        figures: Indexes of those that have a digit.
    """

    items: frozenset[int] = frozenset()
    inside: frozenset[int] = frozenset()
    anew: frozenset[int] = frozenset()
    figures: frozenset[int] = frozenset()


UNKNOWN = Starts()


class Sides:
    """The columns between a band's gutters."""

    def __init__(
        self,
        boxes: Sequence[Box],
        line: float,
        columns: Sequence[Rows],
        strips: Sequence[tuple[float, float]],
        tables: Container[int] = (),
        starts: Starts = UNKNOWN,
    ) -> None:
        """Prepares columns.

        Args:
            boxes: All boxes of the page.
            line: The typical height of a line.
            columns: Each column's rows, from left to right.
            strips: Top and bottom of what no horizontal line can divide.
            tables: Indexes of the boxes that are tables, or boxes and figures of several lines.
            starts: How the boxes' text starts.
        """
        self.boxes, self.line, self.columns, self.strips = boxes, line, columns, strips
        self.tables, self.starts = tables, starts
        self._levels = [[self._middle(row[0]) for row in rows] for rows in columns]

    def part(self, place: int) -> bool:
        """Whether the gutter right of the column at this place separates text from text."""
        return self.part_as_text(place) or self._holds_table(place)

    def part_as_text(self, place: int) -> bool:
        """Whether it does judging by lines alone, whatever tables are beside them."""
        if self._are_lists or self._both_prose(place) or self._is_beside(place):
            return True
        if self.is_list_beside_prose(place):
            return True
        left = self._apart(itertools.chain(*self._levels[: place + 1]))
        right = self._apart(itertools.chain(*self._levels[place + 1 :]))
        return not self._match(left, right)

    def is_list_beside_prose(self, place: int) -> bool:
        """Whether an item of one side starts level with a row inside a sentence of the other.

        That row is below a long one: a value beside an item may start in lowercase, too.
        """
        return any(
            self._interrupts(items, prose)
            for items, prose in ((place, place + 1), (place + 1, place))
        )

    def _interrupts(self, items: int, prose: int) -> bool:
        starts = [
            self._middle(row[0]) for row in self.columns[items] if row[0] in self.starts.items
        ]
        if len(starts) < ITEMS:
            return False
        long, reach = set(self._long[prose]), self.line / 4
        inside = [
            self._middle(row[0])
            for above, row in itertools.pairwise(self.columns[prose])
            if row[0] in self.starts.inside and self._middle(above[0]) in long
        ]
        return any(_within(inside, y - reach, y + reach) for y in starts)

    def _is_beside(self, place: int) -> bool:
        """Whether one side is a single table or frame, and text continues past its ends."""
        pair = self.columns[place : place + 2]
        return any(self._runs_past(one, other) for one, other in (pair, pair[::-1]))

    def _holds_table(self, place: int) -> bool:
        """Whether a table of one side is beside several lines of the other, or a table."""
        pair = self.columns[place : place + 2]
        sides = [[index for row in rows for index in row] for rows in pair]
        return any(
            sum(
                LINES if other in self.tables else 1
                for other in others
                if self._is_level(other, index)
            )
            >= LINES
            for own, others in (sides, sides[::-1])
            for index in own
            if index in self.tables
        )

    def _is_level(self, other: int, table: int) -> bool:
        """Whether the middle of a line or table is beside a table."""
        _, top, _, bottom = self.boxes[table]
        return top < self._middle(other) < bottom

    def _runs_past(self, solid: Rows, text: Rows) -> bool:
        if len(solid) > 1 or len(solid[0]) > 1:
            return False
        _, top, _, bottom = self.boxes[solid[0][0]]
        spans = [(self.boxes[row[0]][1], self.boxes[row[0]][3]) for row in text]
        near = [b[0] - a[1] <= LEADING * self.line for a, b in itertools.pairwise(spans)]
        return bottom - top > TALL * self.line and any(
            spans[at][0] < edge <= spans[at + 1][1] and all(near[at - 1 : at + 2])
            for at in range(1, len(near) - 1)
            for edge in (top, bottom)
        )

    @cached_property
    def has_prose(self) -> bool:
        """Whether text runs in two neighbouring columns."""
        return any(map(self._both_prose, range(len(self.columns) - 1)))

    @cached_property
    def _are_lists(self) -> bool:
        """Whether all columns are alike and break independently, as those of an index.

        A table's rows break in all its columns at once, or a cell is empty; its first column
        has no empty ones, and its columns differ in content.
        """
        long = [place for place, rows in enumerate(self.columns) if len(rows) > LISTED]
        return len(long) > 1 and all(
            itertools.starmap(self._both_listed, itertools.pairwise(long))
        )

    def _both_listed(self, left: int, right: int) -> bool:
        lengths = [self._length(self.columns[place]) for place in (left, right)]
        levels = [self._apart(self._levels[place]) for place in (left, right)]
        breaks = self._own_breaks(*levels), self._own_breaks(*reversed(levels))
        return max(lengths) <= ALIKE * min(lengths) and min(breaks) >= OWN_BREAKS

    def _both_prose(self, place: int) -> bool:
        """Whether several long rows are side by side in a column and the next."""
        left, right = self._long[place], self._long[place + 1]
        near = PITCH * self.line
        beside = sum(_within(right, y - near, y + near) > 0 for y in left)
        several = beside >= max(2, min(len(left), len(right)) / 4)
        return several and not self._are_pairs(place)

    def _are_pairs(self, place: int) -> bool:
        """Whether each row of a column is a name, level with its value in the next column.

        All start anew: of several rows of prose some start inside a sentence. No name has
        digits, and half of the values do: other lists may be in two columns.
        """
        left, right = self.columns[place : place + 2]
        reach, figures = self.line / 4, self.starts.figures
        return (
            len(left) == len(right) >= PAIRS
            and all(row[0] in self.starts.anew for row in (*left, *right))
            and not any(figures.intersection(row) for row in left)
            and 2 * sum(not figures.isdisjoint(row) for row in right) >= len(right)
            and all(
                abs(one - other) < reach
                for one, other in zip(self._levels[place], self._levels[place + 1], strict=True)
            )
        )

    def _match(self, left: list[float], right: list[float]) -> bool:
        """Whether rows, given by their sorted middles, share baselines.

        A row that is alone beside the middle of a cell of several rows matches too. Only the
        stretch where both sides have rows counts.
        """
        reach = self.line / 4
        low, high = max(left[0], right[0]) - reach, min(left[-1], right[-1]) + reach
        few, many = sorted(
            ([y for y in side if low <= y <= high] for side in (left, right)), key=len
        )
        matched = sum(_within(many, y - reach, y + reach) > 0 for y in few)
        for top, bottom in self.strips:
            middle = (top + bottom) / 2
            alone = _within(few, top, bottom) == 1
            if alone and _within(many, top, bottom) > 1:
                matched += _within(few, middle - reach, middle + reach) and not _within(
                    many, middle - reach, middle + reach
                )
        return matched >= 0.6 * len(few)

    def _length(self, rows: Rows) -> float:
        """The typical length of a column's rows."""
        return median(
            max(self.boxes[i][2] for i in row) - min(self.boxes[i][0] for i in row)
            for row in rows
        )

    def _own_breaks(self, levels: list[float], others: list[float]) -> int:
        """How often a column skips a row that another one has."""
        steps = sorted(b - a for a, b in itertools.pairwise(levels))
        if len(steps) < LISTED:
            return 0
        step, reach = steps[len(steps) // 3], self.line / 4
        return sum(
            b - a > 1.5 * step and _within(others, a + reach, b - reach) > 0
            for a, b in itertools.pairwise(levels)
        )

    @cached_property
    def _long(self) -> list[list[float]]:
        """Each column's long rows; the gutters on both sides use them."""
        return [self._long_rows(rows) for rows in self.columns]

    def _long_rows(self, rows: Rows) -> list[float]:
        """Middles of a column's rows whose pieces are together as long as a line of prose."""
        members = [index for row in rows for index in row]
        left = min(self.boxes[index][0] for index in members)
        rights = [max(self.boxes[index][2] for index in row) for row in rows]
        right = max(rights[len(rows) >= HEADED :])  # the shade behind a header may be wider
        own = median(self.boxes[index][3] - self.boxes[index][1] for index in members)
        least = max(0.7 * (right - left), 8 * min(own, self.line))
        return [
            self._middle(row[0])
            for row in rows
            if sum(self.boxes[i][2] - self.boxes[i][0] for i in row) >= least
        ]

    def _apart(self, middles: Iterable[float]) -> list[float]:
        """The middles in order, with those of one row merged."""
        found: list[float] = []
        for y in sorted(middles):
            if not found or y - found[-1] > self.line / 4:
                found.append(y)
        return found

    def _middle(self, index: int) -> float:
        return (self.boxes[index][1] + self.boxes[index][3]) / 2


def _within(ordered: list[float], low: float, high: float) -> int:
    """How many values of the ordered list are from low to high."""
    return bisect_right(ordered, high) - bisect_left(ordered, low)
