"""Lines grouped into blocks by geometry alone: paragraphs, lists, tables, headings.

This is what a page gets where no layout model has looked at it. A kind other than `text`
is given only where size, place and content leave little doubt.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from pagetide.document import Block, BlockKind, Line, Table
from pagetide.geometry import Box, box_of, polygon_of, turned, union
from pagetide.structure.grids import baselines, is_listing, renumbered, table_of, table_text
from pagetide.structure.paragraphs import Row, is_mark, paragraphs
from pagetide.structure.reading_order import Segment, segments

LARGE = 1.25  # a heading's line height, in the page's typical one
MARGIN = 0.08  # of the page's height: where headers and footers stand
LARGE_LETTERS = 1.1
HEADING_LETTERS = 120
APART = 1.2  # typical line heights between a header or footer and the text

_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*((page|seite|pagina|página|p\.)\s*)?(\d{1,4}|[ivxl]{1,6})"
    r"(\s*(/|of|von|de|di|sur)\s*\d{1,4})?[-–—|\s]*",
    re.IGNORECASE,
)


def group(
    lines: Sequence[Line], width: float, height: float
) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    """The lines in reading order, and the blocks they form.

    Lines that run another way than most (a stamp up the margin) are grouped by themselves
    and come last. A block's text has a line feed between rows and a tab between pieces of
    one row that lie far apart; hyphens at line ends stay.

    Args:
        lines: Polygons in page pixels; any order.
        width: The page's, in pixels.
        height: Likewise.

    Returns:
        Every line once, and blocks that together own every line once.
    """
    drafts: list[_Draft] = []
    for angle, members in _by_direction(lines):
        view = _View(lines, members, angle)
        found = [d for segment in segments(view.boxes) for d in view.drafts(segment)]
        upright = round(math.degrees(angle)) in range(-20, 21)
        drafts += _named(found, height if upright else None)
    ordered = [index for draft in drafts for index in draft.indexes]
    place_of = {index: place for place, index in enumerate(ordered)}
    blocks = tuple(draft.block(order, place_of) for order, draft in enumerate(drafts))
    return tuple(lines[index] for index in ordered), blocks


@dataclass(frozen=True)
class _Draft:
    """A block before its place on the page is known."""

    rows: list[Row]
    angle: float
    kind: BlockKind = "text"
    table: Table | None = None

    @property
    def indexes(self) -> list[int]:
        return [index for row in self.rows for index in row.indexes]

    @cached_property
    def box(self) -> Box:
        return union(row.box for row in self.rows)

    @property
    def line_height(self) -> float:
        return median(row.height for row in self.rows)

    @property
    def text(self) -> str:
        return "\n".join(row.text for row in self.rows)

    def block(self, order: int, place_of: dict[int, int]) -> Block:
        return Block(
            kind=self.kind,
            polygon=turned(polygon_of(self.box), self.angle),
            order=order,
            text=table_text(self.table) if self.table else self.text,
            line_indexes=tuple(place_of[index] for index in self.indexes),
            table=self.table and renumbered(self.table, place_of),
        )


class _View:
    """Lines of one direction, turned upright."""

    def __init__(self, lines: Sequence[Line], members: list[int], angle: float) -> None:
        self.lines = lines
        self.members = members
        self.angle = angle
        self.boxes = [box_of(turned(lines[i].polygon, -angle)) for i in members]

    def drafts(self, segment: Segment) -> list[_Draft]:
        """The blocks that a segment holds."""
        rows = [self.row(row) for row in segment.rows]
        if not segment.gutters:
            return self.running(rows)
        if is_listing(rows, segment.gutters):
            return self.running([part for row in rows for part in baselines(row)])
        # Rows of one piece above and below a grid are its title and its notes.
        wide = [place for place, row in enumerate(rows) if len(row.lines) > 1]
        start, end = wide[0], wide[-1] + 1
        table = table_of(rows[start:end], segment.gutters, self.angle)
        if table is None:
            return [_Draft(rows, self.angle)]
        grid = _Draft(rows[start:end], self.angle, "table", table)
        return [*self.running(rows[:start]), grid, *self.running(rows[end:])]

    def running(self, rows: list[Row]) -> list[_Draft]:
        """Running text as a draft for each paragraph or list."""
        found = [
            _Draft(rows_, self.angle, "list" if _starts_item(rows_[0]) else "text")
            for rows_ in paragraphs(rows)
        ]
        return _joined_lists(found)

    def row(self, places: Sequence[int]) -> Row:
        indexes = tuple(self.members[place] for place in places)
        return Row.of(
            indexes,
            tuple(self.lines[index] for index in indexes),
            tuple(self.boxes[place] for place in places),
        )


def _by_direction(lines: Sequence[Line]) -> list[tuple[float, list[int]]]:
    """Indexes by the quarter turn their text runs in, most lines first, with the angle.

    The angle is in radians, clockwise as seen, and includes the lines' common skew.
    """
    skews: dict[int, list[float]] = defaultdict(list)
    members: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        start, end, below = line.polygon[:3]
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        quarter = round(angle / (math.pi / 2)) % 4
        members[quarter].append(index)
        # A short line tells little about the page's skew.
        if math.dist(start, end) > 3 * math.dist(end, below):
            skews[quarter].append(math.remainder(angle - quarter * math.pi / 2, math.tau))
    quarters = sorted(members, key=lambda quarter: (-len(members[quarter]), quarter))
    return [
        (quarter * math.pi / 2 + median(skews[quarter] or [0.0]), members[quarter])
        for quarter in quarters
    ]


def _starts_item(row: Row) -> bool:
    return row.bulleted or (len(row.lines) > 1 and is_mark(row.lines[0].text))


def _joined_lists(drafts: list[_Draft]) -> list[_Draft]:
    """List items that follow each other as one draft."""
    found: list[_Draft] = []
    for kind, run in itertools.groupby(drafts, key=lambda draft: draft.kind):
        same = list(run)
        if kind == "list":
            same = [_Draft([r for d in same for r in d.rows], same[0].angle, "list")]
        found += same
    return found


def _named(drafts: list[_Draft], page_height: float | None) -> list[_Draft]:
    """The drafts with headings told by size, and what stands in the page's margins."""
    rows = [row for draft in drafts for row in draft.rows]
    if len(rows) < 5:  # too little text to say what is usual on this page
        return drafts
    usual = median(row.height for row in rows)
    large = [draft for draft in drafts if _is_large(draft, usual)]
    letter = median(row.letter_width for row in rows) if large else 0.0
    named: list[_Draft] = []
    for draft in drafts:
        kind = draft.kind
        if any(draft is each for each in large) and _has_large_letters(draft, letter):
            kind = "heading"
        elif page_height is not None:
            kind = _margin_kind(draft, drafts, usual, page_height)
        named.append(replace(draft, kind=kind))
    return named


