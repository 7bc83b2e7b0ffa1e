"""Features that decide whether a line of a table continues the row above or starts the next."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from statistics import fmean, median

from pagetide.layout.words import first_word
from pagetide.structure.tables.baseline import AMOUNT, UNIT, Baseline, columns_of, is_number
from pagetide.structure.tables.grids.columns import BEFORE
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece, begins_small

Features = dict[str, float]

_OPEN_END = re.compile(
    r".*([-,(/&–]|\b(of|and|the|for|in|to|with|or|by|a|de|du|des|et|la|le|und|der|die|von))$",
    re.DOTALL,
)
_STOPS = (".", "!", "?", "。", "！", "？", "؟")
PHRASE = 3  # words: a longer text may be a sentence
ROWS_APART = 0.85  # of the least space between rows: a line this far is a separate row
SMALLER = 0.93  # times the height: another type size
CLOSER = 0.6  # of the least space between rows
CLOSE = 1.0  # pixels that lines of one kind differ by
FAR = 3.0  # line heights, or times the distance: larger values are capped here


@dataclass(frozen=True)
class Band:
    """Lines between two rules, from the top, and what is usual among them.

    Attributes:
        lines: At least two.
        first: The first column that has text.
        rights: The right end of each column's text, the farthest one.
        leading: From a line's middle to the next one's where they are closest.
        pitch: The same, usually.
        habits: What is usual of names that have lines without values: see `_habits`.
        apart: The least space between two lines that are rows for certain: both have figures in
            one column; infinite if there are none.
        items: Whether it is part of an item table below its headers.
    """

    lines: Sequence[Baseline]
    grid: Grid
    line: float
    first: int
    rights: dict[int, float]
    leading: float
    pitch: float
    habits: Features
    apart: float
    items: bool

    @cached_property
    def valued(self) -> float:
        """The share of the lines that have several figures."""
        return len(self._of_figures) / len(self.lines)

    @cached_property
    def keyed(self) -> float:
        """The share of these that have text in the first column too."""
        named = sum(self.first in each.columns for each in self._of_figures)
        return named / max(len(self._of_figures), 1)

    @cached_property
    def priced(self) -> float:
        """The share of these that end in an amount with cents."""
        ends = [max(each.pieces, key=lambda piece: piece.x1) for each in self._of_figures]
        return sum(AMOUNT.search(end.text) is not None for end in ends) / max(len(ends), 1)

    @cached_property
    def _of_figures(self) -> list[Baseline]:
        return [each for each in self.lines if len(figure_columns(each)) > 1]

    @classmethod
    def of(
        cls, lines: Sequence[Baseline], grid: Grid, line: float, *, items: bool = False
    ) -> Band:
        """The band of some lines."""
        rights: dict[int, float] = {}
        for piece in (piece for each in lines for piece in each.pieces):
            first, last = columns_of(grid, piece)
            if first == last:
                rights[first] = max(rights.get(first, piece.x1), piece.x1)
        gaps = sorted(b.middle - a.middle for a, b in itertools.pairwise(lines))
        first = min(column for each in lines for column in each.columns)
        usual = max(median(gaps), line / 4)
        leading = max(gaps[len(gaps) // 8], line / 4)
        sure = (_room(a, b) for a, b in itertools.pairwise(lines) if _are_rows(a, b))
        apart = min(sure, default=inf)
        band = cls(lines, grid, line, first, rights, leading, usual, {}, apart, items)
        return replace(band, habits=band._habits())

    def features(self, place: int) -> Features:
        """The features of the line at a place, which has another above."""
        upper, lower = self.lines[place - 1 : place + 1]
        gap = lower.middle - upper.middle
        values = {
            "room": _within((lower.top - upper.bottom) / self.line, -1.0, FAR),
            "leading": _within(gap / self.leading, 0.0, FAR),
            "pitch": _within(gap / self.pitch, 0.0, FAR),
            "before": _within(self._gap(place - 1) / max(gap, 1.0), 0.0, FAR),
            "after": _within(self._gap(place + 1) / max(gap, 1.0), 0.0, FAR),
            "nearer_above": float(gap < 0.93 * self._gap(place + 1)),
            "nearer_below": float(gap > 1.07 * self._gap(place + 1)),
            "nearer_than_before": float(gap < 0.93 * self._gap(place - 1)),
            "closest": float(gap < 1.1 * self.leading),
            "within": float(lower.columns <= upper.columns),
            "covers": float(upper.columns <= lower.columns),
            "few": len(lower.columns) / max(len(upper.columns), 1),
            "small": float(begins_small(lower.pieces[0].text)),
            "open": float(any(_OPEN_END.match(piece.text) for piece in upper.pieces)),
            "upper_figures": float(upper.has_figures),
            "as_apart": float(_room(upper, lower) > ROWS_APART * self.apart - CLOSE),
            "crosses": float(len(upper.pieces) == 1 and self._crosses(upper.pieces[0])),
            "smaller": float(lower.columns < upper.columns and _is_smaller(lower, upper)),
            "larger": float(upper.columns < lower.columns and _is_smaller(upper, lower)),
            "closer": float(_room(upper, lower) < CLOSER * self.apart < inf),
            "keyed": self.keyed * (self.first not in lower.columns),
            "valued": self.valued,
            "priced": self.priced,
            "items": float(self.items),
            "unit": float(all(UNIT.fullmatch(piece.text) for piece in lower.pieces)),
            **self.habits,
            **self._fit(upper, lower),
            **self._sentences(upper, lower),
            **self._indent(upper, lower),
            **self._state(upper, "upper"),
            **self._state(lower, "lower"),
        }
        return {name: value for name, value in values.items() if value}

    def _habits(self) -> Features:
        """Whether names usually continue below the line with their values, or start above it.

        Measured by how much closer their other lines are to these, by full lines and lowercase
        starts, and by the first and last lines of the band.
        """
        pairs = list(itertools.pairwise(self.lines))
        after = [(a, b) for a, b in pairs if self._is_name(b) and not self._is_name(a)]
        before = [(a, b) for a, b in pairs if self._is_name(a) and not self._is_name(b)]
        room, full, small = (
            fmean(how(a, b) for a, b in before or [pairs[0]])
            - fmean(how(a, b) for a, b in after or [pairs[0]])
            for how in (self._room, self._full, self._small)
        )
        both = float(bool(after) and bool(before))
        names = sum(map(self._is_name, self.lines))
        return {
            "habit_room": both * _within(room, -1.0, 1.0),
            "habit_full": both * full,
            "habit_small": both * small,
            "habit_begins": float(self._is_name(self.lines[0])),
            "habit_ends": float(self._is_name(self.lines[-1])),
            "habit_often": names / len(self.lines),
        }

    def _crosses(self, piece: Piece) -> bool:
        """Whether a line's only text spans several columns, as a section name does."""
        first, last = columns_of(self.grid, piece)
        return last > first

    def _is_name(self, baseline: Baseline) -> bool:
        """Whether a line has text only in the first column."""
        return baseline.columns == frozenset({self.first})

    def _room(self, upper: Baseline, lower: Baseline) -> float:
        return (lower.middle - upper.middle) / self.line

    def _full(self, upper: Baseline, lower: Baseline) -> float:
        return self._fit(upper, lower).get("full", 0.0)

    def _small(self, _: Baseline, lower: Baseline) -> float:
        return float(begins_small(lower.pieces[0].text))

    def _gap(self, place: int) -> float:
        """From the middle of the line above a place; far if there is none."""
        if not 0 < place < len(self.lines):
            return FAR * self.pitch
        return self.lines[place].middle - self.lines[place - 1].middle

    def _state(self, baseline: Baseline, which: str) -> Features:
        """The content of a line: the name, words, figures."""
        others = [p for p in baseline.pieces if columns_of(self.grid, p)[1] > self.first]
        figures = any(is_number(p.text) and not UNIT.fullmatch(p.text) for p in others)
        return {
            f"{which}_name": float(self.first in baseline.columns),
            f"{which}_words": float(bool(others) and not figures),
            f"{which}_values": float(figures),
        }

    def _fit(self, upper: Baseline, lower: Baseline) -> Features:
        """Whether the upper line lacked space for the lower line's first words."""
        rooms = [room for _, room in self._rooms(upper, lower)]
        if not rooms:
            return {"no_shared": 1.0}
        room = max(rooms) / self.line
        return {
            "full": float(room < 0),
            "fits": _within(room, 0.0, FAR),
            "some_full": sum(each < 0 for each in rooms) / len(rooms),
        }

    def _rooms(self, upper: Baseline, lower: Baseline) -> list[tuple[Piece, float]]:
        """The upper line's pieces, and the space each left for the first word below it."""
        return [
            (above, self.rights.get(column, above.x1) - above.x1 - first_width(below))
            for below in lower.pieces
            for above in upper.pieces
            for column in [columns_of(self.grid, below)[0]]
            if columns_of(self.grid, above)[0] == column
        ]

    def _sentences(self, upper: Baseline, lower: Baseline) -> Features:
        """Whether the upper line ends a sentence, and the lower starts in lowercase."""
        phrases = [p.text for p in upper.pieces if len(p.text.split()) > PHRASE]
        stops = sum(text.endswith(_STOPS) for text in phrases)
        small = sum(begins_small(piece.text) for piece in lower.pieces)
        return {
            "stops": stops / max(len(phrases), 1),
            "goes_on": float(bool(phrases) and not stops),
            "some_small": small / len(lower.pieces),
        }

    def _indent(self, upper: Baseline, lower: Baseline) -> Features:
        """How far the lower line's name starts right of the upper's."""
        starts = [
            min(
                (p.x0 for p in each.pieces if columns_of(self.grid, p)[0] == self.first),
                default=None,
            )
            for each in (upper, lower)
        ]
        if starts[0] is None or starts[1] is None:
            return {}
        by = (starts[1] - starts[0]) / self.line
        return {"in": float(by > 0.25), "out": float(by < -0.25)}


