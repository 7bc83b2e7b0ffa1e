"""Running text in a layout model's areas: columns repaired, then split into paragraphs.

An area's edge says little: the model ends areas in the middle of a paragraph and starts them a
line too late. A column is the rows of one or more areas together with rows that the areas just
missed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from pagetide.document import BlockKind
from pagetide.geometry import Box, union
from pagetide.structure.areas.kinds import (
    LARGE,
    NUMBERED,
    TINY,
    AreaInWork,
    Page,
    is_prose,
)
from pagetide.structure.areas.lists import ENDS, HEADING_LETTERS, STOPS, heads
from pagetide.structure.areas.rows import (
    BELOW,
    EDGE,
    OTHER_SIZE,
    in_rows,
    taken_in,
)
from pagetide.structure.draft import Draft
from pagetide.structure.lists.items import (
    hangs,
    is_numbered,
    items,
    joined_lists,
    starts_item,
)
from pagetide.structure.lists.speech import spoken
from pagetide.structure.order.reading_order import segments
from pagetide.structure.paragraphs import paragraphs
from pagetide.structure.rows import Row, has_word, joined
from pagetide.structure.running import row_drafts, with_label
from pagetide.structure.tables.pieces import line_height

# Lengths in the page's typical line height.
INDENT = 0.3  # of a paragraph's first row in justified text
MOST_INDENT = 4.0
NEXT = 1.5  # from one row of a paragraph to the next
HEADING_WIDTH = 0.85  # of its column's width


@dataclass
class Column:
    """Rows of running text below one another.

    Attributes:
        areas: Its areas, from the top.
        page: What is usual on the page.
    """

    areas: list[AreaInWork]
    page: Page
    rows: list[Row] = field(default_factory=list)

    def drafts(self) -> list[Draft]:
        """A block for each paragraph, list item or heading."""
        if self.kind == "reference":
            return [self._draft("reference", self.rows)]
        parts = list[list[Row]]()
        first_of_items: set[int] = set()
        for run, is_item in items(self.rows):
            first_of_items |= {len(parts)} if is_item else set()
            parts += self._parts(run)
        said = spoken(parts)
        kinds = [
            "text" if place in said else self._kind(parts, place, place in first_of_items)
            for place in range(len(parts))
        ]
        return joined_lists([self._draft(*each) for each in zip(kinds, parts, strict=True)])

    @property
    def kind(self) -> BlockKind:
        """Its first area's."""
        return self.areas[0].kind

    @property
    def box(self) -> Box:
        """Around its rows."""
        return union(row.box for row in self.rows)

    def _kind(self, parts: list[list[Row]], place: int, is_item: bool) -> BlockKind:
        part = parts[place]
        following = parts[place + 1] if place + 1 < len(parts) else None
        if starts_item(part[0]) or hangs(part):
            return "list"
        if self._heads(part, following):
            return "heading"
        if is_item:
            return "list"
        kind = self._owner(part).kind
        return "text" if kind in ("list", "other") else kind

    def _parts(self, run: list[Row]) -> list[list[Row]]:
        mended = self._mended(paragraphs(run))
        return [part for each in mended for part in self._parted_by_indent(each)]

    def _parted_by_indent(self, part: list[Row]) -> list[list[Row]]:
        """A part of justified text, split where a row after a full stop is slightly indented.

        `paragraphs` requires a larger indent, because it cannot know that this is one column.
        """
        if len(part) < 3 or starts_item(part[0]) or not is_prose(part):
            return [part]
        left = median(row.box[0] for row in part)
        low, high = INDENT * self.page.line, MOST_INDENT * self.page.line
        inset = [row.box[0] - left for row in part]
        cuts = [
            place
            for place in range(1, len(part))
            if low < inset[place] < high
            and part[place - 1].text.rstrip().endswith(STOPS)
            and inset[place - 1] < max(low, inset[place] / 2)
            and (place + 1 == len(part) or inset[place + 1] < inset[place] / 2)
        ]
        edges = [0, *cuts, len(part)]
        return [part[start:end] for start, end in itertools.pairwise(edges)]

    def _mended(self, parts: list[list[Row]]) -> list[list[Row]]:
        """The parts, with those rejoined whose sentence continues in the next.

        In a low-resolution image boxes of one font differ as much as those of two.
        """
        found: list[list[Row]] = []
        for part in parts:
            if found and (self._goes_on(found[-1], part[0]) or self._hangs_on(found[-1], part)):
                found[-1] += part
            else:
                found.append(list(part))
        return found

    def _hangs_on(self, item: list[Row], part: list[Row]) -> bool:
        """Whether a part is the rest of a numbered item, indented below its text."""
        last, first = item[-1], part[0]
        inset = first.box[0] - item[0].box[0]
        return (
            is_numbered(item[0].text)
            and last.height / 2 < inset < MOST_INDENT * self.page.line
            and first.middle - last.middle < NEXT * self.page.line
            and not last.text.rstrip().endswith(STOPS)
            and not starts_item(first)
        )

    def _goes_on(self, open_part: list[Row], first: Row) -> bool:
        last = open_part[-1]
        step = first.box[0] - last.box[0]
        back = MOST_INDENT if len(open_part) == 1 else 0.5  # from a paragraph's first row
        tall, low = max(last.height, first.height), min(last.height, first.height)
        return (
            not last.text.rstrip().endswith(STOPS)
            and last.box[2] > self.box[2] - self.page.line
            and first.middle - last.middle < NEXT * self.page.line
            and -back * self.page.line < step < self.page.line / 2
            and tall < OTHER_SIZE * low
            and not starts_item(first)
        )

    def _heads(self, part: list[Row], following: list[Row] | None) -> bool:
        """Whether a part is a heading of what follows it in the column."""
        text = " ".join(row.text for row in part)
        if len(part) > 2 or len(text) > HEADING_LETTERS or text.rstrip().endswith(ENDS):
            return False
        if not has_word(text):
            return False
        if all(row.height >= LARGE * self.page.line for row in part):
            return True
        if len(part) > 1 or following is None or part[0].height < TINY * self.page.line:
            return False
        width = part[0].box[2] - part[0].box[0]
        numbered = NUMBERED.match(text) and width < HEADING_WIDTH * (self.box[2] - self.box[0])
        return bool(numbered) or heads(part[0], following)

    def _owner(self, part: list[Row]) -> AreaInWork:
        """The area that most of the rows come from."""
        known = (self._place_of.get(row.indexes[0], 0) for row in part)
        return self.areas[Counter(known).most_common(1)[0][0]]

    @cached_property
    def _place_of(self) -> dict[int, int]:
        """The index of each line's area."""
        return {
            index: place
            for place, found in enumerate(self.areas)
            for row in found.rows
            for index in row.indexes
        }

    def _draft(self, kind: BlockKind, part: Sequence[Row]) -> Draft:
        found = self._owner(list(part))
        return Draft(
            kind=kind,
            rows=tuple(part),
            label=found.area.label,
            confidence=found.area.confidence,
            model_order=found.area.order,
        )


