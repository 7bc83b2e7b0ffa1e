"""Turns lines, areas and drawn rules into a page's blocks, in reading order.

Tables are found first; the lines outside them are divided by the layout model's areas, or,
without a model, by an XY-cut and the paragraph rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from pagetide.document import Block, Line, Table
from pagetide.geometry import (
    Box,
    area,
    center,
    contains,
    intersection_area,
    polygon_of,
    union,
)
from pagetide.layout import NOTHING_DRAWN, Area, Drawn, OutlineItem
from pagetide.structure.areas.fused import drafts_of
from pagetide.structure.areas.rows import in_rows
from pagetide.structure.draft import Draft
from pagetide.structure.figures.around import labels_of
from pagetide.structure.figures.captions import tied, with_captions
from pagetide.structure.figures.charts import charts_on
from pagetide.structure.figures.drawn import drawn_figures
from pagetide.structure.figures.framed import framed_figures
from pagetide.structure.figures.signatures import signatures
from pagetide.structure.grids import renumbered, table_text
from pagetide.structure.headings.outline import STATED, headlines
from pagetide.structure.lists.code import with_whole_listings
from pagetide.structure.lists.contents import are_contents, contents
from pagetide.structure.margins.feet import feet
from pagetide.structure.margins.line_numbers import with_line_numbers
from pagetide.structure.naming import named
from pagetide.structure.order.framed import MOST_FRAMES
from pagetide.structure.order.of_blocks import sorted_drafts
from pagetide.structure.order.zones import by_zones, with_masthead
from pagetide.structure.other_ways import taken_in
from pagetide.structure.page_content import FIGURES, PageContent
from pagetide.structure.pairs.beside import columns_of_pairs
from pagetide.structure.pairs.fields import rows_of_fields
from pagetide.structure.pairs.named_values import lists_of_pairs
from pagetide.structure.pairs.signers import signers
from pagetide.structure.running import RowsOf, running_drafts
from pagetide.structure.shares import parted
from pagetide.structure.tables import find_tables, title_shades
from pagetide.structure.tables.judge import is_scattered
from pagetide.structure.tables.pieces import line_height
from pagetide.structure.tables.ruled.closed_boxes import closed_boxes
from pagetide.structure.tables.ruled.frames import frames_of, strokes_of
from pagetide.structure.upright import Upright, by_direction

MOST_TEXT = 0.4  # of what the text covers: a table this large must have rows and columns
FORM_FIELDS = 3  # in an area that a model called a figure


def structure(
    lines: Sequence[Line],
    width: float,
    height: float,
    areas: Sequence[Area] = (),
    drawn: Drawn = NOTHING_DRAWN,
    *,
    outline: Sequence[OutlineItem] = (),
    first: bool = True,
) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    """The lines in reading order, and the blocks they form.

    Lines in another direction than most (a stamp up the margin) are grouped separately and come
    last. A block's text has a line feed between rows and a tab between pieces of one row that
    are far apart; hyphens at line ends stay.

    Args:
        lines: Polygons in page pixels; any order.
        width: The page's, in pixels.
        height: Likewise.
        areas: The layout model's.
        drawn: What is drawn on the page.
        outline: The document outline's items that point to it.
        first: Whether it is the document's first page, which has its title.

    Returns:
        Every word once, in its original line or, if a table takes only some of a line's words,
        in a part of it; and blocks that together own every line once.
    """
    views = [
        (upright.on_page(width, height), members)
        for upright, members in by_direction(lines, drawn.skew) or [(Upright(), [])]
    ]
    drafts: list[tuple[Upright, Draft]] = []
    upright, members = views[0]
    lines, members, counting = with_line_numbers(lines, members, upright)
    views[0] = upright, members
    for place, (upright, members) in enumerate(views):
        seen = PageContent.of(upright, areas, drawn) if place == 0 else PageContent()
        if place:
            drafts, members = taken_in(drafts, lines, members)
        view = _View(lines, members, upright, seen, width, height)
        lines = view.lines
        items = outline if place == 0 else ()
        drafts += [(upright, draft) for draft in view.drafts(items, first=first)]
    drafts += [(views[0][0], draft) for draft in counting]
    numbered = _numbered(lines, drafts)
    order = with_captions(numbered[1])
    if order == sorted(order):
        return numbered
    return _numbered(lines, [drafts[place] for place in order])


def _numbered(
    lines: Sequence[Line], drafts: Sequence[tuple[Upright, Draft]]
) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    """The drafts as blocks in this order, and the lines in theirs."""
    ordered = [index for _, draft in drafts for index in draft.indexes]
    place_of = {index: place for place, index in enumerate(ordered)}
    blocks = [_block(*item, number, place_of) for number, item in enumerate(drafts)]
    return tuple(lines[index] for index in ordered), tuple(tied(blocks))


def _block(upright: Upright, draft: Draft, number: int, place_of: dict[int, int]) -> Block:
    table = draft.table and renumbered(upright.table_back(draft.table), place_of)
    return Block(
        kind=draft.kind,
        polygon=upright.back(draft.box),
        order=number,
        text=table_text(table) if table else _text(draft),
        label=draft.label,
        confidence=draft.confidence,
        line_indexes=tuple(place_of[index] for index in draft.indexes),
        table=table,
        level=draft.level,
    )


def _text(draft: Draft) -> str:
    """A draft's text; a heading's has no tab after its number."""
    return draft.text.replace("\t", " ") if draft.kind in ("title", "heading") else draft.text


class _View:
    """The lines of one direction, upright, and what was detected around them."""

    def __init__(
        self,
        lines: Sequence[Line],
        members: Sequence[int],
        upright: Upright,
        seen: PageContent,
        width: float,
        height: float,
    ) -> None:
        self.upright, self.fills = upright, seen.drawn.fills
        self.page = upright.box(polygon_of((0, 0, width, height)))
        self.size = (self.page[2] - self.page[0], self.page[3] - self.page[1])
        levels = seen.framed(
            [lines[index] for index in members],
            [upright.box(lines[index].polygon) for index in members],
            self.size,
        )
        self.framed: list[tuple[Box, list[_View]]] = []
        self.around = [frame for level in levels for frame in level]
        for level in levels:
            views = []
            for frame in level:
                middles = {i: center(upright.box(lines[i].polygon)) for i in members}
                own = [i for i in members if contains(frame, middles[i])]
                members = [i for i in members if not contains(frame, middles[i])]
                views.append(_View(lines, own, upright, seen.inside([frame]), width, height))
                lines = views[-1].lines
            self.framed.append((union(level), views))
        self.seen = seen = seen.outside(self.around)
        boxes = [upright.box(lines[index].polygon) for index in members]
        rows = RowsOf(lines, members, boxes)
        self.charts = [] if seen.areas else charts_on(rows, seen.drawn, self.page)
        charts = [chart.box for chart in self.charts]
        found = find_tables(
            [upright.line(lines[index]) for index in members],
            boxes,
            seen.outside(charts).drawn,
            [each for _, each in seen.areas],
            *self.size,
            charts=charts,
            left_out={place for chart in self.charts for place in chart.places},
        )
        self.lines: Sequence[Line]
        self.lines, self.members, tables = parted(lines, members, found)
        self.tables = [(each.box, table) for each, table in zip(found, tables, strict=True)]
        self.boxes = [upright.box(self.lines[index].polygon) for index in self.members]
        self.rows = RowsOf(self.lines, self.members, self.boxes)
        self.line = line_height(self.boxes)
        self.strokes = across, down = strokes_of(seen.drawn.rules, self.line) or ([], [])
        self.across = [stroke for stroke in across if stroke.thickness > 0]
        steep = [stroke for stroke in down if stroke.thickness > 0]
        self.frames = frames_of(self.across, steep, self.line)

    def drafts(self, outline: Sequence[OutlineItem], *, first: bool) -> list[Draft]:
        """The blocks in reading order, with their kinds."""
        found = with_whole_listings(self.ordered(outline, first=first))
        page = self.page if self.upright.is_upright else None
        lone = [frame.across[0] for frame in self.frames if frame.across and not frame.down]
        drafts = named(found, page, self.fills, lone, self.boxes_drawn(), first=first)
        return with_masthead(drafts, self.across, page) if page else drafts

    def boxes_drawn(self) -> list[Box]:
        """The boxes drawn around something, those in frames too."""
        inner = [
            box for _, views in self.framed for view in views for box in view.boxes_drawn()
        ]
        closed = islice(closed_boxes(*self.strokes, self.line), MOST_FRAMES)
        return [*self.around, *inner, *(each.box for each in closed)]

    def ordered(self, outline: Sequence[OutlineItem], *, first: bool) -> list[Draft]:
        """The blocks in reading order, including those in frames."""
        tables, taken = self._tables()
        frames = [frame for frame, _ in self.framed]
        taken = taken.union(*(chart.places for chart in self.charts))
        left = [place for place in range(len(self.members)) if place not in taken]
        headings, left = self._headings(outline, left, first=first)
        titles, left = self._titles(left)
        signed, left = signatures(self.rows, left, self.line)
        listed, left = contents(self.rows, left)
        titles += listed
        if self.seen.areas and self.upright.is_upright:
            above = [each.box for each in (*tables, *titles)]
            low, left = feet(self.rows, left, [*above, *frames], self.page)
            titles += low
        of_tables = [table.box for table in tables]
        texts = [self.boxes[place] for place in left]
        solid = [*of_tables, *(chart.box for chart in self.charts)]
        pictures = drawn_figures(self.seen.drawn, self.frames, solid, texts, self.page)
        said = [(self.lines[self.members[place]].text, self.boxes[place]) for place in left]
        pictures += framed_figures(self.frames, said, [*solid, *pictures])
        fields, left = self._fields(left, pictures)
        signing, left = signers(self.rows, left, self.across, self.line)
        pairs, left = columns_of_pairs(self.rows, left, self.line)
        lists, left = lists_of_pairs(self.rows, left, self.line)
        titles += [
            *fields,
            *signing,
            *pairs,
            *lists,
            *signed,
            *self._in_frames(outline, first=first),
        ]
        boxes = [self.boxes[place] for place in left]
        if self.seen.areas:
            parted = drafts_of(
                self.lines,
                [self.members[place] for place in left],
                boxes,
                self._borne_out(of_tables, boxes, [field.box for field in fields]),
                of_tables,
                self.seen.drawn,
                *self.size,
                frames,
            )
            found = sorted_drafts([*parted, *headings, *titles, *tables])
        else:
            figures, outside = self._figures(pictures, left)
            figures += [
                Draft(kind="figure", area=box, rows=tuple(self.rows.row([p]) for p in places))
                for box, places in self.charts
            ]
            found = running_drafts(self.rows, outside, [*headings, *titles, *tables, *figures])
        found = [
            part for draft in by_zones(found, self.across) for part in draft.parts or (draft,)
        ]
        return [replace(d, area=None) if d.area and d.kind == "text" else d for d in found]

    def _in_frames(self, outline: Sequence[OutlineItem], *, first: bool) -> list[Draft]:
        """The content of side-by-side frames as one draft with `parts`."""
        found = []
        for box, views in self.framed:
            parts = [part for view in views for part in view.ordered(outline, first=first)]
            rows = tuple(row for part in parts for row in part.rows)
            found.append(Draft(rows=rows, area=box, parts=tuple(parts)))
        return found

    def _fields(
        self, left: Sequence[int], pictures: Sequence[Box]
    ) -> tuple[list[Draft], list[int]]:
        """A form's fields, and the remaining places; the content of pictures is excluded."""
        within = {p for p in left if any(contains(b, center(self.boxes[p])) for b in pictures)}
        free = [place for place in left if place not in within]
        fields, free = rows_of_fields(self.rows, free, self.frames, self.line)
        return fields, sorted(within.union(free))

    def _headings(
        self, outline: Sequence[OutlineItem], left: Sequence[int], *, first: bool
    ) -> tuple[list[Draft], list[int]]:
        """The headings named by the outline, and the remaining places of lines."""
        if not outline:
            return [], list(left)
        found = headlines(
            [self.lines[self.members[place]] for place in left],
            [self.boxes[place] for place in left],
            outline,
        )
        drafts = []
        for headline in found:
            rows = in_rows([self.rows.row([left[place]]) for place in headline.places])
            named = Draft(kind="heading", rows=tuple(rows), level=headline.level, label=STATED)
            if not headline.level:
                named = replace(named, kind="title" if first else "heading", level=None)
            drafts.append(named)
        taken = {place for headline in found for place in headline.places}
        return drafts, [place for n, place in enumerate(left) if n not in taken]

    def _titles(self, left: Sequence[int]) -> tuple[list[Draft], list[int]]:
        """Phrases on separate shades, as wide as these, and the remaining places."""
        boxes = [self.boxes[place] for place in left]
        shades = self.seen.drawn.fills and title_shades(
            [self.lines[self.members[place]] for place in left], boxes, self.seen.drawn
        )
        drafts, taken = [], set[int]()
        for shade in shades:
            own = [p for p in left if contains(shade, center(self.boxes[p])) and p not in taken]
            if own:
                drafts.append(Draft(rows=(self.rows.row(own),), area=shade))
                taken.update(own)
        return drafts, [place for place in left if place not in taken]

    def _tables(self) -> tuple[list[Draft], set[int]]:
        """Tables, and the places of their lines."""
        drafts, taken = [], set[int]()
        for box, table in self.tables:
            if are_contents(table):
                continue
            places = [place for cell in table.cells for place in cell.line_indexes]
            taken.update(places)
            rows = tuple(self.rows.row([place]) for place in places)
            whole = Draft(kind="table", rows=rows, area=box)
            if is_scattered(table):
                drafts.append(replace(whole, kind="text", parts=tuple(self._cells(table))))
            else:
                table = renumbered(table, dict(enumerate(self.members)))
                drafts.append(replace(whole, table=table))
        return drafts, taken

    def _cells(self, table: Table) -> Iterator[Draft]:
        """A table's cells as blocks, row by row."""
        for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
            if cell.line_indexes:
                yield Draft(rows=tuple(self.rows.row([place]) for place in cell.line_indexes))

    def _borne_out(
        self, tables: Sequence[Box], boxes: Sequence[Box], fields: Sequence[Box]
    ) -> list[tuple[Box, Area]]:
        """The areas, without those wrongly called a table, or a figure where fields are.

        These cover most of the text, or contain tables that were found: the rest is around
        them.
        """
        text = area(union(boxes)) if boxes else 0.0
        forms = [
            box
            for box, each in self.seen.areas
            if each.kind in FIGURES
            and sum(contains(box, center(field)) for field in fields) >= FORM_FIELDS
        ]
        return [
            (box, each)
            for box, each in self.seen.areas
            if box not in forms
            if each.kind != "table"
            or (
                area(box) < MOST_TEXT * text
                and not any(intersection_area(table, box) > area(table) / 2 for table in tables)
            )
        ]

    def _figures(
        self, pictures: Sequence[Box], left: Sequence[int]
    ) -> tuple[list[Draft], list[int]]:
        """The pictures with the lines in them and around them, and the remaining places.

        Where two pictures overlap the first gets the lines.
        """
        figures = []
        left = list(left)
        for picture in pictures:
            inside = [p for p in left if contains(picture, center(self.boxes[p]))]
            outside = [p for p in left if p not in set(inside)]
            rows = [self.rows.row([p]) for p in outside]
            labels = labels_of(picture, rows, self.seen.drawn.fills)
            inside += [outside[label] for label in labels]
            own = tuple(self.rows.row([place]) for place in inside)
            figures.append(Draft(kind="figure", area=picture, rows=own))
            taken = set(inside)
            left = [place for place in left if place not in taken]
        return figures, list(left)