def _is_large(draft: _Draft, usual: float) -> bool:
    """Whether it is as short as a heading, and its lines as tall as one's."""
    return (
        draft.kind == "text"
        and len(draft.rows) <= 2
        and draft.line_height >= LARGE * usual
        and len(draft.text) <= HEADING_LETTERS
        and sum(letter.isalpha() for letter in draft.text) > 1
    )


def _has_large_letters(draft: _Draft, letter: float) -> bool:
    return median(row.letter_width for row in draft.rows) >= LARGE_LETTERS * letter


def _margin_kind(
    draft: _Draft, drafts: list[_Draft], usual: float, page_height: float
) -> BlockKind:
    """What a single row at the page's edge is, if only rows like it stand beside it."""
    top, bottom = draft.box[1], draft.box[3]
    if draft.kind != "text" or len(draft.rows) > 1:
        return draft.kind
    kind: BlockKind
    if bottom < MARGIN * page_height:
        kind = "header"
        gaps = [d.box[1] - bottom for d in drafts if d.box[3] > bottom + usual / 2]
    elif top > (1 - MARGIN) * page_height:
        kind = "footer"
        gaps = [top - d.box[3] for d in drafts if d.box[1] < top - usual / 2]
    else:
        return "text"
    if min(gaps, default=0.0) <= APART * usual:
        return "text"
    return "page_number" if _PAGE_NUMBER.fullmatch(draft.text.strip()) else kind
