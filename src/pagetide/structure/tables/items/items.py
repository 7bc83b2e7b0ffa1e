"""Item tables, as in invoices: proven by a row of headers with numbers below.

Their rows need no rules and may be far apart, with words below each item, group names and sums
between them; so neither frames nor columns of text find all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pagetide.geometry import Box, contains, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.tables.baseline import AMOUNT, UNIT, is_number
from pagetide.structure.tables.grids.columns import BEFORE, SIGNS
from pagetide.structure.tables.items.head_lines import head_lines
from pagetide.structure.tables.items.item_heads import (
    ACCOUNT,
    LEAST_FIGURES,
    LEAST_HEADS,
    LEAST_ITEMS,
    Heads,
    Row,
    are_heads,
    are_years,
    with_whole_heads,
)
from pagetide.structure.tables.items.item_lines import ends_in_page, is_aligned, is_prose
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece, are_set_alike
from pagetide.structure.tables.unruled.parted import LARGER

_YEARS = re.compile(r"(19|20)\d\d(\s?[-–/]\s?\d\d(\d\d)?)?")

FEW_ITEMS = 3  # figures of a single item that prove a table
LEAST_SUM = 2  # texts of a sum: its name and its figure
SUM_WORDS = 6  # of a sum's name and figure in one phrase
MOST_ROWS = 2000  # a page with more is searched as others are
# In line heights.
WRAPPED = 1.3  # between the lines of an item
STRIP = 6.5  # between items, or an item and a sum
LEVEL = 1.0  # of a sum's end and that of the figures above it
ALIGNED = 0.2  # of the same, below another column than the last
APART = 1.5  # above a row of words that starts a new part below it
LEAST_DIGITS = 5  # of a number or a date other than a year
FIRST = 8  # rows from the headers to the first item, at most
SAME = 1.02  # times the height: letters of one size
SMALLER = 0.93  # of the letters' height: a note's are smaller
WITHIN = 3  # rows: a line of a cell is no farther below the cell's others
LOOSE = 3  # rows of words outside all columns between two items, at most


class ItemTable(NamedTuple):
    """A table's box, its row boundaries and its column boundaries.

    Attributes:
        rows: From the one below the headers; without those of the items if no rules divide
            them.
        last: The middle of its last item.
        filled: How many of its headers have something below them.
        ruled: Whether a rule is between all its items.
        heads: The middles of its headers from left to right.
        names: Their texts.
        full: The middles of its items that have as many figures as any.
    """

    box: Box
    rows: tuple[float, ...]
    columns: tuple[float, ...]
    last: float
    filled: int
    ruled: bool
    heads: tuple[float, ...]
    names: frozenset[str]
    full: tuple[float, ...]


def item_tables(
    rows: Sequence[Row], line: float, rules: Sequence[float], closed: Sequence[Box] = ()
) -> list[ItemTable]:
    """Item tables, from the top.

    Args:
        rows: The page's phrases grouped by baseline, from the top, each from left to right.
        line: The page's typical line height.
        rules: The vertical positions of horizontal rules and shade edges.
        closed: Boxes with rules along all four sides: one below items is not part of them.
    """
    found: list[ItemTable] = []
    place, above = 0, 0  # the row that is examined, and the first below the last table
    rows = with_whole_heads(rows) if len(rows) <= MOST_ROWS else rows
    while place < len(rows) <= MOST_ROWS:
        is_head = are_heads(rows[place])
        items = _Items(rows, place, line, rules, closed) if is_head else None
        end = items and items.end()
        if items and end:
            own = rows[max(items.top, above) : end]
            box = union(piece[1:5] for row in own for piece in row)
            ruled = items.ruled(end)
            between, columns = tuple(items.between(end, ruled=ruled)), items.columns(end)
            last, filled = items.last(end), items.filled(end)
            heads = tuple(head.center for head in items.heads.pieces)
            names = frozenset(head.text for head in items.heads.pieces)
            full = items.full(end)
            found.append(
                ItemTable(box, between, tuple(columns), last, filled, ruled, heads, names, full)
            )
            above = end
        place = end or place + 1
    return found


def has_more_above(box: Box, words: Words) -> bool:
    """Whether the text in a box has numbers or dates, as headers do not."""
    return any(
        box[1] <= (piece.y0 + piece.y1) / 2 < box[3]
        and box[0] <= (piece.x0 + piece.x1) / 2 <= box[2]
        and sum(map(str.isdigit, _YEARS.sub("", piece.text))) >= LEAST_DIGITS
        for of_line in words
        for piece in of_line
    )


class _Items:
    """The rows below a row of headers.

    Args:
        rows: Of the page, from the top.
        first: The index of the headers.
        line: The page's typical line height.
        rules: The vertical positions of horizontal rules and shade edges.
        closed: Boxes with rules along all four sides.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        first: int,
        line: float,
        rules: Sequence[float],
        closed: Sequence[Box],
    ) -> None:
        self.rows, self.first, self.line, self.rules = rows, first, line, rules
        self.closed = closed
        self.top, self.below = head_lines(rows, first, line, self._is_ruled)
        self.heads = Heads(rows[first], line).with_lines(rows[self.top : self.below])
        self.rights = [max(head.x1 for head in self.heads.pieces)]
        self.amounts: list[float] = []

    def end(self) -> int | None:
        """The index after the table's last row; None if there is no table below the headers."""
        items, most, loose, end = 0, 0, 0, self.below
        bottom = max(p.y1 for row in self.rows[self.first : end] for p in row)
        for place in range(end, len(self.rows)):
            row = self.rows[place]
            top = min(piece.y0 for piece in row)
            gap = (top - bottom) / self.line
            wrapped = gap <= WRAPPED and not self._is_ruled(bottom, top)
            figures = self.heads.figures_of_item(row, most)
            if (
                is_prose(row)
                or (
                    len(row) == 1
                    and (NUMBERED.match(row[0].text) or self._is_title(row[0], gap))
                )
                or gap > STRIP
                or (items and (self._is_boxed(row, bottom) or self._is_outside(row, end)))
                or (items and not figures and gap > WRAPPED and loose >= LOOSE)
            ):
                break
            if are_heads(row) and (place > end or items) and self._ends_at(row, items, gap):
                break  # the headers above belonged to something else, or the next table starts
            if items and (are_years(row) or (gap > APART and self.heads.are_other(row))):
                break
            if items and self._is_beside(place, end):
                break
            if loose > LOOSE or (not items and place > end + FIRST):
                break
            if figures is None and not (items and self._is_sum(row)):
                loose += 1
            elif figures and figures >= LEAST_FIGURES and len(row) >= LEAST_HEADS:
                items, most, loose, end = items + 1, max(most, figures), 0, place + 1
                self.rights.append(max(piece.x1 for piece in row))
                self.amounts += [piece.x1 for piece in row if AMOUNT.search(piece.text)]
            elif items and (
                self._is_sum(row) or (wrapped and place == end and self._is_of(place))
            ):
                loose, end = 0, place + 1
            bottom = max(bottom, *(piece.y1 for piece in row))
        is_table = items >= LEAST_ITEMS or (items == 1 and most >= FEW_ITEMS)
        return end if is_table and not self._lacks_heads(end) else None

    def _lacks_heads(self, end: int) -> bool:
        """Whether rows without amounts have several more texts than there are headers.

        Then the headers are not theirs. Item headers may have several lines.
        """
        items = [self.rows[place] for place in self._items(end)]
        priced = sum(any(AMOUNT.search(piece.text) for piece in row) for row in items)
        if not items or 2 * priced >= len(items):
            return False
        return median(map(len, items)) > len(self.heads.pieces) + 1

    def _is_boxed(self, row: Row, bottom: float) -> bool:
        """Whether a row is in a separate box, which starts below what is above it."""
        return any(
            bottom <= box[1] and all(contains(box, (p.center, p.middle)) for p in row)
            for box in self.closed
        )

    def _is_outside(self, row: Row, end: int) -> bool:
        """Whether a box surrounds the headers and all items, and a row is outside."""
        last = self.rows[end - 1][0]
        around = [
            box
            for box in self.closed
            if all(contains(box, (p.center, p.middle)) for p in (*self.heads.pieces, last))
        ]
        return any(row[0].middle > box[3] for box in around)

    def _is_of(self, place: int) -> bool:
        """Whether a line below an item is not a note in smaller letters than all above."""
        row, above = self.rows[place], self.rows[self.first : place]
        usual = median(p.y1 - p.y0 for each in self.rows[self.first :][:FIRST] for p in each)
        level = [piece for each in self.rows[place - WITHIN : place] for piece in each]
        if not is_aligned(row, [*level, *self.heads.pieces], self.line):
            return False
        if max(piece.y1 - piece.y0 for piece in row) > SMALLER * usual:
            return True
        first, near = row[0], self.line / 8
        return len(row) == 1 and any(
            len(other) == 1 and are_set_alike(other[0], first, near) for other in above
        )

    def _is_title(self, piece: Piece, gap: float) -> bool:
        """Whether a piece with space above it is in larger type than the headers.

        It is larger than the name of a section right below them, too.
        """
        usual = max(head.y1 - head.y0 for head in self.heads.pieces)
        height = piece.y1 - piece.y0
        return gap > 1 and height > max(LARGER * usual, SAME * self._section())

    def _section(self) -> float:
        """The height of a name right below the headers, no larger than the page's text."""
        [name, *others] = next(iter(self.rows[self.below :]), [None])
        if name is None or others:
            return 0.0
        return name.y1 - name.y0 if name.y1 - name.y0 < LARGER * self.line else 0.0

    def _ends_at(self, heads: Row, items: int, gap: float) -> bool:
        """Whether headers after so many items, so far below them, belong to another table."""
        return items < LEAST_ITEMS or gap > APART or self.heads.stand_again(heads)

    def _is_beside(self, place: int, end: int) -> bool:
        """Whether a sum is in a block beside lines of text: neither is of the items."""
        row, above = self.rows[place], self.rows[place - 1]
        if not self._is_sum(row) or self.heads.are_above_item(row):
            return False
        overlaps = max(p.y1 for p in above) - min(p.y0 for p in row) > self.line / 4
        overlaps &= place > end and self.heads.figures(above) is None
        first = row[0]
        is_text = len(row) > LEAST_SUM and len(first.text.split()) > SUM_WORDS
        return overlaps or (is_text and self.heads.column(first) is None)

    def between(self, end: int, *, ruled: bool) -> Iterator[float]:
        """Where the headers end, and the rules; between ruled items sums and names, too.

        Figures beside the middle of a name of several lines are no row below the first.
        """
        start = self.below
        for place in range(start, end):
            top = min(piece.y0 for piece in self.rows[place])
            bottom = max(piece.y1 for piece in self.rows[place - 1])
            is_row = ruled and bottom <= top
            is_row = is_row and (self._is_sum_alone(place) or self._is_parted(place))
            if place == start or is_row or self._is_ruled(bottom, top):
                yield (top + bottom) / 2

    def _is_parted(self, place: int) -> bool:
        """Whether a row is an item below a sum or a name, or crosses both columns above.

        For example a carried-forward amount, or the name of the next group.
        """
        above, row = self.rows[place - 1 : place + 1]
        if self.heads.are_above_item(row):
            named = len(above) == 1 and above[0].x0 < self.heads.pieces[0].x1
            named = named and self.heads.column(row[0]) == 0
            return (named or self._is_sum(above)) and not self.heads.are_above_item(above)
        crosses = len(row) == 1 and self.heads.column(row[0]) is None
        under = {self.heads.column(piece) for piece in above}
        return crosses and row[0].x0 < self.heads.pieces[0].x1 and {0, 1} <= under

    def _is_sum_alone(self, place: int) -> bool:
        """Whether a row is a sum, not all of it below signs, as in a narrow cell."""
        signs = [piece for piece in self.rows[place - 1] if piece.text in BEFORE]
        return self._is_sum(self.rows[place]) and not all(
            any(sign.x0 < piece.x1 and piece.x0 < sign.x1 for sign in signs)
            for piece in self.rows[place]
        )

    def ruled(self, end: int) -> bool:
        """Whether a rule is between all items, of which there are several."""
        items = [self.rows[n] for n in self._items(end)]
        return len(items) >= LEAST_ITEMS and all(
            self._is_ruled(max(p.y1 for p in above), min(p.y0 for p in below))
            for above, below in pairwise(items)
        )

    def _items(self, end: int) -> list[int]:
        """The indexes of the items among the rows."""
        return [n for n in range(self.below, end) if self.heads.are_above_item(self.rows[n])]

    def last(self, end: int) -> float:
        """The middle of the last row with figures under its headers."""
        items = filter(self.heads.are_above_plain_item, reversed(self.rows[self.first : end]))
        return next(items, self.heads.pieces)[0].middle

    def full(self, end: int) -> tuple[float, ...]:
        """The middles of the items that have as many figures as any, to the next headers."""
        names = (n for n in range(self.below + 1, end) if self._are_names(self.rows[n]))
        items = [self.rows[place] for place in self._items(next(names, end))]
        counts = [len(self.heads.of_figures(row)) for row in items]
        most = max(counts, default=0)
        return tuple(
            row[0].middle for row, own in zip(items, counts, strict=True) if own == most
        )

    def _are_names(self, row: Row) -> bool:
        """Whether a row may name columns: with several texts or these headers, no figures."""
        own = {head.text for head in self.heads.pieces}
        again = sum(piece.text in own for piece in row)
        return max(len(row), again + 1) >= LEAST_HEADS and not self.heads.of_figures(row)

    def filled(self, end: int) -> int:
        """How many headers have something below them."""
        rows = map(self.heads.parted, self.rows[self.first + 1 : end])
        below = (piece for row in rows for piece in row)
        return len({self.heads.column(piece) for piece in below} - {None})

    def columns(self, end: int) -> Iterator[float]:
        """The column boundaries. Sums are ignored: the name of one may cross."""
        rows = [*self.rows[self.top : self.first], *self.rows[self.first + 1 : end]]
        is_item = self.heads.are_above_plain_item
        return self.heads.between(
            [row for row in rows if is_item(row) or not self._is_sum(row)]
        )

    def _is_ruled(self, bottom: float, top: float) -> bool:
        """Whether a rule is between a row that ends and one that starts at a given position."""
        near = self.line / 4
        return any(bottom - near < at < top + near for at in self.rules)

    def _is_sum(self, row: Row) -> bool:
        """Whether a row ends with a figure, as far right as the headers or an item do.

        An amount may be below another column of amounts.
        """
        last = max(row, key=lambda piece: piece.x1)
        if last.text in SIGNS or ends_in_page(last.text) or ACCOUNT.search(last.text):
            return False
        ends_level = any(abs(last.x1 - at) <= LEVEL * self.line for at in self.rights) or (
            AMOUNT.search(last.text) is not None
            and any(abs(last.x1 - at) <= ALIGNED * self.line for at in self.amounts)
        )
        words = last.text.split()
        is_short = len(row) <= LEAST_HEADS and len(words) <= SUM_WORDS
        figure = words[-2] if len(words) > 1 and UNIT.fullmatch(words[-1]) else words[-1]
        return ends_level and is_short and (is_number(figure) or is_number(last.text))
