"""How far the rows of a column are set in, and which of them start paragraphs by that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from statistics import median_low

from pagetide.structure.rows import Row

# In heights of a row.
SMALL_INDENT = 0.4  # of several rows
MOST_INDENT = 6.0
EVEN = 0.2  # by which aligned rows differ


class Indents:
    """The rows of one column by the distances of their starts from its left edge."""

    def __init__(
        self,
        rows: Sequence[Row],
        height: float,
        has_ended: Callable[[int], bool],
        has_room: Callable[[int], bool],
        *,
        is_filled: bool,
    ) -> None:
        """Prepare them.

        Args:
            rows: Of the column, from the top.
            height: Of a usual one, in pixels.
            has_ended: Whether a sentence ends with the row at a place, or had room to go on.
            has_room: Whether the next row's first word would have fitted on the one at a place.
            is_filled: Whether the column's rows are as long as running text's.
        """
        left = min(row.box[0] for row in rows)
        self._rows, self._inset = rows, [row.box[0] - left for row in rows]
        self._near, self._low = EVEN * height, SMALL_INDENT * height
        self._most = MOST_INDENT * height
        self._right = max(row.box[2] for row in rows)
        self._has_ended, self._has_room = has_ended, has_room
        self._is_filled = is_filled

    def is_flush(self, place: int) -> bool:
        """Whether there is a row at a place, and it starts at the left edge."""
        return place < len(self._rows) and self._inset[place] < self._near

    @cached_property
    def are_centered(self) -> bool:
        """Whether all rows are centered, and their starts differ."""
        middles = [row.box[0] + row.box[2] for row in self._rows]
        return max(self._inset) > self._near > (max(middles) - min(middles)) / 2

    @cached_property
    def hangs(self) -> bool:
        """Whether sentences go on in indented rows more often than they start there."""
        if self.are_centered:
            return False
        ended = [self._has_ended(place - 1) for place in self._hanging]
        return len(ended) > 1 and 2 * sum(ended) < len(ended)

    @cached_property
    def are_entries(self) -> bool:
        """Whether rows at the margin start entries, most with an indented row below."""
        flush = sum(
            self.is_flush(place) and not row.bulleted for place, row in enumerate(self._rows)
        )
        return self.hangs and 2 * len(self._hanging) >= flush

    @cached_property
    def _hanging(self) -> list[int]:
        """The places of indented rows below one at the margin that is not an item's."""
        return [
            place
            for place in range(1, len(self._rows))
            if self.is_flush(place - 1)
            and not self._rows[place - 1].bulleted
            and self._inset[place] > self._low
        ]

    @cached_property
    def first_rows(self) -> frozenset[int]:
        """The places of paragraphs' first rows, if several are set in by the same amount.

        Such an indent may be small, and the column narrow.
        """
        if not self._is_filled or self.hangs or self.are_centered:
            return frozenset()
        may_be = [
            place
            for place, far in enumerate(self._inset)
            if self._low < far < self._most and (place == 0 or self._has_ended(place - 1))
        ]
        sure = [place for place in may_be if self._returns(place)]
        usual = median_low([self._inset[place] for place in sure] or [0.0])
        alike = [place for place in may_be if abs(self._inset[place] - usual) < self._near]
        firm = [place for place in alike if place in sure]
        if len(firm) < 2:
            return frozenset(place for place in sure if place and self._ends_early(place - 1))
        if all(place + 1 == len(self._rows) or self._has_ended(place) for place in firm):
            return frozenset(firm)  # they may be quotations: none goes on at the margin
        return frozenset(firm + [place for place in alike if self._is_single(place)])

    def _ends_early(self, place: int) -> bool:
        """Whether a row ends before the edge at which most rows end: justified text's last."""
        edge = self._right - self._near
        even = sum(row.box[2] > edge for row in self._rows)
        return self._rows[place].box[2] < edge and 2 * even > len(self._rows)

    def _returns(self, place: int) -> bool:
        """Whether the rows around one are at the margin, or are such single rows themselves."""
        around = [n for n in (place - 1, place + 1) if 0 <= n < len(self._inset)]
        flush = [n for n in around if self.is_flush(n)]
        level = [n for n in around if self._is_level(n, place)]
        ended = all(self._has_room(min(n, place)) for n in level)
        return bool(flush) and len(flush) + len(level) == len(around) and ended

    def _is_single(self, place: int) -> bool:
        """Whether one and all rows around it that are as far in end, up to the margin's."""
        first = last = place
        while first and self._is_level(first - 1, place):
            first -= 1
        while last + 1 < len(self._rows) and self._is_level(last + 1, place):
            last += 1
        around = [n for n in (first - 1, last + 1) if 0 <= n < len(self._rows)]
        ended = all(map(self._has_ended, range(first, last)))
        return bool(around) and ended and all(map(self.is_flush, around))

    def _is_level(self, one: int, other: int) -> bool:
        return abs(self._inset[one] - self._inset[other]) < self._near
