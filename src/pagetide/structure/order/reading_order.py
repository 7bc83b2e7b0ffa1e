"""The order in which boxes on a page are read: a recursive XY-cut that handles tables.

The page is divided into strips at its horizontal gaps. Neighbouring strips that share a gutter
(a vertical gap) form a band. Across its gutters a band is either columns of prose, read one
after the other and cut again, or a grid of cells, read row by row. The lines decide which:
those of prose fill their column, those of a grid are short and on the other column's baselines.

Source: the recursive XY-cut of Nagy and Seth, 1984; bands and the grid test are our own.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain

from pagetide.geometry import Box, union
from pagetide.structure.order.bands import LOOSE_GAP, SET_IN, Bands
from pagetide.structure.order.labels import Labelled, labelled, past_ends, runs_on
from pagetide.structure.order.masks import across_gutters, place_of
from pagetide.structure.order.sides import UNKNOWN, Sides, Starts
from pagetide.structure.order.strips import Strip, covered_by

# In typical line heights, as in `bands`.
SECTION_GAP = 1.25  # between blocks of a letterhead, including the shrunk edges
BLOCK_GAP = 2.0  # between blocks with tables beside text
MOST_COLUMNS = 100  # no page of text has more: they are cells
MAX_DEPTH = 40  # deeper cuts come from hostile input only


@dataclass(frozen=True)
class Segment:
    """Boxes read one after another.

    Attributes:
        rows: Indexes, row by row, left to right in a row.
        gutters: A grid's column boundaries, from left to right, in the boxes' pixels; a few of
            its boxes may span them. Empty for running text.
        label: Indexes of what is beside the start of running text and is read before it.
    """

    rows: tuple[tuple[int, ...], ...]
    gutters: tuple[float, ...] = ()
    label: tuple[int, ...] = ()

    @property
    def ordered(self) -> list[int]:
        """All its indexes, in reading order."""
        return [*self.label, *chain(*self.rows)]


def xy_cut(boxes: Sequence[Box]) -> list[int]:
    """Indexes of the boxes in reading order, for scripts read left to right.

    Args:
        boxes: Lines, cells or larger areas of one page, one unit, y down.
    """
    return [index for segment in segments(boxes) for index in segment.ordered]


def segments(
    boxes: Sequence[Box],
    line: float = 0.0,
    tables: Container[int] = (),
    starts: Starts = UNKNOWN,
    *,
    with_labels: bool = False,
) -> list[Segment]:
    """The boxes in reading order, split into runs of text and grids of cells.

    Args:
        boxes: As for `xy_cut`; together the segments hold every index once.
        line: The typical line height; boxes that hold several lines do not give it.
        tables: Indexes of those that are tables, or boxes and figures of several lines.
        starts: How their text starts.
        with_labels: Whether labels beside running text are read with their text even if both
            are level, as the cells of a table are.
    """
    if not boxes:
        return []
    cutter = _Cutter(boxes, line, tables, starts, with_labels=with_labels)
    return cutter.cut(list(range(len(boxes))), 0)


class _Cutter(Bands):
    """The boxes of one page, cut into segments."""

    def __init__(
        self,
        boxes: Sequence[Box],
        line: float,
        tables: Container[int],
        starts: Starts,
        *,
        with_labels: bool,
    ) -> None:
        super().__init__(boxes, line, tables, starts)
        self.with_labels = with_labels

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
        """The segments, with what was set into their columns in its place."""
        ordered = [i for segment in rest for i in segment.ordered]
        box = union(self.boxes[i] for i in inset)
        place = place_of(box, [self.boxes[i] for i in ordered])
        follows = ordered[place] if place >= 0 else -1
        within = [follows in segment.ordered for segment in rest]
        at = within.index(True) + 1 if any(within) else 0
        return [*rest[:at], *self.cut(inset, depth + 1), *rest[at:]]

    def cut_band(self, band: list[Strip], depth: int) -> list[Segment]:
        members = [index for strip in band for index in strip.members]
        gutters = self.gutters_of_band(band)
        if not gutters:
            return [Segment(self.rows(members))]
        columns = self.split(members, gutters)
        sides = self._sides(columns) if len(columns) <= MOST_COLUMNS else None
        parting = [gutter for at, gutter in enumerate(gutters) if sides and sides.part(at)]
        listed = sides and any(map(sides.is_list_beside_prose, range(len(gutters))))
        if not listed and (found := self._labelled(members, parting, gutters, depth)):
            return found
        if parting and sides and sides.has_prose:
            alone = self._alone_above(band, parting) if depth < MAX_DEPTH else 0
            if alone:
                above, below = band[:alone], band[alone:]
                return [*self.cut_band(above, depth + 1), *self.cut_band(below, depth + 1)]
        elif parting and sides:
            blocks = self._sections(band, BLOCK_GAP)
            if len(blocks) > 1 and not any(map(sides.part_as_text, range(len(gutters)))):
                return [s for block in blocks for s in self.cut(block, depth + 1)]
            sections = self._headed(self._sections(band), parting)
            if self._are_level([self.split(section, parting) for section in sections]):
                parts = [part for each in sections for part in self._blocks(each, parting)]
                return [s for part in parts for s in self.cut(part, depth + 1)]
        narrowed = [] if parting or depth >= MAX_DEPTH else self._narrowed(band, gutters)
        if narrowed:
            return [s for part in narrowed for s in self.cut_band(part, depth + 1)]
        if parting or len(band) == 1:
            parts = self.split(members, parting) if parting else columns
            return [s for part in parts for s in self.cut(part, depth + 1)]
        rows = tuple(self.cells(strip, depth) for strip in band)
        return [Segment(rows, tuple(self.most_gutters(band)))]

    def _labelled(
        self, members: list[int], parting: list[float], gutters: list[float], depth: int
    ) -> list[Segment]:
        """Labels in a narrow column, each followed by the text beside it; empty if none are.

        Text that runs on is one segment with its label; other text only where a gutter parts.
        What is above or below all the text, in the labels' column, is cut by itself.
        """
        places = parting or (gutters if self.with_labels else [])
        for gutter in reversed(places if depth < MAX_DEPTH else []):
            left, right = self.split(members, [gutter])
            above, beside, below = past_ends(self, left, right)
            found = labelled(self, beside, right) if beside else []
            if found and (parting or runs_on(self, found)):
                head, foot = (self.cut(end, depth + 1) if end else [] for end in (above, below))
                return [*head, *self._each_labelled(found, depth), *foot]
        return []

    def _each_labelled(self, found: Sequence[Labelled], depth: int) -> list[Segment]:
        """The segments of labels with their texts."""
        if runs_on(self, found):
            return [Segment(text, label=tuple(chain(*label))) for label, text in found]
        parts = [list(chain(*each)) for both in found for each in both]
        return [s for part in parts for s in self.cut(part, depth + 1)]

    def _narrowed(self, band: list[Strip], gutters: list[float]) -> list[list[Strip]]:
        """A band split below its first strip, if only that has text beyond the gutters.

        A date at the end of a page's first line makes a gutter of all that is below it. Empty
        if the part below has no gutters.
        """
        sides = [{bisect_left(gutters, left) for left, _ in strip.covered} for strip in band]
        if len(sides[0]) < 2 or len(set[int]().union(*sides[1:])) != 1:
            return []
        below = self.bands(band[1:], outermost=False)
        return [band[:1], *below] if any(map(self.gutters_of_band, below)) else []

    def _sides(self, columns: list[list[int]]) -> Sides:
        everything = [index for column in columns for index in column]
        spans = [(strip.top, strip.bottom) for strip in self.strips(everything)]
        rows = [self.rows(column) for column in columns]
        return Sides(self.boxes, self.line, rows, spans, self.tables, self.starts)

    def _alone_above(self, band: list[Strip], parting: list[float]) -> int:
        """How many strips are far above a band's columns, in one of them, beside nothing.

        A letter's address above text in columns; 0 if there are none.
        """
        found, columns = 0, set[int]()
        for place, (above, strip) in enumerate(itertools.pairwise(band), start=1):
            columns.update(bisect_left(parting, left) for left, _ in above.covered)
            if len(columns) > 1:
                break
            if strip.top - above.bottom > LOOSE_GAP * self.line:
                found = place
        return found

    def _sections(self, band: list[Strip], gap: float = SECTION_GAP) -> list[list[int]]:
        """The members of a band, split at gaps of that many lines."""
        found = [list(band[0].members)]
        for above, strip in itertools.pairwise(band):
            if strip.top - above.bottom > gap * self.line:
                found.append([])
            found[-1] += strip.members
        return found

    def _blocks(self, section: list[int], parting: list[float]) -> list[list[int]]:
        """A section's side-by-side blocks, if few lines of one are level with another's.

        An address beside a list of names and values; otherwise the section itself.
        """
        columns = self.split(sorted(section, key=self._middle), parting)
        each = [tuple((index,) for index in column) for column in columns]
        sides = Sides(self.boxes, self.line, each, ())
        apart = len(columns) > 1 and all(map(sides.part, range(len(columns) - 1)))
        return columns if apart else [section]

    def _headed(self, sections: list[list[int]], parting: list[float]) -> list[list[int]]:
        """The sections, with a row of headers joined to the blocks below them."""
        found = [sections[0]]
        for section in sections[1:]:
            heads, blocks = (self.split(each, parting) for each in (found[-1], section))
            if len(heads) == len(blocks) and all(map(self._heads, heads, blocks)):
                found[-1] = [*found[-1], *section]
            else:
                found.append(section)
        return found

    def _heads(self, head: list[int], block: list[int]) -> bool:
        """Whether a row is above several, or a table, left-aligned with it or indented."""
        starts = [min(self.boxes[index][0] for index in each) for each in (head, block)]
        set_in = (starts[1] - starts[0]) / self.line
        several = len(self.rows(block)) > 1 or block[0] in self.tables
        is_head = len(self.rows(head)) == 1 and head[0] not in self.tables
        return is_head and several and -1 / 2 <= set_in <= SET_IN

    def _are_level(self, sections: list[list[list[int]]]) -> bool:
        """Whether side-by-side blocks, such as addresses, start at one height.

        Columns of text have breaks anywhere.
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

    def cells(self, strip: Strip, depth: int) -> tuple[int, ...]:
        """One row of a grid: cell by cell, so that a cell of several lines stays whole."""
        parts = self.split(strip.members, self.gutters(strip.covered))
        if len(parts) == 1:
            return tuple(chain(*self.rows(strip.members)))
        inner = [s for part in parts for s in self.cut(part, depth + 1)]
        return tuple(index for s in inner for index in s.ordered)

    def most_gutters(self, band: list[Strip]) -> list[float]:
        """A grid's gutters, ignoring a few strips that span columns, such as its header.

        If hardly any are left, any number of strips with nothing beside them is ignored: titles
        between rows.
        """
        by_span = sorted(
            band, key=lambda strip: min(left - right for left, right in strip.covered)
        )
        most = len(band) // 5
        choices = [
            self.gutters(covered_by(s for strip in by_span[out:] for s in strip.covered))
            for out in sorted({0, 1, 2, 3, most // 2, most})
            if out <= most
        ]
        found = max(choices, key=len)
        several = [strip for strip in band if len(strip.covered) > 1]
        if len(found) > 1 or 2 * len(several) <= len(band):
            return found
        rest = self.gutters(covered_by(span for strip in several for span in strip.covered))
        return max(found, rest, key=len)
