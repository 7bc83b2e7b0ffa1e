"""A page prepared for finding tables: its words and rules, upright."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from copy import copy
from functools import cached_property

from pagetide.document import Line
from pagetide.geometry import Box, union
from pagetide.layout import Drawn
from pagetide.structure.tables.by_height import by_height
from pagetide.structure.tables.found import FoundTable, words_in
from pagetide.structure.tables.grids.build import built
from pagetide.structure.tables.line_words import LineWords, Words, inside_of, words_of
from pagetide.structure.tables.pieces import Piece, baselines, line_height
from pagetide.structure.tables.ruled.cell_gaps import over_gaps
from pagetide.structure.tables.ruled.combs import without_combs
from pagetide.structure.tables.ruled.frames import (
    Frame,
    Stroke,
    beside_text,
    clipped,
    frames_of,
    leaders_of,
    strokes_of,
)
from pagetide.structure.tables.ruled.titles import without_titles

MOST_WORDS = 20_000
TYPED = re.compile(r"([-=–—─━═])(\s?\1){9,}")  # a rule made of letters, as on typewriters


class Sheet:
    """A page's words and rules, upright.

    Args:
        lines: The text, upright or as it stands on the page.
        boxes: The same lines, turned upright.
        drawn: Upright.
        size: The page's area, in square pixels; 0 where it does not matter.
        charts: Boxes that no table extends over.
        left_out: Indexes of lines that are in no table, such as a chart's.
    """

    def __init__(
        self,
        lines: Sequence[Line],
        boxes: Sequence[Box],
        drawn: Drawn,
        *,
        size: float = 0.0,
        charts: Sequence[Box] = (),
        left_out: Set[int] = frozenset(),
    ) -> None:
        self.lines, self.size, self.charts = lines, size, charts
        self.line = line_height(boxes)
        typed = [bool(TYPED.fullmatch(line.text.strip())) for line in lines]
        words = words_of(lines, boxes)
        self.words = [
            LineWords() if rule or place in left_out else own
            for place, (rule, own) in enumerate(zip(typed, words, strict=True))
        ]
        self.text_box, self.fills = union(boxes), drawn.fills
        strokes = strokes_of(drawn.rules, self.line)
        self.looked_at = strokes is not None and sum(map(len, self.words)) <= MOST_WORDS
        across, down = strokes or ([], [])
        across, down = over_gaps(across, self.line), over_gaps(down, self.line)
        down = without_combs(down, self.words, self.line)
        boxes_of_words = [w[1:5] for of in self.words for w in of]
        across = beside_text(across, boxes_of_words)
        self.leaders = leaders_of(across, boxes_of_words, self.line)
        across = [stroke for stroke in across if stroke not in self.leaders]
        rules = [box for is_rule, box in zip(typed, boxes, strict=True) if is_rule]
        across = sorted([*across, *(Stroke((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in rules)])
        self.across, self.down = without_titles(
            across, down, drawn.fills, self.words, self.line
        )

    @cached_property
    def ordered(self) -> Words:
        """The lines that have words, from the top."""
        return by_height(self.words)

    @cached_property
    def rows(self) -> list[list[Piece]]:
        """All phrases grouped by baseline, from the top."""
        return baselines(chunk for of_line in self.words for chunk in of_line.phrases)

    @cached_property
    def frames(self) -> list[Frame]:
        """Rules that meet, and single rules."""
        return frames_of(self.across, self.down, self.line)

    def build(
        self, box: Box, words: Words, *, columns: Sequence[float] = ()
    ) -> FoundTable | None:
        """The table in a box, from the rules and words inside; see `built`."""
        near = self.line / 2
        across = clipped(self.across, (box[1] - near, box[3] + near), (box[0], box[2]))
        down = clipped(self.down, (box[0] - near, box[2] + near), (box[1], box[3]))
        return self.built(box, across, down, words, columns=columns)

    def built(
        self,
        box: Box,
        across: Sequence[Stroke],
        down: Sequence[Stroke],
        words: Words,
        *,
        columns: Sequence[float] = (),
        body: float | None = None,
        items: bool = False,
    ) -> FoundTable | None:
        """The table that rules divide a box into, with the words in it.

        Args:
            box: Upright.
            across: The horizontal rules in it.
            down: The vertical rules.
            words: Those that it may hold.
            columns: Column boundaries known without drawn rules.
            body: Where its header ends, if known.
            items: Whether it is an item table, whose rows are found from their text.
        """
        inside = inside_of(box, words, self.line)
        table = built(
            box,
            across,
            down,
            inside,
            self.lines,
            self.line,
            columns=columns,
            body=body,
            items=items,
        )
        return None if table is None else FoundTable(box, table, inside)

    def part(self, box: Box) -> Sheet:
        """The content of a box as a separate page; lines keep their indexes."""
        x0, y0, x1, y1 = box
        near = self.line / 3
        low, high, left, right = y0 - near, y1 + near, x0 - near, x1 + near
        words = [
            LineWords(w for w in own if left <= w.center <= right and low <= w.middle <= high)
            for own in self.words
        ]
        part = self._with(words)
        part.across = list(_within(self.across, (y0 - self.line, y1 + self.line), (x0, x1)))
        part.down = list(_within(self.down, (x0 - self.line, x1 + self.line), (y0, y1)))
        part.fills = tuple(
            fill
            for fill in self.fills
            if fill[0] < x1 and x0 < fill[2] and 2 * low <= fill[1] + fill[3] <= 2 * high
        )
        part.text_box = union([w[1:5] for own in part.words for w in own] or [box])
        return part

    def without(self, found: Sequence[FoundTable]) -> Sheet:
        """The page without the words in tables."""
        return self._with(self.left(found))

    def _with(self, words: list[LineWords]) -> Sheet:
        other = copy(self)
        other.words = words
        for derived in ("ordered", "rows", "frames"):
            vars(other).pop(derived, None)
        return other

    def left(self, found: Sequence[FoundTable]) -> list[LineWords]:
        """The words that no table has yet."""
        taken = words_in(found)
        if not taken:
            return self.words
        lines = {line for line, _ in taken}
        return [
            LineWords(w for w in of if (w.line, w.place) not in taken)
            if of and of[0].line in lines
            else of
            for of in self.words
        ]


def _within(
    strokes: Sequence[Stroke], at: tuple[float, float], along: tuple[float, float]
) -> Iterator[Stroke]:
    """Strokes within a range, cut to another range along their direction."""
    for stroke in strokes:
        start, end = max(stroke.start, along[0]), min(stroke.end, along[1])
        if at[0] <= stroke.at <= at[1] and start < end:
            yield stroke._replace(start=start, end=end)