def _is_smaller(one: Baseline, other: Baseline) -> bool:
    """Whether a line's letters are of another size, clearly smaller."""
    heights = (median(piece.y1 - piece.y0 for piece in each.pieces) for each in (one, other))
    return next(heights) < SMALLER * next(heights)


def _room(upper: Baseline, lower: Baseline) -> float:
    """From the lower edge of a line to the next one's upper edge."""
    return lower.top - upper.bottom


def _are_rows(upper: Baseline, lower: Baseline) -> bool:
    """Whether two lines have figures in one column, as no single row has."""
    return bool(figure_columns(upper) & figure_columns(lower))


def figure_columns(baseline: Baseline) -> frozenset[int]:
    """The columns of figures, if each piece has one, except for currency signs beside them."""
    pieces = [piece for piece in baseline.pieces if piece.text not in BEFORE]
    if len(pieces) != len(baseline.columns):
        return frozenset()
    pairs = zip(sorted(baseline.columns), sorted(pieces, key=lambda p: p.x0), strict=True)
    return frozenset(c for c, p in pairs if is_number(p.text) and not UNIT.fullmatch(p.text))


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)


def first_width(piece: Piece) -> float:
    """The width of a piece's first word and the space before it."""
    share = len(first_word(piece.text)) / len(piece.text)
    return share * (piece.x1 - piece.x0) + (piece.y1 - piece.y0) / 4