def columns(
    texts: Sequence[AreaInWork], free: Sequence[Row], page: Page
) -> tuple[list[Column], list[Row]]:
    """The running text as columns, and the rows that belong to no area.

    The areas' rows are changed: pieces of one row are joined, missed rows added.

    Args:
        texts: Areas of text with their kinds and rows.
        free: Rows that no area covers.
        page: What is usual on the page.
    """
    areas = [found for found in texts if found.rows]
    rest = taken_in(areas, free, page)
    for found in areas:
        found.rows = in_rows(found.rows)
    running = sorted((found for found in areas if found.runs), key=lambda found: found.box[1])
    made: list[Column] = []
    for found in running:
        above = next((column for column in made if _continues(column, found, page)), None)
        if above is None:
            made.append(Column([found], page, list(found.rows)))
        else:
            above.areas.append(found)
            above.rows += found.rows
    return made, rest


def loose(
    rows: Sequence[Row], solids: Sequence[Box] = (), frames: Sequence[Box] = ()
) -> list[Draft]:
    """Blocks of rows in no area: an XY-cut, then the paragraph rules.

    Args:
        rows: In any order.
        solids: Boxes of areas, tables and figures: no block continues below one.
        frames: Around text that is read separately: no column continues through one.
    """
    runs: list[list[Draft]] = [[]]
    boxes = [row.box for row in rows]
    for segment in segments([*boxes, *frames], line_height(boxes) if frames else 0.0):
        held = [[rows[n] for n in places if n < len(rows)] for places in segment.rows]
        inside = [joined(own) for own in held if own]
        label = [rows[n] for n in segment.label if n < len(rows)]
        for place, part in enumerate(_parted(inside, solids) if inside else [[]]):
            runs += [[]] if place else []
            runs[-1] += with_label(row_drafts(part, segment.gutters), [] if place else label)
    return [draft for run in runs for draft in joined_lists(run)]


def _parted(rows: Sequence[Row], solids: Sequence[Box]) -> list[list[Row]]:
    """Rows from the top, split where something else is between two."""
    found = [[rows[0]]]
    for above, row in itertools.pairwise(rows):
        left, right = (f(above.box[n], row.box[n]) for f, n in ((min, 0), (max, 2)))
        if any(
            above.box[3] <= (top + bottom) / 2 <= row.box[1] and x0 < right and left < x1
            for x0, top, x1, bottom in solids
        ):
            found.append([])
        found[-1].append(row)
    return found


def _counts_on(rows: Sequence[Row], first: Row, page: Page) -> bool:
    """Whether a numbered row is right below numbered ones, and continues them."""
    starts = [row for row in rows if is_numbered(row.text)]
    return (
        is_numbered(first.text)
        and bool(starts)
        and abs(starts[-1].box[0] - first.box[0]) < page.line
    )


def _continues(column: Column, found: AreaInWork, page: Page) -> bool:
    """Whether an area continues a column's last paragraph."""
    if (column.kind == "reference") != (found.kind == "reference"):
        return False
    last, first = column.rows[-1], found.rows[0]
    above, below = column.box, union(row.box for row in found.rows)
    near = EDGE * page.line
    same = abs(above[0] - below[0]) < near and abs(above[2] - below[2]) < near
    gap = first.box[1] - last.box[3]
    if found.kind == "reference":
        return same and -page.line < gap < EDGE * page.line
    if _counts_on(column.rows, found.rows[0], page) and gap < NEXT * page.line:
        return True
    full = last.box[2] > above[2] - page.line
    return same and full and -page.line < gap < BELOW * page.line
